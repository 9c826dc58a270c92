import { useAlertAct } from '../api/mutations.js';
import type { Alert, Verdict } from '../api/client.js';
import { useMessages } from '../messages/messages.js';
import { useToast } from './Toasts.js';
import { useState, type ReactNode } from 'react';
import { useDraft } from './drafts.js';
import { Field, SelectField, submits } from './Field.js';

/** States from which an alert can be resolved, including `ended`. */
export const resolvable: readonly Alert['state'][] = ['open', 'acknowledged', 'ended'];

/** Actions on alerts with a message, and an undo if the API has one. */
export const useAlertActions = () => {
  const { alerts: texts } = useMessages();
  const tell = useToast();
  const { mutate, isPending } = useAlertAct();
  const failed = (error: Error): void => tell(texts.failed(error));
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

/** A choice of a verdict, none at first: people choose it themselves. */
export const VerdictField = ({
  value,
  onChange,
}: {
  readonly value: Verdict | '';
  readonly onChange: (verdict: Verdict | '') => void;
}) => {
  const { alerts: texts, verdicts: names } = useMessages();
  return (
    <SelectField
      className="field act-verdict"
      label={texts.verdict}
      value={value}
      options={[['', texts.noVerdict], ...verdicts.map(name => [name, names[name]] as const)]}
      onChange={next => onChange(next as Verdict | '')}
    />
  );
};

/** Form for a verdict with a comment; keeps the typed text until the service has accepted it. */
export const ResolveForm = ({
  draft,
  onResolve,
  pending,
  children,
}: {
  /** Name of the field that the text belongs to. */
  readonly draft: string;
  /** `done` empties the text. */
  readonly onResolve: (verdict: Verdict, comment: string | null, done: () => void) => void;
  readonly pending: boolean;
  /** Other buttons, before the one that resolves. */
  readonly children?: ReactNode;
}) => {
  const { alerts: texts } = useMessages();
  const [verdict, setVerdict] = useState<Verdict | ''>('');
  const [comment, setComment, sent] = useDraft(draft);
  return (
    <form
      className="stack tight"
      onSubmit={submits(() => {
        if (verdict !== '') onResolve(verdict, comment.trim() || null, sent);
      })}
    >
      <Field label={texts.comment}>
        {id => (
          <textarea
            id={id}
            className="textarea"
            maxLength={2000}
            dir="auto"
            value={comment}
            onChange={({ target }) => setComment(target.value)}
          />
        )}
      </Field>
      {/* The verdict is next to its button, which on a phone is at the bottom of the screen. */}
      <div className="act-bar">
        <VerdictField value={verdict} onChange={setVerdict} />
        {children}
        <button className="button primary" disabled={pending || verdict === ''}>
          {texts.resolve}
        </button>
      </div>
    </form>
  );
};
