/** Version of the analysis. Raise it whenever the same data may give other models or checks. */
const newest = 15;

const nameOf = (version: number): string => `daybook-calendar/${version}`;

/** Name and version of the analysis. */
export const engine = nameOf(newest);

/** First version with each rule that later ones keep. Decisions of a version with known rules can be made again. */
const since = {
  /** Whether limits are widened for references whose days vary too much (learning/limits/calibrate.ts). */
  guard: 3,
  /** Whether a drifting day may lie anywhere between the profile and the level shift (checking/dayScores.ts). */
  driftInterval: 3,
  /** Whether default limits adapt to the alerts of recent days (checking/adaptiveFactor.ts). */
  adaptive: 3,
  /** Whether findings have facts (findings/findingFacts.ts). */
  facts: 3,
  /**
   * Whether reference days with three quarters of their slices are learned from, their gaps completed
   * (learning/profiles.ts). Earlier: days with half of the slices of the median day, with gaps.
   */
  completesGaps: 4,
  /** Whether expected false alerts are calibrated on open series (learning/limits/calibrate.ts). */
  calibratedAlerts: 4,
  /**
   * Whether a finding without the value of a covariate must also stay with each effect that the covariate had on
   * reference days (covariates/effectOn.ts). Earlier: a covariate without a value moved nothing.
   */
  doubtsMissingCovariates: 5,
  /**
   * Whether a missing date that begins a check, as after a crash, keeps the adaptive factor. Earlier: the factor was 1.
   */
  keepsFactorOnMissingDates: 6,
  /**
   * Whether a stretch without data that is longer than any on reference days of its kind is a gap, and a day of which
   * exactly half is there (checking/stretches.ts). Earlier: only days with less than half.
   */
  gapStretches: 7,
  /** Whether the shape of a day is compared with its nearest days (checking/shape.ts). */
  comparesShape: 8,
  /** Whether its hours are, too, among days of its kind (checking/hours.ts), with a wider limit on differences. */
  comparesHours: 11,
  /**
   * Whether days beyond a gap are outliers too (learning/outliers.ts), and the guard fires later (learning/limits/
   * calibrate.ts): references with faults. Earlier: only days beyond 3.5 robust deviations.
   */
  withstandsFaults: 8,
  /** Whether the width of such a gap is measured by the smaller spread of both sides of the median. */
  measuresGapsBelow: 9,
  /** Whether names of models say which weekday or month is missing (learning/modelNames.ts). */
  namesExceptions: 6,
  /** Whether findings have a severity (checking/severity.ts). */
  ranksSeverity: 9,
  /**
   * Whether bounds state a range of false alerts (learning/limits/calibrate.ts), and no fall in eight hours that ends
   * at 0.
   */
  statesRanges: 9,
  /** Whether cycles that are no week are found on the reference (calendar/findCycles.ts), and planned by. */
  findsCycles: 9,
  /**
   * Whether names of models cover most of their days, know special days and cycles, and `days` counts the planned days,
   * which the names describe. Earlier: the days nearest to the model.
   */
  namesPlannedDays: 9,
  /** Whether the minimum detectable change is stated for times of day, too. */
  statesTimesOfDay: 10,
  /** Whether p-values allow for held-out days being harder to predict than new ones (checking/checkLimits.ts). */
  correctsPValues: 10,
  /** Whether findings of a date in progress say where its data end. Earlier: a day without data was back to normal. */
  namesDataEnd: 10,
  /** Whether a flatline says that it was compared with days before, for want of reference days. */
  namesDaysBefore: 10,
  /**
   * Whether flatlines are looked for among values above the minimum (checking/stretches.ts), and on a date in progress
   * without the value of a covariate as well, and have the direction of their value. Earlier: the longest run of a day
   * and of the reference counted, so that a source that is closed at night had hardly any.
   */
  findsFlatlinesAboveMinimum: 12,
  /** Whether hours are compared for a kind of day when the other kind has too few (learning/limits/shapeLimit.ts). */
  comparesKindsAlone: 12,
  /** Whether the mean excess over the base of the tail leaves the base out (checking/checkLimits.ts). */
  leavesBaseOut: 12,
  /**
   * Whether the minimum detectable change adds magnitudes, so that "more" means higher values below 0 too, and finds
   * the eight busiest hours by values. Earlier: by logarithms.
   */
  changesByMagnitude: 12,
  /** Whether limits at a target coverage stay at the smallest ones (learning/limits/calibrate.ts). */
  holdsSmallestLimits: 12,
  /** Whether a long reference of few months has fortnights as blocks (learning/prepare.ts). Earlier: single days. */
  blocksFewMonths: 12,
  /** Whether the stretch of a broken window follows the day (findings/findingFacts.ts). Earlier: its eight hours. */
  followsDay: 12,
  /**
   * Whether names by dates have years when two dates agree, and say "Monday–Friday except Wednesday"
   * (learning/modelNames.ts).
   */
  namesYearsAndExceptions: 12,
  /**
   * Whether a cycle begins after its days that never have data (calendar/findCycles.ts). Earlier: never after these.
   */
  beginsAfterMissing: 12,
  /**
   * Whether implausible values of a reference or a covariate count for nothing (learning/omissions.ts), nor outliers
   * for the minimum and the longest flatline.
   */
  withstandsImplausibleValues: 13,
  /**
   * Whether a reference without values above its minimum has no flatlines (checking/stretches.ts), and `frozen` has at
   * least the criticity of limits that the day breaks (checking/checkLimits.ts).
   */
  comparesConstants: 13,
  /** Whether bounds that a person put on a profile are held apart from it (checking/comparison.ts). */
  holdsBoundsApart: 13,
  /** Whether limits adapt to alerts of automatic models alone (checking/checkDay.ts). Earlier: to all. */
  adaptsToOwnAlerts: 13,
  /** Whether an accepted change of the clock moves gaps as well (checking/shapeCheck.ts). */
  shiftsGaps: 13,
  /** Whether the main stretch has the direction of the score (findings/findingFacts.ts). */
  followsDirection: 13,
  /** Whether dates and hours are compared only where reference days are like them (checking/checkDay.ts, hours.ts). */
  needsLikeDays: 13,
  /** Whether shapes are compared with the other days when a reference has lost some (checking/shape.ts). */
  comparesLeftShapes: 13,
  /**
   * Whether a cycle among the days without dates of the month saves error against the expectation of all days
   * (calendar/findCycles.ts). Earlier: against one of these days alone, so that it seemed to save more.
   */
  expectsByAllDays: 14,
  /**
   * Whether dates that the reference is unlike have no gap, nor count as recent days, days of anomalies count as
   * similar, and missing weekdays that the reference never has are no gaps (checking/comparison.ts).
   */
  needsLikeDaysFirst: 14,
  /** Whether a covariate value far beyond the learned ones is a missing one at a check (covariates/effectOn.ts). */
  checksCovariateValues: 14,
  /** Whether names by a cycle of weeks say "every day" of a whole week (learning/modelNames.ts). Earlier: nothing. */
  namesWholeWeeks: 14,
  /** Whether findings name the place in a cycle that a date was planned by (findings/findingFacts.ts). */
  namesPlacesInCycles: 14,
  /** Whether findings on a straight scale say so: percents and factors of temperatures have no meaning. */
  comparesWithoutFactors: 14,
  /** Whether a day is compared at its own level only by a factor above 0 (findings/shapeFacts.ts). */
  levelsAboveZero: 14,
  /**
   * Whether a silence waits for a whole slice of points (domain/alerts/silence.ts), and dates whose slices only follow
   * from points of other dates are no new data (projections/rhythms.ts).
   */
  waitsForSlices: 14,
  /** Whether the severity of a gap knows covariates and accepted changes (checking/severity.ts). */
  ranksGapsAsExpected: 15,
  /** Whether a rare covariate has implausible values, too (covariates/effectOn.ts). Earlier: none. */
  comparesRareCovariates: 15,
  /** Whether slices that are filled with 0 are data of a date in progress (checking/checkDay.ts). */
  endsWithFilled: 15,
  /** Whether a day of zeros is one without data where no reference day is of its weekday (checking/comparison.ts). */
  leavesIdleDays: 15,
} as const satisfies Readonly<Record<string, number>>;

/** Rules that differ between engine versions. */
export type EngineRules = Readonly<Record<keyof typeof since, boolean>> & {
  /** Factor on the default limits. */
  readonly limitFactor: number;
  /**
   * Dates inside an import that are gaps: those that the import misses. Engines up to 6 looked between those of its
   * dates that no later import had replaced when it was checked; engine 2 found none.
   */
  readonly missingDates: 'ofImport' | 'ofRemaining' | 'none';
  /** Whether imports of days after tomorrow count for silence. */
  readonly countsFutureDays: boolean;
};

const rulesAt = (version: number): EngineRules => ({
  ...(Object.fromEntries(Object.entries(since).map(([rule, first]) => [rule, version >= first])) as Record<
    keyof typeof since,
    boolean
  >),
  limitFactor: version < 3 ? 1 : 0.92,
  missingDates: version < 3 ? 'none' : version < 7 ? 'ofRemaining' : 'ofImport',
  countsFutureDays: version < 7,
});

/** All engines that were ever released, in their order. Only models name the first one. */
export const engines: readonly string[] = [
  'daybook-plain/1',
  ...Array.from({ length: newest }, (_, index) => nameOf(index + 1)),
];

/** Rules of the engines from daybook-calendar/2 on, whose decisions this build can make again. */
const rulesByEngine: ReadonlyMap<string, EngineRules> = new Map(
  engines.slice(2).map((name, index) => [name, rulesAt(index + 2)]),
);

/** Rules of this version. */
export const presentRules = rulesByEngine.get(engine)!;

/** Rules of an engine by its name; undefined when this build cannot make its decisions again. */
export const rulesOf = (name: string): EngineRules | undefined => rulesByEngine.get(name);

/** Rules to compute with under the name of an engine: its own, or those of this version for an unknown name. */
export const rulesToUse = (name: string): EngineRules => rulesOf(name) ?? presentRules;
