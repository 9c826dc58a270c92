import { Link, useNavigate } from '@tanstack/react-router';
import { useMessages } from '../../messages/messages.js';

/** Title of a calendar, the way to other years, and a second year next to the first. */
export const CalendarHead = ({
  title,
  sourceId,
  year,
  compare,
  other,
}: {
  readonly title: string;
  readonly sourceId: number;
  readonly year: number;
  /** The second year; undefined for none. */
  readonly compare: number | undefined;
  /** The year that the button adds. */
  readonly other: number;
}) => {
  const { calendar: texts } = useMessages();
  const navigate = useNavigate({ from: '/sources/$sourceId/calendar/$year' });
  const yearLink = (to: number, text: string) => (
    <Link
      to="/sources/$sourceId/calendar/$year"
      params={{ sourceId, year: to }}
      search={{}}
      className="button"
    >
      {text}
    </Link>
  );
  return (
    <div className="page-head">
      <h1 dir="auto">{title}</h1>
      <div className="row no-print">
        {yearLink(year - 1, `‹ ${year - 1}`)}
        {yearLink(year + 1, `${year + 1} ›`)}
        <button
          className="button"
          aria-pressed={compare !== undefined}
          onClick={() =>
            void navigate({ search: compare === undefined ? { compare: other } : {}, replace: true })
          }
        >
          {texts.compare(compare ?? other)}
        </button>
      </div>
    </div>
  );
};
