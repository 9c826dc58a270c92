import type { BoundsFacts, Model } from './models.js';

type DetectableChange = NonNullable<BoundsFacts['minimumDetectableChange']>;
type Sides = DetectableChange['wholeDay'];

/** The limits of a source as its recent alerts have widened them. */
export type PresentLimits = {
  /** Adaptive factor of the limits on residuals, from 1 to 2. */
  readonly factor: number;
  /** Minimum detectable change for these limits. */
  readonly minimumDetectableChange: DetectableChange;
};

/** Largest changes that are stated, as when they are measured: of the whole day and eight hours, and of a part. */
const largest = { ofDay: 1, ofPart: 2 } as const;

/** Share of the planned days that must have as much activity as a fall takes away. */
const daysShareMin = 0.8;

/**
 * Minimum detectable change for limits that are wider by a factor: the measured sizes times the factor, rounded up to
 * whole percents. A size is null when it is larger than any that is measured, and for a fall by more than four of five
 * planned days have at that time, where no value of the reference is below 0.
 * @param factor  ≥ 1
 * @param minimum smallest value of the reference
 */
export const presentLimits = (
  measured: DetectableChange,
  models: readonly Pick<Model, 'activity' | 'days'>[],
  { factor, minimum }: { readonly factor: number; readonly minimum: number },
): PresentLimits => {
  if (factor === 1) return { factor, minimumDetectableChange: measured };
  const { wholeDay, eightHours, timesOfDay } = measured;
  const most =
    minimum >= 0
      ? (levelIn: (activity: readonly number[]) => number) => levelOnMostDays(models, levelIn)
      : () => Number.POSITIVE_INFINITY;
  const widened = (size: number | null, top: number): number | null => {
    const wider = size === null ? Number.POSITIVE_INFINITY : Math.ceil(100 * size * factor - 1e-6) / 100;
    return wider <= top ? wider : null;
  };
  const both = ({ more, less }: Sides, top: number, fallMax: number): Sides => ({
    more: widened(more, top),
    less: widened(less, Math.min(top, fallMax)),
  });
  return {
    factor,
    minimumDetectableChange: {
      wholeDay: both(wholeDay, largest.ofDay, largest.ofDay),
      eightHours: both(eightHours, largest.ofDay, most(shareInEightHours)),
      ...(timesOfDay && {
        timesOfDay: timesOfDay.map(({ from, to, ...sides }) => ({
          from,
          to,
          ...both(
            sides,
            largest.ofPart,
            most(activity => mean(activity.slice(from, to)) / mean(activity)),
          ),
        })),
      }),
    },
  };
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + Math.abs(value), 0) / values.length;

/** Largest share of the total in eight consecutive hours. */
const shareInEightHours = (activity: readonly number[]): number => {
  const width = Math.max(1, Math.round(activity.length / 3));
  const shares = activity
    .slice(0, activity.length - width + 1)
    .map(
      (_, from) => (mean(activity.slice(from, from + width)) * width) / (mean(activity) * activity.length),
    );
  return Math.max(...shares);
};

/** The level that models of four of five planned days have at least. */
const levelOnMostDays = (
  models: readonly Pick<Model, 'activity' | 'days'>[],
  levelIn: (activity: readonly number[]) => number,
): number => {
  const levels = models
    .map(({ activity, days }) => ({ level: levelIn(activity), days }))
    .filter(({ level }) => !Number.isNaN(level))
    .sort((a, b) => b.level - a.level);
  const total = levels.reduce((sum, { days }) => sum + days, 0);
  let covered = 0;
  for (const { level, days } of levels) {
    covered += days;
    if (covered >= daysShareMin * total) return level;
  }
  return 0;
};
