import { languageTags, type Language } from '../../../domain/alerts/sentences/languages.js';

/** Fields whose text is in other languages in a field next to them. */
const translated = [
  ['sentence', 'sentences'],
  ['summary', 'summaries'],
  ['title', 'titles'],
  ['reason', 'reasons'],
  ['name', 'names'],
] as const;

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a function for the objects of an answer: their texts become those of a language, where the field next to them
 * has it. Undefined for English, which answers are made in.
 */
export const inLanguage = (language: Language): ((value: unknown) => unknown) | undefined => {
  if (language === 'en') return undefined;
  return value => {
    if (!isObject(value)) return value;
    const changed = translated.flatMap(([field, others]) => {
      const texts = value[others];
      const text = isObject(texts) ? texts[language] : undefined;
      return typeof text === 'string' && typeof value[field] === 'string' ? [[field, text] as const] : [];
    });
    return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
  };
};

/** The language that a client prefers; English when it has no preference, or for none that exists. */
export const preferredLanguage = (accepts: (...tags: string[]) => string | false): Language => {
  const chosen = accepts(...languageTags);
  return languageTags.find(tag => tag === chosen) ?? 'en';
};
