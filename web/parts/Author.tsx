import icon from '../icon.svg';
import type { ReactNode } from 'react';
import type { Verdict } from '../api/client.js';
import { useFormats } from '../messages/formats.js';
import { useMessages } from '../messages/messages.js';

type Props = { readonly by: string; readonly byKind: string };

/** Author of an event. The service has its icon, which no name of a person can imitate. */
export const Author = ({ by, byKind }: Props) => {
  const { authors } = useMessages();
  if (byKind === 'service')
    return (
      <span className="author" data-kind="service">
        <img src={icon} alt="" /> {authors.service}
      </span>
    );
  if (byKind === 'erased')
    return (
      <em className="author muted" data-kind="erased">
        {authors.erased}
      </em>
    );
  return (
    <strong className="author" data-kind="person" dir="auto">
      {by}
    </strong>
  );
};

/** One step of a history: who did what, in `children`, and when, with a verdict and a comment. */
export const HistoryStep = ({
  step: { at, by, byKind, verdict, comment },
  children,
}: {
  readonly step: Props & {
    readonly at: string;
    readonly verdict?: Verdict | null | undefined;
    readonly comment?: string | null | undefined;
  };
  readonly children: ReactNode;
}) => {
  const { verdicts, authors } = useMessages();
  const formats = useFormats();
  return (
    <li>
      <span dir="auto">
        <Author by={by} byKind={byKind} /> {children}
      </span>
      <time dateTime={at} className="muted small">
        {formats.instant(at)}
      </time>
      {verdict && <span className="small">{verdicts[verdict]}</span>}
      {comment != null && (
        <span className="comment" dir="auto">
          {byKind === 'erased' ? <em>{authors.erasedText}</em> : comment}
        </span>
      )}
    </li>
  );
};
