import { eventLoopYielder, inTurns } from '../../../application/ports/sharing/turns.js';
import { tomorrowOf, type LocalClock } from '../../../application/ports/localClock.js';
import { alertsOnDate } from '../../../application/requests/dayDetails.js';
import { withCures } from '../../../application/requests/imports/importWarnings.js';
import type { PointList } from '../../../application/requests/points/pointList.js';
import type { Service } from '../../../application/requests/service.js';
import type { SourceDate } from '../../../application/requests/useCases/changePlan.js';
import type { PointsImport } from '../../../application/requests/useCases/importPoints.js';
import { clockTime } from '../../../domain/alerts/alertSentence.js';
import { dateOf } from '../../../domain/dates.js';
import { usable, type Day } from '../../../domain/day.js';
import { latenessMs } from '../../../domain/points.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { CheckedDayRecord, DatedShare, ImportRecord } from '../../../projections/days/dayRecords.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';
import { latenessDefault } from '../../../domain/source/sourceDescription.js';
import type { Actor } from '../middleware/tokens.js';
import type { Answer } from '../route.js';

/** How far a day has come, as clients see it. */
export const progressOf = ({ activity, gaps, filled, inProgress }: Day & Pick<StoredDay, 'inProgress'>) => {
  if (!inProgress) return { inProgress: false, observedUntil: null };
  // Filled slices end with data: amounts of a register between two readings are known.
  const last = usable({ date: '', activity, gaps, filled }).lastIndexOf(true);
  return { inProgress: true, observedUntil: last < 0 ? null : clockTime(last + 1, activity.length) };
};

/** Maximum alerts of each kind in an answer; the list of alerts has all. */
export const alertsMax = 1000;

const changeKinds = ['raised', 'confirmed', 'invalidated', 'ended', 'unchanged'] as const;
type ChangeKind = (typeof changeKinds)[number];

/** Effect of a check on the alerts of its days: the first of each kind, and how many. */
export type AlertChanges = Readonly<Record<ChangeKind, readonly AlertRecord[]>> & {
  readonly counts: Readonly<Record<ChangeKind, number>>;
};

/** Changes from the first alerts of each kind and their number. */
const changesOf = (
  listed: (kind: ChangeKind) => { readonly first: readonly AlertRecord[]; readonly count: number },
): AlertChanges => {
  const all = changeKinds.map(kind => ({ kind, ...listed(kind) }));
  return {
    ...Object.fromEntries(all.map(({ kind, first }) => [kind, first])),
    counts: Object.fromEntries(all.map(({ kind, count }) => [kind, count])),
  } as AlertChanges;
};

const eventTypes = {
  raised: 'AlertRaised',
  confirmed: 'AlertConfirmed',
  invalidated: 'AlertInvalidated',
  ended: 'AlertEnded',
} as const;

/** Effect of a request after which nothing had to be checked. */
export const noAlertChanges = changesOf(() => ({ first: [], count: 0 }));

/**
 * Alerts that the check caused by an event raised, confirmed, invalidated, ended and left unchanged.
 * @param before those of earlier checks of the request: later ones fill the lists up to their maximum
 */
export const alertChanges = (
  { models }: Pick<Service, 'models'>,
  causeId: string,
  checked = models.days.checkedDays(causeId),
  before = noAlertChanges,
): AlertChanges => {
  const ids = checked.flatMap(day => day.standing);
  return changesOf(kind => {
    const limit = alertsMax - before[kind].length;
    const { first, count } =
      kind === 'unchanged'
        ? { first: ids.slice(0, limit).flatMap(id => models.alerts.one(id) ?? []), count: ids.length }
        : models.alerts.causedBy(causeId, eventTypes[kind], limit);
    return { first: [...before[kind], ...first], count: before.counts[kind] + count };
  });
};

/** Alerts of a date whose plan did not change. */
export const unchangedAlerts = (
  { models }: Pick<Service, 'models'>,
  { tenant }: Actor,
  { sourceId, date }: SourceDate,
): AlertChanges => {
  const unchanged = alertsOnDate(models, { tenant, sourceId, date });
  return { ...noAlertChanges, unchanged, counts: { ...noAlertChanges.counts, unchanged: unchanged.length } };
};

/** Summary of an import, with its id and the cures of its warnings. */
export const importSummary = ({
  sourceId,
  kind,
  importedAt,
  eventId,
  countedTo,
  today,
  inProgress,
  ...summary
}: ImportRecord) => ({ ...summary, warnings: withCures(summary.warnings) });

/** Maker of the verdicts on days of a source. @param unchecked status of a day that no check has compared */
const dayVerdicts = ({ models }: Pick<Service, 'models'>, sourceId: number, unchecked: string) => {
  const names = models.planning.modelNames(sourceId);
  const effects = models.planning.checks(sourceId)?.covariates ?? [];
  const missingOn = (date: string): readonly string[] => {
    if (effects.length === 0) return [];
    const readings = models.days.covariates(sourceId, date);
    return effects.flatMap(({ sourceId: id, name }) =>
      readings.some(reading => reading.sourceId === id && reading.value === null) ? name : [],
    );
  };
  return (
    { date, completeness, open }: DatedShare,
    check: Pick<CheckedDayRecord, 'outcome' | 'plannedModelId' | 'belowFloor'> | null | undefined,
  ) => {
    const id = check ? check.plannedModelId : models.planning.day(sourceId, date).modelId;
    const missing = missingOn(date);
    const day = open ? models.days.recent(sourceId, date) : undefined;
    const outcome = open && check?.outcome === 'notCompared' ? 'unchecked' : check?.outcome;
    return {
      date,
      status: outcome ?? unchecked,
      ...(check?.belowFloor && { belowFloor: true }),
      completeness,
      ...(day ? progressOf(day) : { inProgress: false, observedUntil: null }),
      // The planned model may have been deleted since: its id stays, without a name.
      plannedModel: id === null ? null : { id, name: names.get(id) ?? null },
      ...(missing.length > 0 && { missingCovariates: missing }),
    };
  };
};

/** Makes something of each of many items, in turns of the event loop. */
const inOrder = async <Item, Made>(items: readonly Item[], make: (item: Item) => Made): Promise<Made[]> => {
  const all: Made[] = [];
  for await (const made of inTurns(items, make, eventLoopYielder())) all.push(made);
  return all;
};

/** An import: its summary, its days that no later import replaced with their checks, and the effect on alerts. */
export const importVerdict = async (service: Pick<Service, 'models'>, record: ImportRecord) => {
  const { models } = service;
  const { sourceId, kind, eventId } = record;
  const verdictOn = dayVerdicts(service, sourceId, kind === 'recent' ? 'pending' : 'notCompared');
  const days = models.days.checkedDays(eventId);
  const alerts = alertChanges(service, eventId, days);
  const checked = new Map(days.map(day => [day.date, day]));
  const verdicts = await inOrder(models.days.byImport(record.id), day =>
    verdictOn(day, checked.get(day.date)),
  );
  return { import: importSummary(record), days: verdicts, alerts };
};

/** An import of points: its summary, the days of its dates as they are now, and the effect of its checks on alerts. */
export const pointsVerdict = async (
  service: Pick<Service, 'models' | 'now'>,
  { sourceId, clock }: { readonly sourceId: number; readonly clock: LocalClock },
  { id, points, dates, repeated, warnings, causes }: PointsImport,
  { lines, notes }: Pick<PointList, 'lines' | 'notes'>,
) => {
  const { models } = service;
  const verdictOn = dayVerdicts(service, sourceId, 'pending');
  const waiting = { completeness: 0, plannedModel: null, status: 'unchecked', observedUntil: null };
  // A date is in progress until its midnight and the lateness have passed.
  const waitedMs = latenessMs(models.sources.setup(sourceId) ?? { lateness: latenessDefault });
  const before = new Date(Date.parse(service.now()) - waitedMs).toISOString();
  const openFrom = dateOf(tomorrowOf(clock, before) - 1);
  let alerts = noAlertChanges;
  await inOrder(causes, cause => {
    alerts = alertChanges(service, cause, undefined, alerts);
  });
  return {
    import: {
      id,
      lines,
      points,
      days: dates.length,
      missingSamples: 0,
      filledSamples: 0,
      duplicates: repeated,
      warnings: withCures(warnings),
      notes,
    },
    days: await inOrder(dates, date => {
      const day = models.days.recent(sourceId, date);
      return day
        ? verdictOn({ date, completeness: day.completeness, open: day.inProgress !== undefined }, day.check)
        : { date, ...waiting, inProgress: date >= openFrom };
    }),
    alerts,
  };
};

/**
 * Answer to a change that causes a check.
 * @param checked  whether the check has ended: 200, else 202
 * @param location path of the result of a check that has not ended
 */
export const checkedAnswer = (checked: boolean, location: string, body: unknown): Answer => ({
  status: checked ? 200 : 202,
  headers: checked ? {} : { Location: location },
  body,
});
