import type { AlertKind } from '../../domain/alerts/findings.js';
import { type InOtherLanguages, languages, type Language } from '../../domain/words/languages.js';
import type { AlertChange, IncidentChange } from '../../domain/webhooks/messageCauses.js';
import type { Lost, MessageChange } from '../../domain/words/sentenceTexts.js';
import type { SentenceTexts } from '../../domain/words/en.js';
import { inOneLine, percent } from '../../domain/text.js';

/** The parts of a message to a receiver, a CloudEvent, that a mail uses. */
export type MailEvent = {
  readonly type: string;
  readonly data: {
    readonly source?: { readonly id: number; readonly name: string };
    /** Change of the alert: `raised`, `resolved` … */
    readonly change?: string;
    readonly alert?: MailAlert;
    /** With its most critical alert in `alert`. */
    readonly incident?: MailIncident;
    /** An analysis that failed has a reason. */
    readonly analysis?: { readonly detail?: string };
    readonly link?: string;
    /** Messages of a digest. */
    readonly messages?: readonly MailEvent[];
  };
};

type MailAlert = {
  readonly id: string;
  readonly date: string;
  readonly kind: AlertKind;
  readonly criticity: number;
  /** In English. */
  readonly sentence: string;
  /** The same in other languages; absent in messages of older versions. */
  readonly sentences?: InOtherLanguages;
  /** Loss in words, in English and in other languages; absent or null without a severity. */
  readonly loss?: string | null;
  readonly losses?: InOtherLanguages | null;
  /** Whether the loss is that of the worst one of several days. */
  readonly isWorst?: boolean;
};

type MailIncident = Pick<MailAlert, 'criticity' | 'sentence' | 'loss' | 'losses'> & {
  readonly kind: string;
  readonly sentences: InOtherLanguages;
  /** First and last date of its alerts. */
  readonly since: string;
  readonly until: string;
  /** At most the first ones of `sourceCount`, which messages of older versions do not have. */
  readonly sources: readonly { readonly name: string }[];
  readonly sourceCount?: number;
};

/** Number of the sources of an incident. */
export const sourceCountOf = ({
  sources,
  sourceCount = sources.length,
}: Pick<MailIncident, 'sources' | 'sourceCount'>): number => sourceCount;

/** A message about an incident, with its sentence, loss and sources in the places of those of its alert. */
export const worded = <Event extends MailEvent>(event: Event): Event => {
  const { incident, alert, source } = event.data;
  if (!incident || !alert || !source) return event;
  const others = sourceCountOf(incident) - 1;
  const name = others > 0 ? `${source.name} (+${others})` : source.name;
  const { sentence, sentences, criticity, loss = null, losses = null, since, until } = incident;
  const shown = { sentence, sentences, criticity, loss, losses, isWorst: since !== until };
  const data = { source: { ...source, name }, alert: { ...alert, ...shown } };
  return { ...event, data: { ...event.data, ...data } };
};

/** Returns a function that writes a date `YYYY-MM-DD` with its weekday in the words of a language. */
const dateIn = ({ locale, firstOfMonth }: SentenceTexts): ((date: string) => string) => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
  return date =>
    format
      .formatToParts(new Date(`${date}T00:00:00Z`))
      .map(({ type, value }) => (type === 'day' && value === '1' ? firstOfMonth : value))
      .join('');
};

/** Change of an alert that a message is about. */
type Change = MessageChange;

/** Texts of mails in one language. The sentence and the loss of an alert are those of the API. */
export type MailTexts = Omit<SentenceTexts['message'], 'alert' | 'afterName' | 'detail' | 'lossDetail'> & {
  /** Language tag of the HTML. */
  readonly tag: string;
  /** Loss of an alert; undefined without a severity. */
  readonly lost: (alert: MailAlert) => Lost | undefined;
  /** Date, loss and criticity of an alert. */
  readonly detail: (alert: MailAlert) => string;
  /** Title of a message about an alert. */
  readonly alert: (source: string, alert: MailAlert, change: Change) => string;
};

const textsIn = (tag: Language): MailTexts => {
  const { message } = languages[tag];
  const sentenceOf = ({ sentence, sentences }: MailAlert): string => {
    const others: Readonly<Record<string, string>> = sentences ?? {};
    const own = tag === 'en' ? sentence : others[tag];
    // Messages of older versions have English sentences only.
    return own === undefined ? sentence : message.afterName(own);
  };
  const lost: MailTexts['lost'] = ({ loss, losses, isWorst = false }) => {
    const others: Readonly<Record<string, string>> = losses ?? {};
    const own = tag === 'en' ? loss : others[tag];
    return own == null ? undefined : { loss: own, isWorst };
  };
  const dateText = dateIn(languages[tag]);
  return {
    ...message,
    tag,
    lost,
    detail: alert => {
      const [date, criticity, lostText] = [dateText(alert.date), percent(alert.criticity), lost(alert)];
      return lostText ? message.lossDetail(date, criticity, lostText) : message.detail(date, criticity);
    },
    alert: (source, alert, change) => message.alert(source, sentenceOf(alert), change),
  };
};

const knownTexts = new Map<Language, MailTexts>();

/** The texts of a language. */
export const mailTexts = (language: Language): MailTexts => {
  const texts = knownTexts.get(language) ?? textsIn(language);
  knownTexts.set(language, texts);
  return texts;
};

/** Whether something begins, goes on, is in the hands of a person, or is over. */
export type Phase = 'trigger' | 'update' | 'acknowledge' | 'resolve';

/** The words and the phase of a change of an alert or an incident. */
const changes: Readonly<Record<AlertChange | IncidentChange, readonly [Change, Phase]>> = {
  raised: ['raised', 'trigger'],
  opened: ['raised', 'trigger'],
  changed: ['raised', 'update'],
  acknowledged: ['acknowledged', 'acknowledge'],
  reopened: ['reopened', 'trigger'],
  resolved: ['resolved', 'resolve'],
  invalidated: ['invalidated', 'resolve'],
  ended: ['ended', 'resolve'],
  merged: ['merged', 'resolve'],
};

const knownChanges = new Map<string | undefined, readonly [Change, Phase]>(Object.entries(changes));

/** The change that a message is about and its phase; `raised` for one that this build does not know. */
const changeOf = ({ data: { change } }: MailEvent): readonly [Change, Phase] =>
  knownChanges.get(change) ?? changes.raised;

/** The phase of the subject of a message. */
export const phaseOf = (event: MailEvent): Phase =>
  event.type === 'analysis.completed' ? 'resolve' : changeOf(event)[1];

/** A message in words. */
export type Section = {
  readonly alertId: string | undefined;
  readonly title: string;
  readonly detail: string;
  /** Loss in words; undefined without a severity, and for an analysis. */
  readonly loss: string | undefined;
  readonly link: string | undefined;
  /** Criticity of an alert that waits for people, else 0: the most urgent message of a digest is in its subject. */
  readonly urgency: number;
};

/** A message in the words of a language; one about an incident has the words of the incident. */
export const sectionOf = (event: MailEvent, texts: MailTexts): Section => {
  const { type, data } = worded(event);
  const { source, alert, analysis, link } = data;
  const name = oneLine(source?.name ?? '');
  if (alert) {
    const [change, phase] = changeOf(event);
    const title = oneLine(texts.alert(name, alert, change));
    const urgency = phase === 'resolve' ? 0 : alert.criticity;
    const [detail, loss] = [texts.detail(alert), texts.lost(alert)?.loss];
    return { alertId: alert.id, title, detail, loss, link, urgency };
  }
  const common = { alertId: undefined, loss: undefined, link, urgency: 0 };
  if (type === 'analysis.completed')
    return { ...common, title: texts.newModels(name), detail: texts.newModelsDetail };
  if (type === 'analysis.failed')
    return {
      ...common,
      title: texts.analysisFailed(name),
      detail: texts.analysisFailedDetail(oneLine(analysis?.detail ?? '')),
    };
  return { ...common, title: texts.test, detail: texts.testDetail };
};

/** A text in one line with single spaces: a name of a source must not begin a header or a line. */
export const oneLine = (text: string): string => inOneLine(text).replaceAll(/ {2,}/g, ' ').trim();

type Titled = Pick<Section, 'title' | 'urgency'>;

/** Heading of messages: the title of one; of several their number and the title of the most urgent. */
export const headingOf = (
  [first, ...others]: readonly [Titled, ...Titled[]],
  { digest }: Pick<MailTexts, 'digest'>,
): string => {
  const { title } = others.reduce((most, one) => (one.urgency > most.urgency ? one : most), first);
  return others.length === 0 ? title : digest(others.length + 1, title);
};
