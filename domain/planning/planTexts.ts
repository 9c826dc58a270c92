import { inOtherLanguages, languages, type InOtherLanguages } from '../words/languages.js';
import type { SentenceTexts } from '../words/en.js';
import { monthNames, weekdayNames } from '../dates.js';
import type { Model } from './models.js';
import type {
  CountedDays,
  DateKind,
  Followed,
  NearerDays,
  Otherwise,
  ReasonTexts,
} from '../words/sentenceTexts.js';

/** A model by its stored name, and in other languages. */
export type NamedModel = { readonly name: string; readonly names: InOtherLanguages };

/** Facts behind the reason of a plan. */
export type ReasonFacts = {
  readonly date: string;
  readonly kind: DateKind;
  readonly days: CountedDays;
  /** The planned model. */
  readonly model: NamedModel;
  readonly counted: Followed;
  /** Where fewer than half of the counted days follow the model: a smaller group of which more do. */
  readonly nearer?: NearerDays & Followed;
  /**
   * Why it is planned where at most half do and no smaller group shows it: more follow it than any other model, it is
   * nearest to their mean, or other similar days weigh more.
   */
  readonly support?: 'more' | 'mean' | 'others';
  /** Without counted days: whether similar days of the season or of other seasons decide, or no day is similar. */
  readonly otherwise?: Otherwise;
  /** Years that the calendar holds, when the date is in none of them. */
  readonly holidaysKnown?: { readonly from: number; readonly to: number };
};

/** A text of reasons in all languages. */
export type ReasonInWords = { readonly reason: string; readonly reasons: InOtherLanguages };

/** A text in all languages. @param text makes it of the words of a language, and of the names of models in it */
export const inWords = (
  text: (texts: ReasonTexts, nameOf: (model: NamedModel) => string) => string,
): ReasonInWords => ({
  reason: text(languages.en.reason, ({ name }) => name),
  reasons: inOtherLanguages((texts, language) => text(texts.reason, ({ names }) => names[language])),
});

/** Why a model is planned, in words: the similar reference days, and how many of them follow it. */
export const reasonOf = (facts: ReasonFacts): ReasonInWords =>
  inWords((texts, nameOf) => reasonText(facts, nameOf(facts.model), texts));

const reasonText = (facts: ReasonFacts, model: string, texts: ReasonTexts): string => {
  const { kind, holidaysKnown: known } = facts;
  const holidays = known ? texts.unknownHolidays(known.from, known.to) : '';
  return `${texts.intro(kind)}${followersText(facts, model, texts)}${holidays}`;
};

const followersText = (
  { date, days, counted, nearer, support, otherwise }: ReasonFacts,
  model: string,
  texts: ReasonTexts,
): string => {
  if (otherwise) return texts.otherwise(otherwise, texts.days(days, date, false), model);
  if (nearer) {
    const group = texts.nearer(nearer, days, date, nearer.of === 1);
    return texts.follows(nearer, group, model) + texts.ofAll(counted, days);
  }
  const words = texts.days(days, date, counted.of === 1);
  if (support === 'mean' || support === 'others') return texts.despite(support, counted, words, model);
  return texts.follows(counted, words, model) + (support === 'more' ? texts.more : '');
};

/** Parts of a list such as "Monday, Wednesday and Friday". */
const listParts = (text: string): string[] => text.split(/, | and /);

/** A run such as "Jul–Aug" in other words; undefined for other texts. */
const runIn = (text: string, from: readonly string[], to: readonly string[]): string | undefined => {
  const places = text.split('–').map(part => from.indexOf(part));
  return places.length <= 2 && places.every(place => place >= 0)
    ? places.map(place => to[place]).join('–')
    : undefined;
};

/** All of some texts, or undefined when one is missing. */
const all = (texts: readonly (string | undefined)[]): string[] | undefined =>
  texts.every(text => text !== undefined) ? [...texts] : undefined;

/** Dates of a model of few days, "25 Dec and 26 Dec". */
const datesIn = (text: string, texts: SentenceTexts['modelName']): string | undefined => {
  const dates = all(
    listParts(text).map(part => {
      const [, day, month = '', year = ''] = /^(\d{1,2}) (\w+)( \d{4})?$/.exec(part) ?? [];
      const place = monthNames.findIndex(name => name === month);
      return day === undefined || place < 0
        ? undefined
        : texts.dayOfMonth(Number(day), texts.months[place] ?? month) + year;
    }),
  );
  return dates && texts.enumeration(dates);
};

/** Days of a cycle, "days 1–4 of 8", "5 days of a cycle of 14" or "Monday of week 1 and Friday of week 2 of 2". */
const cycleDaysIn = (text: string, texts: SentenceTexts['modelName']): string | undefined => {
  const [, count, ofLength] = /^(\d+) days of a cycle of (\d+)$/.exec(text) ?? [];
  if (count !== undefined) return texts.someOfCycle(Number(count), Number(ofLength));
  const [, days, length] = /^days? ((?:\d+(?:–\d+)?(?:, | and |(?= of )))+) of (\d+)$/.exec(text) ?? [];
  if (days !== undefined)
    return texts.cycleDays(texts.enumeration(listParts(days)), /^\d+$/.test(days), Number(length));
  const [, weeks, weekCount] = /^(.+ of week \d) of (\d)$/.exec(text) ?? [];
  if (weeks === undefined) return undefined;
  const named = all(
    weeks.split(/(?<= of week \d)(?:, | and )/).map(part => {
      const [, weekdays = '', week] = /^(.+) of week (\d)$/.exec(part) ?? [];
      const shown = weekdaysIn(weekdays, texts);
      return shown && texts.ofWeek(shown, Number(week));
    }),
  );
  return named && texts.ofWeeks(texts.enumeration(named), Number(weekCount));
};

const ordinals = ['first', 'second', 'third', 'fourth'];

/** A date of the month, "second last working day of the month" or "day 15 of the month". */
const monthDayIn = (text: string, texts: SentenceTexts['modelName']): string | undefined => {
  const [found, ordinal, last, day = '', number] =
    /^(?:(first|second|third|fourth) )?(last )?(day|working day|[A-Z][a-z]+day)(?: (\d+))? of the month$/.exec(
      text,
    ) ?? [];
  const weekday = weekdayNames.findIndex(name => name === day);
  if (found === undefined || (day.endsWith('y') && /^[A-Z]/.test(day) && weekday < 0)) return undefined;
  const place =
    number === undefined ? (ordinal === undefined ? 1 : ordinals.indexOf(ordinal) + 1) : Number(number);
  return texts.monthDay({
    kind: 'monthDay',
    counts: day === 'day' ? 'days' : day === 'working day' ? 'workingDays' : 'weekdays',
    place: last === undefined ? place : -place,
    ...(weekday >= 0 && { weekday }),
  });
};

/** Weekdays, "every day except Tuesday" or "Monday–Friday and Sunday", or the days of a cycle. */
const weekdaysIn = (text: string, texts: SentenceTexts['modelName']): string | undefined => {
  if (text === 'every day') return texts.everyDay;
  const exception = /^every day except (\w+)$/.exec(text)?.[1];
  if (exception !== undefined) {
    const place = weekdayNames.findIndex(name => name === exception);
    return place < 0 ? undefined : texts.everyDayExcept(texts.weekdays[place] ?? exception);
  }
  const [, run = '', missing = ''] = /^(\w+–\w+) except (\w+)$/.exec(text) ?? [];
  const whole = runIn(run, weekdayNames, texts.weekdays);
  const left = runIn(missing, weekdayNames, texts.weekdays);
  if (whole !== undefined && left !== undefined) return texts.daysExcept(whole, left);
  const runs = all(listParts(text).map(part => runIn(part, weekdayNames, texts.weekdays)));
  return runs ? texts.enumeration(runs) : cycleDaysIn(text, texts);
};

/** Months, "except Aug" or "Nov–Feb and Jun". */
const monthsIn = (text: string, texts: SentenceTexts['modelName']): string | undefined => {
  const exception = /^except (\w+)$/.exec(text)?.[1];
  if (exception !== undefined) {
    const month = runIn(exception, monthNames, texts.months);
    return month === undefined ? undefined : texts.exceptMonth(month);
  }
  const runs = all(listParts(text).map(part => runIn(part, monthNames, texts.months)));
  return runs && texts.enumeration(runs);
};

/** When the days of a model occur, in other words. */
const occurrenceIn = (text: string, texts: SentenceTexts['modelName']): string | undefined => {
  if (text === 'public holidays') return texts.holidays;
  const dates = /^only (.+)$/.exec(text)?.[1];
  if (dates !== undefined) {
    const shown = datesIn(dates, texts);
    return shown === undefined ? undefined : texts.only(shown);
  }
  const whole = monthDayIn(text, texts) ?? weekdaysIn(text, texts);
  if (whole !== undefined) return whole;
  // Weekdays come before months; both may be lists.
  for (const { index } of text.matchAll(/, /g)) {
    const parts = all([weekdaysIn(text.slice(0, index), texts), monthsIn(text.slice(index + 2), texts)]);
    if (parts) return parts.join(', ');
  }
  return undefined;
};

const suffix = /^(.*), (?:(lower|higher|lowest|middle|highest)|level (\d+) of (\d+)|pattern (\d+))$/;

/**
 * The stored name of a model in the words of a language. Names that learning gave are built of weekdays, months and
 * dates; other names, also of special days, are those of people, and stay but for what distinguishes equal ones.
 */
export const modelNameIn = (name: string, { modelName: texts }: Pick<SentenceTexts, 'modelName'>): string => {
  const [, main = name, place, level, count, pattern] = suffix.exec(name) ?? [];
  const occurrence = occurrenceIn(main, texts) ?? main;
  if (place !== undefined) return `${occurrence}, ${texts.places[place as keyof typeof texts.places]}`;
  if (level !== undefined) return `${occurrence}, ${texts.level(Number(level), Number(count))}`;
  if (pattern !== undefined) return `${occurrence}, ${texts.pattern(Number(pattern))}`;
  return occurrence;
};

/** A model as clients see it, with its name in other languages. */
export const shownModel = <Shown extends Pick<Model, 'name'>>(
  model: Shown,
): Shown & { readonly names: InOtherLanguages } => ({
  ...model,
  names: inOtherLanguages(texts => modelNameIn(model.name, texts)),
});

/** The name to be stored for a sent one: the name of a model in another language is its stored name. */
export const storedName = (model: Pick<Model, 'name'> | undefined, sent: string): string =>
  model && Object.values(shownModel(model).names).includes(sent) ? model.name : sent;
