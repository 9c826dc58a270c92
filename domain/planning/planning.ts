import type { InOtherLanguages } from '../words/languages.js';
import { seasonGap, dayNumber, year } from '../dates.js';
import { isWorkingDay, noCalendar, type DayType, type PlanningCalendar } from './calendar.js';
import { cycleOfDays, type DayCycle } from './dayCycles.js';
import { shownModel, type ReasonFacts, inWords, reasonOf } from './planTexts.js';
import type { Assignment, Model } from './models.js';
import type { CountedDays, DateKind, Followed, NearerDays } from './reasonTexts.js';
import { seasonDays, type CalendarFeatures, calendarFeatures, similarityWeight } from './similarity.js';

/** A reference day with the model that it is nearest to and the one expected for its date. */
type AssignedDay = CalendarFeatures & { readonly modelId: number; readonly plannedId: number };

/** Distances in the season of the smaller groups of days that a reason may count, in days. */
const nearerDays = [25, 14, 7] as const;

/** Fewest days of a smaller group by season. */
const nearerMin = 3;

/**
 * How many of the reference days that are like a date follow its model, by their nearest model. Where at most half do,
 * also what supports the model.
 * @param cycles of the source
 */
const followedDays = (
  date: CalendarFeatures,
  reference: readonly AssignedDay[],
  modelId: number,
  cycles: readonly DayCycle[],
): Pick<ReasonFacts, 'kind' | 'days' | 'counted' | 'nearer' | 'support'> => {
  const { kind, days, matches } = likeDays(date, cycles);
  const like = reference.filter(matches);
  const counted = followedBy(like, modelId);
  const facts = { kind, days, counted };
  if (2 * counted.following === counted.of && supportOf(like, modelId) === 'more')
    return { ...facts, support: 'more' };
  if (isHalf(counted)) return facts;
  const nearer = nearerGroups(date, days)
    .map(({ group, isIn }) => ({ ...group, ...followedBy(like.filter(isIn), modelId) }))
    .find(group => group.of < counted.of && isShown(group));
  return nearer ? { ...facts, nearer } : { ...facts, support: supportOf(like, modelId) };
};

const followedBy = (days: readonly AssignedDay[], modelId: number): Followed => ({
  following: days.filter(day => day.modelId === modelId).length,
  of: days.length,
});

/** Whether a smaller group shows that its days follow the model. */
const isShown = ({ by, following, of }: NearerDays & Followed): boolean =>
  by === 'name' ? of > 0 && 2 * following >= of : of >= nearerMin && 2 * following > of;

const isHalf = ({ following, of }: Followed): boolean => 2 * following >= of;

const supportOf = (days: readonly AssignedDay[], modelId: number): 'more' | 'mean' | 'others' => {
  const counts = new Map<number, number>();
  for (const day of days) counts.set(day.modelId, (counts.get(day.modelId) ?? 0) + 1);
  const own = counts.get(modelId) ?? 0;
  if ([...counts].every(([id, count]) => id === modelId || count < own)) return 'more';
  return 2 * days.filter(day => day.plannedId === modelId).length >= days.length ? 'mean' : 'others';
};

type NearerGroup = { readonly group: NearerDays; readonly isIn: (day: CalendarFeatures) => boolean };

/** Smaller groups of like days, the largest first: those of the same holiday, or nearer in the season. */
const nearerGroups = (date: CalendarFeatures, days: CountedDays): readonly NearerGroup[] => {
  const { type } = date;
  if (type.type === 'holiday')
    return [
      {
        group: { by: 'name' },
        isIn: day => day.type.type === 'holiday' && day.type.name === type.name,
      },
    ];
  return days.by === 'weekday' || days.by === 'phase'
    ? nearerDays.map(radius => ({
        group: { by: 'season', days: radius },
        isIn: day => seasonGap(date.season, day.season) <= radius,
      }))
    : [];
};

/** Reference days that are like a date: their name in words, and a test. */
type LikeDays = {
  readonly kind: DateKind;
  readonly days: CountedDays;
  readonly matches: (day: CalendarFeatures) => boolean;
};

const likeDays = (date: CalendarFeatures, cycles: readonly DayCycle[]): LikeDays => {
  const { type, weekday, season, seasonFactor = 1 } = date;
  const cycle = cycleOfDays(cycles);
  const monthDay = date.monthDay === undefined ? undefined : cycles[date.monthDay];
  const isNear = (day: CalendarFeatures): boolean =>
    seasonGap(season, day.season) * seasonFactor < seasonDays;
  if (monthDay?.kind === 'monthDay')
    return {
      kind: { type: 'monthDay', monthDay },
      days: { by: 'monthDay' },
      matches: day => day.monthDay === date.monthDay,
    };
  if (
    cycle &&
    date.phase !== undefined &&
    (type.type === 'ordinary' || date.isCyclic) &&
    type.type !== 'special'
  )
    return {
      kind: { type: 'phase', phase: date.phase, cycle },
      days: { by: 'phase' },
      matches: day =>
        day.phase === date.phase && day.monthDay === undefined && day.type.type !== 'special' && isNear(day),
    };
  switch (type.type) {
    case 'ordinary':
      return {
        kind: type,
        days: { by: 'weekday', weekday },
        // Without a calendar every day has the type ordinary.
        matches: day =>
          day.type.type === 'ordinary' &&
          day.monthDay === undefined &&
          day.weekday === weekday &&
          isNear(day),
      };
    case 'holiday':
      return { kind: type, days: { by: 'holiday' }, matches: day => day.type.type === 'holiday' };
    case 'bridge':
      return { kind: type, days: { by: 'bridge' }, matches: day => day.type.type === 'bridge' };
    case 'christmas':
      return {
        kind: type,
        days: { by: 'christmas', isWorking: weekday < 5 },
        matches: day => day.type.type === 'christmas' && day.weekday < 5 === weekday < 5,
      };
    case 'special':
      return {
        kind: type,
        days: { by: 'name' },
        matches: day => day.type.type === 'special' && day.type.name === type.name,
      };
  }
};

/** A model that was not planned, and its share of the similarity weight, 0–1. */
export type Alternative = { readonly modelId: number; readonly share: number };

/** Facts of a date that checks need; answers do not have them. */
type DateFacts = {
  /** Whether the date is a working day: Monday to Friday and no holiday. */
  readonly working: boolean;
  readonly dayType: DayType;
  /**
   * Which reference days are similar to the date, those of anomalies included: some of its weekday, or of its place in
   * a cycle, only others, or none.
   */
  readonly similar: 'own' | 'others' | 'none';
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
export const shownPlan = ({ working, dayType, similar, ...plan }: DayPlan): Omit<DayPlan, keyof DateFacts> =>
  plan;

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
    const holidaysKnown = unknownHolidays(year(number));
    return {
      date,
      modelId: model.id,
      origin: 'automatic',
      ...reasonOf({
        date,
        model,
        ...followed,
        ...(followed.counted.of === 0 && { otherwise: ranked.length > 0 ? 'otherSeasons' : 'none' }),
        ...(holidaysKnown && { holidaysKnown }),
      }),
      share: shares[0]?.share ?? null,
      alternatives: shares
        .slice(1)
        .filter(({ share }) => share >= alternativeShareMin)
        .slice(0, alternativesMax),
      ...facts,
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
