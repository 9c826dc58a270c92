import { createHash } from 'node:crypto';
import {
  notCompared,
  type Checked,
  type Comparison,
  type DayBefore,
} from '../../../analysis/checking/comparison.js';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import { silenceSeverity } from '../../../analysis/checking/severity.js';
import { engine, rulesToUse, type EngineRules } from '../../../analysis/engine.js';
import type { RecordCheck } from '../../../domain/alerts/alerts.js';
import type { CauseEvent } from '../../../domain/followUps.js';
import { dateAfter } from '../../../domain/dates.js';
import {
  type Knowledge,
  type CheckCause,
  type CheckedSilence,
  notAdapted,
  type Adaptation,
} from '../../../domain/alerts/checks.js';
import type { Finding, Outcome, SilenceFinding } from '../../../domain/alerts/findings.js';
import type { Day } from '../../../domain/day.js';
import { sourceOf } from '../../../domain/streams.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import type { ExplainedComparison } from '../covariates.js';
import { type CheckedModels, takesSteps, type CheckPart, type DayOutcome } from './checkPart.js';
import { comparisonMaker, dueDates, readDays, type CheckedDayData } from './readDays.js';
import type { KnownEvent } from '../../../domain/events.js';
import {
  dateOfSilence,
  givenWait,
  silenceAt,
  type Rhythm,
  type Silence,
} from '../../../domain/alerts/silence.js';
import type { SourceRhythm } from '../../../projections/rhythms.js';
import type { ReadModels } from '../../../projections/readModels.js';

/** States of the adaptive factor during a check: `before` a date; `record` stores the state after a day. */
type Adaptations = {
  readonly before: (date: string) => Adaptation | null;
  readonly record: (date: string, adaptation: Adaptation | undefined) => void;
};

/**
 * States of the adaptive factor before ascending dates: that of the latest checked day before the date with the same
 * models, which may be a day of this check. Stored states are read now; null when the limits do not adapt.
 * @param datesRead dates for which stored states are used; engines up to 5 used them for dates with data only
 * @param judged    outcomes of the days before, by date
 */
export const adaptationsOf = (
  { days }: { readonly days: Pick<ReadModels['days'], 'adaptedBefore' | 'adaptedBetween'> },
  { id: sourceId, modelsVersion }: Pick<SourceSetup, 'id' | 'modelsVersion'>,
  { checks }: Pick<Comparison, 'checks'>,
  {
    datesRead,
    judged,
  }: { readonly datesRead: readonly string[]; readonly judged: ReadonlyMap<string, DayOutcome> },
): Adaptations => {
  if (!checks?.adaptive) return { before: () => null, record: () => {} };
  const first = datesRead[0] ?? '';
  const end = datesRead.at(-1) ?? '';
  const latest = days.adaptedBefore(sourceId, modelsVersion, first);
  const between = days.adaptedBetween(sourceId, modelsVersion, first, end);
  // Ascending.
  const stored = latest ? [latest, ...between] : between;
  const isRead = new Set(datesRead);
  let last: { readonly date: string; readonly adaptation: Adaptation } | undefined;
  const record = (date: string, adaptation: Adaptation | undefined): void => {
    if (adaptation && (!last || date > last.date)) last = { date, adaptation };
  };
  for (const { date, adaptation } of judged.values()) record(date, adaptation);
  const before = (date: string): Adaptation => {
    const known = isRead.has(date) ? stored.findLast(state => state.date < date) : undefined;
    if (last && (!known || last.date >= known.date)) return last.adaptation;
    return known?.adaptation ?? notAdapted;
  };
  return { before, record };
};

const findingOf = (silence: Silence, ranksSeverity: boolean): SilenceFinding => ({
  kind: 'noData',
  direction: null,
  criticity: 1,
  ...(ranksSeverity && { severity: silenceSeverity }),
  slices: [],
  looksLikeAnomaly: false,
  plannedModelId: null,
  closestModelId: null,
  betterModelId: null,
  silence,
});

/** The rhythm that an engine uses. */
const rhythmBy = (
  { rhythm, withNeighbours, withFuture }: SourceRhythm,
  { countsFutureDays, waitsForSlices }: Pick<EngineRules, 'countsFutureDays' | 'waitsForSlices'>,
): Rhythm => {
  if (countsFutureDays) return withFuture;
  return waitsForSlices ? rhythm : withNeighbours;
};

/**
 * Whether a source is silent, as the check of a cause has to record it. The tick of the clock raises an alert; an
 * import ends one. Absent when the check changes nothing about a silence.
 */
export const checkedSilence = (
  event: Extract<KnownEvent, { type: CheckCause['type'] }>,
  known: SourceRhythm | undefined,
  rules: Pick<EngineRules, 'countsFutureDays' | 'ranksSeverity' | 'waitsForSlices'>,
): { readonly silence?: CheckedSilence | null } => {
  const brings = event.type === 'DaysImported' || event.type === 'PointsImported';
  if (!known || (event.type !== 'ClockTicked' && !brings)) return {};
  const rhythm = rhythmBy(known, rules);
  const silence = silenceAt(
    rhythm,
    rules.waitsForSlices ? givenWait(known.givenMinutes, known.feed) : known.givenMinutes,
    event.type === 'ClockTicked' ? event.data.deadline : event.at,
  );
  if (!silence) return { silence: null };
  if (brings) return {};
  return {
    silence: {
      date: dateOfSilence(silence, event.data.date ?? silence.deadline.slice(0, 10)),
      finding: findingOf(silence, rules.ranksSeverity),
      importId: rhythm.importId ?? '',
      key: silence.since,
    },
  };
};

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

/** Reads the plans of dates, and the values of their covariates: a comparison keeps them for the next steps. */
const readPlans = (
  { plan, readingsOn }: Comparison & ExplainedComparison,
  dates: readonly string[],
): void => {
  for (const date of dates) {
    plan(date);
    readingsOn?.(date);
  }
};

/** The outcome of a day: in this run, else in the last check with the same models; null for none. */
const outcomeOf = (
  { date, importId, check }: StoredDay,
  judged: ReadonlyMap<string, DayOutcome>,
  { modelsVersion }: SourceSetup,
): Outcome | null => {
  const known = judged.get(date);
  const stored = check?.modelsVersion === modelsVersion ? check.outcome : null;
  return known?.importId === importId ? known.outcome : stored;
};

/** Whether a date in progress is not compared yet: the day before, which its limits adapt to, is in progress too. */
const waitsForYesterday = (
  { days }: CheckedModels,
  sourceId: number,
  { date, inProgress }: CheckedDayData,
): boolean =>
  inProgress !== undefined && days.recent(sourceId, dateAfter(date, -1))?.inProgress !== undefined;

/** The result of a day as a check records it. */
const recordedDay = (
  day: CheckedDayData,
  { outcome, finding, adaptation, belowFloor }: Checked,
  { plan, readingsOn, rules }: Comparison & ExplainedComparison,
): RecordCheck['days'][number] => {
  const { date, importId, missing, inProgress } = day;
  return {
    date,
    importId,
    dayDigest: dayDigestOf(day),
    plannedModelId: plan(date).modelId,
    outcome,
    finding: asStored(finding, rules),
    ...(adaptation && { adaptation }),
    ...(belowFloor && { belowFloor }),
    ...(inProgress && { elapsed: inProgress.elapsed }),
    ...(missing && { missing }),
    ...(!missing && readingsOn && { covariates: readingsOn(date) }),
  };
};

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
    const judged = new Map(earlier);
    const { toCheck, ahead, before } = readDays(models, event, present, dates);
    const isInSteps = takesSteps(dates);
    if (isInSteps)
      readPlans(
        comparison,
        [...ahead, ...toCheck].map(({ date }) => date),
      );
    const withData = toCheck.filter(({ missing }) => !missing).map(({ date }) => date);
    const datesRead = comparison.rules.keepsFactorOnMissingDates ? dates : withData;
    const adaptations = adaptationsOf(models, present, comparison, { datesRead, judged });
    const days: RecordCheck['days'][number][] = [];
    for (const day of toCheck) {
      const { date, importId } = day;
      const daysBefore = (): readonly DayBefore[] =>
        before(date).map(day => {
          const outcome = outcomeOf(day, judged, present);
          return { day, drifting: outcome === 'drift', abnormal: outcome === 'abnormal' };
        });
      const checked =
        day.takenBack || waitsForYesterday(models, sourceOf(event.stream), day)
          ? notCompared
          : checkDay(day, comparison, daysBefore, adaptations.before(date));
      const { outcome, adaptation } = checked;
      judged.set(date, { date, importId, outcome, ...(adaptation && { adaptation }) });
      adaptations.record(date, adaptation);
      days.push(recordedDay(day, checked, comparison));
      if (isInSteps) yield;
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
    const rules = rulesToUse(by);
    const silence =
      last && present.archivedAt === null
        ? checkedSilence(event, models.rhythms.ofSource(sourceId), rules)
        : {};
    const comparison = comparisonOf(present, rules, { dates, ...(covariates && { covariates }) });
    const days = yield* judge(event, comparison, present, { dates, earlier });
    return {
      type: 'RecordCheck',
      sourceId,
      cause: { id: event.id, type: event.type },
      part,
      last,
      engine: by,
      modelsVersion: present.modelsVersion,
      knowledge,
      keepsAlerts: true,
      confirmsChanges: true,
      confirmsCriticity: true,
      ...(comparison.checks?.adaptive && { checksKnown }),
      days,
      ...silence,
    };
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
