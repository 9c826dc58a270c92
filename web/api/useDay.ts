import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { observed, type DayPicture } from '../charts/dayPicture.js';
import { queries, type AsOf } from './queries.js';
import type { Model, Plan, StoredDay } from './types.js';

export type DayFacts = {
  readonly picture: DayPicture;
  readonly stored: StoredDay | undefined;
  readonly plan: Plan | undefined;
  readonly model: Model | undefined;
  readonly models: readonly Model[];
};

/** A profile with another number of slices: people may supply models that are finer or coarser than the days. */
const resampled = (values: readonly number[], count = values.length): readonly number[] =>
  values.length === count
    ? values
    : Array.from({ length: count }, (_, slice) => values[Math.floor((slice * values.length) / count)] ?? 0);

/** A date as a picture: its data, and the model that is planned for it or was when it was checked. */
export const pictureOf = (
  date: string,
  stored: StoredDay | undefined,
  planned: Model | undefined,
  broken: DayPicture['broken'] = [],
): DayPicture => ({
  date,
  actual: stored ? observed(stored.activity, stored.gaps) : null,
  planned: planned
    ? {
        name: planned.name,
        color: planned.color,
        activity: resampled(planned.activity, stored?.activity.length),
        top: resampled(planned.topTolerance, stored?.activity.length),
        bottom: resampled(planned.bottomTolerance, stored?.activity.length),
      }
    : null,
  broken,
});

/** Facts of one date of a source; undefined while they are read. */
export const useDay = (
  sourceId: number,
  date: string,
  broken?: DayPicture['broken'],
  asOf?: AsOf,
): { readonly facts: DayFacts | undefined; readonly error: unknown } => {
  const year = Number(date.slice(0, 4));
  const days = useQuery(queries.days(sourceId, year, asOf));
  const models = useQuery(queries.models(sourceId, asOf));
  const planning = useQuery(queries.planning(sourceId, year, asOf));
  const facts = useMemo(() => {
    if (!days.data || !models.data || !planning.data) return undefined;
    const stored = days.data.days.find(day => day.date === date);
    const plan = planning.data.days.find(day => day.date === date);
    const id = stored?.kind === 'reference' ? stored.modelId : plan?.modelId;
    const model = models.data.models.find(one => one.id === id);
    return {
      picture: pictureOf(date, stored, model, broken),
      stored,
      plan,
      model,
      models: models.data.models,
    };
  }, [days.data, models.data, planning.data, date, broken]);
  return { facts, error: days.error ?? models.error ?? planning.error };
};
