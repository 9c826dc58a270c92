import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { en } from '../messages/en.js';
import {
  keepLanguage,
  loadMessages,
  MessagesContext,
  preferredLanguage,
  type Language,
} from '../messages/messages.js';

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
