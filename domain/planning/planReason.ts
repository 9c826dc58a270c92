import { inOtherLanguages, languages, type InOtherLanguages } from '../alerts/sentences/languages.js';
import type { NamedModel, ReasonFacts, ReasonTexts } from './reasonTexts.js';

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
  if (otherwise) return texts.otherwise(otherwise, texts.days(days, date), model);
  if (nearer)
    return texts.follows(nearer, texts.nearer(nearer, days, date), model) + texts.ofAll(counted, days);
  return texts.follows(counted, texts.days(days, date), model) + (support ? texts.support[support] : '');
};
