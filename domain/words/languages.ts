import { en } from './en.js';
import { fr } from './fr.js';
import type { SentenceTexts } from './en.js';

/** All languages by their tags. Another one is a file like fr.ts, and its line here. */
export const languages = { en, fr } as const satisfies Readonly<Record<string, SentenceTexts>>;

/** Tag of a language. */
export type Language = keyof typeof languages;

/** Tags of all languages, English first. */
export const languageTags = Object.keys(languages) as readonly Language[];

/** The languages besides English, which is the language of texts without a tag. */
export type OtherLanguage = Exclude<Language, 'en'>;

/** Tags of the languages besides English. */
export const otherLanguages = languageTags.filter((tag): tag is OtherLanguage => tag !== 'en');

/** A text in the languages besides English, by tag. */
export type InOtherLanguages = Readonly<Record<OtherLanguage, string>>;

/** A text in the languages besides English. @param text makes it of the words of a language */
export const inOtherLanguages = (
  text: (texts: SentenceTexts, language: OtherLanguage) => string,
): InOtherLanguages =>
  Object.fromEntries(otherLanguages.map(tag => [tag, text(languages[tag], tag)])) as InOtherLanguages;
