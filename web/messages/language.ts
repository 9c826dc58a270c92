import type { Messages } from './en.js';

export type Language = 'en' | 'fr';

const storageKey = 'daybook.language';

/** The language chosen before, else the first of the browser's that exists here. */
export const preferredLanguage = (): Language => {
  const chosen = localStorage.getItem(storageKey);
  if (chosen === 'en' || chosen === 'fr') return chosen;
  const known = navigator.languages.map(tag => tag.slice(0, 2)).find(tag => tag === 'en' || tag === 'fr');
  return known === 'fr' ? 'fr' : 'en';
};

/** Keeps the language that a person chose for later visits. */
export const keepLanguage = (language: Language): void => localStorage.setItem(storageKey, language);

/** The texts of a language are a file of their own, so that no other language is loaded. */
export const loadMessages = async (language: Language): Promise<Messages> =>
  language === 'fr' ? (await import('./fr.js')).fr : (await import('./en.js')).en;
