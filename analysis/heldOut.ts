import type { Model } from '../domain/models.js';
import { noCalendar, planner, type PlanningCalendar } from '../domain/planning.js';
import { medianCurve, type Curve } from './curves.js';
import type { Reference } from './reference.js';

/** What a reference day is planned to follow, and that model's curve, when its own block is left out. */
export type HeldOut = { readonly model: number; readonly curve: Curve };

/**
 * What each day would have been planned to follow had its block not been in the reference: neither the
 * planning nor the curve has seen the block. The clusters themselves have, so this is a little kinder
 * than a new year will be.
 * @param labels the model of each day, 0 to `count` − 1
 * @param curves the curve of each model, for a model that has no day outside the block
 * @param calendar holidays and special days that dates are planned by
 * @returns      one for each day of the reference, in its order
 */
export const planHeldOut = (
  { days }: Reference,
  labels: readonly number[],
  curves: readonly Curve[],
  calendar: PlanningCalendar = noCalendar,
): HeldOut[] => {
  const models: Model[] = curves.map((activity, index) => ({
    id: index,
    name: '',
    color: '',
    anomaly: false,
    days: 0,
    activity,
    topTolerance: activity,
    bottomTolerance: activity,
  }));
  const blocks = new Map<
    number,
    { readonly plan: ReturnType<typeof planner>; readonly curves: Map<number, Curve> }
  >();
  for (const block of new Set(days.map(day => day.block))) {
    const assignments = days.flatMap(({ date, block: of }, index) =>
      of === block ? [] : { date, modelId: labels[index] ?? 0 },
    );
    blocks.set(block, { plan: planner(models, assignments, calendar), curves: new Map() });
  }
  return days.map(({ date, block }) => {
    const of = blocks.get(block);
    const model = of?.plan(date).modelId ?? 0;
    const otherwise = curves[model] ?? [];
    const curve =
      of?.curves.get(model) ??
      medianCurve(
        days.filter((day, index) => labels[index] === model && day.block !== block),
        otherwise,
      );
    of?.curves.set(model, curve);
    return { model, curve };
  });
};

/**
 * How far the days are from what was planned for them: the mean absolute error over all usable slices,
 * as a share of the mean absolute activity there. 0 for a source that is always 0.
 */
export const plannedLoss = ({ days }: Reference, planned: readonly HeldOut[]): number => {
  let error = 0;
  let size = 0;
  days.forEach(({ activity, usable }, index) => {
    const curve = planned[index]?.curve ?? [];
    activity.forEach((value, slice) => {
      if (!usable[slice]) return;
      error += Math.abs(value - (curve[slice] ?? 0));
      size += Math.abs(value);
    });
  });
  return size > 0 ? error / size : 0;
};
