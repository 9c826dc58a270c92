import { Link } from '@tanstack/react-router';
import type { Alert, Source } from '../../api/types.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { levelOf } from '../overview/days.js';

/** Source, date, title and criticity of an alert, a link to the calendar, and a button to print. */
export const AlertHead = ({
  alert,
  source,
  title,
}: {
  readonly alert: Alert;
  readonly source: Source;
  readonly title: string;
}) => {
  const { alert: texts, states, kinds } = useMessages();
  const formats = useFormats();
  return (
    <header className="alert-head">
      <p className="muted">
        <Link to="/sources/$sourceId" params={{ sourceId: source.id }} className="alone" dir="auto">
          {source.name}
        </Link>
        {' · '}
        <time dateTime={alert.date}>{formats.longDay(alert.date)}</time>
      </p>
      <h1 dir="auto">{title}</h1>
      <p className="row">
        <span className="badge">
          <span className="mark" data-level={levelOf(alert.criticity)} aria-hidden />
          {texts.criticity(formats.percent(alert.criticity))}
        </span>
        <span className="badge">{states[alert.state]}</span>
        <span className="badge">{kinds[alert.kind]}</span>
      </p>
      <p className="row alert-links no-print">
        <Link
          to="/sources/$sourceId/calendar/$year"
          params={{ sourceId: source.id, year: Number(alert.date.slice(0, 4)) }}
          search={{ day: alert.date }}
          className="button"
        >
          {texts.openCalendar}
        </Link>
        <button className="button" onClick={() => print()}>
          {texts.print}
        </button>
      </p>
    </header>
  );
};
