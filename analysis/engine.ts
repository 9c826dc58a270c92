/** Name and version of the analysis. Raise the version whenever the same data may give other models or checks. */
export const engine = 'daybook-calendar/14';

/** Rules that differ between engine versions. Decisions of a version with known rules can be made again. */
export type EngineRules = {
  /** Factor on the default limits. */
  readonly limitFactor: number;
  /** Whether limits are widened for references whose days vary too much (learning/limits/calibrate.ts). */
  readonly guard: boolean;
  /** Whether a drifting day may lie anywhere between the profile and the level shift (checking/dayScores.ts). */
  readonly driftInterval: boolean;
  /** Whether default limits adapt to the alerts of recent days (checking/adaptiveFactor.ts). */
  readonly adaptive: boolean;
  /** Whether findings have facts (findings/findingFacts.ts). */
  readonly facts: boolean;
  /**
   * Dates inside an import that are gaps: those that the import misses. Engines up to 6 looked between those of its
   * dates that no later import had replaced when it was checked; engine 2 found none.
   */
  readonly missingDates: 'ofImport' | 'ofRemaining' | 'none';
  /**
   * Whether reference days with three quarters of their slices are learned from, their gaps completed
   * (learning/completed.ts). Earlier: days with half of the slices of the median day, with gaps.
   */
  readonly completesGaps: boolean;
  /** Whether expected false alerts are calibrated on open series (learning/limits/calibrate.ts). */
  readonly calibratedAlerts: boolean;
  /**
   * Whether a finding without the value of a covariate must also stay with each effect that the covariate had on
   * reference days (covariates/effectOn.ts). Earlier: a covariate without a value moved nothing.
   */
  readonly doubtsMissingCovariates: boolean;
  /**
   * Whether a missing date that begins a check, as after a crash, keeps the adaptive factor. Earlier: the factor was 1.
   */
  readonly keepsFactorOnMissingDates: boolean;
  /**
   * Whether a stretch without data that is longer than any on reference days of its kind is a gap, and a day of which
   * exactly half is there (checking/stretches.ts). Earlier: only days with less than half.
   */
  readonly gapStretches: boolean;
  /** Whether imports of days after tomorrow count for silence. */
  readonly countsFutureDays: boolean;
  /** Whether the shape of a day is compared with its nearest days (checking/shape.ts). */
  readonly comparesShape: boolean;
  /** Whether its hours are, too, among days of its kind (checking/hours.ts), with a wider limit on differences. */
  readonly comparesHours: boolean;
  /**
   * Whether days beyond a gap are outliers too (learning/outliers.ts), and the guard fires later (learning/limits/
   * calibrate.ts): references with faults. Earlier: only days beyond 3.5 robust deviations.
   */
  readonly withstandsFaults: boolean;
  /** Whether the width of such a gap is measured by the smaller spread of both sides of the median. */
  readonly measuresGapsBelow: boolean;
  /** Whether names of models say which weekday or month is missing (learning/modelNames.ts). */
  readonly namesExceptions: boolean;
  /** Whether findings have a severity (checking/severity.ts). */
  readonly ranksSeverity: boolean;
  /**
   * Whether bounds state a range of false alerts (learning/limits/alertRange.ts), and no fall in eight hours that ends
   * at 0.
   */
  readonly statesRanges: boolean;
  /** Whether cycles that are no week are found on the reference (calendar/findCycles.ts), and planned by. */
  readonly findsCycles: boolean;
  /**
   * Whether names of models cover most of their days, know special days and cycles, and `days` counts the planned days,
   * which the names describe. Earlier: the days nearest to the model.
   */
  readonly namesPlannedDays: boolean;
  /** Whether the minimum detectable change is stated for times of day, too. */
  readonly statesTimesOfDay: boolean;
  /** Whether p-values allow for held-out days being harder to predict than new ones (checking/checkLimits.ts). */
  readonly correctsPValues: boolean;
  /** Whether findings of a date in progress say where its data end. Earlier: a day without data was back to normal. */
  readonly namesDataEnd: boolean;
  /** Whether a flatline says that it was compared with days before, for want of reference days. */
  readonly namesDaysBefore: boolean;
  /**
   * Whether flatlines are looked for among values above the minimum (checking/stretches.ts), and on a date in progress
   * without the value of a covariate as well, and have the direction of their value. Earlier: the longest run of a day
   * and of the reference counted, so that a source that is closed at night had hardly any.
   */
  readonly findsFlatlinesAboveMinimum: boolean;
  /** Whether hours are compared for a kind of day when the other kind has too few (learning/limits/shapeLimit.ts). */
  readonly comparesKindsAlone: boolean;
  /** Whether the mean excess over the base of the tail leaves the base out (checking/checkLimits.ts). */
  readonly leavesBaseOut: boolean;
  /**
   * Whether the minimum detectable change adds magnitudes, so that "more" means higher values below 0 too, and finds
   * the eight busiest hours by values. Earlier: by logarithms.
   */
  readonly changesByMagnitude: boolean;
  /** Whether limits at a target coverage stay at the smallest ones (learning/limits/calibrate.ts). */
  readonly holdsSmallestLimits: boolean;
  /** Whether a long reference of few months has fortnights as blocks (learning/prepare.ts). Earlier: single days. */
  readonly blocksFewMonths: boolean;
  /** Whether the stretch of a broken window follows the day (findings/findingFacts.ts). Earlier: its eight hours. */
  readonly followsDay: boolean;
  /**
   * Whether names by dates have years when two dates agree, and say "Monday–Friday except Wednesday"
   * (learning/modelNames.ts).
   */
  readonly namesYearsAndExceptions: boolean;
  /**
   * Whether a cycle begins after its days that never have data (calendar/findCycles.ts). Earlier: never after these.
   */
  readonly beginsAfterMissing: boolean;
  /**
   * Whether implausible values of a reference or a covariate count for nothing (learning/omissions.ts), nor outliers
   * for the minimum and the longest flatline.
   */
  readonly withstandsImplausibleValues: boolean;
  /**
   * Whether a reference without values above its minimum has no flatlines (checking/stretches.ts), and `frozen` has at
   * least the criticity of limits that the day breaks (checking/checkLimits.ts).
   */
  readonly comparesConstants: boolean;
  /** Whether bounds that a person put on a profile are held apart from it (checking/comparison.ts). */
  readonly holdsBoundsApart: boolean;
  /** Whether limits adapt to alerts of automatic models alone (checking/checkDay.ts). Earlier: to all. */
  readonly adaptsToOwnAlerts: boolean;
  /** Whether an accepted change of the clock moves gaps as well (checking/shapeCheck.ts). */
  readonly shiftsGaps: boolean;
  /** Whether the main stretch has the direction of the score (findings/findingFacts.ts). */
  readonly followsDirection: boolean;
  /** Whether dates and hours are compared only where reference days are like them (checking/checkDay.ts, hours.ts). */
  readonly needsLikeDays: boolean;
  /** Whether shapes are compared with the other days when a reference has lost some (checking/shape.ts). */
  readonly comparesLeftShapes: boolean;
  /**
   * Whether a cycle among the days without dates of the month saves error against the expectation of all days
   * (calendar/findCycles.ts). Earlier: against one of these days alone, so that it seemed to save more.
   */
  readonly expectsByAllDays: boolean;
  /**
   * Whether dates that the reference is unlike have no gap, nor count as recent days, days of anomalies count as
   * similar, and missing weekdays that the reference never has are no gaps (checking/comparison.ts).
   */
  readonly needsLikeDaysFirst: boolean;
  /** Whether a covariate value far beyond the learned ones is a missing one at a check (covariates/effectOn.ts). */
  readonly checksCovariateValues: boolean;
  /** Whether names by a cycle of weeks say "every day" of a whole week (learning/modelNames.ts). Earlier: nothing. */
  readonly namesWholeWeeks: boolean;
  /** Whether findings name the place in a cycle that a date was planned by (findings/findingFacts.ts). */
  readonly namesPlacesInCycles: boolean;
  /** Whether findings on a straight scale say so: percents and factors of temperatures have no meaning. */
  readonly comparesWithoutFactors: boolean;
  /** Whether a day is compared at its own level only by a factor above 0 (findings/shapeFacts.ts). */
  readonly levelsAboveZero: boolean;
  /**
   * Whether a silence waits for a whole slice of points (domain/alerts/silence.ts), and dates whose slices only follow
   * from points of other dates are no new data (projections/rhythms.ts).
   */
  readonly waitsForSlices: boolean;
};

/** Rules of this version. */
export const presentRules: EngineRules = {
  limitFactor: 0.92,
  guard: true,
  driftInterval: true,
  adaptive: true,
  facts: true,
  missingDates: 'ofImport',
  completesGaps: true,
  calibratedAlerts: true,
  doubtsMissingCovariates: true,
  keepsFactorOnMissingDates: true,
  gapStretches: true,
  countsFutureDays: false,
  namesExceptions: true,
  comparesShape: true,
  withstandsFaults: true,
  ranksSeverity: true,
  statesRanges: true,
  measuresGapsBelow: true,
  findsCycles: true,
  namesPlannedDays: true,
  statesTimesOfDay: true,
  correctsPValues: true,
  namesDataEnd: true,
  namesDaysBefore: true,
  comparesHours: true,
  findsFlatlinesAboveMinimum: true,
  comparesKindsAlone: true,
  leavesBaseOut: true,
  changesByMagnitude: true,
  holdsSmallestLimits: true,
  blocksFewMonths: true,
  followsDay: true,
  namesYearsAndExceptions: true,
  beginsAfterMissing: true,
  withstandsImplausibleValues: true,
  comparesConstants: true,
  holdsBoundsApart: true,
  adaptsToOwnAlerts: true,
  shiftsGaps: true,
  followsDirection: true,
  needsLikeDays: true,
  comparesLeftShapes: true,
  expectsByAllDays: true,
  needsLikeDaysFirst: true,
  checksCovariateValues: true,
  namesWholeWeeks: true,
  namesPlacesInCycles: true,
  comparesWithoutFactors: true,
  levelsAboveZero: true,
  waitsForSlices: true,
};

/** Rules of version 13. */
const calendar13: EngineRules = {
  ...presentRules,
  expectsByAllDays: false,
  needsLikeDaysFirst: false,
  checksCovariateValues: false,
  namesWholeWeeks: false,
  namesPlacesInCycles: false,
  comparesWithoutFactors: false,
  levelsAboveZero: false,
  waitsForSlices: false,
};

/** Rules of version 12. */
const calendar12: EngineRules = {
  ...calendar13,
  withstandsImplausibleValues: false,
  comparesConstants: false,
  holdsBoundsApart: false,
  adaptsToOwnAlerts: false,
  shiftsGaps: false,
  followsDirection: false,
  needsLikeDays: false,
  comparesLeftShapes: false,
};

/** Rules of version 11. */
const calendar11: EngineRules = {
  ...calendar12,
  findsFlatlinesAboveMinimum: false,
  comparesKindsAlone: false,
  leavesBaseOut: false,
  changesByMagnitude: false,
  holdsSmallestLimits: false,
  blocksFewMonths: false,
  followsDay: false,
  namesYearsAndExceptions: false,
  beginsAfterMissing: false,
};

/** Rules of version 10. */
const calendar10: EngineRules = { ...calendar11, comparesHours: false };

/** Rules of version 9. */
const calendar9: EngineRules = {
  ...calendar10,
  statesTimesOfDay: false,
  correctsPValues: false,
  namesDataEnd: false,
  namesDaysBefore: false,
};

/** Rules of version 8. */
const calendar8: EngineRules = {
  ...calendar9,
  ranksSeverity: false,
  statesRanges: false,
  measuresGapsBelow: false,
  findsCycles: false,
  namesPlannedDays: false,
};

/** Rules of version 7. */
const calendar7: EngineRules = { ...calendar8, comparesShape: false, withstandsFaults: false };

/** Rules of version 6. */
const calendar6: EngineRules = {
  ...calendar7,
  missingDates: 'ofRemaining',
  gapStretches: false,
  countsFutureDays: true,
};

/** Rules of version 5. */
const calendar5: EngineRules = { ...calendar6, keepsFactorOnMissingDates: false, namesExceptions: false };

/** Rules of version 4. */
const calendar4: EngineRules = { ...calendar5, doubtsMissingCovariates: false };

const rulesByEngine: ReadonlyMap<string, EngineRules> = new Map([
  [
    'daybook-calendar/2',
    {
      ...calendar4,
      limitFactor: 1,
      guard: false,
      driftInterval: false,
      adaptive: false,
      facts: false,
      missingDates: 'none',
      completesGaps: false,
      calibratedAlerts: false,
    },
  ],
  ['daybook-calendar/3', { ...calendar4, completesGaps: false, calibratedAlerts: false }],
  ['daybook-calendar/4', calendar4],
  ['daybook-calendar/5', calendar5],
  ['daybook-calendar/6', calendar6],
  ['daybook-calendar/7', calendar7],
  ['daybook-calendar/8', calendar8],
  ['daybook-calendar/9', calendar9],
  ['daybook-calendar/10', calendar10],
  ['daybook-calendar/11', calendar11],
  ['daybook-calendar/12', calendar12],
  ['daybook-calendar/13', calendar13],
  [engine, presentRules],
]);

/** Rules of an engine by its name; undefined when this build cannot make its decisions again. */
export const rulesOf = (name: string): EngineRules | undefined => rulesByEngine.get(name);

/** Rules to compute with under the name of an engine: its own, or those of this version for an unknown name. */
export const rulesToUse = (name: string): EngineRules => rulesOf(name) ?? presentRules;

/** All engines that were ever released, in their order. Only models name the first one. */
export const engines: readonly string[] = [
  'daybook-plain/1',
  'daybook-calendar/1',
  'daybook-calendar/2',
  'daybook-calendar/3',
  'daybook-calendar/4',
  'daybook-calendar/5',
  'daybook-calendar/6',
  'daybook-calendar/7',
  'daybook-calendar/8',
  'daybook-calendar/9',
  'daybook-calendar/10',
  'daybook-calendar/11',
  'daybook-calendar/12',
  'daybook-calendar/13',
  engine,
];
