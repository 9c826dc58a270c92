import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author } from '../../parts/Author.js';

/** Who did what with an alert, and when. */
export const AlertHistory = ({ id }: { readonly id: string }) => {
  const { alert: texts, verdicts, authors } = useMessages();
  const formats = useFormats();
  const { data } = useQuery(queries.alertHistory(id));
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.history}</h2>
      <ol className="timeline">
        {data?.events.map(({ eventId, type, at, by, byKind, verdict, comment }) => (
          <li key={eventId}>
            <span>
              <Author by={by} byKind={byKind} /> {texts.steps[type] ?? type}
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
        ))}
      </ol>
    </section>
  );
};
