import { minutesPerDay } from '../../domain/dates.js';
import { normalisedBy, residualsOf, scaledModelOf } from '../../analysis/checking/residuals.js';
import { usable } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import type { StoredDay } from '../../projections/days/storedDays.js';
import { explainedNow } from '../covariates/readings.js';
import { daysOf, slicesOf, type DataTable, type Value } from './table.js';

/**
 * A row for each slice of each day with a planned model: the value and the profile of the model. `residual` is
 * value − expected in the unit of the source; `normalisedResidual` is the same on the log scale in multiples of the
 * distance to the bound, so that beyond −1 and 1 the value is outside the bounds. It is null for models that people
 * supplied, which have no scale, and both are null in a gap. Covariates move the profile and its bounds.
 */
export const residuals: DataTable = {
  columns: {
    sourceId: 'integer',
    date: 'date',
    kind: 'text',
    plannedModelId: 'integer',
    slice: 'integer',
    minute: 'integer',
    value: 'number',
    expected: 'number',
    lower: 'number',
    upper: 'number',
    residual: 'number',
    normalisedResidual: 'number',
  },
  // Days without a planned model have no rows.
  rowsMax: slicesOf,
  rows: function* (models, source, range) {
    const { id } = source;
    const sourceModels = models.models.list(id);
    const byId = new Map(sourceModels.map(model => [model.id, model]));
    const explained = explainedNow(models, id, sourceModels);
    for (const day of daysOf(models, source, range)) {
      const model = byId.get(models.planning.day(id, day.date).modelId ?? 0);
      if (model) yield* residualRows(id, day, explained?.(day.date).moved(model) ?? model);
    }
  },
};

const residualRows = (sourceId: number, day: StoredDay, model: Model): Value[][] => {
  const isUsable = usable(day);
  const { limits, activity, topTolerance, bottomTolerance } = model;
  const normalised = limits
    ? normalisedBy(residualsOf(day, model, limits), scaledModelOf(model, limits))
    : undefined;
  return activity.map((expected, slice) => {
    const value = isUsable[slice] === true ? (day.activity[slice] ?? null) : null;
    return [
      sourceId,
      day.date,
      day.kind,
      model.id,
      slice,
      (slice * minutesPerDay) / activity.length,
      value,
      expected,
      bottomTolerance[slice] ?? null,
      topTolerance[slice] ?? null,
      value === null ? null : value - expected,
      value === null ? null : (normalised?.[slice] ?? null),
    ];
  });
};
