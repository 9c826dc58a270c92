import { urgencyOf, type Urgency } from '../../../domain/incidents/incidents.js';
import type { ReceiverOption, MailLanguage } from '../../../domain/webhooks/webhookTarget.js';
import {
  mailTexts,
  oneLine,
  phaseOf,
  sectionOf,
  sourceCountOf,
  worded,
  type MailEvent,
  type Phase,
} from '../messageWords.js';

/** Facts that stay the same from the first message about something to the last. */
export type Origin = {
  /** Instant of its first message. */
  readonly at: string;
  readonly kind: string;
  readonly sourceId: number | null;
  readonly source: string;
  /** Labels of the source. */
  readonly labels: Readonly<Record<string, string>>;
  readonly severity: Urgency;
};

/** Content of a message, in the words of a language and without the form of a receiver. */
export type Announcement = {
  /** The same in all messages about one alert or incident. */
  readonly dedupKey: string;
  /** `activity`, `gap`, `frozen`, `drift`, `noData`, `analysis` or `test`. */
  readonly kind: string;
  readonly phase: Phase;
  /** One line: change, source and sentence. */
  readonly title: string;
  /** Criticity of an alert that waits for people, else 0. */
  readonly urgency: number;
  readonly sentence: string;
  /** Date, loss and criticity, or the reason of a failure. */
  readonly detail: string;
  /** Loss in words; absent without a severity, and for an analysis. */
  readonly loss?: string;
  /** Names of the sources, of the first ones when there are many. */
  readonly sources: readonly string[];
  /** At least that of `sources`. */
  readonly sourceCount: number;
  /** Instant of the event. */
  readonly at: string;
  readonly severity: Urgency;
  readonly origin: Origin;
  /** 0–1; null for an analysis. */
  readonly criticity: number | null;
  readonly link?: string;
  /** The values of the day as block characters. */
  readonly blocks?: string;
};

/** The parts of a CloudEvent that an announcement uses. A test has no source. */
export type AnnouncedEvent = MailEvent & {
  readonly time: string;
  /** Id of the alert or the incident; absent for an analysis and a test. */
  readonly subject?: string;
  /** Position in the log; absent for a test. */
  readonly position?: string;
  readonly data: {
    readonly source?: { readonly labels?: Readonly<Record<string, string>> };
    readonly webhookId?: string;
    readonly messages?: readonly AnnouncedEvent[];
  };
};

/** Facts of an event that are not in its message. */
export type EventFacts = {
  /** The alert or incident and its source when it was announced to the receiver. */
  readonly announced?: Omit<Origin, 'severity'> & { readonly criticity: number };
  readonly blocks?: string;
};

/** Subject of an event, apart from its words. */
type Subject = Pick<Announcement, 'dedupKey' | 'kind' | 'severity' | 'criticity'>;

const subjectOf = ({ type, subject, data }: AnnouncedEvent): Subject => {
  const { alert, incident, source, webhookId } = data;
  if (alert) {
    const { kind, criticity } = incident ?? alert;
    return { dedupKey: subject ?? alert.id, kind, criticity, severity: urgencyOf(criticity) };
  }
  if (source) {
    const severity = type === 'analysis.failed' ? 'warning' : 'info';
    return { dedupKey: `analysis-${source.id}`, kind: 'analysis', criticity: null, severity };
  }
  return { dedupKey: `test-${webhookId ?? ''}`, kind: 'test', criticity: null, severity: 'info' };
};

/** The announcement of a message. The same message, language and facts give the same announcement. */
export const announcementOf = (
  event: AnnouncedEvent,
  language: MailLanguage = 'en',
  { announced, blocks }: EventFacts = {},
): Announcement => {
  const { time, data } = event;
  const texts = mailTexts(language);
  const subject = subjectOf(event);
  const { title, detail, loss, link, urgency } = sectionOf(event, texts);
  const name = oneLine(data.source?.name ?? '');
  const { alert } = worded(event).data;
  const sentences: Readonly<Record<string, string | undefined>> = alert?.sentences ?? {};
  const names = data.incident?.sources.map(one => oneLine(one.name)) ?? (name === '' ? [] : [name]);
  const { kind } = subject;
  const { id: sourceId = null, labels = {} } = data.source ?? {};
  const first = announced ?? { at: time, kind, sourceId, source: name, labels };
  return {
    ...subject,
    phase: phaseOf(event),
    title,
    urgency,
    sentence: alert ? oneLine(sentences[language] ?? alert.sentence) : title,
    detail: kind === 'test' ? texts.testArrived : detail,
    sources: names,
    sourceCount: data.incident ? sourceCountOf(data.incident) : names.length,
    at: time,
    origin: {
      ...{ at: first.at, kind: first.kind, sourceId: first.sourceId, labels: first.labels },
      source: oneLine(first.source),
      severity: announced ? urgencyOf(announced.criticity) : subject.severity,
    },
    ...(loss !== undefined && { loss }),
    ...(link !== undefined && { link }),
    ...(blocks !== undefined && { blocks }),
  };
};

/** Texts around announcements, in the language of the receiver. */
export type Words = {
  /** Text of a link. */
  readonly open: string;
  /** Last line of a list that is cut. */
  readonly more: (count: number) => string;
  /** A title with its loss in a list. */
  readonly titleWithLoss: (title: string, loss: string) => string;
};

/** A message for a form. */
export type FormatInput = {
  /** One, or those of a digest. */
  readonly announcements: readonly [Announcement, ...Announcement[]];
  /** The title of the one, or that of the digest. */
  readonly heading: string;
  readonly words: Words;
  readonly options: Readonly<Partial<Record<ReceiverOption, string>>>;
};

/** A request body, with the value of `Authorization` where the receiver needs one. */
export type Formatted = { readonly body: string; readonly authorization?: string };

/** The form of the messages of a kind of receivers. */
export type Format = {
  /** The same message gives the same bytes. */
  readonly format: (input: FormatInput) => Formatted;
  /** Fault of an address that cannot belong to such a receiver; undefined for none. */
  readonly addressFault?: (url: URL) => string | undefined;
  /** Whether the path of an address is a secret, which no answer has. */
  readonly hasSecretPath?: boolean;
};

/** Path of an address in an answer in place of a secret one. */
export const hiddenPath = '/…';

/** Fault of an address whose path is a secret: it is missing, or comes from an answer. */
export const secretPathFault = ({ pathname }: URL): string | undefined =>
  pathname === '/' || pathname === encodeURI(hiddenPath)
    ? 'got an address without the path that the receiver gave, expected the whole address'
    : undefined;

/** A fault unless the path of an address has an ending. */
export const pathEnding =
  (ending: string) =>
  ({ pathname }: URL): string | undefined =>
    pathname.endsWith(ending) ? undefined : `got the path ${pathname}, expected one that ends with ${ending}`;

/**
 * The first characters of a text; the last one says that it is cut.
 * @param sizeOf size of a text in the unit of `max`, by default in characters
 */
export const cut = (
  text: string,
  max: number,
  sizeOf = (part: string): number => [...part].length,
): string => {
  if (sizeOf(text) <= max) return text;
  let left = max - sizeOf('…');
  const characters = [...text];
  const count = characters.findIndex(character => {
    left -= sizeOf(character);
    return left < 0;
  });
  return `${characters.slice(0, count).join('')}…`;
};

/** The title of a message in a list, with what was lost. @param max most characters of the title */
export const listTitle = (
  { title, loss }: Announcement,
  { titleWithLoss }: Pick<Words, 'titleWithLoss'>,
  max: number,
): string => (loss === undefined ? cut(title, max) : titleWithLoss(cut(title, max), loss));

/** Bearer token of a request, when there is one. */
export const bearer = (token: string | undefined): Pick<Formatted, 'authorization'> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/**
 * All lines when they fit together; else the first ones, with a last line about the others.
 * @param sizeOf size of a line in the unit of `max`, its separator included
 * @param beyond number of lines that are not given
 */
export const fitting = (
  lines: readonly string[],
  max: number,
  more: Words['more'],
  { sizeOf = line => Buffer.byteLength(line) + 1, beyond = 0 }: Fitting = {},
): readonly string[] => {
  const size = lines.reduce((sum, line) => sum + sizeOf(line), 0);
  if (size <= max && beyond === 0) return lines;
  const all = lines.length + beyond;
  let left = max - sizeOf(more(all));
  const firstLeftOut = lines.findIndex(line => {
    left -= sizeOf(line);
    return left < 0;
  });
  const count = firstLeftOut < 0 ? lines.length : firstLeftOut;
  return [...lines.slice(0, count), more(all - count)];
};

type Fitting = { readonly sizeOf?: (line: string) => number; readonly beyond?: number };

/** Bytes of the names of sources in a message, and between two of them. */
const namesBytesMax = 1000;
const separatorBytes = 4;

/** The names of the sources of a message, or of the first ones and how many more there are. */
export const shownSources = (
  { sources, sourceCount }: Announcement,
  { more }: Pick<Words, 'more'>,
  written = (name: string): string => name,
): readonly string[] =>
  fitting(sources.map(written), namesBytesMax, more, {
    sizeOf: name => Buffer.byteLength(name) + separatorBytes,
    beyond: sourceCount - sources.length,
  });
