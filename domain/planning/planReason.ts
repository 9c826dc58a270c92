import { inOtherLanguages, languages, type InOtherLanguages } from '../alerts/sentences/languages.js';
import { modelNameIn } from './modelNameText.js';
import type { ReasonFacts, ReasonTexts } from './reasonTexts.js';

/** A text of reasons in all languages. */
export type ReasonInWords = { readonly reason: string; readonly reasons: InOtherLanguages };

/** A text in all languages. @param text makes it of the words of a language, and of names of models in it */
export const inWords = (
  text: (texts: ReasonTexts, nameIn: (name: string) => string) => string,
): ReasonInWords => ({
  reason: text(languages.en.reason, name => name),
  reasons: inOtherLanguages(texts => text(texts.reason, name => modelNameIn(name, texts))),
});

/** Why a model is planned, in words: the similar reference days, and how many of them follow it. */
export const reasonOf = (facts: ReasonFacts): ReasonInWords =>
  inWords((texts, nameIn) => reasonText({ ...facts, model: nameIn(facts.model) }, texts));

const reasonText = (facts: ReasonFacts, texts: ReasonTexts): string => {
  const { kind, holidaysKnown: known } = facts;
  const holidays = known ? texts.unknownHolidays(known.from, known.to) : '';
  return `${texts.intro(kind)}${followersText(facts, texts)}${holidays}`;
};

const followersText = (
  { date, days, model, counted, nearer, support, otherwise }: ReasonFacts,
  texts: ReasonTexts,
): string => {
  if (otherwise) return texts.otherwise(otherwise, texts.days(days, date), model);
  if (nearer)
    return texts.follows(nearer, texts.nearer(nearer, days, date), model) + texts.ofAll(counted, days);
  return texts.follows(counted, texts.days(days, date), model) + (support ? texts.support[support] : '');
};
