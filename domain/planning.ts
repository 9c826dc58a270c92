import { dayTypes, isWorkingDay, type DayType, type NamedDay } from './calendar.js';
import { dayNumber, dayOfYear, monthNames, month, seasonGap, weekday, weekdayNames, year } from './dates.js';
import type { Assignment, Model } from './models.js';

/** What the planning knows of dates beside their season and weekday. */
export type PlanningCalendar = {
  /** Public holidays, null when no calendar is known. */
  readonly holidays: readonly NamedDay[] | null;
  /** Special days that people told. */
  readonly specials: readonly NamedDay[];
};

/** The planning without holidays and special days. */
export const noCalendar: PlanningCalendar = { holidays: null, specials: [] };

/** A model that might have been planned instead, and its share of the weight, 0–1. */
export type Alternative = { readonly modelId: number; readonly share: number };

/** What one date is to follow, whence, and why in words. `modelId` is null where no model can be planned. */
export type DayPlan = {
  readonly date: string;
  readonly modelId: number | null;
  readonly origin: 'automatic' | 'manual';
  readonly reason: string;
  /** Share of the automatic planning's weight that is with `modelId`, 0–1 in four digits; null where there is none. */
  readonly share: number | null;
  /** The models next to it, at most three, largest share first. */
  readonly alternatives: readonly Alternative[];
  /** Whether it is a working day: Monday to Friday and no holiday. */
  readonly working: boolean;
  /** How far its season is from those of the reference: 0 where it was seen, 1 from three months away on. */
  readonly unseen: number;
};

/**
 * All that weighs reference days for a date. A reference day weighs its nearness in the season (a kernel, 1 on the
 * same day of the year, `away` from another season) times, or plus, what kind of day the two are.
 */
const weighing = {
  /** Half-width of the kernel in days round the year; the narrower one is for the days round Christmas. */
  seasonDays: 50,
  christmasDays: 12,
  /** Of a reference day from a season that is farther away: enough to decide when nothing nearer is known. */
  away: 1e-6,
  /** Two working days, or two days of the weekend, beside 1 for the same weekday. */
  sameKind: 0.1,
  /** A holiday for a holiday, apart from its nearness; the same added when both have one name. */
  holiday: 0.3,
  holidayName: 3,
  /** A Sunday for a holiday. */
  sunday: 0.2,
  /** Days round Christmas among themselves: two working days, two of the weekend; other days for them. */
  christmasWorking: 0.5,
  christmasWeekend: 0.3,
  ordinaryForChristmas: 0.1,
  /** A bridge for a bridge, apart from its nearness; an ordinary day of the same weekday for a bridge. */
  bridge: 0.3,
  ordinaryForBridge: 0.3,
  /** A special day for one of its name, apart from its nearness; other days for a special day. */
  specialName: 3,
  ordinaryForSpecial: 0.1,
  /** Reference days of a type for dates of another: they must not bend the plans of ordinary dates. */
  bridgeElsewhere: 0.05,
  christmasElsewhere: 0.05,
  specialElsewhere: 0.02,
  holidayElsewhere: 0,
} as const;

/** Days round the year to the nearest reference day at which a season is as unseen as can be. */
const unseenDays = 90;

/** Alternatives that are told: how many at most, and of what share at least. */
const alternativesMax = 3;
const shareMin = 0.01;

/** A date as it is weighed. */
type Weighed = { readonly type: DayType; readonly weekday: number; readonly season: number };

/** The biweight kernel: only + − × ÷, so that every machine gives the same bits. */
const nearness = (gap: number, halfWidth: number): number => {
  if (gap >= halfWidth) return weighing.away;
  const part = gap / halfWidth;
  const root = 1 - part * part;
  return root * root + weighing.away;
};

/** 1 for the same weekday, less for two working days or two days of the weekend, 0 for one of each. */
const alikeWeekdays = (a: number, b: number): number =>
  a === b ? 1 : a < 5 === b < 5 ? weighing.sameKind : 0;

/** What a reference day counts for a date of another type than its own, beside its season and weekday. */
const elsewhere = ({ type }: DayType): number => {
  switch (type) {
    case 'ordinary':
      return 1;
    case 'bridge':
      return weighing.bridgeElsewhere;
    case 'christmas':
      return weighing.christmasElsewhere;
    case 'special':
      return weighing.specialElsewhere;
    case 'holiday':
      return weighing.holidayElsewhere;
  }
};

const weigh = (date: Weighed, reference: Weighed): number => {
  const gap = seasonGap(date.season, reference.season);
  const near = nearness(gap, weighing.seasonDays);
  const asOrdinary = near * alikeWeekdays(date.weekday, reference.weekday) * elsewhere(reference.type);
  switch (date.type.type) {
    case 'ordinary':
      return asOrdinary;
    case 'holiday':
      if (reference.type.type === 'holiday')
        return weighing.holiday + near + (reference.type.name === date.type.name ? weighing.holidayName : 0);
      return near * (reference.weekday === 6 ? weighing.sunday : weighing.away);
    case 'christmas':
      if (reference.type.type !== 'christmas') return asOrdinary * weighing.ordinaryForChristmas;
      return nearness(gap, weighing.christmasDays) * christmasWeekdays(date.weekday, reference.weekday);
    case 'bridge':
      if (reference.type.type === 'bridge') return weighing.bridge + near;
      return date.weekday === reference.weekday
        ? near * weighing.ordinaryForBridge * elsewhere(reference.type)
        : 0;
    case 'special':
      if (reference.type.type === 'special' && reference.type.name === date.type.name)
        return weighing.specialName + near;
      return asOrdinary * weighing.ordinaryForSpecial;
  }
};

const christmasWeekdays = (a: number, b: number): number => {
  if (a === b) return 1;
  if (a < 5 !== b < 5) return 0;
  return a < 5 ? weighing.christmasWorking : weighing.christmasWeekend;
};

const weighedBy = (calendar: PlanningCalendar): ((number: number) => Weighed) => {
  const typeOf = dayTypes(calendar.holidays, calendar.specials);
  return number => ({ type: typeOf(number), weekday: weekday(number), season: dayOfYear(number) });
};

/**
 * How much a reference day says of a date, ≥ 0: alike in season, weekday and type (dayTypes). Both are given as day
 * numbers; what is known of a number is kept for the next time.
 */
export const kinship = (calendar: PlanningCalendar): ((date: number, reference: number) => number) => {
  const weighed = weighedBy(calendar);
  const known = new Map<number, Weighed>();
  const of = (number: number): Weighed => {
    const there = known.get(number);
    if (there) return there;
    const made = weighed(number);
    known.set(number, made);
    return made;
  };
  return (date, reference) => weigh(of(date), of(reference));
};

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

/**
 * The automatic planning: for each date the model with the largest weight of reference days that belong
 * to it, near in the season and alike in weekday and type. A pure function of what ModelsReset or ModelsReplaced
 * recorded and of the special days; models that describe anomalies are never planned. Ties go to the smaller id.
 */
export const planner = (
  models: readonly Pick<Model, 'id' | 'name' | 'anomaly'>[],
  assignments: readonly Assignment[],
  calendar: PlanningCalendar = noCalendar,
): ((date: string) => DayPlan) => {
  const plannable = new Map(models.filter(model => !model.anomaly).map(model => [model.id, model]));
  const weighed = weighedBy(calendar);
  const reference = assignments
    .filter(({ modelId, plannedId }) => plannable.has(plannedId ?? modelId))
    .map(({ date, modelId, plannedId = modelId }) => ({
      modelId,
      plannedId,
      ...weighed(dayNumber(date)),
    }));
  const years = (calendar.holidays ?? []).map(({ date }) => Number(date.slice(0, 4)));
  const span = { from: years[0], to: years.at(-1) };

  /** Why, in words: which reference days are alike, and how many of them follow the model. */
  const reasonOf = (
    number: number,
    date: Weighed,
    model: Pick<Model, 'id' | 'name'>,
    any: boolean,
  ): string => {
    const { what, alike, place } = likenessOf(number, date);
    const days = reference.filter(alike);
    const agreeing = days.filter(day => day.modelId === model.id).length;
    const otherwise = agreeing > 0 ? '' : '; most weight is with other days alike';
    if (days.length > 0)
      return `${what}${agreeing} of the ${days.length} reference ${place} follow "${model.name}"${otherwise}`;
    return any
      ? `${what}no reference ${place}; "${model.name}" is what days alike follow in other seasons`
      : `${what}no reference day is alike; "${model.name}" is the first of the models`;
  };

  const unseen = (season: number): number => {
    const gap = reference.reduce((least, day) => Math.min(least, seasonGap(season, day.season)), unseenDays);
    return gap / unseenDays;
  };

  return date => {
    const number = dayNumber(date);
    const of = weighed(number);
    const facts = {
      working: isWorkingDay(of.weekday, of.type),
      unseen: unseen(of.season),
    };
    const weights = new Map<number, number>();
    for (const day of reference) {
      const weight = weigh(of, day);
      if (weight > 0) weights.set(day.plannedId, (weights.get(day.plannedId) ?? 0) + weight);
    }
    const ranked = [...weights].sort(([idA, a], [idB, b]) => b - a || idA - idB);
    const model = plannable.get(ranked[0]?.[0] ?? [...plannable.keys()].sort((a, b) => a - b)[0] ?? -1);
    if (!model)
      return {
        date,
        modelId: null,
        origin: 'automatic',
        reason: 'no model may be planned: none, or all are anomalies',
        share: null,
        alternatives: [],
        ...facts,
      };

    const total = ranked.reduce((sum, [, weight]) => sum + weight, 0);
    const shares = ranked.map(([modelId, weight]) => ({ modelId, share: rounded(weight / total) }));
    const unknown =
      span.from !== undefined && span.to !== undefined && (year(number) < span.from || year(number) > span.to)
        ? `; its holidays are not known, the calendar holds ${span.from} to ${span.to}`
        : '';
    return {
      date,
      modelId: model.id,
      origin: 'automatic',
      reason: `${reasonOf(number, of, model, ranked.length > 0)}${unknown}`,
      share: shares[0]?.share ?? null,
      alternatives: shares
        .slice(1)
        .filter(({ share }) => share >= shareMin)
        .slice(0, alternativesMax),
      ...facts,
    };
  };
};

/** What a date is in words, and which reference days a sentence on it speaks of. */
const likenessOf = (
  number: number,
  { type, weekday: of, season }: Weighed,
): { readonly what: string; readonly alike: (day: Weighed) => boolean; readonly place: string } => {
  const round = ({ season: other }: Weighed): boolean => seasonGap(season, other) < weighing.seasonDays;
  const weekdays = `${weekdayNames[of]}s round ${monthNames[month(number)]}`;
  const sameWeekday = (day: Weighed): boolean => day.weekday === of && round(day);
  switch (type.type) {
    case 'ordinary':
      // Where no calendar is known every day is ordinary.
      return { what: '', alike: day => sameWeekday(day) && day.type.type === 'ordinary', place: weekdays };
    case 'holiday':
      return {
        what: `public holiday ${type.name}: `,
        alike: day => day.type.type === 'holiday',
        place: 'holidays',
      };
    case 'bridge':
      return { what: 'bridge day: ', alike: day => day.type.type === 'bridge', place: 'bridge days' };
    case 'christmas':
      return {
        what: 'round Christmas: ',
        alike: day => day.type.type === 'christmas' && day.weekday < 5 === of < 5,
        place: `${of < 5 ? 'working days' : 'weekend days'} round Christmas`,
      };
    case 'special':
      return {
        what: `special day "${type.name}": `,
        alike: day => day.type.type === 'special' && day.type.name === type.name,
        place: `days of that name`,
      };
  }
};
