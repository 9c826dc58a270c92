import type { Comparison } from '../../analysis/checking/comparison.js';
import type { EngineRules } from '../../analysis/engine.js';
import { explainedDates } from '../../analysis/covariates/effectOn.js';
import { dayAfter } from '../../domain/dates.js';
import { days } from '../../domain/days.js';
import type { EventOf, KnownEvent } from '../../domain/events.js';
import type { CheckFacts, Model } from '../../domain/planning/models.js';
import {
  covariateValue,
  type CovariateReading,
  type CovariateSeries,
} from '../../domain/source/covariates.js';
import { sourceOf, streams } from '../../domain/streams.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import { eventLoopYielder } from '../ports/sharing/turns.js';
import { type FollowUpParts, metadataFor, requireHeld } from './followUpParts.js';

/** The read models that values of covariates are read from. */
export type CovariateModels = {
  readonly sources: Pick<ReadModels['sources'], 'setup'>;
  readonly days: Pick<ReadModels['days'], 'between' | 'recent' | 'revision'>;
};

/**
 * A source, and those that it was learned again as: the last one is the present one and has the newest data. A source
 * that is restored takes the place of its archived successors.
 */
const lineageOf = ({ sources }: Pick<CovariateModels, 'sources'>, sourceId: number): SourceSetup[] => {
  const setup = sources.setup(sourceId);
  if (!setup) return [];
  const later = setup.relearnedAs === null ? [] : lineageOf({ sources }, setup.relearnedAs);
  const isRestored = setup.archivedAt === null && later.at(-1)?.archivedAt !== null;
  return isRestored ? [setup] : [setup, ...later];
};

/** Ids under which the models of other sources may know a source: its own, and those that it was learned again from. */
const knownIds = ({ sources }: Pick<CovariateModels, 'sources'>, sourceId: number): number[] => {
  const from = sources.setup(sourceId)?.relearnedFrom ?? null;
  return from === null ? [sourceId] : [sourceId, ...knownIds({ sources }, from)];
};

/** Value of a covariate on a date now: of the recent day, else of the reference day. */
export const readingOn = (
  { sources, days }: CovariateModels,
  sourceId: number,
  date: string,
): CovariateReading => {
  const lineage = lineageOf({ sources }, sourceId);
  const present = lineage.at(-1);
  const reading = { sourceId, value: null, revision: days.revision(present?.id ?? sourceId) };
  if (!present) return reading;
  if (present.archivedAt !== null) return { ...reading, archived: true };
  return { ...reading, value: valueOn(days, lineage, date) };
};

/** Value of the day of a date that a lineage has: the recent day before the reference day, newer sources first. */
const valueOn = (
  days: CovariateModels['days'],
  lineage: readonly SourceSetup[],
  date: string,
): number | null => {
  const next = dayAfter(date);
  for (const { id, aggregation } of [...lineage].reverse()) {
    const day = days.recent(id, date) ?? days.between(id, 'reference', date, next)[0];
    if (day) return 'inProgress' in day ? null : covariateValue(day, aggregation);
  }
  return null;
};

/** Value of a covariate on a date for charts: as `readingOn`, but one that is archived since the date still has it. */
const shownReadingOn = (models: CovariateModels, sourceId: number, date: string): CovariateReading => {
  const reading = readingOn(models, sourceId, date);
  const lineage = lineageOf(models, sourceId);
  const { archivedAt = null } = lineage.at(-1) ?? {};
  if (archivedAt === null || date > archivedAt.slice(0, 10)) return reading;
  return { ...reading, value: valueOn(models.days, lineage, date) };
};

/** Values of covariates now, from the first date to the last one of a reference. */
export const covariateSeries = (
  { sources, days }: CovariateModels,
  ids: readonly number[],
  reference: { readonly from: string; readonly to: string },
): CovariateSeries[] =>
  ids.flatMap(sourceId => {
    const lineage = lineageOf({ sources }, sourceId);
    const present = lineage.at(-1);
    if (!present) return [];
    const series = { sourceId, name: present.name, revision: days.revision(present.id) };
    if (present.archivedAt !== null) return { ...series, archived: true, values: [] } as const;
    const after = dayAfter(reference.to);
    const byDate = new Map<string, number | null>();
    for (const { id, aggregation } of lineage)
      for (const kind of ['reference', 'recent'] as const)
        for (const day of days.between(id, kind, reference.from, after))
          byDate.set(day.date, 'inProgress' in day ? null : covariateValue(day, aggregation));
    const values = [...byDate]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([date, value]) => (value === null ? [] : { date, value }));
    return { ...series, values };
  });

/** A series of each covariate for a request of an analysis; nothing for a source without covariates. */
export const requestedCovariates = (
  models: CovariateModels,
  ids: readonly number[] | undefined,
  reference: { readonly from: string; readonly to: string },
): { readonly covariates?: readonly CovariateSeries[] } =>
  ids && ids.length > 0 ? { covariates: covariateSeries(models, ids, reference) } : {};

/** Values of the covariates of models by date, and how they move the models; neither without covariates. */
export type ExplainedComparison = Pick<Comparison, 'explained'> & {
  readonly readingsOn?: (date: string) => readonly CovariateReading[];
};

/**
 * Values of covariates by date, and how they move the models; nothing for models without covariates.
 * @param readingsOn reads the values of a date; called once for each date
 * @param rules      of the engine that checks; of the present one when absent
 */
export const explainedComparison = (
  models: readonly Model[],
  checks: CheckFacts | null,
  readingsOn: (date: string, covariates: readonly number[]) => readonly CovariateReading[],
  rules?: EngineRules,
): ExplainedComparison => {
  if (!checks?.covariates) return {};
  const effects = checks.covariates;
  const ids = effects.map(({ sourceId }) => sourceId);
  const kept = new Map<string, readonly CovariateReading[]>();
  const readings = (date: string): readonly CovariateReading[] => {
    const known = kept.get(date) ?? readingsOn(date, ids);
    kept.set(date, known);
    return known;
  };
  return { readingsOn: readings, explained: explainedDates(models, effects, readings, rules) };
};

/**
 * How covariates move the models of a source by date. A recent day has the values that its last check knew, another
 * date of the reference those that the models were learned from; other dates have the present ones, and so has the
 * reference of models that were restored.
 * @returns undefined for a source without covariates
 */
export const explainedNow = (
  models: ReadModels,
  sourceId: number,
  sourceModels: readonly Model[],
): Comparison['explained'] => {
  const learned = models.covariates.learnedFrom(sourceId).map(({ sourceId: id, revision, values }) => ({
    ...{ id, revision },
    values: new Map(values.map(({ date, value }) => [date, value])),
  }));
  const reference = models.sources.setup(sourceId)?.reference;
  return explainedComparison(sourceModels, models.planning.checks(sourceId), (date, ids) => {
    const known = models.days.covariates(sourceId, date);
    if (known.length > 0) return known;
    if (learned.length > 0 && reference && date >= reference.from && date <= reference.to)
      return learned.map(({ id, revision, values }) => ({
        ...{ sourceId: id, revision, value: values.get(date) ?? null },
      }));
    return ids.map(id => shownReadingOn(models, id, date));
  }).explained;
};

/** Facts of a source and a covariate of it that decide which dates of an import of the covariate are noted. */
type NoteFacts = {
  /** Whether a check of the source is pending: it may know a value between the recorded one and the present one. */
  readonly isCheckPending: boolean;
  readonly hasRecent: (date: string) => boolean;
  /** Value of the covariate that the last check of a date knew, and the present one; null for none. */
  readonly knownValue: (date: string) => number | null;
  readonly presentValue: (date: string) => number | null;
};

/**
 * Dates of an import of a covariate that are noted in the source: those with recent days whose check knew another value
 * or none, and all with recent days while a check of the source is pending.
 */
export const notedDates = (
  dates: readonly string[],
  { isCheckPending, hasRecent, knownValue, presentValue }: NoteFacts,
): string[] =>
  dates.filter(date => hasRecent(date) && (isCheckPending || knownValue(date) !== presentValue(date)));

/** Types of events that change the values of a covariate. Points do when their date closes. */
const dataChanges = ['DaysImported', 'PointsImported', 'DateClosed', 'DayTakenBack'] as const;

/** An event that changes recent days. */
export type DataChange = EventOf<(typeof dataChanges)[number]>;

/** Whether an event changes recent days. */
export const isDataChange = (event: KnownEvent): event is DataChange =>
  (dataChanges as readonly string[]).includes(event.type);

/** Id under which a change of days is noted: that of the import of whole days, else of the event. */
const noteIdOf = (event: DataChange): string =>
  event.type === 'DaysImported' ? event.data.importId : event.id;

/** Id that the recent days of a change have in the log, until another change replaces them. */
export const dataIdOf = (event: DataChange): string =>
  event.type === 'DayTakenBack' ? event.id : event.data.importId;

/**
 * Returns a function that reads the present values of a covariate, each date once until one of its sources changes: a
 * covariate may explain thousands of sources.
 */
const presentValues = (models: CovariateModels): ((sourceId: number) => NoteFacts['presentValue']) => {
  let known = { state: '', values: new Map<string, number | null>() };
  return sourceId => {
    const lineage = lineageOf(models, sourceId).map(({ id, version }) => [
      id,
      version,
      models.days.revision(id),
    ]);
    const state = JSON.stringify([sourceId, lineage]);
    if (known.state !== state) known = { state, values: new Map() };
    const { values } = known;
    return date => {
      const value = values.get(date);
      if (value !== undefined) return value;
      const read = readingOn(models, sourceId, date).value;
      values.set(date, read);
      return read;
    };
  };
};

/**
 * Notes an import, or a day that was taken back, in the streams of the sources that it explains, for the dates whose
 * check knew another value or none, and for all dates while a check of the source is pending. The noted event causes
 * their check. A change is noted once for a source, however often this runs.
 */
export const covariateNoter =
  ({
    models,
    parking,
    handle,
    environment,
  }: Pick<FollowUpParts, 'models' | 'parking' | 'handle' | 'environment'>) =>
  async (event: DataChange): Promise<void> => {
    const importId = noteIdOf(event);
    requireHeld(models, event);
    const uses = knownIds(models, sourceOf(event.stream)).flatMap(covariateId =>
      models.covariates.usersOf(covariateId).map(sourceId => ({ covariateId, sourceId })),
    );
    const yieldToEventLoop = eventLoopYielder(environment);
    const valuesOf = presentValues(models);
    for (const { covariateId, sourceId } of uses) {
      await yieldToEventLoop();
      requireHeld(models, event);
      if (models.sources.setup(sourceId)?.archivedAt !== null) continue;
      const dates = notedDates(changedDates(models, event), {
        isCheckPending: models.followUps.isCheckPending(sourceId),
        hasRecent: date => models.days.hasRecent(sourceId, date),
        knownValue: date =>
          models.days.covariates(sourceId, date).find(known => known.sourceId === covariateId)?.value ?? null,
        presentValue: valuesOf(covariateId),
      });
      const { revision } = event;
      const command = { sourceId, covariateId, importId, revision, dates } as const;
      const metadata = metadataFor(environment, event, `covariate/${sourceId}`);
      // An event of the other source stops it: the import of this one is not to blame.
      await parking.guard(() =>
        handle(days, streams.days(sourceId), { type: 'NoteCovariateDays', ...command }, metadata),
      );
    }
  };

/** Dates that have the data of an import still, or the date that still lacks those that were taken back. */
const changedDates = (
  { days: stored }: Pick<FollowUpParts['models'], 'days'>,
  { type, stream, data }: DataChange,
): readonly string[] => {
  if (type === 'DaysImported' || type === 'PointsImported')
    return stored.byImport(data.importId).map(({ date }) => date);
  return stored.hasRecent(sourceOf(stream), data.date) === (type === 'DateClosed') ? [data.date] : [];
};
