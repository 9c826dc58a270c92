import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { alertPicture, pictureOf, usualPicture, type DayPicture } from '../../charts/dayPicture.js';
import { DayFigure } from '../../charts/Chart.js';
import { DayLegend, DayProgress } from '../../charts/DayLegend.js';
import { modelNameOf, planReasonOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import type { YearDay } from './yearDays.js';
import { useDayAct, type DayAct } from '../../api/mutations.js';
import type { Model, Source } from '../../api/client.js';
import { queries, type AsOf } from '../../api/queries.js';
import { numberSuffix } from '../../charts/numbers.js';
import { NameDays, PlanDays } from '../../parts/dayForms.js';
import { useToast } from '../../parts/Toasts.js';
import type { Range } from './YearGrid.js';
import { addDays } from '../../parts/days.js';
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
const useDayPicture = ({ date, stored, model }: YearDay, sourceId: number, asOf: AsOf): DayPicture => {
  const { data } = useQuery({
    ...queries.day(sourceId, date, asOf),
    enabled: useRested(date) !== undefined,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    // The axis of a source is that of all its days.
    if (data?.date !== date)
      return { ...pictureOf(date, stored, model), ...(data?.axis && { axis: data.axis }) };
    const [alert] = data.alerts;
    return alert ? alertPicture(data, alert) : usualPicture(data);
  }, [data, date, stored, model]);
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

type Changed = { readonly range: Range; readonly onRange: (range: Range) => void };

/** The selected dates, and actions on them. */
export const PeriodPanel = ({
  sourceId,
  models,
  days,
  editable,
  mayLeaveOut,
  onClose,
  ...selection
}: Changed & {
  readonly sourceId: number;
  readonly models: readonly Model[];
  readonly days: readonly YearDay[];
  readonly editable: boolean;
  /** Whether reference days can be left out of learning. */
  readonly mayLeaveOut: boolean;
  readonly onClose: () => void;
}) => {
  const { calendar: texts, close } = useMessages();
  const dates = datesOf(selection.range);
  return (
    <section className="card card-pad stack tight period-panel no-print" aria-label={texts.period}>
      <div className="row nowrap">
        <h2 className="grow">{texts.selected(dates.length)}</h2>
        <button className="button quiet icon" aria-label={close} onClick={onClose}>
          ×
        </button>
      </div>
      <PeriodDates {...selection} />
      {editable && <PeriodActs sourceId={sourceId} models={models} days={days} dates={dates} />}
      {mayLeaveOut && (
        <LeaveOutDays sourceId={sourceId} days={days.filter(({ date }) => dates.includes(date))} />
      )}
    </section>
  );
};

/** First and last date as fields, for people who do not drag. */
const PeriodDates = ({ range, onRange }: Changed) => {
  const { calendar: texts } = useMessages();
  return (
    <div className="row nowrap">
      <input
        type="date"
        className="input grow"
        aria-label={texts.from}
        value={range.from}
        max={range.to}
        onChange={({ target }) => target.value && onRange({ ...range, from: target.value })}
      />
      <input
        type="date"
        className="input grow"
        aria-label={texts.to}
        value={range.to}
        min={range.from}
        onChange={({ target }) => target.value && onRange({ ...range, to: target.value })}
      />
    </div>
  );
};

/** Plans, and names of special days, for several dates at once. */
const PeriodActs = ({
  sourceId,
  models,
  days,
  dates,
}: {
  readonly sourceId: number;
  readonly models: readonly Model[];
  readonly days: readonly YearDay[];
  readonly dates: readonly string[];
}) => {
  const { calendar: texts, alerts } = useMessages();
  const tell = useToast();
  const { mutate, isPending } = useDayAct(sourceId);
  const planned = days
    .filter(({ date, plan }) => plan?.origin === 'manual' && dates.includes(date))
    .map(({ date }) => date);
  const onError = (error: Error): void => tell(alerts.failed(error));
  const run = (act: DayAct, text: string, undo?: DayAct): void =>
    mutate(act, { onSuccess: () => tell(text, undo && (() => mutate(undo, { onError }))), onError });
  const plan = (modelId: number, name: string): void =>
    run(
      { act: 'plan', dates, modelId },
      texts.plannedAs(dates.length, name),
      // Plans of people that were there before cannot be brought back.
      planned.length === 0 ? { act: 'clearPlan', dates } : undefined,
    );
  return (
    <>
      <PlanDays label={texts.planAs} models={models} pending={isPending} onPlan={plan} />
      {planned.length > 0 && (
        <button
          className="button"
          disabled={isPending}
          onClick={() => run({ act: 'clearPlan', dates: planned }, texts.cleared(planned.length))}
        >
          {texts.takeBack(planned.length)}
        </button>
      )}
      <NameDays
        pending={isPending}
        onName={name =>
          run({ act: 'name', dates, name }, texts.named(dates.length, name), { act: 'clearName', dates })
        }
      />
      <p role="status" className="muted small">
        {isPending ? texts.working : ''}
      </p>
    </>
  );
};

/** Dates that one act changes at most: a year. */
const datesMax = 366;

/** Dates of a range. */
const datesOf = ({ from, to }: Range): string[] => {
  const dates: string[] = [];
  for (let date = from; date <= to && dates.length < datesMax; date = addDays(date, 1)) dates.push(date);
  return dates;
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
  const { calendar: texts, alerts } = useMessages();
  const tell = useToast();
  const { mutate, isPending } = useDayAct(sourceId);
  const [typed, setTyped] = useState('');
  const reason = typed.trim();
  const isOut = ({ stored }: YearDay): boolean => stored?.referenceLeftOut !== undefined;
  // A year that is compared with itself has each day twice.
  const datesOf = (some: readonly YearDay[]): string[] => [...new Set(some.map(({ date }) => date))];
  const left = datesOf(days.filter(isOut));
  const learned = datesOf(days.filter(day => day.stored?.kind === 'reference' && !isOut(day)));
  const run = (act: DayAct, text: string): void =>
    mutate(act, { onSuccess: () => tell(text), onError: error => tell(alerts.failed(error)) });
  return (
    <>
      {learned.length > 0 && (
        <LineForm
          label={texts.leaveOutReason(learned.length)}
          hint={texts.leaveOutHint}
          button={texts.leaveOut}
          isReady={reason !== '' && !isPending}
          onSubmit={() => run({ act: 'leaveOut', dates: learned, reason }, texts.wereLeftOut(learned.length))}
          maxLength={reasonMax}
          value={typed}
          onChange={setTyped}
        />
      )}
      {left.length > 0 && (
        <button
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
