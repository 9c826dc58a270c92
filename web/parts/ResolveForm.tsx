import { useId, useState } from 'react';
import type { Verdict } from '../api/types.js';
import { useMessages } from '../messages/messages.js';

const verdicts: readonly Verdict[] = ['anomaly', 'expected', 'notAnomaly', 'newPattern'];

/** Form for a verdict with a comment; keeps the typed text until the service has accepted it. */
export const ResolveForm = ({
  onResolve,
  pending,
}: {
  readonly onResolve: (verdict: Verdict, comment: string | null) => void;
  readonly pending: boolean;
}) => {
  const { alerts: texts, verdicts: names } = useMessages();
  const [verdict, setVerdict] = useState<Verdict>('anomaly');
  const [comment, setComment] = useState('');
  const id = useId();
  return (
    <form
      className="stack tight"
      onSubmit={event => {
        event.preventDefault();
        onResolve(verdict, comment.trim() === '' ? null : comment.trim());
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-verdict`}>{texts.verdict}</label>
        <select
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
      <button className="button primary" disabled={pending}>
        {texts.resolve}
      </button>
    </form>
  );
};
