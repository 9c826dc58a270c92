import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { alertPicture, pictureOf, usualPicture, type DayPicture } from '../../charts/dayPicture.js';
import { DayFigure } from '../../charts/Chart.js';
import { DayLegend, DayProgress } from '../../charts/DayLegend.js';
import { modelNameOf, planReasonOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import { useYear, type YearDay } from './yearDays.js';
import type { Model, Source } from '../../api/client.js';
import { queries, type AsOf } from '../../api/queries.js';
import { numberSuffix } from '../../charts/chartParts.js';
import { NameDays, PlanDays } from '../../parts/dayForms.js';
import { useDayActions } from '../../parts/actions.js';
import { unlessTyped } from '../../parts/drafts.js';
import { datesMax, datesOf, PeriodDates, type Selecting } from './selection.js';
import { LineForm } from '../../parts/Field.js';

/** Pause of the pointer after which a day is read, ms: on its way it crosses many. */
const pauseMs = 120;

/** A value that has stayed for the pause; undefined while it changes. */
const useRested = (value: string): string | undefined => {
  const [rested, setRested] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return rested === value ? rested : undefined;
};

/** The chart of a day as all screens draw it; without the usual range while that is read. */
const useDayPicture = (day: YearDay, sourceId: number, asOf: AsOf): DayPicture => {
  const { date, stored, model, alert } = day;
  const { data } = useQuery({
    ...queries.day(sourceId, date, asOf),
    enabled: useRested(date) !== undefined,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    // The axis of a source is that of all its days.
    if (data?.date !== date)
      return { ...pictureOf(date, stored, model), ...(data?.axis && { axis: data.axis }) };
    const drawn = data.alerts.find(({ id }) => id === alert?.id);
    if (drawn) return alertPicture(data, drawn);
    const check = data.day?.check;
    return { ...usualPicture(data), isNormal: check?.outcome === 'normal' && !check.belowFloor };
  }, [data, date, stored, model, alert]);
};

/** The day that is pointed at: its profile in the band, why it is planned so, and its alert. */
export const DayPanel = ({
  day,
  source,
  asOf,
}: {
  readonly day: YearDay;
  readonly source: Source;
  readonly asOf: AsOf;
}) => {
  const { calendar: texts, states, alert: alertTexts } = useMessages();
  const formats = useFormats();
  const { date, stored, model, plan, mark, alert } = day;
  const suffix = numberSuffix(source);
  const picture = useDayPicture(day, source.id, asOf);
  return (
    <section className="card card-pad stack tight day-panel">
      <h2>{formats.longDay(date)}</h2>
      <div className="day-chart">
        <DayFigure day={picture} suffix={suffix} height={220} />
        <div className="row day-legend">
          <DayLegend picture={picture} suffix={suffix} />
        </div>
      </div>
      <DayProgress sourceId={source.id} date={date} stored={stored} suffix={suffix} asOf={asOf} />
      <p className="row">
        {model && (
          <span className="badge">
            <i className="dot" style={{ background: modelColor(model.color) }} />
            <span dir="auto">{modelNameOf(model, formats)}</span>
          </span>
        )}
        {mark && (
          <span className="badge" dir="auto">
            {mark.name ?? texts.types[mark.type]}
          </span>
        )}
        {stored?.kind === 'reference' && <span className="badge">{texts.reference}</span>}
      </p>
      {stored?.check?.belowFloor && <p className="muted small">{texts.belowFloor}</p>}
      {stored?.referenceLeftOut && (
        <p className="muted small" dir="auto">
          {texts.leftOut(stored.referenceLeftOut.by, stored.referenceLeftOut.reason)}
        </p>
      )}
      {plan && (
        <p className="muted small" dir="auto">
          {planReasonOf(plan, formats)}
        </p>
      )}
      {alert && (
        <p>
          <Link to="/alerts/$alertId" params={{ alertId: alert.id }} className="button">
            {texts.openAlert} · {states[alert.state]} ·{' '}
            {alertTexts.criticity(formats.percent(alert.criticity))}
          </Link>
        </p>
      )}
    </section>
  );
};

/** The selected dates, and actions on them. */
export const PeriodPanel = ({
  sourceId,
  models,
  asOf,
  editable,
  mayLeaveOut,
  onClose,
  ...selection
}: Selecting & {
  readonly sourceId: number;
  readonly models: readonly Model[];
  readonly asOf: AsOf;
  readonly editable: boolean;
  /** Whether reference days can be left out of learning. */
  readonly mayLeaveOut: boolean;
  readonly onClose: () => void;
}) => {
  const { calendar: texts, close } = useMessages();
  const dates = datesOf(selection.range);
  const days = useDays(sourceId, dates, models, asOf);
  return (
    <section className="card card-pad stack tight period-panel no-print" aria-label={texts.period}>
      <div className="row nowrap">
        <h2 className="grow">{texts.selected(dates.length)}</h2>
        <button type="button" className="button quiet icon" aria-label={close} onClick={onClose}>
          ×
        </button>
      </div>
      <PeriodDates {...selection} />
      {dates.length === datesMax && <p className="muted small">{texts.selectedMax(datesMax)}</p>}
      {/* They stay while days are read, with what a person types. */}
      {editable && <PeriodActs sourceId={sourceId} models={models} days={days} />}
      {mayLeaveOut && <LeaveOutDays sourceId={sourceId} days={days ?? []} />}
    </section>
  );
};

/** Days of dates in at most two years, which need not be those of the calendar; undefined while they are read. */
const useDays = (
  sourceId: number,
  dates: readonly string[],
  models: readonly Model[],
  asOf: AsOf,
): readonly YearDay[] | undefined => {
  const years = [Number(dates[0]?.slice(0, 4)), Number(dates.at(-1)?.slice(0, 4))] as const;
  const first = useYear(sourceId, years[0], models, asOf).days;
  const last = useYear(sourceId, years[1], models, asOf).days;
  if (!first || !last) return undefined;
  const all = years[0] === years[1] ? first : [...first, ...last];
  return all.filter(({ date }) => dates.includes(date));
};

/** Plans, and names of special days, for several dates at once. */
const PeriodActs = ({
  sourceId,
  models,
  days: read,
}: {
  readonly sourceId: number;
  readonly models: readonly Model[];
  /** Undefined while they are read. */
  readonly days: readonly YearDay[] | undefined;
}) => {
  const { calendar: texts } = useMessages();
  const { run, isPending: isRunning } = useDayActions(sourceId);
  const days = read ?? [];
  const isPending = isRunning || !read;
  const dates = days.map(({ date }) => date);
  const planned = days.filter(({ plan }) => plan?.origin === 'manual').map(({ date }) => date);
  const named = days.filter(({ mark }) => mark?.type === 'special').map(({ date }) => date);
  const plan = (modelId: number, name: string): void =>
    run(
      { act: 'plan', dates, modelId },
      texts.plannedAs(dates.length, name),
      // Earlier plans of people, and below earlier names, are not brought back.
      planned.length === 0 ? { act: 'clearPlan', dates } : undefined,
    );
  return (
    <>
      <PlanDays label={texts.planAs} models={models} pending={isPending} onPlan={plan} />
      {planned.length > 0 && (
        <button
          type="button"
          className="button"
          disabled={isPending}
          onClick={() => run({ act: 'clearPlan', dates: planned }, texts.cleared(planned.length))}
        >
          {texts.takeBack(planned.length)}
        </button>
      )}
      <NameDays
        pending={isPending}
        onName={(name, done) =>
          run(
            { act: 'name', dates, name },
            texts.named(dates.length, name),
            named.length > 0 ? undefined : { act: 'clearName', dates },
            done,
          )
        }
      />
      {named.length > 0 && (
        <button
          type="button"
          className="button"
          disabled={isPending}
          onClick={() => run({ act: 'clearName', dates: named }, texts.unnamed(named.length))}
        >
          {texts.removeNames(named.length)}
        </button>
      )}
      <p role="status" className="muted small">
        {isRunning ? texts.working : ''}
      </p>
    </>
  );
};

const reasonMax = 2000;

/** Reference days among the selected ones: leaves them out of learning with a reason, and takes that back. */
const LeaveOutDays = ({
  sourceId,
  days,
}: {
  readonly sourceId: number;
  readonly days: readonly YearDay[];
}) => {
  const { calendar: texts } = useMessages();
  const { run, isPending } = useDayActions(sourceId);
  const [typed, setTyped] = useState('');
  const reason = typed.trim();
  const isOut = ({ stored }: YearDay): boolean => stored?.referenceLeftOut !== undefined;
  const datesOf = (some: readonly YearDay[]): string[] => some.map(({ date }) => date);
  const left = datesOf(days.filter(isOut));
  const learned = datesOf(days.filter(day => day.stored?.kind === 'reference' && !isOut(day)));
  return (
    <>
      {learned.length > 0 && (
        <LineForm
          label={texts.leaveOutReason(learned.length)}
          hint={texts.leaveOutHint}
          button={texts.leaveOut}
          isReady={reason !== '' && !isPending}
          onSubmit={() =>
            run(
              { act: 'leaveOut', dates: learned, reason },
              texts.wereLeftOut(learned.length),
              undefined,
              () => setTyped(unlessTyped(typed, '')),
            )
          }
          maxLength={reasonMax}
          value={typed}
          onChange={setTyped}
        />
      )}
      {left.length > 0 && (
        <button
          type="button"
          className="button"
          disabled={isPending}
          onClick={() => run({ act: 'takeBackLeavingOut', dates: left }, texts.learnedAgain(left.length))}
        >
          {texts.takeBackLeavingOut(left.length)}
        </button>
      )}
    </>
  );
};
