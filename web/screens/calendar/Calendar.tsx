import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { queries } from '../../api/queries.js';
import type { Model } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { calendarRoute } from '../../router.js';
import { CalendarLegend } from './CalendarLegend.js';
import { DayPanel } from './DayPanel.js';
import { PeriodPanel } from './PeriodPanel.js';
import { YearGrid, type Range } from './YearGrid.js';
import { yearDaysOf, type YearDay } from './yearDays.js';
import './calendar.css';

/** A year of a source at a glance: which model each day follows, and where it did not. */
export const Calendar = () => {
  const { sourceId, year } = calendarRoute.useParams();
  const { day, beside, asOf } = calendarRoute.useSearch();
  const { calendar: texts } = useMessages();
  const navigate = useNavigate({ from: '/sources/$sourceId/calendar/$year' });
  const { data: source } = useQuery(queries.source(sourceId, asOf));
  const { data: models, error } = useQuery(queries.models(sourceId, asOf));
  const here = useYear(sourceId, year, models?.models, asOf);
  const there = useYear(sourceId, beside ?? year, models?.models, asOf);
  const [pointed, setPointed] = useState(day);
  const [range, setRange] = useState<{ readonly anchor: string; readonly range: Range }>();
  const [highlighted, setHighlighted] = useState<number>();
  const title = source ? texts.title(source.name, year) : '';
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  useEffect(() => setPointed(day), [day]);
  const choose = useCallback(
    (date: string, extend: boolean) =>
      setRange(before => {
        const anchor = extend && before ? before.anchor : date;
        return {
          anchor,
          range: anchor < date ? { from: anchor, to: date } : { from: date, to: anchor },
        };
      }),
    [],
  );
  const shown = useMemo(() => {
    const all = [...(here.days ?? []), ...(there.days ?? [])];
    return all.find(({ date }) => date === pointed) ?? newestOf(here.days);
  }, [here.days, there.days, pointed]);
  if (!source || !models || !here.days)
    return error || here.error ? (
      <Failure error={error ?? here.error} />
    ) : (
      <div className="skeleton" style={{ height: '60vh' }} />
    );
  const years = [year, ...(beside !== undefined && beside !== year ? [beside] : [])];
  const other = year === source.referenceYear ? year + 1 : source.referenceYear;
  return (
    <>
      <div className="page-head">
        <h1 dir="auto">{title}</h1>
        <div className="row no-print">
          <Link
            to="/sources/$sourceId/calendar/$year"
            params={{ sourceId, year: year - 1 }}
            search={{}}
            className="button"
          >
            ‹ {year - 1}
          </Link>
          <Link
            to="/sources/$sourceId/calendar/$year"
            params={{ sourceId, year: year + 1 }}
            search={{}}
            className="button"
          >
            {year + 1} ›
          </Link>
          <button
            className="button"
            aria-pressed={beside !== undefined}
            onClick={() =>
              void navigate({ search: beside === undefined ? { beside: other } : {}, replace: true })
            }
          >
            {texts.beside(beside ?? other)}
          </button>
        </div>
      </div>
      <div className="calendar-page">
        <div className="years" data-count={years.length}>
          {years.map(shownYear => {
            const days = shownYear === year ? here.days : there.days;
            return (
              <section key={shownYear} className="card card-pad">
                <h2 className="year-title">
                  {shownYear}
                  {shownYear === source.referenceYear && <span className="badge">{texts.reference}</span>}
                </h2>
                {days && (
                  <YearGrid
                    year={shownYear}
                    days={days}
                    at={pointed ?? shown?.date ?? ''}
                    range={range?.range}
                    highlighted={highlighted}
                    onPoint={setPointed}
                    onChoose={choose}
                  />
                )}
              </section>
            );
          })}
          <CalendarLegend models={models.models} days={here.days} onHighlight={setHighlighted} />
        </div>
        <aside className="calendar-side">
          {range && (
            <PeriodPanel
              key={`${range.range.from}/${range.range.to}`}
              sourceId={sourceId}
              range={range.range}
              models={models.models}
              days={[...here.days, ...(there.days ?? [])]}
              past={asOf !== undefined}
              onRange={next => setRange({ anchor: next.from, range: next })}
              onClose={() => setRange(undefined)}
            />
          )}
          {shown && <DayPanel day={shown} />}
        </aside>
      </div>
    </>
  );
};

/** The last day with data, else the first day. */
const newestOf = (days: readonly YearDay[] | undefined): YearDay | undefined =>
  days?.findLast(({ stored }) => stored !== undefined) ?? days?.[0];

/** Days of a year, undefined while they are read. */
const useYear = (
  sourceId: number,
  year: number,
  models: readonly Model[] | undefined,
  asOf: string | undefined,
): { readonly days: readonly YearDay[] | undefined; readonly error: unknown } => {
  const planning = useQuery(queries.planning(sourceId, year, asOf));
  const days = useQuery(queries.days(sourceId, year, asOf));
  const calendar = useQuery(queries.calendar(sourceId, year, asOf));
  const alerts = useQuery(queries.yearAlerts(sourceId, year, asOf));
  const all = useMemo(
    () =>
      planning.data && days.data && calendar.data && alerts.data && models
        ? yearDaysOf({
            planning: planning.data,
            days: days.data.days,
            calendar: calendar.data,
            alerts: alerts.data,
            models,
          })
        : undefined,
    [planning.data, days.data, calendar.data, alerts.data, models],
  );
  return { days: all, error: planning.error ?? days.error ?? calendar.error ?? alerts.error };
};
