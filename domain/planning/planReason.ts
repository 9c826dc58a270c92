import { inOtherLanguages, languages, type InOtherLanguages } from '../alerts/sentences/languages.js';
import type { CountedDays, DateKind, Followed, NearerDays, ReasonTexts } from './reasonTexts.js';

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
  /** Without counted days: whether similar days of other seasons decide, or no day is similar. */
  readonly otherwise?: 'otherSeasons' | 'none';
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
