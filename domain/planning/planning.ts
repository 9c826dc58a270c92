import type { InOtherLanguages } from '../words/languages.js';
import { seasonGap, dayNumber, year } from '../dates.js';
import { isWorkingDay, noCalendar, type DayType, type PlanningCalendar } from './calendar.js';
import { type AssignedDay, followedDays, isOfSeason } from './followedDays.js';
import { shownModel, type ReasonFacts, inWords, reasonOf } from './planTexts.js';
import type { PlannedPlace } from '../alerts/findings.js';
import type { Assignment, Model } from './models.js';
import type { DateKind, Otherwise } from '../words/sentenceTexts.js';
import { type CalendarFeatures, calendarFeatures, similarityWeight } from './similarity.js';

/** A model that was not planned, and its share of the similarity weight, 0–1. */
export type Alternative = { readonly modelId: number; readonly share: number };

/** Facts of a date that checks need; answers do not have them. */
type DateFacts = {
  /** Whether the date is a working day: Monday to Friday and no holiday. */
  readonly working: boolean;
  readonly dayType: DayType;
  /**
   * The similar reference days, those of anomalies included: some of its weekday or of its place in a cycle, others
   * only, or none.
   */
  readonly similar: 'own' | 'others' | 'none';
  /** Its place in a cycle, where it is planned by that; absent for others. */
  readonly place?: PlannedPlace;
};

/** The model planned for a date, and why. `modelId` is null when no model can be planned. */
export type DayPlan = DateFacts & {
  readonly date: string;
  readonly modelId: number | null;
  readonly origin: 'automatic' | 'manual';
  /** The reason in English words, and in other languages. */
  readonly reason: string;
  readonly reasons: InOtherLanguages;
  /** Share of the similarity weight that supports `modelId`, 0–1 in four digits; null when there is none. */
  readonly share: number | null;
  /** At most three other models, largest share first. */
  readonly alternatives: readonly Alternative[];
  /** Distance of the season to the nearest reference day: 0 for the same season, 1 from 90 days. */
  readonly unseen: number;
};

/** A plan as clients see it: the calendar says which dates are working days. */
export const shownPlan = ({
  working,
  dayType,
  similar,
  place,
  ...plan
}: DayPlan): Omit<DayPlan, keyof DateFacts> => plan;

/** Distance in days, around the year, from which `unseen` is 1. */
const unseenDays = 90;

/** Largest number of alternatives, and smallest share of one. */
const alternativesMax = 3;
const alternativeShareMin = 0.01;

type PlannedModel = Pick<Model, 'id' | 'name' | 'anomaly'>;

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
  const plannable = new Map(
    models.filter(model => !model.anomaly).map(model => [model.id, shownModel(model)]),
  );
  const featuresOf = calendarFeatures(calendar);
  const known = new Set(models.map(({ id }) => id));
  const assigned = assignments
    .filter(({ modelId, plannedId }) => known.has(plannedId ?? modelId))
    .map(({ date, modelId, plannedId = modelId }): AssignedDay => ({
      modelId,
      plannedId,
      ...featuresOf(dayNumber(date)),
    }));
  const reference = assigned.filter(({ plannedId }) => plannable.has(plannedId));
  const unknownHolidays = unknownHolidaysIn(calendar);
  const firstModelId = [...plannable.keys()].sort((a, b) => a - b)[0] ?? -1;

  return date => {
    const number = dayNumber(date);
    const features = featuresOf(number);
    const facts = {
      working: isWorkingDay(features.weekday, features.type),
      dayType: features.type,
      similar: similarDays(features, assigned),
      unseen: unseenOf(features.season, reference),
    };
    const ranked = rankedModels(features, reference);
    const model = plannable.get(ranked[0]?.[0] ?? firstModelId);
    if (!model) return unplanned(date, facts);
    const total = ranked.reduce((sum, [, weight]) => sum + weight, 0);
    const shares = ranked.map(([modelId, weight]) => ({ modelId, share: rounded(weight / total) }));
    const followed = followedDays(features, reference, model.id, calendar.cycles ?? []);
    const place = placeOf(followed.kind);
    const holidaysKnown = unknownHolidays(year(number));
    return {
      date,
      modelId: model.id,
      origin: 'automatic',
      ...reasonOf({
        date,
        model,
        ...followed,
        ...(followed.counted.of === 0 && { otherwise: otherwiseOf(features, reference) }),
        ...(holidaysKnown && { holidaysKnown }),
      }),
      share: shares[0]?.share ?? null,
      alternatives: shares
        .slice(1)
        .filter(({ share }) => share >= alternativeShareMin)
        .slice(0, alternativesMax),
      ...facts,
      ...(place && { place }),
    };
  };
};

const unplanned = (date: string, facts: DateFacts & Pick<DayPlan, 'unseen'>): DayPlan => ({
  date,
  modelId: null,
  origin: 'automatic',
  ...inWords(({ noModel }) => noModel),
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

const placeOf = (kind: DateKind): PlannedPlace | undefined => {
  if (kind.type === 'phase') return { phase: kind.phase, length: kind.cycle.length };
  if (kind.type !== 'monthDay') return undefined;
  const { counts, place, weekday } = kind.monthDay;
  return { monthDay: { kind: 'monthDay', counts, place, ...(weekday !== undefined && { weekday }) } };
};

/** Without days of the kind of a date: which other days decide. */
const otherwiseOf = (date: CalendarFeatures, reference: readonly AssignedDay[]): Otherwise => {
  const similar = reference.filter(day => similarityWeight(date, day) > 0);
  if (similar.length === 0) return 'none';
  return similar.some(day => isOfSeason(date, day)) ? 'others' : 'otherSeasons';
};

const similarDays = (date: CalendarFeatures, assigned: readonly CalendarFeatures[]): DayPlan['similar'] => {
  if (!assigned.some(day => similarityWeight(date, day) > 0)) return 'none';
  const isOwn = ({ phase, weekday }: CalendarFeatures): boolean =>
    date.phase === undefined ? weekday === date.weekday : phase === date.phase;
  return assigned.some(isOwn) ? 'own' : 'others';
};

const unseenOf = (season: number, reference: readonly AssignedDay[]): number => {
  const gap = reference.reduce((least, day) => Math.min(least, seasonGap(season, day.season)), unseenDays);
  return gap / unseenDays;
};

/** Returns the years that the calendar holds, for the years that it does not hold; undefined for the others. */
const unknownHolidaysIn = ({
  holidays,
}: PlanningCalendar): ((year: number) => ReasonFacts['holidaysKnown']) => {
  const years = (holidays ?? []).map(({ date }) => Number(date.slice(0, 4)));
  const from = years[0];
  const to = years.at(-1);
  return year =>
    from !== undefined && to !== undefined && (year < from || year > to) ? { from, to } : undefined;
};
