import { languageTags, type Language } from '../words/languages.js';
import { Rejection, type Fault } from '../rejection.js';

/** Forms in which messages are sent. A mail has a form of its own. */
export const receiverFormats = [
  'cloudevents',
  'slack',
  'teams',
  'pagerduty',
  'ntfy',
  'alertmanager',
] as const;
export type ReceiverFormat = (typeof receiverFormats)[number];

/** Options of formats. Each may be a secret, so all are sealed. */
export const receiverOptions = ['routingKey', 'topic', 'token', 'priority'] as const;
export type ReceiverOption = (typeof receiverOptions)[number];

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
  readonly labels?: PatchOf<WebhookTarget['labels']>;
  readonly digest?: PatchOf<Digest>;
  readonly quietHours?: PatchOf<QuietHours>;
  readonly language?: MailLanguage | null;
  readonly options?: PatchOf<NonNullable<WebhookTarget['options']>>;
};

/** A merge patch of an object. */
type PatchOf<Whole extends object> = { readonly [Name in keyof Whole]?: Whole[Name] | null } | null;

/** Largest number of labels of a webhook. */
export const webhookLabelsMax = 32;

/** An object after a merge patch; a new one may lack fields. */
const patched = <Whole extends object>(
  before: Whole | undefined,
  patch: PatchOf<Whole> | undefined,
): Whole | undefined => {
  if (patch === null || (patch === undefined && !before)) return undefined;
  const fields = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(fields) as Whole;
};

/** A target after a patch. */
export const patchedTarget = (target: WebhookTarget, patch: TargetPatch): WebhookTarget => {
  const { labels: _, language, format, ...others } = { ...target, ...patch };
  const { digest: _digest, quietHours: _quietHours, options: _options, ...plainFields } = others;
  const digest = patched(target.digest, patch.digest);
  const quietHours = patched(target.quietHours, patch.quietHours);
  const options = patched(target.options, patch.options) ?? {};
  return {
    ...plainFields,
    labels: patched(target.labels, patch.labels) ?? {},
    ...(digest && { digest }),
    ...(quietHours && { quietHours }),
    ...(language && { language }),
    ...(format && format !== 'cloudevents' && { format }),
    ...(Object.keys(options).length > 0 && { options }),
  };
};

type FormatRules = {
  /** Options that a receiver of this format needs, and those that it may have. */
  readonly needs: readonly ReceiverOption[];
  readonly takes: readonly ReceiverOption[];
  /** Whether one message may be about several alerts, over time or at once: those of an interval. */
  readonly digests: boolean;
  /** Whether messages may wait for the end of quiet hours. */
  readonly waits: boolean;
  /** Whether it takes messages about analyses. */
  readonly analyses: boolean;
};

const plain: FormatRules = { needs: [], takes: [], digests: true, waits: true, analyses: true };

const formatRules: Readonly<Record<ReceiverFormat, FormatRules>> = {
  cloudevents: plain,
  slack: plain,
  teams: plain,
  pagerduty: { ...plain, needs: ['routingKey'], digests: false },
  ntfy: { ...plain, needs: ['topic'], takes: ['token', 'priority'] },
  // Its own routes and intervals decide who gets a message, and when.
  alertmanager: { ...plain, takes: ['token'], digests: false, waits: false, analyses: false },
};

/** Whether a type of messages is about an analysis. */
const isOfAnalysis = (type: MessageType): boolean => type.startsWith('analysis.');

/** Types of messages of a new receiver that chose none. */
export const usualEvents = (format: ReceiverFormat, types: readonly MessageType[]): readonly MessageType[] =>
  formatRules[format].analyses ? types : types.filter(type => !isOfAnalysis(type));

const optionFaults = ({ format = 'cloudevents', options = {} }: WebhookTarget): Fault[] => {
  const { needs, takes } = formatRules[format];
  const known = [...needs, ...takes];
  const expected = known.length === 0 ? 'none' : known.join(', ');
  return [
    ...Object.keys(options)
      .filter(name => !known.some(one => one === name))
      .map(name => ({
        code: 'optionUnknown',
        pointer: `/options/${name}`,
        detail: `got ${name} for the format ${format}, expected ${expected}; null removes it`,
      })),
    ...needs
      .filter(name => options[name] === undefined)
      .map(name => ({
        code: 'optionMissing',
        pointer: `/options/${name}`,
        detail: `got none for the format ${format}, expected ${name}`,
      })),
  ];
};

const ruleFaults = ({ format = 'cloudevents', ...target }: WebhookTarget): Fault[] => {
  const { digests, waits, analyses } = formatRules[format];
  const ofAnalysis = target.events.findIndex(isOfAnalysis);
  const refused = (code: string, pointer: string, got: string): Fault => ({
    code,
    pointer,
    detail: `got ${got} for the format ${format}, expected none`,
  });
  return [
    ...(format !== 'cloudevents' && target.host === mailHost
      ? [refused('formatOfMail', '/format', 'a mail address')]
      : []),
    ...(target.digest && !digests ? [refused('digestRefused', '/digest', 'a digest')] : []),
    ...(target.grouping === 'incident' && !digests
      ? [refused('groupingRefused', '/grouping', 'alerts that stand for incidents')]
      : []),
    ...(target.quietHours && !waits ? [refused('quietHoursRefused', '/quietHours', 'quiet hours')] : []),
    ...(ofAnalysis >= 0 && !analyses
      ? [refused('eventRefused', `/events/${ofAnalysis}`, String(target.events[ofAnalysis]))]
      : []),
  ];
};

/** @throws Rejection `webhookInvalid` with all faults */
export const requireFormat = (target: WebhookTarget): void => {
  const faults = [...ruleFaults(target), ...optionFaults(target)];
  if (faults.length > 0)
    throw new Rejection('webhookInvalid', 'the format of the receiver does not fit its other fields', faults);
};
