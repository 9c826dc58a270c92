import { dayNumber, dayOfYear, monthNames, month, seasonGap, weekday, weekdayNames } from './dates.js';
import type { Assignment, Model } from './models.js';

/** What one date is to follow, whence, and why in words. `modelId` is null where no model can be planned. */
export type DayPlan = {
  readonly date: string;
  readonly modelId: number | null;
  readonly origin: 'automatic' | 'manual';
  readonly reason: string;
};

/** Days of the year on either side within which a reference day says something of a date. */
const seasonDays = 63;

/** Weight of a reference day from a season that is farther away: enough to decide when nothing nearer is known. */
const offSeason = 1e-6;

/**
 * Weight of a reference day for a date: the biweight kernel over the days round the year between them,
 * times 1 for the same weekday, 0.1 for two working days or two days of the weekend, else 0.
 * Only + − × ÷, so that every machine gives the same bits.
 */
const weight = (gap: number, dateWeekday: number, referenceWeekday: number): number => {
  const part = gap / seasonDays;
  const root = 1 - part * part;
  const nearness = gap < seasonDays ? root * root : 0;
  const kinship = dateWeekday === referenceWeekday ? 1 : dateWeekday < 5 === referenceWeekday < 5 ? 0.1 : 0;
  return (nearness + offSeason) * kinship;
};

/**
 * The automatic planning: for each date the model with the largest weight of reference days that belong
 * to it, near in the season and alike in weekday. A pure function of what ModelsReset or ModelsReplaced
 * recorded; models that describe anomalies are never planned. Ties go to the smaller id.
 */
export const planner = (
  models: readonly Pick<Model, 'id' | 'name' | 'anomaly'>[],
  assignments: readonly Assignment[],
): ((date: string) => DayPlan) => {
  const plannable = new Map(models.filter(model => !model.anomaly).map(model => [model.id, model]));
  const reference = assignments
    .filter(({ modelId }) => plannable.has(modelId))
    .map(({ date, modelId }) => ({ modelId, number: dayNumber(date) }))
    .map(({ modelId, number }) => ({ modelId, weekday: weekday(number), season: dayOfYear(number) }));

  return date => {
    const number = dayNumber(date);
    const season = dayOfYear(number);
    const of = weekday(number);
    const shares = new Map<number, number>();
    for (const day of reference) {
      const share = weight(seasonGap(season, day.season), of, day.weekday);
      if (share > 0) shares.set(day.modelId, (shares.get(day.modelId) ?? 0) + share);
    }
    const best = [...shares].sort(([idA, a], [idB, b]) => b - a || idA - idB)[0];
    const model = plannable.get(best?.[0] ?? [...plannable.keys()].sort((a, b) => a - b)[0] ?? -1);
    if (!model)
      return {
        date,
        modelId: null,
        origin: 'automatic',
        reason: 'no model may be planned: none, or all are anomalies',
      };

    const alike = reference.filter(day => day.weekday === of && seasonGap(season, day.season) < seasonDays);
    const agreeing = alike.filter(day => day.modelId === model.id).length;
    const place = `${weekdayNames[of]}s round ${monthNames[month(number)]}`;
    const reason =
      alike.length > 0
        ? `${agreeing} of the ${alike.length} reference ${place} follow "${model.name}"`
        : best
          ? `no reference ${place}; "${model.name}" is what days alike follow in other seasons`
          : `no reference day is alike; "${model.name}" is the first of the models`;
    return { date, modelId: model.id, origin: 'automatic', reason };
  };
};
