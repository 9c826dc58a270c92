import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useParams, useSearch } from '@tanstack/react-router';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { useShortcuts } from '../../parts/shortcuts.js';
import { CalendarHead } from './CalendarHead.js';
import { CalendarLegend } from './CalendarLegend.js';
import { DayPanel } from './DayPanel.js';
import { PeriodPanel } from './PeriodPanel.js';
import { useArrival } from './useArrival.js';
import { useSelection } from './useSelection.js';
import { useYear } from './useYear.js';
import { YearGrid } from './YearGrid.js';
import type { YearDay } from './yearDays.js';
import './calendar.css';

/** A year of a source, or two: the model of each date, and the alerts. */
export const Calendar = () => {
  const { sourceId, year } = useParams({ from: '/sources/$sourceId/calendar/$year' });
  const { day, compare, asOf } = useSearch({ from: '/sources/$sourceId/calendar/$year' });
  const { calendar: texts } = useMessages();
  const mayPlan = useScope('planning') && asOf === undefined;
  const { data: source } = useQuery(queries.source(sourceId, asOf));
  const { data: models, error } = useQuery(queries.models(sourceId, asOf));
  const here = useYear(sourceId, year, models?.models, asOf);
  const there = useYear(sourceId, compare ?? year, models?.models, asOf);
  const [pointed, setPointed] = useState(day);
  const [highlighted, setHighlighted] = useState<number>();
  const { range, choose, setRange, clear } = useSelection();
  const title = source ? texts.title(source.name, year) : '';
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  useEffect(() => setPointed(day), [day]);
  useArrival(day, here.days !== undefined, choose);
  useShortcuts({ Escape: clear });
  const days = useMemo(() => [...(here.days ?? []), ...(there.days ?? [])], [here.days, there.days]);
  const shown = days.find(({ date }) => date === pointed) ?? newestOf(here.days);
  // A day stays in its place while it is selected.
  const isOneDay = range === undefined || range.from === range.to;
  if (!source || !models || !here.days)
    return error || here.error ? <Failure error={error ?? here.error} /> : <CalendarSkeleton />;
  const years = [year, ...(compare !== undefined && compare !== year ? [compare] : [])];
  const other = year === source.referenceYear ? year + 1 : source.referenceYear;
  return (
    <>
      <CalendarHead title={title} sourceId={sourceId} year={year} compare={compare} other={other} />
      <div className="calendar-page">
        <div className="years" data-count={years.length}>
          {years.map(shownYear => (
            <YearCard key={shownYear} year={shownYear} isReference={shownYear === source.referenceYear}>
              <YearGrid
                year={shownYear}
                days={(shownYear === year ? here.days : there.days) ?? []}
                at={shown?.date ?? ''}
                range={range}
                highlighted={highlighted}
                onPoint={setPointed}
                onChoose={choose}
              />
            </YearCard>
          ))}
        </div>
        <aside className="calendar-side" data-chosen={range !== undefined || undefined}>
          {shown && isOneDay && <DayPanel day={shown} />}
          {range && (
            <PeriodPanel
              key={`${range.from}/${range.to}`}
              sourceId={sourceId}
              range={range}
              models={models.models}
              days={days}
              editable={mayPlan}
              onRange={setRange}
              onClose={clear}
            />
          )}
          {shown && !isOneDay && <DayPanel day={shown} />}
          <CalendarLegend models={models.models} days={here.days} onHighlight={setHighlighted} />
        </aside>
      </div>
    </>
  );
};

const YearCard = ({
  year,
  isReference,
  children,
}: {
  readonly year: number;
  readonly isReference: boolean;
  readonly children: ReactNode;
}) => {
  const { calendar: texts } = useMessages();
  return (
    <section className="card card-pad">
      <h2 className="year-title">
        {year}
        {isReference && <span className="badge">{texts.reference}</span>}
      </h2>
      {children}
    </section>
  );
};

/** Placeholders while the year is loading. */
const CalendarSkeleton = () => (
  <div className="calendar-page calendar-skeleton">
    <div className="skeleton" />
    <div className="skeleton" />
  </div>
);

/** The last day with data, else the first day. */
const newestOf = (days: readonly YearDay[] | undefined): YearDay | undefined =>
  days?.findLast(({ stored }) => stored !== undefined) ?? days?.[0];
