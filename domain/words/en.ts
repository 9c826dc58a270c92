import { dayNumber, month, monthNames, weekday, weekdayNames } from '../dates.js';
import { percent } from '../text.js';
import type { PlannedAs } from '../alerts/findings.js';
import type { Silence } from '../alerts/silence.js';
import {
  datePartsOf,
  isNear,
  type ExpectedDay,
  type MessageChange,
  type DurationPart,
  type Lost,
  type CountedDays,
  type ReasonTexts,
} from './sentenceTexts.js';
import { isOfWeeks, type CycleEvidence, type CycleOfDays, type MonthDay } from '../planning/dayCycles.js';

/** The kind of a planned day, without an article. */
const kindOfDay = (date: string, { type, name, place }: PlannedAs): string => {
  if (place) return 'monthDay' in place ? monthDayName(place.monthDay) : dayOfCycle(place);
  switch (type) {
    case 'ordinary':
      return weekdayNames[weekday(dayNumber(date))] ?? 'day';
    case 'holiday':
      return 'public holiday';
    case 'bridge':
      return 'bridge day';
    case 'christmas':
      return 'day around Christmas';
    case 'special':
      return `special day "${name ?? ''}"`;
  }
};

const expectedDay = ({ date, planned, comparedWith }: ExpectedDay): string => {
  const isUsual = planned !== undefined && planned.origin !== 'manual';
  if (comparedWith === 'daysBefore')
    return `what the days before suggest for this ${isUsual ? kindOfDay(date, planned) : 'day'}`;
  const model = planned ? 'the model planned by hand' : 'the planned model';
  const usual = isUsual ? `the usual ${kindOfDay(date, planned)}` : model;
  return comparedWith === 'dayLevel' ? `${usual} at the level of this day` : usual;
};

/** Words before the sentence of an alert. */
const changes: Readonly<Record<MessageChange, string>> = {
  raised: '',
  acknowledged: 'Acknowledged: ',
  reopened: 'Reopened: ',
  resolved: 'Resolved: ',
  invalidated: 'No alert any more: ',
  ended: 'Ended: ',
  merged: 'In another incident now: ',
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

/** Day of a cycle, from 0, without its begin. */
const dayOfCycle = ({ phase, length }: { readonly phase: number; readonly length: number }): string =>
  isOfWeeks({ length })
    ? `${weekdayNames[phase % 7]} of week ${Math.floor(phase / 7) + 1} of ${length / 7}`
    : `day ${phase + 1} of ${length}`;

/** Place of a date in a cycle of days. */
const placeName = (phase: number, { length, first }: CycleOfDays): string => {
  if (!isOfWeeks({ length })) return `day ${phase + 1} of the cycle of ${length} days`;
  return `${dayOfCycle({ phase, length })}, counted from ${first}`;
};

const noun = (days: CountedDays, isOne: boolean): string => {
  const s = isOne ? '' : 's';
  switch (days.by) {
    case 'weekday':
      return `reference ${weekdayNames[days.weekday]}${s}`;
    case 'phase':
      return `reference day${s} of that place`;
    case 'monthDay':
      return `reference day${s} of that kind`;
    case 'holiday':
      return `reference holiday${s}`;
    case 'bridge':
      return `reference bridge day${s}`;
    case 'name':
      return `reference day${s} of that name`;
    case 'christmas':
      return `reference ${days.isWorking ? 'working' : 'weekend'} day${s} around Christmas`;
  }
};

const found = ({ errorReduction, better, of }: CycleEvidence, what: string): string =>
  `a plan by it misses held-out reference days by ${percent(errorReduction)} less than one by weekdays, on ${better} of ${of} ${what}`;

/** All words of the service in English. */
export const en = {
  /** Locale of dates with their weekday, such as en-GB. */
  locale: 'en-GB',
  /** The first day of a month in dates. */
  firstOfMonth: '1',
  /** A number with a decimal point as readers of the language write it. */
  decimal: (number: string) => number,
  list: (parts: readonly string[]) => parts.join(' and '),
  share: (percent: string, side: 'over' | 'under', expected: ExpectedDay) =>
    `${percent} ${side} ${expectedDay(expected)}`,
  /** At least twice what was expected. */
  times: (number: string, expected: ExpectedDay) => `${number} times ${expectedDay(expected)}`,
  /** `value` is the expected one. */
  instead: (actual: string, value: string, expected: ExpectedDay) =>
    expected.comparedWith === 'daysBefore'
      ? `${actual} instead of the ${value} that the days before suggest`
      : `${actual} instead of the ${value} of ${expectedDay(expected)}`,
  allDay: ' all day',
  /** The same of a day with a gap. */
  restOfDay: ' in the rest of the day',
  stretch: (from: string, to: string) => ` from ${from} to ${to}`,
  /** A stretch that lasts at the end of what is known of a date in progress. */
  since: (from: string) => ` since ${from}, still going on`,
  /** Other stretches outside the limits; `since` is the start of one that lasts. */
  others: (count: number, since: string | undefined) =>
    `, and unusual in ${count} other ${count === 1 ? 'stretch' : 'stretches'}` +
    (since === undefined ? '' : `, the last one since ${since}, still going on`),
  /** All stretches of a date in progress are over, or its data are; `to` is the end, unless it is known. */
  over: (to: string | undefined, isNormal: boolean) =>
    (isNormal ? ', normal since' : ', no data since') + (to === undefined ? '' : ` ${to}`),
  drift: (deviation: string | undefined) =>
    `The level has been different for days${deviation === undefined ? '' : `: ${deviation}`}`,
  outside: 'The day breaks the limits of its planned model',
  /** A day with another course; `deviation` says where it differs most. */
  shape: (deviation: string) => `The course of the day is unlike all comparable days: ${deviation}`,
  /** A day whose shape has a name, which is `clock`, `noise` or `repeated`. */
  unlike: (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}, unlike all comparable days`,
  /** The same after what else is unusual. */
  also: (name: string) => `; ${name}`,
  clock: (duration: string, isLater: boolean) =>
    `the course of the day is ${duration} ${isLater ? 'late' : 'early'}`,
  noise: 'the day goes up and down from slice to slice',
  repeated: (value: string, when: string) => `the same value ${value}${when}`,
  gap: (when: string) => `No data${when}, longer than on any comparable day`,
  rest: (deviation: string) => `; also ${deviation}`,
  observed: (day: string, usual: string) => `${day} of the day was observed, of reference days ${usual}`,
  lessThanHalf: 'Less than half of the usual part of the day was observed',
  noDay: 'No data of this day',
  frozen: (value: string | undefined, when: string) =>
    `The same value${value === undefined ? '' : ` ${value}`}${when}, longer than any value above the lowest on a reference day`,
  /** Flatline of a source without a reference, compared with the four weeks before. */
  frozenSoFar: (value: string | undefined, when: string) =>
    `The same value${value === undefined ? '' : ` ${value}`}${when}, longer than on any day of the four weeks before`,
  onDate: (date: string) => ` on ${date}`,
  duration: (parts: readonly DurationPart[]) =>
    parts.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' '),
  /** `since` is `YYYY-MM-DD HH:MM` in UTC. */
  silence: ({
    since,
    within,
    origin,
    lastDate,
  }: Pick<Silence, 'lastDate' | 'origin'> & { readonly since: string; readonly within: string }) =>
    `No data since ${since} UTC, ${origin === 'given' ? '' : 'usually '}expected within ${within}; ` +
    (lastDate === null ? 'none came yet' : `the last day is ${lastDate}`),
  explained: (change: string, values: string) => `expected ${change} for ${values}`,
  notAdjusted: (names: string) => `not adjusted to ${names}, which had no value`,
  incident: {
    /** A date with its year. */
    date: (date: string) => {
      const { year, month, day } = datePartsOf(date);
      return `${day} ${monthNames[month]} ${year}`;
    },
    sources: (first: string, others: number) =>
      `${first} and ${others} other ${others === 1 ? 'source' : 'sources'}`,
    oneDate: (date: string) => `, on ${date}`,
    dates: (alerts: number, since: string, until: string) => `, ${alerts} alerts from ${since} to ${until}`,
  },
  change: {
    /** `size` is a share, such as −0.25. */
    level: (size: number) => {
      const side = size > 0 ? 'more' : 'less';
      if (isNear(size, 0.25)) return `a quarter ${side}`;
      if (isNear(size, 0.5)) return size > 0 ? 'half as much again' : 'half as much';
      return `${percent(Math.abs(size))} ${side}`;
    },
    clock: (duration: string, isLater: boolean) => `everything ${duration} ${isLater ? 'later' : 'earlier'}`,
    opening: (stretch: string, isOpen: boolean) => `${isOpen ? 'open' : 'closed'} ${stretch}`,
    shape: 'another course of the day',
    daylightSaving: ', as after a change of the clock that was not followed',
    since: (date: string) => ` since ${date}`,
    duration: (hours: number, minutes: number) =>
      minutes === 0
        ? hours === 1
          ? 'an hour'
          : `${hours} hours`
        : hours === 0
          ? `${minutes} minutes`
          : `${hours} h ${minutes} min`,
  },
  loss: {
    part: (percent: string) => `${percent} of its allowance`,
    all: 'its whole allowance',
    times: (number: string) => `${number} times its allowance`,
  },
  modelName: {
    /** Monday to Sunday, as they begin a name. */
    weekdays: weekdayNames,
    /** January to December, in short. */
    months: monthNames,
    everyDay: 'every day',
    everyDayExcept: (weekday: string) => `every day except ${weekday}`,
    daysExcept: (weekdays: string, weekday: string) => `${weekdays} except ${weekday}`,
    exceptMonth: (month: string) => `except ${month}`,
    holidays: 'public holidays',
    only: (dates: string) => `only ${dates}`,
    dayOfMonth: (day: number, month: string) => `${day} ${month}`,
    enumeration: (parts: readonly string[]) =>
      parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`,
    /** One of several models of a name: `lower`, `higher`, `lowest`, `middle`, `highest`. */
    places: { lower: 'lower', higher: 'higher', lowest: 'lowest', middle: 'middle', highest: 'highest' },
    level: (place: number, count: number) => `level ${place} of ${count}`,
    pattern: (number: number) => `pattern ${number}`,
    /** A date of the month, such as "last working day of the month". */
    monthDay: monthDayName,
    /** Days of a cycle by their numbers from 1, such as "days 1–4 of 8". */
    cycleDays: (days: string, isOne: boolean, length: number) =>
      `${isOne ? 'day' : 'days'} ${days} of ${length}`,
    someOfCycle: (count: number, length: number) => `${count} days of a cycle of ${length}`,
    ofWeek: (weekdays: string, week: number) => `${weekdays} of week ${week}`,
    /** Weekdays of some weeks of a cycle of `count` weeks. */
    ofWeeks: (weeks: string, count: number) => `${weeks} of ${count}`,
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
    follows: ({ following, of }, days, model) => {
      if (of === 1) return `the only ${days} ${following === 1 ? 'follows' : 'does not follow'} "${model}"`;
      const count = following === of ? `all ${of}` : `${following === 0 ? 'none' : following} of the ${of}`;
      return `${count} ${days} ${following < 2 ? 'follows' : 'follow'} "${model}"`;
    },
    days: (days, date, isOne) => {
      const isNear = days.by === 'weekday' || days.by === 'phase';
      return noun(days, isOne) + (isNear ? ` around ${dayOf(date)}` : '');
    },
    nearer: (nearer, days, date, isOne) =>
      nearer.by === 'name'
        ? noun({ by: 'name' }, isOne)
        : `${noun(days, isOne)} within ${nearer.days} days of ${dayOf(date)}`,
    ofAll: ({ following, of }, days) =>
      `, though only ${following} of all ${of} ${days.by === 'holiday' ? 'holidays' : 'in that season'}`,
    more: ', more than any other model',
    despite: (why, { following, of }, days, model) => {
      const others = `other similar days decide for "${model}"`;
      if (of === 1) return `${others}, the only ${days} does not follow it`;
      const count =
        following === 0 ? 'none follows' : `${following} ${following === 1 ? 'follows' : 'follow'}`;
      return why === 'mean'
        ? `"${model}" is nearest to the average of the ${of} ${days}, of which ${count} it`
        : `${others}; of the ${of} ${days} ${count} it`;
    },
    otherwise: (which, days, model) => {
      if (which === 'none') return `no reference day is similar; "${model}" is the first of the models`;
      const others = which === 'others' ? 'other similar days' : 'similar days in other seasons';
      return `there are no ${days}; "${model}" is the model of ${others}`;
    },
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
  } satisfies ReasonTexts,
  message: {
    /** Title of a message about an alert, by its change. */
    alert: (source: string, sentence: string, change: MessageChange) =>
      `${changes[change]}${source}: ${sentence}`,
    /** A sentence as it follows the name of its source. */
    afterName: (sentence: string) => sentence,
    /** `criticity` is a percentage. */
    detail: (date: string, criticity: string) => `${date}, criticity ${criticity}.`,
    /** The same of an alert with a loss, which is that of the day or of the worst one of several days. */
    lossDetail: (date: string, criticity: string, { loss, isWorst }: Lost) =>
      `${date}. Loss${isWorst ? ' of the worst day' : ''}: ${loss}; criticity ${criticity}.`,
    /** A title with its loss in a list. */
    titleWithLoss: (title: string, loss: string) => `${title} (loss: ${loss})`,
    /** Meaning of a loss and of a criticity. */
    lossKey: 'Allowance: the loss that the limits of a day allow. Criticity: how improbable the day is.',
    newModels: (source: string) => `${source}: new models`,
    newModelsDetail: 'The reference was analysed.',
    analysisFailed: (source: string) => `${source}: the analysis failed`,
    /** `reason` is the message of the error, in English. */
    analysisFailedDetail: (reason: string) => `Models that the source has stay in force. Reason: ${reason}`,
    test: 'Test message of Daybook',
    testDetail: 'Mails to this address arrive.',
    /** The same in messages that are no mails. */
    testArrived: 'Messages to this receiver arrive.',
    digest: (count: number, first: string) => `${count} messages: ${first}`,
    /** Last line of a list that is cut. */
    more: (count: number) => `… and ${count} more`,
    pictureKey:
      'Black line: the day. Blue band: the usual range of comparable days. Dashed blue line: the expected values. Red area: the hours outside a limit. Red line: that limit.',
    pictureText: (title: string) => `Chart of the day: ${title}`,
    open: 'Open in Daybook',
    footer: (webhookId: string) =>
      `Daybook sends this mail for webhook ${webhookId}. ` +
      'To stop it, ask the people who run Daybook to disable or delete this webhook.',
  },
};

/**
 * All words of one language. Numbers come as texts, with `decimal` and the unit of the source; times are `HH:MM`, dates
 * `YYYY-MM-DD`. Phrases that follow others begin with a space or a comma.
 */
export type SentenceTexts = typeof en;
