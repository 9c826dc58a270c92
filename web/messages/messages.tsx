import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Messages } from './en.js';
import { keepLanguage, loadMessages, preferredLanguage, type Language } from './language.js';

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

type Words = {
  readonly messages: Messages;
  readonly language: Language;
  /** @throws when the texts cannot be loaded: the service is away, or has other files since an update */
  readonly setLanguage: (language: Language) => Promise<void>;
};

/** Has a value below `LanguageProvider`, which is around all screens. */
export const MessagesContext = createContext<Words>({} as Words);

/** Texts in the reader's language. */
export const useMessages = (): Messages => useContext(MessagesContext).messages;

/** Provides the texts of the screens. @param first those of the preferred language */
export const LanguageProvider = ({
  first,
  children,
}: {
  readonly first: Messages;
  readonly children: ReactNode;
}) => {
  const [shown, setShown] = useState(() => ({ messages: first, language: preferredLanguage() }));
  const wanted = useRef(shown.language);
  const { language } = shown;
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo(
    () => ({
      ...shown,
      setLanguage: async (next: Language) => {
        wanted.current = next;
        const messages = await loadMessages(next);
        if (wanted.current !== next) return;
        keepLanguage(next);
        setShown({ messages, language: next });
      },
    }),
    [shown],
  );
  return <MessagesContext value={value}>{children}</MessagesContext>;
};
