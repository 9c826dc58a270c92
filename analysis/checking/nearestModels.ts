import { usable, type Day } from '../../domain/day.js';
import type { ModelDraft, TypicalDays } from '../../domain/models.js';

/**
 * The model that each reference day is nearest to, for models that people made: the least mean squared distance
 * over the day's usable slices, ties to the smaller index. Models of anomalies take no days, since they are
 * never planned; a day without a usable slice is left out.
 * @param days   reference days of one length, in any order
 * @param models models of that length, in the source's unit
 * @returns      in order of date, by model index; empty when no model may be planned
 * @throws RangeError when a day and a model differ in length
 */
export const nearestModels = (
  days: readonly Day[],
  models: readonly ModelDraft[],
): TypicalDays['assignments'] => {
  const plannable = models.flatMap(({ anomaly, activity }, index) => (anomaly ? [] : { index, activity }));
  if (plannable.length === 0) return [];
  return [...days]
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
    .flatMap(day => {
      const flags = usable(day);
      if (!flags.includes(true)) return [];
      let nearest = -1;
      let least = Number.POSITIVE_INFINITY;
      for (const { index, activity } of plannable) {
        const distance = usableDistance(day.activity, activity, flags);
        // The first plannable model stands even when squares overflow, so that every day gets one.
        if (distance < least || nearest < 0) {
          nearest = index;
          least = distance;
        }
      }
      return { date: day.date, model: nearest };
    });
};

/**
 * Sum of squared differences over the slices that are flagged. All models of a day are compared over the same
 * slices, so that sums order them as means would.
 * @throws RangeError when the lengths differ
 */
export const usableDistance = (
  values: readonly number[],
  curve: readonly number[],
  flags: readonly boolean[],
): number => {
  if (curve.length !== values.length)
    throw new RangeError(`got a model of ${curve.length} values, expected ${values.length} as the day has`);
  let total = 0;
  for (let slice = 0; slice < values.length; slice += 1) {
    if (!flags[slice]) continue;
    const apart = values[slice]! - curve[slice]!;
    total += apart * apart;
  }
  return total;
};
