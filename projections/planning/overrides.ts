import type { Database } from 'better-sqlite3';
import type { CarriedOverrides } from '../../domain/planning/carriedOverrides.js';
import type { Model } from '../../domain/planning/models.js';
import { parsed } from '../readModel.js';

/** An override that new models moved from one model to another, or dropped. */
export type MovedOverride = {
  readonly date: string;
  readonly from: NamedModel;
  readonly to: NamedModel | null;
};
type NamedModel = Pick<Model, 'id' | 'name'>;

/** Returns a function that moves the overrides of a source to new models, before these are stored. */
export const overrideMover = (db: Database) => {
  const models = db
    .prepare<[number], string>('select models from planning_bases where source_id = ?')
    .pluck();
  const move = db.prepare(
    `update planning_overrides set model_id = $to, carried_from = coalesce(carried_from, $name)
     where source_id = $sourceId and date = $date`,
  );
  const drop = db.prepare('delete from planning_overrides where source_id = ? and date = ?');
  const dropAll = db.prepare('delete from planning_overrides where source_id = ?');
  return (
    sourceId: number,
    overrides: CarriedOverrides | undefined,
    after: readonly NamedModel[],
  ): readonly MovedOverride[] => {
    if (!overrides) {
      dropAll.run(sourceId);
      return [];
    }
    const moved = movedOverrides(overrides, parsed<NamedModel[]>(models.get(sourceId) ?? '[]'), after);
    for (const { date, from, to } of moved)
      if (to) move.run({ sourceId, date, to: to.id, name: from.name });
      else drop.run(sourceId, date);
    return moved;
  };
};

/** Overrides that new models moved or dropped, by date, with the names of the models. */
export const movedOverrides = (
  { carried, dropped }: CarriedOverrides,
  before: readonly NamedModel[],
  after: readonly NamedModel[],
): readonly MovedOverride[] => {
  const named = (models: readonly NamedModel[], id: number): NamedModel => ({
    id,
    name: models.find(model => model.id === id)?.name ?? '',
  });
  return [
    ...carried.flatMap(({ from, to, dates }) =>
      dates.map(date => ({ date, from: named(before, from), to: named(after, to) })),
    ),
    ...dropped.flatMap(({ from, dates }) =>
      dates.map(date => ({ date, from: named(before, from), to: null })),
    ),
  ].sort((a, b) => (a.date < b.date ? -1 : 1));
};
