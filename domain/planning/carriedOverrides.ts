import type { Model } from './models.js';

/** Overrides of the planning when models are replaced, by model: those carried to a new model, and those dropped. */
export type CarriedOverrides = {
  readonly carried: readonly {
    readonly from: number;
    readonly to: number;
    readonly dates: readonly string[];
  }[];
  readonly dropped: readonly { readonly from: number; readonly dates: readonly string[] }[];
};

type Profiled = Pick<Model, 'id' | 'activity'>;

/**
 * Carries overrides to the new models with the nearest profiles, by the sum of squared differences over the slices.
 * Ties go to the smaller id. All are dropped when they are not to be kept or there are no new models.
 * @param overrides model ids by date
 * @param before    the replaced models, among them those of the overrides
 * @param after     the new models, by id, of the same length
 */
export const carriedOverrides = (
  overrides: Readonly<Record<string, number>>,
  before: readonly Profiled[],
  after: readonly Profiled[],
  isKept: boolean,
): CarriedOverrides => {
  const byModel = new Map<number, string[]>();
  for (const date of Object.keys(overrides).sort()) {
    const from = overrides[date] ?? 0;
    const dates = byModel.get(from);
    if (dates) dates.push(date);
    else byModel.set(from, [date]);
  }
  const moved = [...byModel]
    .sort(([a], [b]) => a - b)
    .map(([from, dates]) => {
      const model = before.find(({ id }) => id === from);
      return { from, to: isKept && model ? nearestId(model, after) : undefined, dates };
    });
  return {
    carried: moved.flatMap(({ from, to, dates }) => (to === undefined ? [] : [{ from, to, dates }])),
    dropped: moved.flatMap(({ from, to, dates }) => (to === undefined ? [{ from, dates }] : [])),
  };
};

/** Model ids by date of the overrides that were carried. */
export const overridesAfter = ({ carried }: CarriedOverrides): Readonly<Record<string, number>> =>
  Object.fromEntries(carried.flatMap(({ to, dates }) => dates.map(date => [date, to] as const)));

const nearestId = ({ activity }: Profiled, models: readonly Profiled[]): number | undefined => {
  let nearest: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const model of models) {
    const distance = activity.reduce((sum, value, slice) => {
      const difference = value - (model.activity[slice] ?? value);
      return sum + difference * difference;
    }, 0);
    // The first model is taken even when squares overflow to Infinity.
    if (distance < least || nearest === undefined) {
      nearest = model.id;
      least = distance;
    }
  }
  return nearest;
};
