import type { CommandMetadata } from '../../../application/commands/commandHandler.js';
import type { Finding } from '../../../domain/alerts/findings.js';
import type { Day, SliceCount } from '../../../domain/day.js';
import type { ModelDraft, TypicalDays } from '../../../domain/planning/models.js';
import type { SourceFacts } from '../../../domain/source/sourceState.js';

/** The nth fixed UUID; first characters differ, so that ids are in several buckets of a keyed map. */
export const id = (n: number): string =>
  `${((n * 37) % 256).toString(16).padStart(2, '0')}000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The nth second of a fixed day, as an ISO 8601 UTC instant. */
export const instant = (n: number): string => new Date(Date.UTC(2024, 0, 31) + n * 1000).toISOString();

/** Metadata of a request without an idempotency key. */
export const origin = (n: number): CommandMetadata => ({
  id: id(n),
  isRetry: false,
  by: 'anna',
  cause: id(n),
  correlation: id(n),
  at: instant(n),
});

/** Facts of sample source `sourceId`. */
export const factsOf = (sourceId: number, activitySize: SliceCount = 4): SourceFacts => ({
  sourceId,
  tenant: 'default',
  name: `Gate ${sourceId}`,
  referenceYear: 2023,
  activitySize,
  interpolationMethod: 'zero',
  aggregation: 'mean',
  calendar: null,
  reference: { from: '2023-01-01', to: '2023-12-31', days: 365, completeDays: 360, completeness: 1 },
});

/** A model of four slices with profile `level` and bounds at distance 1. */
export const draft = (name: string, level = 10, anomaly = false): ModelDraft => ({
  name,
  color: '#0072B2',
  anomaly,
  activity: Array<number>(4).fill(level),
  topTolerance: Array<number>(4).fill(level + 1),
  bottomTolerance: Array<number>(4).fill(level - 1),
});

/** Result of an analysis: `count` models; the days of the first week of 2023 are assigned to them in turn. */
export const learnedOf = (count: number): TypicalDays => ({
  engine: 'test 1',
  seed: 1,
  models: Array.from({ length: count }, (_, n) => ({ ...draft(`model ${n}`, 10 * (n + 1)), days: 7 - n })),
  assignments: Array.from({ length: count === 0 ? 0 : 7 }, (_, n) => ({
    date: `2023-01-0${n + 1}`,
    model: n % count,
  })),
  leftOut: [{ date: '2023-01-08', reason: 'incomplete' }],
  bounds: {
    method: 'test',
    targetCoverage: null,
    guaranteedCoverage: null,
    calibrationDays: 7,
    measuredCoverage: 0.98,
    falseAlertsPerYear: 7.3,
    minimumDetectableChange: { wholeDay: { more: 0.25, less: 0.25 }, eightHours: { more: null, less: 0.5 } },
  },
  choice: [{ modelCount: count, loss: 0.5, predictability: 0.75, stability: 0.9 }],
  calendar: null,
  hitRate: 0.75,
  checks: null,
});

/** A day of four slices with value `level`. */
export const dayOf = (date: string, level = 10): Day => ({
  date,
  activity: Array<number>(4).fill(level),
  gaps: [],
  filled: [],
});

/** A finding on a day with planned model `plannedModelId`. */
export const findingOf = (plannedModelId: number | null, criticity = 0.5): Finding => ({
  kind: 'activity',
  direction: 'over',
  criticity,
  slices: [{ from: 1, to: 3, direction: 'over', excess: 2.5 }],
  plannedModelId,
  closestModelId: plannedModelId,
  betterModelId: null,
  looksLikeAnomaly: false,
});
