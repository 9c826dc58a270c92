import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { en, type Messages } from './en.js';

export type Language = 'en' | 'fr';

const storageKey = 'daybook.language';

/** The language chosen before, else the first of the browser's that exists here. */
export const preferredLanguage = (): Language => {
  const chosen = localStorage.getItem(storageKey);
  if (chosen === 'en' || chosen === 'fr') return chosen;
  const known = navigator.languages.map(tag => tag.slice(0, 2)).find(tag => tag === 'en' || tag === 'fr');
  return known === 'fr' ? 'fr' : 'en';
};

export const keepLanguage = (language: Language): void => localStorage.setItem(storageKey, language);

/** English is in the first bundle; other languages are loaded when they are chosen. */
export const loadMessages = async (language: Language): Promise<Messages> =>
  language === 'fr' ? (await import('./fr.js')).fr : en;

/** Whether a tag is one that Intl takes: systems also send their own, such as en-US@posix. */
const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

/** Locale of dates and numbers: the reader's own within the chosen language. */
export const localeOf = (language: Language): string =>
  navigator.languages.find(tag => tag.toLowerCase().startsWith(language) && isLocale(tag)) ?? language;

export const MessagesContext = createContext<{
  readonly messages: Messages;
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
}>({ messages: en, language: 'en', setLanguage: () => {} });

/** Texts in the reader's language. */
export const useMessages = (): Messages => useContext(MessagesContext).messages;

/** Provides the texts of the screens; shows nothing until they are loaded. */
export const LanguageProvider = ({ children }: { readonly children: ReactNode }) => {
  const [language, setLanguage] = useState<Language>(preferredLanguage);
  const [messages, setMessages] = useState(language === 'en' ? en : undefined);
  useEffect(() => {
    document.documentElement.lang = language;
    let current = true;
    void loadMessages(language).then(loaded => current && setMessages(loaded));
    return () => {
      current = false;
    };
  }, [language]);
  const value = useMemo(
    () =>
      messages && {
        messages,
        language,
        setLanguage: (next: Language) => {
          keepLanguage(next);
          setLanguage(next);
        },
      },
    [messages, language],
  );
  return value && <MessagesContext value={value}>{children}</MessagesContext>;
};
