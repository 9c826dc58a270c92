import { dayNumber, monthNames, month, weekdayNames } from '../../dates.js';
import { percent } from '../../percent.js';
import { isOfWeeks, type CycleEvidence, type CycleOfDays, type MonthDay } from '../dayCycles.js';
import type { CountedDays, ReasonTexts } from './reasonTexts.js';

const dayOf = (date: string): string => `${Number(date.slice(8))} ${monthNames[month(dayNumber(date))]}`;

/** `2nd`: a number from 1 in words where they are usual. */
const ordinals = ['first', 'second', 'third', 'fourth'] as const;

/** A date of the month in words, without an article. */
export const monthDayName = ({ counts, place, weekday = 0 }: MonthDay): string => {
  const day = counts === 'days' ? 'day' : counts === 'workingDays' ? 'working day' : weekdayNames[weekday];
  if (place > ordinals.length) return `${day} ${place} of the month`;
  const ordinal = ordinals[Math.abs(place) - 1];
  if (place > 0) return `${ordinal} ${day} of the month`;
  return `${place === -1 ? '' : `${ordinal} `}last ${day} of the month`;
};

/** Place of a date in a cycle of days. */
const placeName = (phase: number, { length, first }: CycleOfDays): string => {
  if (!isOfWeeks({ length })) return `day ${phase + 1} of the cycle of ${length} days`;
  return `${weekdayNames[phase % 7]} of week ${Math.floor(phase / 7) + 1} of ${length / 7}, counted from ${first}`;
};

const noun = (days: CountedDays): string => {
  switch (days.by) {
    case 'weekday':
      return `reference ${weekdayNames[days.weekday]}s`;
    case 'phase':
      return 'reference days of that place';
    case 'monthDay':
      return 'reference days of that kind';
    case 'holiday':
      return 'reference holidays';
    case 'bridge':
      return 'reference bridge days';
    case 'name':
      return 'reference days of that name';
    case 'christmas':
      return `reference ${days.isWorking ? 'working days' : 'weekend days'} around Christmas`;
  }
};

const found = ({ errorReduction, better, of }: CycleEvidence, what: string): string =>
  `a plan by it misses held-out reference days by ${percent(errorReduction)} less than one by weekdays, on ${better} of ${of} ${what}`;

/** Words of reasons and cycles in English. */
export const en: ReasonTexts = {
  intro: kind => {
    switch (kind.type) {
      case 'ordinary':
        return '';
      case 'phase':
        return `${placeName(kind.phase, kind.cycle)}: `;
      case 'monthDay':
        return `${monthDayName(kind.monthDay)}: `;
      case 'holiday':
        return `public holiday ${kind.name}: `;
      case 'bridge':
        return 'bridge day: ';
      case 'christmas':
        return 'around Christmas: ';
      case 'special':
        return `special day "${kind.name}": `;
    }
  },
  follows: ({ following, of }, days, model) => `${following} of the ${of} ${days} follow "${model}"`,
  days: (days, date) =>
    days.by === 'weekday' || days.by === 'phase' ? `${noun(days)} around ${dayOf(date)}` : noun(days),
  nearer: (nearer, days, date) =>
    nearer.by === 'name'
      ? noun({ by: 'name' })
      : `${noun(days)} within ${nearer.days} days of ${dayOf(date)}`,
  ofAll: ({ following, of }, days) =>
    `, and ${following} of all ${of} ${days.by === 'holiday' ? 'holidays' : 'in its season'}`,
  support: {
    more: ', more than any other model',
    mean: '; on average these days are nearest to it',
    others: '; most weight is with other similar days',
  },
  otherwise: (which, days, model) =>
    which === 'otherSeasons'
      ? `no ${days}; "${model}" is the model of similar days in other seasons`
      : `no reference day is similar; "${model}" is the first of the models`,
  unknownHolidays: (from, to) => `; its holidays are not known, the calendar holds ${from} to ${to}`,
  noModel: 'no model may be planned: none, or all are anomalies',
  noModels: 'the source has no models yet',
  setBy: (model, by, earlier) =>
    `set to "${model}" by ${by}${earlier === null ? '' : `, who chose "${earlier}" of earlier models`}`,
  cycle: cycle => {
    if (cycle.kind === 'monthDay')
      return `The ${monthDayName(cycle)} is a day of its own kind: ${found(cycle.evidence, 'dates')}`;
    const { length, weekdays, evidence } = cycle;
    const days = (weekdays ?? []).map(day => `${weekdayNames[day]}s`);
    const names = days.length < 2 ? days.join('') : `${days.slice(0, -1).join(', ')} and ${days.at(-1)}`;
    const what = weekdays
      ? `${names} repeat every ${length / 7} weeks`
      : `Days repeat in a cycle of ${length} days`;
    return `${what}: ${found(evidence, 'months or fortnights')}`;
  },
};
