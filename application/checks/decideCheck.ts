import { createHash } from 'node:crypto';
import type { Comparison, DayBefore } from '../../analysis/checking/comparison.js';
import { checkDay } from '../../analysis/checking/checkDay.js';
import { driftDays } from '../../analysis/checking/levelShift.js';
import { engine, rulesToUse, type EngineRules } from '../../analysis/engine.js';
import type { RecordCheck } from '../../domain/alerts/alertsCommands.js';
import type { CauseEvent } from '../../domain/alerts/causes.js';
import type { Knowledge } from '../../domain/alerts/checks.js';
import type { Finding } from '../../domain/alerts/findings.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { sourceOf } from '../../domain/streams.js';
import type { StoredDay } from '../../projections/days/storedDays.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { ExplainedComparison } from '../covariates/readings.js';
import { adaptationsOf } from './adaptations.js';
import type { CheckedModels } from './checkedModels.js';
import type { CheckPart } from './checkPart.js';
import { comparisonMaker } from './comparisons.js';
import { dueDates } from './dueDates.js';
import { checkedSilence } from './silence.js';

/** A day that is checked; `missing` has no data. */
type CheckedDayData = Day & { readonly importId: string; readonly missing?: true };

/** Maximum days that are checked in one step; a larger part takes one step per day. */
export const daysPerStep = 3;

/** First 32 hex digits of the SHA-256 of the parts of a day that a check uses. */
export const dayDigestOf = (day: Pick<Day, 'activity' | 'gaps' | 'filled'>): string =>
  createHash('sha256')
    .update(JSON.stringify([day.activity, day.gaps, day.filled]))
    .digest('hex')
    .slice(0, 32);

/** A finding as an engine stores it. */
const asStored = (finding: Finding | null, { facts: storesFacts }: EngineRules): Finding | null => {
  if (finding === null || storesFacts) return finding;
  const { facts: _, ...older } = finding;
  return older;
};

/** Versions of a source's read models. Readers in log order see totally ordered versions. */
const knowledgeOf = ({ days }: CheckedModels, { id, version }: SourceSetup): Knowledge => ({
  source: version,
  days: days.revision(id),
});

/** Recent days of ascending dates and of `daysBefore` days before each: in order, each once. */
const recentAround = (
  { days }: CheckedModels,
  sourceId: number,
  dates: readonly string[],
  daysBefore: number,
): StoredDay[] => {
  const stretches: { readonly from: number; to: number }[] = [];
  for (const date of dates) {
    const number = dayNumber(date);
    const last = stretches.at(-1);
    if (last && number - daysBefore <= last.to) last.to = number + 1;
    else stretches.push({ from: number - daysBefore, to: number + 1 });
  }
  return stretches.flatMap(({ from, to }) => days.between(sourceId, 'recent', dateOf(from), dateOf(to)));
};

/** A date without data inside an import, as a day without a value; undefined for other causes. */
const missingDay = (
  event: CauseEvent,
  { activitySize }: SourceSetup,
  date: string,
): CheckedDayData | undefined =>
  event.type === 'DaysImported'
    ? {
        ...{ date, importId: event.data.importId, missing: true },
        ...{ activity: Array<number>(activitySize).fill(0), gaps: [[0, activitySize]], filled: [] },
      }
    : undefined;

/**
 * Decides checks from read models only: the process manager records them, `verify --decisions` repeats them.
 */
export const checkDecider = (models: CheckedModels) => {
  const comparisonOf = comparisonMaker(models);

  /**
   * Checks days in order of date. The outcomes of earlier days are those of this check, or of the last check with the
   * same models.
   */
  function* judge(
    event: CauseEvent,
    comparison: Comparison & ExplainedComparison,
    present: SourceSetup,
    { dates, earlier }: Pick<CheckPart, 'dates' | 'earlier'>,
  ): Generator<void, RecordCheck['days']> {
    const { id: sourceId } = present;
    const judged = new Map(earlier);
    const isDrifting = ({ date, importId, check }: StoredDay): boolean => {
      const known = judged.get(date);
      const stored = check?.modelsVersion === present.modelsVersion ? check.outcome : null;
      return (known?.importId === importId ? known.outcome : stored) === 'drift';
    };
    // All days are read before the first step: changes between steps belong to a later check.
    const inSteps = dates.length > daysPerStep;
    const read = recentAround(models, sourceId, dates, inSteps ? driftDays : 0);
    const checkedDates = new Set(dates);
    const due = new Map(read.filter(({ date }) => checkedDates.has(date)).map(day => [day.date, day]));
    // Read on demand: days inside their limits do not need the days before them.
    let around = inSteps ? read : undefined;
    const before = (date: string) => (): readonly DayBefore[] => {
      // The same objects, because checks cache values per day object.
      around ??= recentAround(models, sourceId, dates, driftDays).map(day => due.get(day.date) ?? day);
      const first = dateOf(dayNumber(date) - driftDays);
      return around
        .filter(day => first <= day.date && day.date < date)
        .map(day => ({ day, drifting: isDrifting(day) }));
    };
    if (inSteps)
      for (const { date } of read) {
        comparison.plan(date);
        comparison.readingsOn?.(date);
      }
    const adaptations = adaptationsOf(models, present, comparison, {
      datesRead: comparison.rules.keepsFactorOnMissingDates ? dates : [...due.keys()],
      judged,
    });
    const days: RecordCheck['days'][number][] = [];
    for (const date of dates) {
      const day: CheckedDayData | undefined = due.get(date) ?? missingDay(event, present, date);
      if (!day) continue;
      const { importId, missing } = day;
      const { adaptation, ...checked } = checkDay(day, comparison, before(date), adaptations.before(date));
      const { outcome, finding } = checked;
      const adapted = adaptation && { adaptation };
      judged.set(date, { date, importId, outcome, ...adapted });
      adaptations.record(date, adaptation);
      const plannedModelId = comparison.plan(date).modelId;
      days.push({
        ...{ date, importId, dayDigest: dayDigestOf(day), plannedModelId, outcome },
        finding: asStored(finding, comparison.rules),
        ...adapted,
        ...(missing ? { missing } : comparison.readingsOn && { covariates: comparison.readingsOn(date) }),
      });
      if (inSteps) yield;
    }
    return days;
  }

  /**
   * Computes the command that records a part of a check, from the read models at the first step. A part of more than
   * `daysPerStep` days takes one step per day.
   * Returns `undefined` for an unknown source.
   * @param by name of the engine whose rules are used
   */
  function* checkSteps(
    event: CauseEvent,
    { part, last, dates, earlier, covariates }: CheckPart,
    by = engine,
  ): Generator<void, RecordCheck | undefined> {
    const sourceId = sourceOf(event.stream);
    const present = models.sources.setup(sourceId);
    if (!present) return undefined;
    const knowledge = knowledgeOf(models, present);
    const checksKnown = models.days.checkCount(sourceId);
    const silence =
      last && present.archivedAt === null ? checkedSilence(event, models.rhythms.ofSource(sourceId)) : {};
    const comparison = comparisonOf(present, rulesToUse(by), { dates, ...(covariates && { covariates }) });
    const days = yield* judge(event, comparison, present, { dates, earlier });
    const cause = { id: event.id, type: event.type };
    const { modelsVersion } = present;
    const adaptive = comparison.checks?.adaptive ? { checksKnown } : {};
    const versions = { engine: by, modelsVersion, knowledge, keepsAlerts: true, ...adaptive };
    return { type: 'RecordCheck', sourceId, cause, part, last, ...versions, days, ...silence };
  }

  return {
    /** Dates that a cause requires and that are not checked yet, ascending; none for an unknown source. */
    awaitedDates: (event: CauseEvent, by = engine): readonly string[] => {
      const present = models.sources.setup(sourceOf(event.stream));
      if (!present) return [];
      const checked = new Set(models.days.checkedDays(event.id).map(({ date }) => date));
      return dueDates(models, event, present, by).filter(date => !checked.has(date));
    },

    checkSteps,
  };
};
