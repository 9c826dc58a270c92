import { languageTags, type Language } from '../alerts/sentences/languages.js';
import type { ReceiverFormat, ReceiverOption } from './receiverFormats.js';

/** Types of the messages that a webhook can ask for. */
export const messageTypes = [
  'incident.opened',
  'incident.updated',
  'incident.ended',
  'alert.raised',
  'alert.updated',
  'alert.resolved',
  'source.silent',
  'analysis.completed',
  'analysis.failed',
] as const;
export type MessageType = (typeof messageTypes)[number];

/** Types of messages of a webhook that asks for none: one message for each cause. */
export const defaultMessageTypes: readonly MessageType[] = [
  'incident.opened',
  'incident.updated',
  'incident.ended',
  'analysis.completed',
  'analysis.failed',
];

/**
 * Messages `alert.*` and `source.silent`. `incident`: about incidents, in the form of messages about their most
 * critical alert; absent or `none`: about each alert.
 */
export const groupings = ['none', 'incident'] as const;
export type Grouping = (typeof groupings)[number];

/** Minutes between digests: parts of a day, so that digests come at the same times every day. */
export const digestMinutes = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440] as const;

/** Messages wait for the next digest, at times of the day in the time zone of their source. */
export type Digest = {
  /** Minutes between digests, one of `digestMinutes`. */
  readonly everyMinutes: number;
  /** Time of one of the digests, `HH:MM`; absent for `00:00`. */
  readonly at?: string;
};

/** Times of the day in the time zone of a source at which its messages wait. */
export type QuietHours = {
  /** Beginning, `HH:MM`. */
  readonly from: string;
  /** End, `HH:MM`; before `from` for an end on the next day. */
  readonly to: string;
  /** Least criticity of alerts that do not wait, 0–1; absent when all wait. */
  readonly minCriticity?: number;
};

/** Languages of messages that people read. CloudEvents have an English sentence and its numbers. */
export const mailLanguages: readonly Language[] = languageTags;
export type MailLanguage = Language;

/** Recorded as the host of every mail address, because the real host may identify a person. */
export const mailHost = 'mail';

/** Messages of a webhook, and their receiver. */
export type WebhookTarget = {
  /** Host of the address; `mail` for a mail address. */
  readonly host: string;
  /** The address, sealed with the key of the webhook: it may hold a secret, or name a person. */
  readonly url: string;
  readonly events: readonly MessageType[];
  /** Labels that a source must have; none for all sources. */
  readonly labels: Readonly<Record<string, string>>;
  /** Least criticity of an alert, 0–1. */
  readonly minCriticity: number;
  /** Whether messages about alerts are about incidents; absent for about each alert. */
  readonly grouping?: Grouping;
  /** Absent when each message is delivered at once. */
  readonly digest?: Digest;
  /** Absent for none. */
  readonly quietHours?: QuietHours;
  /** Language of mails and of formats that people read; absent for English and for CloudEvents. */
  readonly language?: MailLanguage;
  /** Form of the messages; absent for CloudEvents and for mails. */
  readonly format?: ReceiverFormat;
  /** Values that the format needs, each sealed with the key of the webhook; absent for none. */
  readonly options?: Readonly<Partial<Record<ReceiverOption, string>>>;
};

/** A JSON merge patch (RFC 7396) of a target: absent fields stay, null removes. `host` comes with `url`. */
export type TargetPatch = Partial<
  Omit<WebhookTarget, 'labels' | 'digest' | 'quietHours' | 'language' | 'options'>
> & {
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly digest?: Digest | null;
  readonly quietHours?: QuietHours | null;
  readonly language?: MailLanguage | null;
  readonly options?: Readonly<Partial<Record<ReceiverOption, string | null>>> | null;
};

/** Largest number of labels of a webhook. */
export const webhookLabelsMax = 32;

/** Texts by name after a merge patch. */
const patchedTexts = <Name extends string>(
  texts: Readonly<Partial<Record<Name, string>>>,
  patch: Readonly<Partial<Record<Name, string | null>>> | null | undefined,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries<string | null | undefined>(patch === null ? {} : { ...texts, ...patch }).filter(
      (text): text is [string, string] => typeof text[1] === 'string',
    ),
  );

/** A target after a patch. */
export const patchedTarget = (target: WebhookTarget, patch: TargetPatch): WebhookTarget => {
  const { labels, digest, quietHours, language, format, options: _, ...others } = { ...target, ...patch };
  const options = patchedTexts(target.options ?? {}, patch.options);
  return {
    ...others,
    labels: patchedTexts(target.labels, patch.labels),
    ...(digest && { digest }),
    ...(quietHours && { quietHours }),
    ...(language && { language }),
    ...(format && format !== 'cloudevents' && { format }),
    ...(Object.keys(options).length > 0 && { options }),
  };
};
