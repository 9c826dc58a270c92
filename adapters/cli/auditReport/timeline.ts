import { processManagerName, type EventOf, type KnownEvent } from '../../../domain/events.js';
import { plural } from '../../../domain/text.js';
import { quotedText } from './facts.js';

/** A row of the timeline: events of one author that belong together. */
export type TimelineEntry = {
  readonly at: string;
  /** Time of the last one, where there are several. */
  readonly to: string;
  readonly by: string;
  readonly words: string;
  /** Numbers of the events in the log, first and last. */
  readonly events: readonly [first: bigint, last: bigint];
};

type Import = EventOf<'DaysImported' | 'PointsImported'>;

/** A field of an event as text. Events of later versions may have other fields. */
const field = (data: object, name: string): string =>
  String((data as Readonly<Record<string, unknown>>)[name]);

/** Words for models that a person went back to; undefined for others. */
const restoredWords = (data: object): string | undefined =>
  'restoredFrom' in data ? `restored the models of version ${field(data, 'restoredFrom')}` : undefined;

const simpleWords: Readonly<Record<string, (data: object) => string>> = {
  SourceIdReserved: data => `reserved the source id ${field(data, 'sourceId')}`,
  SourceNameClaimed: data => `claimed the name “${field(data, 'name')}” for the source`,
  SourceDescribed: () => 'changed the description of the source',
  SourceCreated: data => {
    const { relearnedFrom: from } = data as { readonly relearnedFrom?: number };
    const origin = from === undefined ? '' : `, from the recent days of source ${from}`;
    return `created the source “${field(data, 'name')}” with the reference year ${field(data, 'referenceYear')}${origin}`;
  },
  SourceRelearned: data => {
    const { created } = data as { readonly created: object };
    return `had source ${field(created, 'sourceId')} learned from the recent days`;
  },
  SourceArchived: data => {
    const { relearnedAs } = data as { readonly relearnedAs?: number };
    return relearnedAs === undefined
      ? 'archived the source'
      : `archived the source in favour of source ${relearnedAs}`;
  },
  SourceRestored: () => 'restored the source',
  ModelsResetRequested: data => {
    const { coverage } = data as { readonly coverage?: number };
    const target = coverage === undefined ? '' : ` with coverage ${coverage}`;
    return `requested ${plural(Number(field(data, 'modelCount')), 'new model')}${target}`;
  },
  ModelDescribed: data => `changed the name or colour of model ${field(data, 'modelId')}`,
  ModelAnomalyChanged: data =>
    `marked model ${field(data, 'modelId')} as ${field(data, 'anomaly') === 'true' ? 'an anomaly' : 'ordinary'}`,
  ModelsReset: data => {
    const { edited } = data as { readonly edited?: { readonly modelsVersion: number } };
    return (
      restoredWords(data) ??
      (edited ? `edited the models of version ${edited.modelsVersion}` : 'learned the models')
    );
  },
  ModelsReplaced: data =>
    restoredWords(data) ??
    `replaced all models by ${(data as { models: readonly unknown[] }).models.length} custom ones`,
  DayPlanned: data => `planned ${field(data, 'date')} to follow model ${field(data, 'modelId')}`,
  DayPlanCleared: data => `cleared the planning of ${field(data, 'date')}`,
  DayTakenBack: data => {
    const { reason } = data as { readonly reason: string | null };
    return `took back the recent day ${field(data, 'date')}${reason === null ? '' : `: ${quotedText(reason)}`}`;
  },
  ReferenceDayLeftOut: data =>
    `left the reference day ${field(data, 'date')} out: ${quotedText(field(data, 'reason'))}`,
  LeavingOutTakenBack: data => `took back that the reference day ${field(data, 'date')} is left out`,
  ChangeAccepted: data => {
    const { change } = data as { readonly change: { readonly type: string; readonly from: string } };
    return `took a change of the ${change.type} from ${change.from} on as the new normal`;
  },
  ChangeWithdrawn: data => `took back that the change from ${field(data, 'from')} on is the new normal`,
  SpecialDayNamed: data => `named ${field(data, 'date')} ${quotedText(field(data, 'name'))}`,
  SpecialDayCleared: data => `removed the name of ${field(data, 'date')}`,
  CalendarRuleApplied: data => {
    const { rule } = data as { readonly rule: { readonly name: string; readonly dates: readonly unknown[] } };
    return `named ${plural(rule.dates.length, 'date')} ${quotedText(rule.name)} by a rule`;
  },
  CalendarRuleWithdrawn: () => 'deleted a calendar rule',
  AlertAcknowledged: data => `acknowledged alert ${field(data, 'alertId')}`,
  AlertReopened: data => `reopened alert ${field(data, 'alertId')}`,
  AlertResolved: data => {
    const { comment } = data as { readonly comment: string | null };
    const note = comment === null ? '' : `: ${quotedText(comment)}`;
    return `resolved alert ${field(data, 'alertId')} as ${field(data, 'verdict')}${note}`;
  },
};

/** An event in words; unknown types are spelled out: `source archived`. */
export const eventWords = (event: KnownEvent): string =>
  simpleWords[event.type]?.(event.data) ?? event.type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

const isImport = (event: KnownEvent): event is Import =>
  event.type === 'DaysImported' || event.type === 'PointsImported';

/** Whether two imports are one row: of one author, and both of points or of days of one kind. */
const areTogether = (one: Import, other: Import): boolean => {
  const [kind, otherKind] = [one, other].map(({ type, data }) => ('kind' in data ? data.kind : type));
  return one.metadata.by === other.metadata.by && kind === otherKind;
};

/** @param parts at least one, all together */
const importWords = (parts: readonly Import[]): string => {
  const dates = parts.flatMap(({ data }) => data.days.map(({ date }) => date));
  const from = dates.reduce((least, date) => (date < least ? date : least));
  const to = dates.reduce((most, date) => (date > most ? date : most));
  const points = parts.reduce((sum, { data }) => sum + ('points' in data ? data.points : 0), 0);
  if (points > 0)
    return `sent ${plural(points, 'point')} of ${plural(new Set(dates).size, 'day')}, ${from} to ${to}`;
  const imports = new Set(parts.map(({ data }) => data.importId)).size;
  const noun = `${parts.flatMap(({ data }) => ('kind' in data ? data.kind : []))[0] ?? ''} day`;
  return `imported ${plural(dates.length, noun)}, ${from} to ${to}${imports > 1 ? `, in ${imports} imports` : ''}`;
};

/** Words for decisions about rules for labels, whose deletion does not say the name. */
const calendarWords = () => {
  const names = new Map<string, string>();
  return (event: KnownEvent): string | undefined => {
    if (event.type === 'CalendarRuleDeleted')
      return `deleted the rule ${quotedText(names.get(event.data.ruleId) ?? event.data.ruleId)} for sources with its labels`;
    if (event.type !== 'CalendarRuleSaved') return undefined;
    const { ruleId, name, dates } = event.data.rule;
    names.set(ruleId, name);
    return `named ${plural(dates.length, 'date')} ${quotedText(name)} by a rule for sources with its labels`;
  };
};

/**
 * Events of people, in the order of the log. Consecutive imports are one row.
 * @param calendar decisions about rules for labels that the source followed: its own events are by the service
 */
export const timelineEntries = (
  events: readonly KnownEvent[],
  calendar: readonly KnownEvent[],
): TimelineEntry[] => {
  const all = [...events, ...calendar].sort((one, other) => (one.position < other.position ? -1 : 1));
  const wordsOf = calendarWords();
  const entries: TimelineEntry[] = [];
  let parts: Import[] = [];
  const flush = (): void => {
    const [first, last] = [parts[0], parts.at(-1)];
    if (first && last)
      entries.push({
        at: first.at,
        to: last.at,
        by: first.metadata.by,
        words: importWords(parts),
        events: [first.position, last.position],
      });
    parts = [];
  };
  for (const event of all) {
    if (event.metadata.by === processManagerName || event.type === 'SourceIdReserved') continue;
    if (isImport(event)) {
      const [first] = parts;
      if (first && !areTogether(first, event)) flush();
      if (event.data.days.length > 0) parts.push(event);
      continue;
    }
    flush();
    const { at, metadata, position } = event;
    entries.push({
      at,
      to: at,
      by: metadata.by,
      words: wordsOf(event) ?? eventWords(event),
      events: [position, position],
    });
  }
  flush();
  return entries;
};
