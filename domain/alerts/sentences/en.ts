import { dayNumber, weekday, weekdayNames } from '../../dates.js';
import type { PlannedAs } from '../findings.js';
import type { SentenceTexts } from './sentenceTexts.js';

const usualDay = (date: string, { origin, type, name }: PlannedAs): string => {
  if (origin === 'manual') return 'the model planned by hand';
  switch (type) {
    case 'ordinary':
      return `the usual ${weekdayNames[weekday(dayNumber(date))] ?? 'day'}`;
    case 'holiday':
      return 'the usual public holiday';
    case 'bridge':
      return 'the usual bridge day';
    case 'christmas':
      return 'the usual day around Christmas';
    case 'special':
      return `the usual special day "${name ?? ''}"`;
  }
};

/** Words of the sentences of alerts in English. */
export const en: SentenceTexts = {
  language: 'en',
  decimal: number => number,
  list: parts => parts.join(' and '),
  usual: (date, planned) => (planned ? usualDay(date, planned) : 'the planned model'),
  atLevelBefore: usual => `${usual} at the level of the days before`,
  atLevelOfDay: usual => `${usual} at the level of this day`,
  share: (percent, side, usual) => `${percent} ${side} ${usual}`,
  instead: (actual, expected, usual) => `${actual} instead of ${expected}, the level of ${usual},`,
  allDay: ' all day',
  stretch: (from, to) => ` from ${from} to ${to}`,
  since: from => ` since ${from}, still going on`,
  others: (count, since) =>
    `, and outside in ${count} other ${count === 1 ? 'stretch' : 'stretches'}` +
    (since === undefined ? '' : `, the last one since ${since}, still going on`),
  over: to => (to === undefined ? ', normal since' : `, normal since ${to}`),
  drift: deviation =>
    `The level has moved, as on the days before${deviation === undefined ? '' : `: ${deviation}`}`,
  outside: 'The day breaks the limits of its planned model',
  shape: difference => `The course of the day is like no reference day: ${difference}`,
  shapeToo: difference => `; its course is like no reference day: ${difference}`,
  clock: (duration, isLater) => `${duration} ${isLater ? 'late' : 'early'}`,
  noise: 'it goes up and down from slice to slice',
  repeated: (value, when) => `the same value ${value}${when}`,
  gap: when => `No data${when}, longer than on any reference day of the kind`,
  rest: deviation => `; the rest is ${deviation}`,
  observed: (day, usual) => `${day} of the day was observed, of reference days ${usual}`,
  lessThanHalf: 'Less than half of the usual part of the day was observed',
  noDay: 'No data of this day',
  frozen: (value, when) =>
    `The same value${value === undefined ? '' : ` ${value}`}${when}, longer than on any reference day`,
  onDate: date => ` on ${date}`,
  duration: parts => parts.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' '),
  silence: ({ since, within, origin, lastDate }) =>
    `No data since ${since} UTC, ${origin === 'given' ? '' : 'usually '}expected within ${within}; ` +
    (lastDate === null ? 'none came yet' : `the last day is ${lastDate}`),
  explained: (change, values) => `expected ${change} for ${values}`,
  notAdjusted: names => `not adjusted to ${names}, which had no value`,
};
