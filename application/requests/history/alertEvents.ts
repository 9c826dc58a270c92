import { isAnalysis } from '../../../domain/followUps.js';
import { decode, type KnownEvent, type EventOf } from '../../../domain/events.js';
import { streams } from '../../../domain/streams.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import type { EventStore } from '../../ports/eventStore.js';

/** An event that led to the alert is missing from the log. */
export class Unexplained extends Error {
  readonly name = 'Unexplained';
}

/** A value that the log must contain. @throws Unexplained */
export const required = <Value>(value: Value | undefined, name: string): Value => {
  if (value === undefined) throw new Unexplained(`the log lacks ${name}`);
  return value;
};

/** Known events of a stream that satisfy a condition. */
const relevantEvents = async (
  store: Pick<EventStore, 'read'>,
  stream: string,
  isRelevant: (event: KnownEvent) => boolean,
): Promise<KnownEvent[]> => {
  const found: KnownEvent[] = [];
  const yieldToEventLoop = eventLoopYielder();
  for await (const event of store.read(stream)) {
    const decoded = decode(event);
    if (decoded && isRelevant(decoded)) found.push(decoded);
    await yieldToEventLoop();
  }
  return found;
};

/**
 * Events of an alert: the one that raised it, later ones, and the check of its last finding, before it in its append.
 */
export const ownEvents = async (store: Pick<EventStore, 'read'>, { id, sourceId }: AlertRecord) => {
  let lastCheck: EventOf<'DaysChecked'> | undefined;
  let check: EventOf<'DaysChecked'> | undefined;
  const own = await relevantEvents(store, streams.alerts(sourceId), event => {
    if (event.type === 'DaysChecked') lastCheck = event;
    const isOwn = 'alertId' in event.data && event.data.alertId === id;
    if (isOwn && (event.type === 'AlertRaised' || event.type === 'AlertConfirmed')) check = lastCheck;
    return isOwn;
  });
  const [raised, ...since] = own;
  if (raised?.type !== 'AlertRaised') throw new Unexplained(`the log lacks the event that raised ${id}`);
  return { raised, since, check: required(check, `the check of ${id}`) };
};

/** Position of the log that a check had read. Checks of older versions had read all earlier events. */
export const knownTo = (
  events: readonly KnownEvent[],
  { data: { knowledge }, position }: EventOf<'DaysChecked'>,
): bigint =>
  knowledge
    ? events.reduce(
        (most, event) =>
          event.revision <= (isOfDays(event) ? knowledge.days : knowledge.source) && event.position > most
            ? event.position
            : most,
        0n,
      )
    : position - 1n;

/** Events of the source, and events of its days that concern an alert: its check, its import, the reference. */
export const eventsAround = async (
  store: Pick<EventStore, 'read'>,
  { sourceId, importId }: AlertRecord,
  { data: { cause, knowledge } }: EventOf<'DaysChecked'>,
) => {
  const sourceHistory = await relevantEvents(store, streams.source(sourceId), () => true);
  const daysHistory = await relevantEvents(
    store,
    streams.days(sourceId),
    event =>
      event.id === cause.id ||
      event.revision === knowledge?.days ||
      (isImport(event) && (isReference(event) || event.data.importId === importId)),
  );
  return { sourceHistory, daysHistory };
};

/** The events that decided the models and the plan of a date, up to a position. */
export const decisionsOf = (
  sourceHistory: readonly KnownEvent[],
  date: string,
  {
    position,
    isManual,
    special: name,
  }: {
    readonly position: bigint;
    readonly isManual: boolean;
    /** The name of the date; undefined for none. */
    readonly special: string | undefined;
  },
) => {
  const decided = sourceHistory.filter(event => event.position <= position);
  const models = decided.findLast(isModels);
  const dateEvents = decided.filter(event => 'date' in event.data && event.data.date === date);
  const special =
    decided.findLast(event => names(event, date, name)) ??
    dateEvents.findLast(({ type }) => type === 'SpecialDayCleared');
  const request = models && requestOf(sourceHistory, models);
  const manual = dateEvents.findLast(({ type }) => type === 'DayPlanned');
  return {
    models,
    assignments: decided.findLast(isAssigning)?.data.assignments ?? [],
    special,
    planning: isManual ? manual : models,
    request,
    leftOut: request ? leftOutBefore(sourceHistory, request) : [],
  };
};

/** Whether an event gave a date its name: a person did, or a rule. */
const names = ({ type, data }: KnownEvent, date: string, name: string | undefined): boolean =>
  (type === 'SpecialDayNamed' && data.date === date && data.name === name) ||
  (type === 'CalendarRuleApplied' && data.rule.name === name && data.rule.dates.includes(date));

/**
 * Imports of an alert: those of the reference, the part with its day, and the last part of that import.
 * @throws Unexplained when the log lacks one that must be there
 */
export const importsOf = (
  { date, importId, kind }: AlertRecord,
  daysHistory: readonly KnownEvent[],
  { data: { days } }: EventOf<'DaysChecked'>,
) => {
  const parts = daysHistory.filter(isImport);
  const ownParts = parts.filter(({ data }) => data.importId === importId);
  const part = ownParts.find(({ data }) => data.days.some(day => day.date === date));
  const last = importId === '' ? undefined : required(ownParts.at(-1), `the import of ${date}`);
  const dayIsMissing = days.some(day => day.date === date && day.missing === true);
  if (!dayIsMissing && kind !== 'noData') required(part, `the import of ${date}`);
  return { part, last, reference: parts.filter(isReference) };
};

/** Reference days that people had left out when an analysis was asked for, with their reasons. */
const leftOutBefore = (
  events: readonly KnownEvent[],
  { position }: KnownEvent,
): readonly { readonly date: string; readonly reason: string }[] => {
  const reasons = new Map<string, string>();
  for (const event of events) {
    if (event.position > position) break;
    if (event.type === 'SourceCreated')
      for (const { date, reason } of event.data.leftOutDays ?? []) reasons.set(date, reason);
    if (event.type === 'ReferenceDayLeftOut') reasons.set(event.data.date, event.data.reason);
    if (event.type === 'LeavingOutTakenBack') reasons.delete(event.data.date);
  }
  return [...reasons].map(([date, reason]) => ({ date, reason: `left out by a person: ${reason}` }));
};

const isOfDays = ({ stream }: KnownEvent): boolean => stream.startsWith('days-');
/** Whether an event brought days: whole ones, or slices that points set. */
const isImport = (event: KnownEvent): event is EventOf<'DaysImported' | 'PointsImported'> =>
  event.type === 'DaysImported' || event.type === 'PointsImported';
const isReference = ({ type, data }: EventOf<'DaysImported' | 'PointsImported'>): boolean =>
  type === 'DaysImported' && data.kind === 'reference';
/** Whether an event assigned the reference days to models. */
const isAssigning = (
  event: KnownEvent,
): event is EventOf<'ModelsReset' | 'ModelsReplaced' | 'ModelAnomalyChanged'> =>
  isModels(event) || (event.type === 'ModelAnomalyChanged' && event.data.assignments !== undefined);
const isModels = (event: KnownEvent): event is EventOf<'ModelsReset' | 'ModelsReplaced'> =>
  event.type === 'ModelsReset' || event.type === 'ModelsReplaced';

/** Event that requested an analysis; undefined for custom models. */
const requestOf = (
  events: readonly KnownEvent[],
  { type, data }: EventOf<'ModelsReset' | 'ModelsReplaced'>,
): KnownEvent | undefined =>
  type === 'ModelsReset'
    ? events.find(event => isAnalysis(event) && event.data.requestId === data.requestId)
    : undefined;
