import { useState } from 'react';
import { currentSession, onSession, type Session } from '../api/session.js';

/** Texts that people type and have not sent, by field; they outlive the form, but not the page. */
const drafts = new Map<string, string>();

const nameOf = ({ tenant, subject }: Session): string => `${tenant}/${subject}`;
let owner = nameOf(currentSession());

// Another person on this page does not see them; one whose token has expired finds them again.
onSession(() => {
  const session = currentSession();
  if (session.status === 'expired' || nameOf(session) === owner) return;
  drafts.clear();
  owner = nameOf(session);
});

/** A typed text with its setter. It stays when live changes or the router remove its field for a while. */
export const useDraft = (field: string): readonly [string, (text: string) => void] => {
  const [text, setText] = useState(() => drafts.get(field) ?? '');
  const [shown, setShown] = useState(field);
  if (shown !== field) {
    setShown(field);
    setText(drafts.get(field) ?? '');
  }
  const change = (next: string): void => {
    if (next === '') drafts.delete(field);
    else drafts.set(field, next);
    setText(next);
  };
  return [text, change];
};
