import { inOtherLanguages, languages, type InOtherLanguages } from '../alerts/sentences/languages.js';
import type { ReasonFacts, ReasonTexts } from './reasonTexts.js';

/** A text of reasons in all languages. */
export type ReasonInWords = { readonly reason: string; readonly reasons: InOtherLanguages };

/** A text in all languages, each from its words. */
export const inWords = (text: (texts: ReasonTexts) => string): ReasonInWords => ({
  reason: text(languages.en.reason),
  reasons: inOtherLanguages(({ reason }) => text(reason)),
});

/** Why a model is planned, in words: the similar reference days, and how many of them follow it. */
export const reasonOf = (facts: ReasonFacts): ReasonInWords => inWords(texts => reasonText(facts, texts));

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
