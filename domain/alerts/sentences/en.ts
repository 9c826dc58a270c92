import { dayNumber, month, monthNames, weekday, weekdayNames } from '../../dates.js';
import { percent } from '../../text.js';
import type { PlannedAs } from '../findings.js';
import { datePartsOf, isNear } from './dateParts.js';
import { isOfWeeks, type CycleEvidence, type CycleOfDays, type MonthDay } from '../../planning/dayCycles.js';
import type { CountedDays } from '../../planning/reasonTexts.js';
import type { MessageChange, SentenceTexts } from './sentenceTexts.js';

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

/** Words before the sentence of an alert. */
const changes: Readonly<Record<MessageChange, string>> = {
  raised: '',
  acknowledged: 'Acknowledged: ',
  reopened: 'Reopened: ',
  resolved: 'Resolved: ',
  invalidated: 'No alert any more: ',
  ended: 'Ended: ',
};

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

/** All words of the service in English. */
export const en: SentenceTexts = {
  locale: 'en-GB',
  decimal: number => number,
  list: parts => parts.join(' and '),
  usual: (date, planned) => (planned ? usualDay(date, planned) : 'the planned model'),
  level: {
    model: '',
    daysBefore: ', allowing for the level of the days before',
    dayLevel: ', allowing for the level of the whole day',
  },
  share: (percent, side, usual) => `${percent} ${side} ${usual}`,
  instead: (actual, expected, usual) => `${actual} instead of ${expected}, the level of ${usual},`,
  allDay: ' all day',
  stretch: (from, to) => ` from ${from} to ${to}`,
  since: from => ` since ${from}, still going on`,
  others: (count, since) =>
    `, and outside in ${count} other ${count === 1 ? 'stretch' : 'stretches'}` +
    (since === undefined ? '' : `, the last one since ${since}, still going on`),
  over: (to, isNormal) =>
    (isNormal ? ', normal since' : ', no data since') + (to === undefined ? '' : ` ${to}`),
  drift: deviation =>
    `The level has moved, as on the days before${deviation === undefined ? '' : `: ${deviation}`}`,
  outside: 'The day breaks the limits of its planned model',
  shape: difference => `The course of the day is like no comparable day: ${difference}`,
  shapeToo: difference => `; its course is like no comparable day: ${difference}`,
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
  frozenSoFar: (value, when) =>
    `The same value${value === undefined ? '' : ` ${value}`}${when}, longer than on any day of the four weeks before`,
  onDate: date => ` on ${date}`,
  duration: parts => parts.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' '),
  silence: ({ since, within, origin, lastDate }) =>
    `No data since ${since} UTC, ${origin === 'given' ? '' : 'usually '}expected within ${within}; ` +
    (lastDate === null ? 'none came yet' : `the last day is ${lastDate}`),
  explained: (change, values) => `expected ${change} for ${values}`,
  notAdjusted: names => `not adjusted to ${names}, which had no value`,
  incident: {
    date: date => {
      const { year, month, day } = datePartsOf(date);
      return `${day} ${monthNames[month]} ${year}`;
    },
    sources: (first, others) => `${first} and ${others} other ${others === 1 ? 'source' : 'sources'}`,
    oneDate: date => `, on ${date}`,
    dates: (alerts, since, until) => `, ${alerts} alerts from ${since} to ${until}`,
  },
  change: {
    level: size => {
      const side = size > 0 ? 'more' : 'less';
      if (isNear(size, 0.25)) return `a quarter ${side}`;
      if (isNear(size, 0.5)) return size > 0 ? 'half as much again' : 'half as much';
      return `${percent(Math.abs(size))} ${side}`;
    },
    clock: (duration, isLater) => `everything ${duration} ${isLater ? 'later' : 'earlier'}`,
    opening: (stretch, isOpen) => `${isOpen ? 'open' : 'closed'} ${stretch}`,
    shape: 'another course of the day',
    daylightSaving: ', as after a change of the clock that was not followed',
    since: date => ` since ${date}`,
    duration: (hours, minutes) =>
      minutes === 0
        ? hours === 1
          ? 'an hour'
          : `${hours} hours`
        : hours === 0
          ? `${minutes} minutes`
          : `${hours} h ${minutes} min`,
  },
  modelName: {
    weekdays: weekdayNames,
    months: monthNames,
    everyDay: 'every day',
    everyDayExcept: weekday => `every day except ${weekday}`,
    exceptMonth: month => `except ${month}`,
    holidays: 'public holidays',
    only: dates => `only ${dates}`,
    dayOfMonth: (day, month) => `${day} ${month}`,
    enumeration: parts =>
      parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`,
    places: { lower: 'lower', higher: 'higher', lowest: 'lowest', middle: 'middle', highest: 'highest' },
    level: (place, count) => `level ${place} of ${count}`,
    pattern: number => `pattern ${number}`,
    monthDay: monthDayName,
    cycleDays: (days, isOne, length) => `${isOne ? 'day' : 'days'} ${days} of ${length}`,
    someOfCycle: (count, length) => `${count} days of a cycle of ${length}`,
    ofWeek: (weekdays, week) => `${weekdays} of week ${week}`,
    ofWeeks: (weeks, count) => `${weeks} of ${count}`,
  },
  reason: {
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
    oneNamed: (isFollowing, model) =>
      `the one reference day of that name ${isFollowing ? 'follows' : 'does not follow'} "${model}"`,
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
      others: '; other similar days count more',
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
  },
  message: {
    alert: (source, sentence, change) => `${changes[change]}${source}: ${sentence}`,
    afterName: sentence => sentence,
    detail: (date, criticity) => `${date}, criticity ${criticity}.`,
    newModels: source => `${source}: new models`,
    newModelsDetail: 'The reference was analysed.',
    analysisFailed: source => `${source}: the analysis failed`,
    analysisFailedDetail: reason => `Models that the source has stay in force. Reason: ${reason}`,
    test: 'Test message of Daybook',
    testDetail: 'Mails to this address arrive.',
    testArrived: 'Messages to this receiver arrive.',
    digest: (count, first) => `${count} messages: ${first}`,
    more: count => `… and ${count} more`,
    pictureKey:
      'Black line: the day. Blue band and dashed line: its limits and the expected values. Red area and dashed red lines: the broken limits. Grey lines: the days before.',
    pictureText: title => `Chart of the day: ${title}`,
    open: 'Open in Daybook',
    footer: webhookId =>
      `Daybook sends this mail for webhook ${webhookId}. ` +
      'To stop it, ask the people who run Daybook to disable or delete this webhook.',
  },
};
