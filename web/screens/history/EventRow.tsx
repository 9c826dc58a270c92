import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AuditEvent } from '../../api/types.js';
import { useFormats, type Formats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author } from '../../parts/Author.js';

/** Data of an event with its date as people write it. */
const readable = (data: unknown, formats: Formats): unknown => {
  const { date } = (data ?? {}) as { readonly date?: unknown };
  return typeof date === 'string' ? { ...(data as object), date: formats.dayYear(date) } : data;
};

/** An event: when, who, what; JSON and hash on demand. */
export const EventRow = ({ sourceId, event }: { readonly sourceId: number; readonly event: AuditEvent }) => {
  const { history: texts } = useMessages();
  const formats = useFormats();
  const { type, metadata, byKind, at, data, position } = event;
  const sentence = texts.events[type]?.(readable(data, formats) as never) ?? type;
  return (
    <div className="event">
      <time dateTime={at} className="muted small">
        {formats.instant(at)}
      </time>
      <p dir="auto">
        <Author by={metadata.by} byKind={byKind} /> {sentence}
      </p>
      <Link
        to="/sources/$sourceId"
        params={{ sourceId }}
        search={{ asOf: position }}
        className="button quiet no-print"
      >
        {texts.asKnownThen}
      </Link>
      <EventJson event={event} />
    </div>
  );
};

const EventJson = ({ event }: { readonly event: AuditEvent }) => {
  const { history: texts } = useMessages();
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="small">{texts.details}</summary>
      {open && (
        <>
          {event.hash !== undefined && (
            <p className="small mono hash">
              {texts.hash}: {event.hash}
            </p>
          )}
          <pre className="json" tabIndex={0}>
            {JSON.stringify(event, null, 2)}
          </pre>
        </>
      )}
    </details>
  );
};
