import { isWorkingDay, noCalendar, type DayType, type PlanningCalendar } from './calendar.js';
import { dateOf, dayNumber, monthNames, month, seasonGap, weekdayNames, year } from '../dates.js';
import type { Assignment, Model } from './models.js';
import { calendarFeatures, seasonDays, similarityWeight, type CalendarFeatures } from './similarity.js';

/** A model that was not planned, and its share of the similarity weight, 0–1. */
export type Alternative = { readonly modelId: number; readonly share: number };

/** The model planned for a date, and why. `modelId` is null when no model can be planned. */
export type DayPlan = {
  readonly date: string;
  readonly modelId: number | null;
  readonly origin: 'automatic' | 'manual';
  /** The reason in words. */
  readonly reason: string;
  /** Share of the similarity weight that supports `modelId`, 0–1 in four digits; null when there is none. */
  readonly share: number | null;
  /** At most three other models, largest share first. */
  readonly alternatives: readonly Alternative[];
  /** Whether the date is a working day: Monday to Friday and no holiday. */
  readonly working: boolean;
  readonly dayType: DayType;
  /** Distance of the season to the nearest reference day: 0 for the same season, 1 from 90 days. */
  readonly unseen: number;
};

/** Distance in days, around the year, from which `unseen` is 1. */
const unseenDays = 90;

/** Largest number of alternatives, and smallest share of one. */
const alternativesMax = 3;
const alternativeShareMin = 0.01;

type PlannedModel = Pick<Model, 'id' | 'name' | 'anomaly'>;

/** A reference day with the model that it is nearest to and the one expected for its date. */
type AssignedDay = CalendarFeatures & { readonly modelId: number; readonly plannedId: number };

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

/**
 * Automatic planning: for each date the model with the largest similarity weight of its reference days (similarity.ts).
 * It depends only on the models, the assignments, the holidays and the special days.
 * Models of anomalies are never planned. Ties go to the smaller id.
 */
export const planner = (
  models: readonly PlannedModel[],
  assignments: readonly Assignment[],
  calendar: PlanningCalendar = noCalendar,
): ((date: string) => DayPlan) => {
  const plannable = new Map(models.filter(model => !model.anomaly).map(model => [model.id, model]));
  const featuresOf = calendarFeatures(calendar);
  const reference = assignments
    .filter(({ modelId, plannedId }) => plannable.has(plannedId ?? modelId))
    .map(({ date, modelId, plannedId = modelId }): AssignedDay => ({
      modelId,
      plannedId,
      ...featuresOf(dayNumber(date)),
    }));
  const unknownHolidays = unknownHolidaysIn(calendar);
  const firstModelId = [...plannable.keys()].sort((a, b) => a - b)[0] ?? -1;

  return date => {
    const number = dayNumber(date);
    const features = featuresOf(number);
    const facts = {
      working: isWorkingDay(features.weekday, features.type),
      dayType: features.type,
      unseen: unseenOf(features.season, reference),
    };
    const ranked = rankedModels(features, reference);
    const model = plannable.get(ranked[0]?.[0] ?? firstModelId);
    if (!model) return unplanned(date, facts);
    const total = ranked.reduce((sum, [, weight]) => sum + weight, 0);
    const shares = ranked.map(([modelId, weight]) => ({ modelId, share: rounded(weight / total) }));
    const reason = reasonOf({ number, features, reference, model, isSimilar: ranked.length > 0 });
    return {
      date,
      modelId: model.id,
      origin: 'automatic',
      reason: `${reason}${unknownHolidays(year(number))}`,
      share: shares[0]?.share ?? null,
      alternatives: shares
        .slice(1)
        .filter(({ share }) => share >= alternativeShareMin)
        .slice(0, alternativesMax),
      ...facts,
    };
  };
};

const unplanned = (date: string, facts: Pick<DayPlan, 'working' | 'dayType' | 'unseen'>): DayPlan => ({
  date,
  modelId: null,
  origin: 'automatic',
  reason: 'no model may be planned: none, or all are anomalies',
  share: null,
  alternatives: [],
  ...facts,
});

/** Models by the similarity weight of their reference days, largest first. */
const rankedModels = (
  features: CalendarFeatures,
  reference: readonly AssignedDay[],
): (readonly [modelId: number, weight: number])[] => {
  const weights = new Map<number, number>();
  for (const day of reference) {
    const weight = similarityWeight(features, day);
    if (weight > 0) weights.set(day.plannedId, (weights.get(day.plannedId) ?? 0) + weight);
  }
  return [...weights].sort(([idA, a], [idB, b]) => b - a || idA - idB);
};

const unseenOf = (season: number, reference: readonly AssignedDay[]): number => {
  const gap = reference.reduce((least, day) => Math.min(least, seasonGap(season, day.season)), unseenDays);
  return gap / unseenDays;
};

/** Returns a note on years for which the calendar holds no holidays, empty for the others. */
const unknownHolidaysIn = ({ holidays }: PlanningCalendar): ((year: number) => string) => {
  const years = (holidays ?? []).map(({ date }) => Number(date.slice(0, 4)));
  const from = years[0];
  const to = years.at(-1);
  return year =>
    from !== undefined && to !== undefined && (year < from || year > to)
      ? `; its holidays are not known, the calendar holds ${from} to ${to}`
      : '';
};

/** Why a model is planned, in words: the similar reference days, and how many of them follow it. */
const reasonOf = ({
  number,
  features,
  reference,
  model,
  isSimilar,
}: {
  readonly number: number;
  readonly features: CalendarFeatures;
  readonly reference: readonly AssignedDay[];
  readonly model: PlannedModel;
  /** Whether any reference day has a weight for the date. */
  readonly isSimilar: boolean;
}): string => {
  const { intro, matches, noun } = similarDays(number, features);
  const days = reference.filter(matches);
  const following = days.filter(day => day.modelId === model.id).length;
  const otherwise = following > 0 ? '' : '; most weight is with other similar days';
  if (days.length > 0)
    return `${intro}${following} of the ${days.length} reference ${noun} follow "${model.name}"${otherwise}`;
  return isSimilar
    ? `${intro}no reference ${noun}; "${model.name}" is the model of similar days in other seasons`
    : `${intro}no reference day is similar; "${model.name}" is the first of the models`;
};

/** Reference days that the reason counts: their name in words, and a test. `intro` describes the date. */
const similarDays = (
  number: number,
  { type, weekday, season }: CalendarFeatures,
): {
  readonly intro: string;
  readonly matches: (day: CalendarFeatures) => boolean;
  readonly noun: string;
} => {
  switch (type.type) {
    case 'ordinary':
      return {
        intro: '',
        // Without a calendar every day has the type ordinary.
        matches: day =>
          day.type.type === 'ordinary' &&
          day.weekday === weekday &&
          seasonGap(season, day.season) < seasonDays,
        noun: `${weekdayNames[weekday]}s around ${Number(dateOf(number).slice(8))} ${monthNames[month(number)]}`,
      };
    case 'holiday':
      return {
        intro: `public holiday ${type.name}: `,
        matches: day => day.type.type === 'holiday',
        noun: 'holidays',
      };
    case 'bridge':
      return { intro: 'bridge day: ', matches: day => day.type.type === 'bridge', noun: 'bridge days' };
    case 'christmas':
      return {
        intro: 'around Christmas: ',
        matches: day => day.type.type === 'christmas' && day.weekday < 5 === weekday < 5,
        noun: `${weekday < 5 ? 'working days' : 'weekend days'} around Christmas`,
      };
    case 'special':
      return {
        intro: `special day "${type.name}": `,
        matches: day => day.type.type === 'special' && day.type.name === type.name,
        noun: `days of that name`,
      };
  }
};
