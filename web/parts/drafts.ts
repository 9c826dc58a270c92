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

/**
 * A typed text, its setter, and a function that empties it once the service has it, unless it was changed since it was
 * sent. The text stays when live changes or the router remove its field for a while.
 */
export const useDraft = (field: string): readonly [string, (text: string) => void, () => void] => {
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
  // The text as it is now, which a person may have gone on typing since it was sent.
  const sent = (): void => {
    if (drafts.get(field) === text) change('');
  };
  return [text, change, sent];
};

/** Gives a text that was typed for some things to those of them that are left. */
export const moveDraft = (from: string, to: string): void => {
  const text = drafts.get(from);
  if (text === undefined) return;
  drafts.delete(from);
  drafts.set(to, text);
};

/** Sets a field once its text is sent; one that a person has changed since keeps what was typed. */
export const unlessTyped =
  <Text extends string | null>(sent: Text, next: Text) =>
  (now: Text): Text =>
    now === sent ? next : now;

/** The same for each field of a form. */
export const fieldsUnlessTyped =
  <Typed extends object>(sent: Typed, next: Typed) =>
  (now: Typed): Typed => {
    const fields = Object.keys(now) as (keyof Typed)[];
    const kept = fields.map(field => [field, (now[field] === sent[field] ? next : now)[field]]);
    return Object.fromEntries(kept) as Typed;
  };

/** Returns whether the person is still on the screen of this call: a late answer leads away from no other one. */
export const hereNow = (): (() => boolean) => {
  const { pathname } = location;
  return () => location.pathname === pathname;
};

/** Calls back when a request has ended, also when live changes have removed the form that sent it by then. */
export const whenDone = <Value>(
  request: Promise<Value>,
  done: (value: Value) => void,
  failed: (error: Error) => void,
): void => void request.then(done, failed);

/** The same for one that removes a row of a list: its dialog is closed, and the focus goes to the heading. */
export const whenRemoved = (request: Promise<unknown>, close: () => void, done: () => void): void =>
  whenDone(
    request,
    () => {
      close();
      const heading = document.querySelector<HTMLElement>('main h1');
      if (heading) heading.tabIndex = -1;
      heading?.focus();
      done();
    },
    () => {},
  );
