import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, type ReactNode, type CSSProperties } from 'react';
import { useParams, useSearch, Link, useNavigate } from '@tanstack/react-router';
import { queries, referenceYears } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { modelNameOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { useShortcuts } from '../../parts/shortcuts.js';
import { CalendarRules } from './CalendarRules.js';
import { DayPanel, PeriodPanel } from './DayPanel.js';
import { useYear, type YearDay } from './yearDays.js';
import { useSelectedDates } from './selection.js';
import { YearGrid } from './YearGrid.js';
import './calendar.css';
import type { Model, Source } from '../../api/client.js';
import { ModelSpark } from '../../charts/Chart.js';
import { rangeOfModels } from '../../charts/dayPicture.js';
import { distinctColors, modelColor } from '../../parts/modelColor.js';
import { narrow, phone, useMediaQuery } from '../../parts/smallScreens.js';

/** A year of a source, or two: the model of each date, and the alerts. */
export const Calendar = () => {
  const { sourceId, year } = useParams({ from: '/sources/$sourceId/calendar/$year' });
  const { day, compare, asOf } = useSearch({ from: '/sources/$sourceId/calendar/$year' });
  const { calendar: texts } = useMessages();
  const mayPlan = useScope('planning') && asOf === undefined;
  const mayLeaveOut = useScope('model') && asOf === undefined;
  const { data: source } = useQuery(queries.source(sourceId, asOf));
  const { data, error } = useQuery(queries.models(sourceId, asOf));
  const models = useMemo(() => data && distinctColors(data.models), [data]);
  const here = useYear(sourceId, year, models, asOf);
  const there = useYear(sourceId, compare ?? year, models, asOf);
  // A day of the address is brought into view in the order of the year.
  const isTurned = useMediaQuery(phone) && day === undefined;
  const [pointed, setPointed] = useState(day);
  const [highlighted, setHighlighted] = useState<number>();
  const { range, choose, setRange, clear } = useSelectedDates();
  const title = source ? texts.title(source.name, year) : '';
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  useEffect(() => setPointed(day), [day]);
  useArrival(day, here.days !== undefined, choose);
  useShortcuts({ Escape: clear });
  const days = useMemo(() => [...(here.days ?? []), ...(there.days ?? [])], [here.days, there.days]);
  const shown = days.find(({ date }) => date === pointed) ?? newestOf(here.days);
  // A day stays in its place while it is selected.
  const isOneDay = range === undefined || range.from === range.to;
  if (!source || !models) return error ? <Failure error={error} /> : <CalendarSkeleton />;
  const { years, other, firstMonth } = orderOf({ source, year, compare, days: here.days ?? [], isTurned });
  return (
    <>
      <CalendarHead title={title} sourceId={sourceId} year={year} compare={compare} other={other} />
      <div className="calendar-page">
        {/* While another year is read, the forms stay, with what a person types. */}
        {!here.days && (here.error ? <Failure error={here.error} /> : <div className="skeleton" />)}
        {here.days && (
          <div className="years" data-count={years.length}>
            {years.map(shownYear => (
              <YearCard key={shownYear} year={shownYear} source={source}>
                <YearGrid
                  year={shownYear}
                  days={(shownYear === year ? here.days : there.days) ?? []}
                  at={shown?.date ?? ''}
                  firstMonth={firstMonth}
                  range={range}
                  highlighted={highlighted}
                  onPoint={setPointed}
                  onChoose={choose}
                />
              </YearCard>
            ))}
          </div>
        )}
        <aside className="calendar-side" data-chosen={range !== undefined || undefined}>
          {shown && isOneDay && <DayPanel day={shown} source={source} asOf={asOf} />}
          {range && (
            <PeriodPanel
              sourceId={sourceId}
              range={range}
              models={models}
              asOf={asOf}
              editable={mayPlan}
              mayLeaveOut={mayLeaveOut}
              onRange={setRange}
              onClose={clear}
            />
          )}
          {shown && !isOneDay && <DayPanel day={shown} source={source} asOf={asOf} />}
          {here.days && <CalendarLegend models={models} days={here.days} onHighlight={setHighlighted} />}
        </aside>
      </div>
      {asOf === undefined && <CalendarRules source={source} editable={mayPlan} />}
    </>
  );
};

type Shown = {
  readonly source: Source;
  readonly year: number;
  readonly compare: number | undefined;
  readonly days: readonly YearDay[];
  /** Whether the newest month comes first. */
  readonly isTurned: boolean;
};

/** The years that are shown, the one that may be added if it has data, and on a phone the month that comes first. */
const orderOf = ({ source, year, compare, days, isTurned }: Shown) => {
  const years = [year, ...(compare !== undefined && compare !== year ? [compare] : [])];
  const other = year === source.referenceYear ? year + 1 : source.referenceYear;
  const isOffered = compare !== undefined || (other !== year && other <= lastYearOf(source));
  return {
    years,
    other: isOffered ? other : undefined,
    firstMonth: isTurned && years.length === 1 ? newestOf(days, true)?.date.slice(0, 7) : undefined,
  };
};

const YearCard = ({
  year,
  source,
  children,
}: {
  readonly year: number;
  readonly source: Source;
  readonly children: ReactNode;
}) => {
  const { calendar: texts } = useMessages();
  return (
    <section className="card card-pad">
      <h2 className="year-title">
        {year}
        {referenceYears(source).includes(year) && <span className="badge">{texts.reference}</span>}
      </h2>
      {children}
    </section>
  );
};

/** Placeholders while the year is loading. */
const CalendarSkeleton = () => (
  <div className="calendar-page">
    <div className="skeleton" />
    <div className="skeleton" />
  </div>
);

/** The last day with data, of `recent` data if asked; else the first day. */
const newestOf = (days: readonly YearDay[] | undefined, recent = false): YearDay | undefined =>
  days?.findLast(({ stored }) => stored !== undefined && (!recent || stored.kind === 'recent')) ?? days?.[0];

/** The year of the newest data of a source. */
const lastYearOf = ({ lastData, referenceYear }: Source): number =>
  Math.max(referenceYear, Number(lastData.date.slice(0, 4)));

/** Title of a calendar, the way to other years, and a second year next to the first. */
const CalendarHead = ({
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
  /** The year that the button adds; undefined when none has data. */
  readonly other: number | undefined;
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
        {other !== undefined && (
          <button
            type="button"
            className="button"
            aria-pressed={compare !== undefined}
            onClick={() =>
              void navigate({ search: compare === undefined ? { compare: other } : {}, replace: true })
            }
          >
            {texts.compare(compare ?? other)}
          </button>
        )}
      </div>
    </div>
  );
};

const sparkHeight = 64;

/** The typical profiles next to the year that they colour, and what the marks mean. */
const CalendarLegend = ({
  models,
  days,
  onHighlight,
}: {
  readonly models: readonly Model[];
  readonly days: readonly YearDay[];
  readonly onHighlight: (modelId: number | undefined) => void;
}) => {
  const { calendar: texts } = useMessages();
  const formats = useFormats();
  const [min, max] = useMemo(() => rangeOfModels(models), [models]);
  return (
    <section className="card card-pad legend-card">
      <ul className="profiles" aria-label={texts.profiles}>
        {models.map(model => (
          <li
            key={model.id}
            style={{ '--model': modelColor(model.color) } as CSSProperties}
            onPointerEnter={() => onHighlight(model.id)}
            onPointerLeave={() => onHighlight(undefined)}
          >
            <ModelSpark model={model} min={min} max={max} height={sparkHeight} />
            <span className="profile-name">
              <i className="dot" style={{ background: modelColor(model.color) }} />
              <span dir="auto">{modelNameOf(model, formats)}</span>
            </span>
            <span className="muted small">
              {texts.daysOf(days.filter(day => day.model?.id === model.id).length)}
            </span>
          </li>
        ))}
      </ul>
      <ul className="marks muted small" aria-label={texts.marks}>
        <li>
          <i className="cell sample" data-seen data-alert="open" /> {texts.legend.alert}
        </li>
        <li>
          <i className="cell sample" data-seen data-mark="holiday" /> {texts.legend.holiday}
        </li>
        <li>
          <i className="cell sample" data-seen data-manual /> {texts.legend.manual}
        </li>
        <li>
          <i className="cell sample" data-seen /> {texts.legend.seen}
        </li>
        <li>
          <i className="cell sample" data-seen data-progress /> {texts.legend.inProgress}
        </li>
        <li>
          <i className="cell sample" /> {texts.legend.ahead}
        </li>
      </ul>
    </section>
  );
};

/** Brings the day of the address into view once the year is read; on a narrow screen selects it, which shows it. */
const useArrival = (
  day: string | undefined,
  isRead: boolean,
  onChoose: (date: string, extend: boolean) => void,
): void => {
  useEffect(() => {
    if (day === undefined || !isRead) return;
    const cell = document.querySelector(`[data-date="${CSS.escape(day)}"]`);
    if (!cell) return;
    if (matchMedia(narrow).matches) onChoose(day, false);
    // The router first restores the position of the page.
    const frame = requestAnimationFrame(() => cell.scrollIntoView({ block: 'nearest' }));
    return () => cancelAnimationFrame(frame);
  }, [day, isRead, onChoose]);
};
