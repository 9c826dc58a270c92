import { decode, streams, type KnownEvent, type Recorded } from '../../domain/events.js';
import type { Model, TypicalDays } from '../../domain/models.js';
import type { DayPlan } from '../../domain/planning.js';
import type { AlertRecord } from '../../projections/alerts.js';
import { shownCalendar, type ShownCalendar } from '../../projections/planning.js';
import type { EventStore } from '../eventStore.js';
import { eventLoopYielder } from '../chunks.js';
import type { Asker, AsOf } from './asOf.js';

/** An event that something rests on: enough to find it in an export and to know it there. */
export type Link = Pick<Recorded, 'stream' | 'revision' | 'type' | 'at'> & {
  readonly eventId: string;
  readonly position: string;
  readonly by: string;
  /** The event or the request that led to it. */
  readonly cause: string;
  /** null for events that are older than hashes. */
  readonly hash: string | null;
};

/** What decided automatic models besides the reference days. */
type Parameters = Pick<TypicalDays, 'engine' | 'seed' | 'bounds' | 'choice' | 'hitRate'> & {
  readonly modelCount: number;
  readonly calendar: ShownCalendar | null;
};

/** Why an alert was raised: all that it rests on, each with the event that says so. */
export type Explanation = {
  readonly alert: AlertRecord;
  readonly raised: Link;
  /** The check that raised it, and the event that made the check necessary. */
  readonly check: {
    readonly event: Link;
    readonly cause: Link;
    /** The position to which the log was known to it: what it saw is what reads answer as of it. */
    readonly knownTo: string;
  };
  /** The import that brought the day: the part that holds it, and the last, with which it took effect. */
  readonly import: { readonly id: string; readonly part: Link; readonly last: Link };
  /** What the date was planned to follow when it was checked, and whose decision that was. */
  readonly planning: Omit<DayPlan, 'working'> & {
    readonly event: Link | null;
    readonly specialDay: Link | null;
  };
  readonly plannedModel: Model | null;
  /** The models of the check; null for a source that had none. */
  readonly models: {
    readonly version: number;
    readonly origin: 'automatic' | 'custom';
    readonly event: Link;
    /** What asked for their analysis; null for models that a person supplied. */
    readonly request: Link | null;
    /** What decided them beside the reference days; null for models that a person supplied. */
    readonly parameters: Parameters | null;
  } | null;
  /** The days that the models were learned from, and which of them the planned model stands for. */
  readonly reference: {
    readonly events: readonly Link[];
    readonly plannedModelDates: readonly string[];
    readonly leftOut: readonly { readonly date: string; readonly reason: string }[];
  };
  /** What became of the alert. */
  readonly since: readonly Link[];
  /** Everybody in these links, in the order of the chain. */
  readonly people: readonly string[];
};

/** The log does not hold what the alert rests on: it is not the log that raised it. */
export class Unexplained extends Error {
  readonly name = 'Unexplained';
}

type Of<Type extends KnownEvent['type']> = Extract<KnownEvent, { type: Type }>;

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

const there = <Value>(value: Value | undefined, what: string): Value => {
  if (value === undefined) throw new Unexplained(`the log does not have ${what}`);
  return value;
};

/** The events of a stream that matter. */
const relevant = async (
  store: Pick<EventStore, 'read'>,
  stream: string,
  matters: (event: KnownEvent) => boolean,
): Promise<KnownEvent[]> => {
  const found: KnownEvent[] = [];
  const yieldToEventLoop = eventLoopYielder();
  for await (const event of store.read(stream)) {
    const understood = decode(event);
    if (understood && matters(understood)) found.push(understood);
    await yieldToEventLoop();
  }
  return found;
};

/**
 * The alert's own events: the one that raised it, what became of it, and the check that found it, which stands before
 * it in its append.
 */
const ownEvents = async (store: Pick<EventStore, 'read'>, { id, sourceId }: AlertRecord) => {
  let lastCheck: Of<'DaysChecked'> | undefined;
  let check: Of<'DaysChecked'> | undefined;
  const own = await relevant(store, streams.alerts(sourceId), event => {
    if (event.type === 'DaysChecked') lastCheck = event;
    const isOwn = 'alertId' in event.data && event.data.alertId === id;
    if (isOwn && event.type === 'AlertRaised') check = lastCheck;
    return isOwn;
  });
  const [raised, ...since] = own;
  if (raised?.type !== 'AlertRaised') throw new Unexplained(`the log does not have what raised ${id}`);
  return { raised, since, check: there(check, `the check that raised ${id}`) };
};

/** The position to which the log was known to a check. Those of versions that had one instance alone knew all. */
const knownTo = (
  events: readonly KnownEvent[],
  { data: { knowledge }, position }: Of<'DaysChecked'>,
): bigint =>
  knowledge
    ? events.reduce(
        (most, event) =>
          event.revision <= (isImport(event) ? knowledge.days : knowledge.source) && event.position > most
            ? event.position
            : most,
        0n,
      )
    : position - 1n;

/**
 * Why an alert was raised, from the events alone.
 * @param store the log
 * @param known what was known at a moment of it
 * @throws Unexplained, and what `Past` throws
 */
export const explainAlert = async (
  store: Pick<EventStore, 'read'>,
  known: AsOf,
  alert: AlertRecord,
  asker: Asker,
): Promise<Explanation> => {
  const { sourceId, date, importId, modelsVersion, plannedModelId } = alert;
  const { raised, since, check } = await ownEvents(store, alert);
  const ofSource = await relevant(store, streams.source(sourceId), () => true);
  const ofDays = await relevant(
    store,
    streams.days(sourceId),
    event =>
      event.id === check.data.cause.id ||
      event.revision === check.data.knowledge?.days ||
      (event.type === 'DaysImported' &&
        (event.data.kind === 'reference' || event.data.importId === importId)),
  );
  const events = [...ofSource, ...ofDays];
  const position = knownTo(events, check);
  const then = await known.at([sourceId], { position }, asker);
  const { working: _, ...plan } = then.planning.day(sourceId, date);

  const decided = ofSource.filter(event => event.position <= position);
  const models = decided.findLast(isModels);
  const ofDate = decided.filter(event => 'date' in event.data && event.data.date === date);
  const special = ofDate.findLast(({ type }) => type === 'SpecialDayNamed' || type === 'SpecialDayCleared');
  const manual = ofDate.findLast(({ type }) => type === 'DayPlanned');
  const planning = plan.origin === 'manual' ? manual : models;
  const request = models && requestOf(ofSource, models);
  const parts = ofDays.filter(isImport);
  const mine = parts.filter(({ data }) => data.importId === importId);
  const reference = parts.filter(({ data }) => data.kind === 'reference');
  const cause = there(
    events.find(({ id }) => id === check.data.cause.id),
    `the event that the check was made for`,
  );
  const part = there(
    mine.find(({ data }) => data.days.some(day => day.date === date)),
    `the import of ${date}`,
  );
  const last = there(mine.at(-1), `the import of ${date}`);
  const behind = [
    raised,
    check,
    cause,
    part,
    last,
    planning,
    special,
    models,
    request,
    ...reference,
    ...since,
  ];

  return {
    alert,
    raised: linkOf(raised),
    check: { event: linkOf(check), cause: linkOf(cause), knownTo: String(position) },
    import: { id: importId, part: linkOf(part), last: linkOf(last) },
    planning: {
      ...plan,
      event: planning ? linkOf(planning) : null,
      specialDay: special?.type === 'SpecialDayNamed' ? linkOf(special) : null,
    },
    plannedModel: then.models.list(sourceId).find(({ id }) => id === plannedModelId) ?? null,
    models: models
      ? {
          version: modelsVersion,
          origin: models.type === 'ModelsReset' ? 'automatic' : 'custom',
          event: linkOf(models),
          request: request ? linkOf(request) : null,
          parameters: models.type === 'ModelsReset' ? parametersOf(models) : null,
        }
      : null,
    reference: {
      events: reference.map(linkOf),
      plannedModelDates: (models?.data.assignments ?? [])
        .filter(({ modelId, plannedId = modelId }) => plannedId === plannedModelId)
        .map(assigned => assigned.date),
      leftOut: models?.type === 'ModelsReset' ? models.data.leftOut : [],
    },
    since: since.map(linkOf),
    people: [...new Set(behind.flatMap(event => event?.metadata.by ?? []))].filter(by => by !== 'reactor'),
  };
};

const isImport = (event: KnownEvent): event is Of<'DaysImported'> => event.type === 'DaysImported';
const isModels = (event: KnownEvent): event is Of<'ModelsReset' | 'ModelsReplaced'> =>
  event.type === 'ModelsReset' || event.type === 'ModelsReplaced';

/** The event that asked for an analysis. */
const requestOf = (
  events: readonly KnownEvent[],
  { type, data }: Of<'ModelsReset' | 'ModelsReplaced'>,
): KnownEvent | undefined =>
  type === 'ModelsReset'
    ? events.find(
        event =>
          (event.type === 'SourceCreated' || event.type === 'ModelsResetRequested') &&
          event.data.requestId === data.requestId,
      )
    : undefined;

/** What decided automatic models beside the days. */
const parametersOf = ({ data }: Of<'ModelsReset'>): Parameters => {
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
