import { useAlertAct } from '../api/mutations.js';
import type { Alert, Verdict } from '../api/client.js';
import { useMessages } from '../messages/messages.js';
import { useToast } from './Toasts.js';
import { useId, useRef, useState, type ReactNode } from 'react';

/** States from which an alert can be resolved, including `ended`. */
export const resolvable: readonly Alert['state'][] = ['open', 'acknowledged', 'ended'];

/** Actions on alerts with a message, and an undo if the API has one. */
export const useAlertActions = () => {
  const { alerts: texts } = useMessages();
  const tell = useToast();
  const { mutate, isPending } = useAlertAct();
  const failed = (error: Error): void => tell(texts.failed(error.message));
  const reopen = (ids: readonly string[]): void =>
    mutate({ act: 'reopen', ids }, { onSuccess: () => tell(texts.reopened(ids.length)), onError: failed });
  return {
    isPending,
    reopen,
    acknowledge: (ids: readonly string[]): void =>
      mutate(
        { act: 'acknowledge', ids },
        { onSuccess: () => tell(texts.acknowledged(ids.length)), onError: failed },
      ),
    resolve: (ids: readonly string[], verdict: Verdict, comment: string | null, done?: () => void): void =>
      mutate(
        { act: 'resolve', ids, verdict, comment },
        {
          onSuccess: () => {
            tell(texts.resolved(ids.length), () => reopen(ids));
            done?.();
          },
          onError: failed,
        },
      ),
  };
};

const verdicts: readonly Verdict[] = ['anomaly', 'expected', 'notAnomaly', 'newPattern'];

/** Whether the buttons are at the bottom of the screen while their form is elsewhere on the page. */
const isElsewhere = (field: HTMLElement, bar: HTMLElement): boolean => {
  const { top, bottom } = field.getBoundingClientRect();
  const isFixed = getComputedStyle(bar).position === 'fixed';
  return isFixed && (top < 0 || bottom > bar.getBoundingClientRect().top);
};

/** Form for a verdict with a comment; keeps the typed text until the service has accepted it. */
export const ResolveForm = ({
  onResolve,
  pending,
  children,
}: {
  readonly onResolve: (verdict: Verdict, comment: string | null) => void;
  readonly pending: boolean;
  /** Other buttons, before the one that resolves. */
  readonly children?: ReactNode;
}) => {
  const { alerts: texts, verdicts: names } = useMessages();
  const [verdict, setVerdict] = useState<Verdict>('anomaly');
  const [comment, setComment] = useState('');
  const id = useId();
  const field = useRef<HTMLSelectElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  return (
    <form
      className="stack tight"
      onSubmit={event => {
        event.preventDefault();
        if (field.current && bar.current && isElsewhere(field.current, bar.current)) {
          field.current.scrollIntoView({ block: 'center', behavior: 'smooth' });
          field.current.focus({ preventScroll: true });
          return;
        }
        onResolve(verdict, comment.trim() === '' ? null : comment.trim());
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-verdict`}>{texts.verdict}</label>
        <select
          ref={field}
          id={`${id}-verdict`}
          className="select"
          value={verdict}
          onChange={({ target }) => setVerdict(target.value as Verdict)}
        >
          {verdicts.map(name => (
            <option key={name} value={name}>
              {names[name]}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-comment`}>{texts.comment}</label>
        <textarea
          id={`${id}-comment`}
          className="textarea"
          maxLength={2000}
          dir="auto"
          value={comment}
          onChange={({ target }) => setComment(target.value)}
        />
      </div>
      <div ref={bar} className="act-bar">
        {children}
        <button className="button primary" disabled={pending}>
          {texts.resolve}
        </button>
      </div>
    </form>
  );
};
