import { seasonGap } from '../dates.js';
import { cycleOfDays, type DayCycle } from './dayCycles.js';
import type { ReasonFacts } from './planTexts.js';
import type { CountedDays, DateKind, Followed, NearerDays } from '../words/sentenceTexts.js';
import { seasonDays, type CalendarFeatures } from './similarity.js';

/** A reference day with the model that it is nearest to and the one expected for its date. */
export type AssignedDay = CalendarFeatures & { readonly modelId: number; readonly plannedId: number };

/** Distances in the season of the smaller groups of days that a reason may count, in days. */
const nearerDays = [25, 14, 7] as const;

/** Fewest days of a smaller group by season. */
const nearerMin = 3;

/**
 * How many of the reference days that are like a date follow its model, by their nearest model. Where at most half do,
 * also what supports the model.
 * @param cycles of the source
 */
export const followedDays = (
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

/** Whether a day is of the season of a date. */
export const isOfSeason = (
  { season, seasonFactor = 1 }: CalendarFeatures,
  day: Pick<CalendarFeatures, 'season'>,
): boolean => seasonGap(season, day.season) * seasonFactor < seasonDays;

/** Reference days that are like a date: their name in words, and a test. */
type LikeDays = {
  readonly kind: DateKind;
  readonly days: CountedDays;
  readonly matches: (day: CalendarFeatures) => boolean;
};

const likeDays = (date: CalendarFeatures, cycles: readonly DayCycle[]): LikeDays => {
  const { type, weekday } = date;
  const cycle = cycleOfDays(cycles);
  const monthDay = date.monthDay === undefined ? undefined : cycles[date.monthDay];
  const isNear = (day: CalendarFeatures): boolean => isOfSeason(date, day);
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
