import type { Model } from '../../../domain/planning/models.js';
import { dateOf, dayNumber, minutesPerDay, dateAfter } from '../../../domain/dates.js';
import { repeatDays } from '../../../domain/incidents/connections.js';
import type { MeasuredChange, SourceChange } from '../../../domain/incidents/changes.js';
import { Rejection } from '../../../domain/rejection.js';
import type { AcceptedChange } from '../../../domain/source/acceptedChanges.js';
import { source } from '../../../domain/source/source.js';
import { streams } from '../../../domain/streams.js';
import type { IncidentRecord } from '../../../projections/incidents/incidentPages.js';
import { eventId, type CommandMetadata } from '../../commands/commandHandler.js';
import { changeFinder } from '../../followUps/groupAlerts.js';
import {
  changedIncident,
  ownIncident,
  ownIncidentOrArchived,
  type Requester,
  requireCapacity,
} from '../access.js';
import { bodyFault } from '../imports/faults.js';
import { checkOf, type Clock, type Deciding, type Following, type Service } from '../service.js';

/** The sources whose change is accepted, and the first date that is expected with it. */
export type Acceptance = {
  /** By default the only source of the incident that has a change. */
  readonly sourceIds: readonly number[] | undefined;
  /** By default the first like day. */
  readonly from: string | undefined;
};

const refused = (why: string): Rejection => new Rejection('incidentTransition', why);

/** The recorded changes that a request names. @throws Rejection `incidentTransition` */
const namedChanges = (
  { id, changes }: IncidentRecord,
  { sourceIds }: Acceptance,
): readonly SourceChange[] => {
  const known = changes.map(({ sourceId }) => sourceId);
  if (known.length === 0)
    throw refused(`incident ${id} has no change, expected one that is recognised: see its field change`);
  const unknown = sourceIds?.find(sourceId => !known.includes(sourceId));
  if (unknown !== undefined)
    throw refused(
      `got source ${unknown}, expected sources of incident ${id} with a change: ${known.join(', ')}`,
    );
  if (sourceIds === undefined && known.length > 1)
    throw refused(
      `incident ${id} has changes of ${known.length} sources, expected sourceIds to name some of ${known.join(', ')}`,
    );
  return changes.filter(({ sourceId }) => sourceIds?.includes(sourceId) ?? true);
};

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Models with the opening of a like day: their stretch is nearer to its old values than to the new ones. */
export const likeModels = (
  models: readonly Pick<Model, 'id' | 'activity'>[],
  change: Pick<MeasuredChange, 'minutes' | 'values'>,
  first: Pick<Model, 'activity'>,
): readonly number[] => {
  const [from, to] = change.minutes ?? [0, minutesPerDay];
  const stretch = ({ activity }: Pick<Model, 'activity'>): number =>
    meanOf(activity.slice((from * activity.length) / minutesPerDay, (to * activity.length) / minutesPerDay));
  const [before, now] = [stretch(first), meanOf(change.values ?? [])];
  return models
    .filter(model => Math.abs(stretch(model) - before) * 2 <= Math.abs(before - now))
    .map(({ id }) => id);
};

/** Dates before the first alert of an incident from which its change may be accepted: those that can be in it. */
const acceptedDaysBefore = repeatDays;

/** @throws InvalidInput for a date that no day of the change can have */
const requireFrom = (
  { models, now, tomorrowIn }: Pick<Service, 'models'> & Clock,
  { since }: Pick<IncidentRecord, 'since'>,
  sourceId: number,
  from: string,
): void => {
  const first = dateAfter(since, -acceptedDaysBefore);
  const timeZone = models.sources.setup(sourceId)?.timeZone ?? 'UTC';
  const today = dateOf(dayNumber(tomorrowIn(timeZone, now())) - 1);
  if (first <= from && from <= today) return;
  const detail = `got ${from}, expected a date from ${first}, ${acceptedDaysBefore} days before the first alert, to ${today}`;
  throw bodyFault({ code: 'acceptedFrom', pointer: '/from', detail });
};

/** The models that a change moves; undefined for all. */
const modelIdsOf = (
  { typicalDays, days }: Service['models'],
  sourceId: number,
  change: MeasuredChange,
): readonly number[] | undefined => {
  if (change.type === 'shape') return change.modelId === undefined ? [] : [change.modelId];
  if (change.type !== 'opening') return undefined;
  const all = typicalDays.list(sourceId);
  const plannedId = days.recent(sourceId, change.from)?.check?.plannedModelId;
  const first = all.find(({ id }) => id === plannedId);
  return first ? likeModels(all, change, first) : [];
};

/** A recorded change with what it makes expected, from days of its incident. @throws Rejection `incidentTransition` */
const measured = (
  { models }: Pick<Service, 'models'>,
  { id }: IncidentRecord,
  recorded: SourceChange,
  from: string | undefined,
): AcceptedChange => {
  const { sourceId } = recorded;
  if (models.planning.checks(sourceId) === null)
    throw refused(
      `the models of source ${sourceId} are of people, expected automatic ones: set other models`,
    );
  const members = models.incidents.decided(id)?.members ?? [];
  const found = changeFinder(models, undefined, sourceId)(members);
  if (found?.type !== recorded.type)
    throw refused(
      `the days of source ${sourceId} show ${found?.type ?? 'no change'}, expected ${recorded.type}`,
    );
  const modelIds = modelIdsOf(models, sourceId, found);
  const { daylightSaving } = recorded;
  return {
    ...found,
    ...(daylightSaving && { daylightSaving }),
    ...(modelIds && { modelIds }),
    incidentId: id,
    from: from ?? recorded.from,
  };
};

/** Whether a source is not archived: nothing is decided about archived ones. */
const isPresent = ({ sources }: Pick<Service['models'], 'sources'>, sourceId: number): boolean =>
  sources.setup(sourceId)?.archivedAt === null;

/** @throws Rejection `incidentTransition` for an archived source */
const requirePresent = (
  models: Pick<Service['models'], 'sources'>,
  changes: readonly Pick<SourceChange, 'sourceId'>[],
): void => {
  const archived = changes.find(({ sourceId }) => !isPresent(models, sourceId));
  if (archived) throw refused(`source ${archived.sourceId} is archived, expected a present one: restore it`);
};

/** Sources whose change a request has accepted. */
const acceptedBy = (
  { acceptedChanges }: Pick<Service['models'], 'acceptedChanges'>,
  id: string,
  requestId: string,
): readonly number[] =>
  acceptedChanges
    .steps(id)
    .flatMap(({ type, eventId: stored, sourceId }) =>
      type === 'ChangeAccepted' && stored === eventId(streams.source(sourceId), requestId, 0)
        ? [sourceId]
        : [],
    );

/** Runs a command for sources and waits for the checks that follow. */
const change = async (
  service: Deciding & Following,
  requester: Requester,
  id: string,
  commandsOf: (metadata: CommandMetadata) => readonly {
    readonly sourceId: number;
    readonly command: Parameters<typeof source.decide>[0];
  }[],
): Promise<IncidentRecord> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  if (!metadata.isRetry) ownIncident(service.models, requester.actor, id);
  for (const { sourceId, command } of commandsOf(metadata)) {
    const { events } = await service.handle(source, streams.source(sourceId), command, metadata);
    await checkOf(service, events[0]?.id);
  }
  return ownIncidentOrArchived(service.models, requester.actor, id);
};

/**
 * Takes the change of an incident as the new normal: days from a date on are expected with it.
 * @throws Rejection `incidentNotFound`, `incidentTransition`; InvalidInput for a wrong first date
 */
export const acceptChange = (
  service: Deciding & Following & Clock,
  requester: Requester,
  id: string,
  acceptance: Acceptance,
): Promise<IncidentRecord> => {
  const { models } = service;
  const incident = changedIncident(models, requester, id);
  return change(service, requester, id, ({ id: requestId, isRetry }) => {
    // The alerts that show the change are gone once it is accepted.
    const isDone = isRetry ? acceptedBy(models, id, requestId) : [];
    const sourceIds = acceptance.sourceIds?.filter(sourceId => !isDone.includes(sourceId));
    if (isDone.length > 0 && (sourceIds ?? []).length === 0) return [];
    const named = namedChanges(incident, { ...acceptance, sourceIds });
    if (!isRetry) requirePresent(models, named);
    const present = named.filter(({ sourceId }) => isPresent(models, sourceId));
    const { from } = acceptance;
    if (from !== undefined)
      for (const { sourceId } of present) requireFrom(service, incident, sourceId, from);
    return present.map(recorded => ({
      sourceId: recorded.sourceId,
      command: {
        type: 'AcceptChange',
        requestId,
        change: measured(service, incident, recorded, acceptance.from),
      },
    }));
  });
};

/**
 * Takes the acceptance of the change of an incident back, for all its sources. A repeat changes nothing.
 * @throws Rejection `incidentNotFound`, `incidentTransition` when it was never accepted
 */
export const withdrawAcceptance = (
  service: Deciding & Following,
  requester: Requester,
  id: string,
): Promise<IncidentRecord> => {
  changedIncident(service.models, requester, id);
  const { models } = service;
  const { acceptedChanges } = models;
  return change(service, requester, id, ({ id: requestId, isRetry }) => {
    if (acceptedChanges.steps(id).length === 0)
      throw refused(`the change of incident ${id} was never accepted, expected an accepted one`);
    const accepted = acceptedChanges.ofIncident(id);
    const present = accepted.filter(({ sourceId }) => isPresent(models, sourceId));
    if (present.length === 0 && !isRetry) requirePresent(models, accepted);
    return present.map(({ sourceId }) => ({
      sourceId,
      command: { type: 'WithdrawChange', requestId, incidentId: id },
    }));
  });
};
