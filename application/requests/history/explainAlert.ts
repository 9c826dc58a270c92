import { changedDates } from '../../../analysis/changes/changedModel.js';
import { processManagerName, type EventOf, type KnownEvent, type Recorded } from '../../../domain/events.js';
import { statedBounds } from '../../../domain/planning/editedModels.js';
import type { Model, TypicalDays } from '../../../domain/planning/models.js';
import { shownPlan } from '../../../domain/planning/planning.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { ReadModels } from '../../../projections/readModels.js';
import { shownCalendar, type ShownCalendar } from '../../../projections/planningBases.js';
import { authorOf, type Author } from '../../ports/people.js';
import type { EventStore } from '../../ports/eventStore.js';
import { decisionsOf, eventsAround, importsOf, knownTo, ownEvents, required } from './alertEvents.js';
import type { QueryContext, AsOf } from './asOf.js';

/** Reference to an event, with all that is needed to find it in an export. */
export type Link = Pick<Recorded, 'stream' | 'revision' | 'type' | 'at'> &
  Author & {
    readonly eventId: string;
    readonly position: string;
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
  readonly planning: ReturnType<typeof shownPlan> & {
    readonly event: Link | null;
    readonly specialDay: Link | null;
  };
  /** As expected on the date: moved by the changes that people had accepted. */
  readonly plannedModel: Model | null;
  /** Acceptances of the changes that moved it, in the order in which they apply. */
  readonly accepted: readonly Link[];
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

const linkOf = ({ id, stream, revision, position, type, at, metadata, hash }: KnownEvent): Link => ({
  eventId: id,
  stream,
  revision,
  position: String(position),
  type,
  at,
  ...authorOf(metadata.by),
  cause: metadata.cause,
  hash: hash ?? null,
});

/** The models of an explanation; null before the first ones. */
const modelsView = (
  version: number,
  models: EventOf<'ModelsReset' | 'ModelsReplaced'> | undefined,
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

/** The planned model as accepted changes made it expected on the date, and the events of their acceptance. */
const expectedModel = (
  { typicalDays, acceptedChanges }: ReadModels,
  { sourceId, date, plannedModelId }: AlertRecord,
  sourceHistory: readonly KnownEvent[],
): { readonly model: Model | null; readonly accepted: readonly KnownEvent[] } => {
  const { moved, applied } = changedDates(acceptedChanges.ofSource(sourceId))(date);
  const planned = typicalDays.list(sourceId).find(({ id }) => id === plannedModelId);
  const model = planned ? moved(planned) : null;
  const accepted = applied.flatMap(
    ({ incidentId }) =>
      sourceHistory.findLast(
        ({ type, data }) => type === 'ChangeAccepted' && data.change.incidentId === incidentId,
      ) ?? [],
  );
  return { model, accepted: model === planned ? [] : accepted };
};

/** The reference of an explanation. */
const referenceView = (
  plannedModelId: number | null,
  {
    models,
    assignments,
    leftOut,
  }: Pick<ReturnType<typeof decisionsOf>, 'models' | 'assignments' | 'leftOut'>,
  imports: readonly KnownEvent[],
): Explanation['reference'] => ({
  events: imports.map(linkOf),
  plannedModelDates: assignments
    .filter(({ modelId, plannedId = modelId }) => plannedId === plannedModelId)
    .map(assigned => assigned.date),
  leftOut: [...(models?.type === 'ModelsReset' ? models.data.leftOut : []), ...leftOut],
});

/**
 * Explains an alert from the events.
 * @param asOf read models as of past moments
 * @throws Unexplained, and the errors of `AsOf.at`
 */
export const explainAlert = async (
  store: Pick<EventStore, 'read'>,
  asOf: AsOf,
  alert: AlertRecord,
  context: QueryContext,
): Promise<Explanation> => {
  const { sourceId, date, importId, modelsVersion, plannedModelId } = alert;
  const { raised, since, check } = await ownEvents(store, alert);
  const { sourceHistory, daysHistory } = await eventsAround(store, alert, check);
  const events = [...sourceHistory, ...daysHistory];
  const position = knownTo(events, check);
  const modelsThen = await asOf.at([sourceId], { position }, context, 'decisions');
  const planned = modelsThen.planning.day(sourceId, date);
  const plan = shownPlan(planned);

  const isManual = plan.origin === 'manual';
  const { models, assignments, special, planning, request, leftOut } = decisionsOf(sourceHistory, date, {
    position,
    isManual,
    special: planned.dayType.type === 'special' ? planned.dayType.name : undefined,
  });
  const { part, last, reference } = importsOf(alert, daysHistory, check);
  const cause = required(
    events.find(({ id }) => id === check.data.cause.id),
    `the event that the check was made for`,
  );
  const expected = expectedModel(
    modelsThen,
    alert,
    sourceHistory.filter(event => event.position <= position),
  );
  const single = [raised, check, cause, part, last, planning, special, models, request];
  const authors = [...single, ...expected.accepted, ...reference, ...since].flatMap(
    event => event?.metadata.by ?? [],
  );

  return {
    alert,
    raised: linkOf(raised),
    check: { event: linkOf(check), cause: linkOf(cause), knownTo: String(position) },
    import: last ? { id: importId, part: part ? linkOf(part) : null, last: linkOf(last) } : null,
    planning: {
      ...plan,
      event: planning ? linkOf(planning) : null,
      specialDay: special && special.type !== 'SpecialDayCleared' ? linkOf(special) : null,
    },
    plannedModel: expected.model,
    accepted: expected.accepted.map(linkOf),
    models: modelsView(modelsVersion, models, request),
    reference: referenceView(plannedModelId, { models, assignments, leftOut }, reference),
    since: since.map(linkOf),
    people: [...new Set(authors)].filter(by => by !== processManagerName),
  };
};

/** Parameters of automatic models. */
const parametersOf = ({ data }: EventOf<'ModelsReset'>): Parameters => {
  const { engine, seed, models, bounds, choice, hitRate, calendar } = data;
  return {
    engine,
    seed,
    modelCount: models.length,
    bounds: statedBounds(bounds),
    choice,
    hitRate,
    calendar: calendar && shownCalendar(calendar),
  };
};
