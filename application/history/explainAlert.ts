import { decode, streams, type KnownEvent, type Recorded } from '../../domain/events.js';
import type { Model, TypicalDays } from '../../domain/models.js';
import type { DayPlan } from '../../domain/planning.js';
import type { AlertRecord } from '../../projections/alerts/alertRecords.js';
import { shownCalendar, type ShownCalendar } from '../../projections/planning.js';
import type { EventStore } from '../eventStore.js';
import { eventLoopYielder } from '../chunks.js';
import type { QueryContext, AsOf } from './asOf.js';

/** Reference to an event, with all that is needed to find it in an export. */
export type Link = Pick<Recorded, 'stream' | 'revision' | 'type' | 'at'> & {
  readonly eventId: string;
  readonly position: string;
  readonly by: string;
  /** Event or request that caused it. */
  readonly cause: string;
  /** null for events stored before hashes were introduced. */
  readonly hash: string | null;
};

/** Parameters of automatic models. */
type Parameters = Pick<TypicalDays, 'engine' | 'seed' | 'bounds' | 'choice' | 'hitRate'> & {
  readonly modelCount: number;
  readonly calendar: ShownCalendar | null;
};

/** Explanation of an alert: every fact that led to it, with its event. */
export type Explanation = {
  readonly alert: AlertRecord;
  readonly raised: Link;
  /** The check that raised it, and the event that caused the check. */
  readonly check: {
    readonly event: Link;
    readonly cause: Link;
    /** Position of the log that the check had read; reads as of it show what the check saw. */
    readonly knownTo: string;
  };
  /**
   * Import of the day: the part that contains it, and the last part, which made it effective. For a date without data:
   * the import that it is missing in, or the last one before a silence; null when there was none.
   */
  readonly import: { readonly id: string; readonly part: Link | null; readonly last: Link } | null;
  /** Plan of the date at the time of the check, and the event that decided it. */
  readonly planning: Omit<DayPlan, 'working' | 'dayType'> & {
    readonly event: Link | null;
    readonly specialDay: Link | null;
  };
  readonly plannedModel: Model | null;
  /** Models used by the check; null for a source without models. */
  readonly models: {
    readonly version: number;
    readonly origin: 'automatic' | 'custom';
    readonly event: Link;
    /** Request of their analysis; null for custom models. */
    readonly request: Link | null;
    /** Parameters of the analysis; null for custom models. */
    readonly parameters: Parameters | null;
  } | null;
  /** Reference days of the models, and the dates that belong to the planned model. */
  readonly reference: {
    readonly events: readonly Link[];
    readonly plannedModelDates: readonly string[];
    readonly leftOut: readonly { readonly date: string; readonly reason: string }[];
  };
  /** Later events of the alert. */
  readonly since: readonly Link[];
  /** Encrypted names of all people in these links, in order of first appearance. */
  readonly people: readonly string[];
};

/** An event that led to the alert is missing from the log. */
export class Unexplained extends Error {
  readonly name = 'Unexplained';
}

type KnownEventOf<Type extends KnownEvent['type']> = Extract<KnownEvent, { type: Type }>;

const linkOf = ({ id, stream, revision, position, type, at, metadata, hash }: KnownEvent): Link => ({
  eventId: id,
  stream,
  revision,
  position: String(position),
  type,
  at,
  by: metadata.by,
  cause: metadata.cause,
  hash: hash ?? null,
});

const required = <Value>(value: Value | undefined, name: string): Value => {
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
const ownEvents = async (store: Pick<EventStore, 'read'>, { id, sourceId }: AlertRecord) => {
  let lastCheck: KnownEventOf<'DaysChecked'> | undefined;
  let check: KnownEventOf<'DaysChecked'> | undefined;
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
const knownTo = (
  events: readonly KnownEvent[],
  { data: { knowledge }, position }: KnownEventOf<'DaysChecked'>,
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
const eventsAround = async (
  store: Pick<EventStore, 'read'>,
  { sourceId, importId }: AlertRecord,
  { data: { cause, knowledge } }: KnownEventOf<'DaysChecked'>,
) => {
  const sourceHistory = await relevantEvents(store, streams.source(sourceId), () => true);
  const daysHistory = await relevantEvents(
    store,
    streams.days(sourceId),
    event =>
      event.id === cause.id ||
      event.revision === knowledge?.days ||
      (event.type === 'DaysImported' &&
        (event.data.kind === 'reference' || event.data.importId === importId)),
  );
  return { sourceHistory, daysHistory };
};

/** The events that decided the models and the plan of a date, up to a position. */
const decisionsOf = (
  sourceHistory: readonly KnownEvent[],
  date: string,
  { position, isManual }: { readonly position: bigint; readonly isManual: boolean },
) => {
  const decided = sourceHistory.filter(event => event.position <= position);
  const models = decided.findLast(isModels);
  const dateEvents = decided.filter(event => 'date' in event.data && event.data.date === date);
  const special = dateEvents.findLast(
    ({ type }) => type === 'SpecialDayNamed' || type === 'SpecialDayCleared',
  );
  const manual = dateEvents.findLast(({ type }) => type === 'DayPlanned');
  return {
    models,
    assignments: decided.findLast(isAssigning)?.data.assignments ?? [],
    special,
    planning: isManual ? manual : models,
    request: models && requestOf(sourceHistory, models),
  };
};

/**
 * Imports of an alert: those of the reference, the part with its day, and the last part of that import.
 * @throws Unexplained when the log lacks one that must be there
 */
const importsOf = (
  { date, importId, kind }: AlertRecord,
  daysHistory: readonly KnownEvent[],
  { data: { days } }: KnownEventOf<'DaysChecked'>,
) => {
  const parts = daysHistory.filter(isImport);
  const ownParts = parts.filter(({ data }) => data.importId === importId);
  const part = ownParts.find(({ data }) => data.days.some(day => day.date === date));
  const last = importId === '' ? undefined : required(ownParts.at(-1), `the import of ${date}`);
  const dayIsMissing = days.some(day => day.date === date && day.missing === true);
  if (!dayIsMissing && kind !== 'noData') required(part, `the import of ${date}`);
  return { part, last, reference: parts.filter(({ data }) => data.kind === 'reference') };
};

/** The models of an explanation; null before the first ones. */
const modelsView = (
  version: number,
  models: KnownEventOf<'ModelsReset' | 'ModelsReplaced'> | undefined,
  request: KnownEvent | undefined,
): Explanation['models'] =>
  models
    ? {
        version,
        origin: models.type === 'ModelsReset' ? 'automatic' : 'custom',
        event: linkOf(models),
        request: request ? linkOf(request) : null,
        parameters: models.type === 'ModelsReset' ? parametersOf(models) : null,
      }
    : null;

/** The reference of an explanation. */
const referenceView = (
  plannedModelId: number | null,
  { models, assignments }: Pick<ReturnType<typeof decisionsOf>, 'models' | 'assignments'>,
  imports: readonly KnownEvent[],
): Explanation['reference'] => ({
  events: imports.map(linkOf),
  plannedModelDates: assignments
    .filter(({ modelId, plannedId = modelId }) => plannedId === plannedModelId)
    .map(assigned => assigned.date),
  leftOut: models?.type === 'ModelsReset' ? models.data.leftOut : [],
});

/**
 * Explains an alert from the events.
 * @param known read models as of past moments
 * @throws Unexplained, and the errors of `AsOf.at`
 */
export const explainAlert = async (
  store: Pick<EventStore, 'read'>,
  known: AsOf,
  alert: AlertRecord,
  context: QueryContext,
): Promise<Explanation> => {
  const { sourceId, date, importId, modelsVersion, plannedModelId } = alert;
  const { raised, since, check } = await ownEvents(store, alert);
  const { sourceHistory, daysHistory } = await eventsAround(store, alert, check);
  const events = [...sourceHistory, ...daysHistory];
  const position = knownTo(events, check);
  const then = await known.at([sourceId], { position }, context);
  const { working: _, dayType: __, ...plan } = then.planning.day(sourceId, date);

  const isManual = plan.origin === 'manual';
  const { models, assignments, special, planning, request } = decisionsOf(sourceHistory, date, {
    position,
    isManual,
  });
  const { part, last, reference } = importsOf(alert, daysHistory, check);
  const cause = required(
    events.find(({ id }) => id === check.data.cause.id),
    `the event that the check was made for`,
  );
  const single = [raised, check, cause, part, last, planning, special, models, request];
  const authors = [...single, ...reference, ...since].flatMap(event => event?.metadata.by ?? []);

  return {
    alert,
    raised: linkOf(raised),
    check: { event: linkOf(check), cause: linkOf(cause), knownTo: String(position) },
    import: last ? { id: importId, part: part ? linkOf(part) : null, last: linkOf(last) } : null,
    planning: {
      ...plan,
      event: planning ? linkOf(planning) : null,
      specialDay: special?.type === 'SpecialDayNamed' ? linkOf(special) : null,
    },
    plannedModel: then.models.list(sourceId).find(({ id }) => id === plannedModelId) ?? null,
    models: modelsView(modelsVersion, models, request),
    reference: referenceView(plannedModelId, { models, assignments }, reference),
    since: since.map(linkOf),
    people: [...new Set(authors)].filter(by => by !== 'reactor'),
  };
};

const isOfDays = ({ stream }: KnownEvent): boolean => stream.startsWith('days-');
const isImport = (event: KnownEvent): event is KnownEventOf<'DaysImported'> => event.type === 'DaysImported';
/** Whether an event assigned the reference days to models. */
const isAssigning = (
  event: KnownEvent,
): event is KnownEventOf<'ModelsReset' | 'ModelsReplaced' | 'ModelAnomalyChanged'> =>
  isModels(event) || (event.type === 'ModelAnomalyChanged' && event.data.assignments !== undefined);
const isModels = (event: KnownEvent): event is KnownEventOf<'ModelsReset' | 'ModelsReplaced'> =>
  event.type === 'ModelsReset' || event.type === 'ModelsReplaced';

/** Event that requested an analysis; undefined for custom models. */
const requestOf = (
  events: readonly KnownEvent[],
  { type, data }: KnownEventOf<'ModelsReset' | 'ModelsReplaced'>,
): KnownEvent | undefined =>
  type === 'ModelsReset'
    ? events.find(
        event =>
          (event.type === 'SourceCreated' || event.type === 'ModelsResetRequested') &&
          event.data.requestId === data.requestId,
      )
    : undefined;

/** Parameters of automatic models. */
const parametersOf = ({ data }: KnownEventOf<'ModelsReset'>): Parameters => {
  const { engine, seed, models, bounds, choice, hitRate, calendar } = data;
  return {
    engine,
    seed,
    modelCount: models.length,
    bounds,
    choice,
    hitRate,
    calendar: calendar && shownCalendar(calendar),
  };
};
