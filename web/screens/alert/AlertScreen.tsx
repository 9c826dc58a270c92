import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useParams, Link } from '@tanstack/react-router';
import { queries, sourceOfAlert } from '../../api/queries.js';
import type { DrawnAlert, Source, Alert } from '../../api/client.js';
import { numberSuffix } from '../../charts/chartParts.js';
import { lossOf, planReasonOf, sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure, isNotFound } from '../../parts/Failure.js';
import { AlertChain } from './AlertChain.js';
import { AlertDay } from './AlertDay.js';
import { AlertDecision, DayDecision, RelearnHint } from './AlertDecision.js';
import './alert.css';
import { ArchivedSource } from '../SourceFrame.js';
import { addDays, levelOf } from '../../parts/days.js';
import { HistoryStep } from '../../parts/Author.js';
import { pictureOf, type DayPicture, rangeOf } from '../../charts/dayPicture.js';
import { DaySpark } from '../../charts/Chart.js';

/** One alert: what happened, why that is unusual, and what to do about it. */
export const AlertScreen = () => {
  const { alertId } = useParams({ from: '/alerts/$alertId' });
  const { data: alert, error } = useQuery(queries.alert(alertId));
  const { data: source, error: missing } = useQuery({
    ...queries.source(alert?.sourceId ?? 0),
    enabled: alert !== undefined,
  });
  const failed = error ?? missing;
  if (isNotFound(failed)) return <MissingAlert sourceId={sourceOfAlert(alertId)} error={failed} />;
  if (!alert || !source)
    return failed ? <Failure error={failed} /> : <div className="skeleton" style={{ height: '60vh' }} />;
  return <AlertOfSource key={alert.id} alert={alert} source={source} />;
};

/** An old message leads to an alert whose source is archived by now: it can be restored here. */
const MissingAlert = ({ sourceId, error }: { readonly sourceId: number; readonly error: unknown }) => {
  const { error: missing } = useQuery({ ...queries.source(sourceId), enabled: sourceId > 0 });
  return isNotFound(missing) ? <ArchivedSource sourceId={sourceId} /> : <Failure error={error} />;
};

const AlertOfSource = ({ alert, source }: { readonly alert: DrawnAlert; readonly source: Source }) => {
  const { alert: texts } = useMessages();
  const formats = useFormats();
  const { data: day, error } = useQuery(queries.day(alert.sourceId, alert.date));
  const sentence = sentenceOf(alert, formats);
  const title = texts.title(sentence);
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  return (
    <article className="alert-page">
      <AlertHead alert={alert} source={source} title={title} />
      {error && !day ? <Failure error={error} /> : null}
      <div className="alert-main">
        {day ? (
          <AlertDay alert={alert} day={day} suffix={numberSuffix(source)} />
        ) : (
          <div className="skeleton" style={{ height: 380 }} />
        )}
        <OtherDays alert={alert} />
      </div>
      <aside className="alert-side">
        <AlertDecision alert={alert} />
        {day && (
          <section className="card card-pad stack tight">
            <h2>{texts.why}</h2>
            <p dir="auto">{planReasonOf(day.planning, formats) || texts.unplanned}</p>
          </section>
        )}
        {day && <DayDecision sourceId={source.id} date={alert.date} plan={day.planning} />}
        <RelearnHint source={source} />
        <AlertHistory id={alert.id} />
        <AlertChain alert={alert} />
      </aside>
    </article>
  );
};

/** Source, date, title and criticity of an alert, a link to the calendar, and a button to print. */
const AlertHead = ({
  alert,
  source,
  title,
}: {
  readonly alert: Alert;
  readonly source: Source;
  readonly title: string;
}) => {
  const messages = useMessages();
  const { alert: texts, states, kinds, incident } = messages;
  const formats = useFormats();
  const loss = lossOf(alert, formats);
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
          <span className="mark" data-level={levelOf(alert)} aria-hidden />
          {loss && <span title={messages.loss.explain}>{loss}, </span>}
          {texts.criticity(formats.percent(alert.criticity))}
        </span>
        <span className="badge">{states[alert.state]}</span>
        <span className="badge">{kinds[alert.kind]}</span>
      </p>
      <p className="row alert-links no-print">
        {alert.incidentId !== null && (
          <Link
            to="/incidents/$incidentId"
            params={{ incidentId: alert.incidentId }}
            search={{ alert: alert.id }}
            className="button"
          >
            {incident.toIncident}
          </Link>
        )}
        <Link
          to="/sources/$sourceId/calendar/$year"
          params={{ sourceId: source.id, year: Number(alert.date.slice(0, 4)) }}
          search={{ day: alert.date }}
          className="button"
        >
          {texts.openCalendar}
        </Link>
        <button type="button" className="button" onClick={() => print()}>
          {texts.print}
        </button>
      </p>
    </header>
  );
};

/** The steps of an alert, with their authors and times. */
const AlertHistory = ({ id }: { readonly id: string }) => {
  const { alert: texts } = useMessages();
  const { data } = useQuery(queries.alertHistory(id));
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.history}</h2>
      <ol className="timeline">
        {data?.events.map(step => (
          <HistoryStep key={step.eventId} step={step}>
            {texts.steps[step.type] ?? step.type}
          </HistoryStep>
        ))}
      </ol>
    </section>
  );
};

const smallHeight = 76;

/** The days before, and the same weekday of past weeks, each with what was planned, on one scale. */
const OtherDays = ({ alert }: { readonly alert: Alert }) => {
  const { alert: texts } = useMessages();
  const formats = useFormats();
  const before = [-6, -5, -4, -3, -2, -1].map(days => addDays(alert.date, days));
  const weeks = [-42, -35, -28, -21, -14, -7].map(days => addDays(alert.date, days));
  return (
    <>
      <Row title={texts.daysBefore} sourceId={alert.sourceId} dates={before} />
      <Row title={texts.weeksBefore(formats.weekday(alert.date))} sourceId={alert.sourceId} dates={weeks} />
    </>
  );
};

const Row = ({
  title,
  sourceId,
  dates,
}: {
  readonly title: string;
  readonly sourceId: number;
  readonly dates: readonly string[];
}) => {
  const formats = useFormats();
  const pictures = usePictures(sourceId, dates);
  if (!pictures) return null;
  const [min, max] = rangeOf(
    pictures.flatMap(({ actual, planned }) => [actual ?? [], planned?.activity ?? []]),
  );
  return (
    <section className="card card-pad">
      <h2 className="small-title">{title}</h2>
      <ul className="other-days">
        {pictures.map(picture => (
          <li key={picture.date}>
            <DaySpark picture={picture} min={min} max={max} band={false} height={smallHeight} />
            <span className="muted small">{formats.day(picture.date)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Pictures of dates in at most two years; undefined while they are loading. */
const usePictures = (sourceId: number, dates: readonly string[]): readonly DayPicture[] | undefined => {
  const years = [Number(dates[0]?.slice(0, 4)), Number(dates.at(-1)?.slice(0, 4))] as const;
  const first = useQuery(queries.days(sourceId, years[0])).data;
  const last = useQuery(queries.days(sourceId, years[1])).data;
  const plans = [
    useQuery(queries.planning(sourceId, years[0])).data,
    useQuery(queries.planning(sourceId, years[1])).data,
  ];
  const { data: models } = useQuery(queries.models(sourceId));
  const [firstPlans, lastPlans] = plans;
  const key = dates.join();
  return useMemo(() => {
    if (!first || !last || !firstPlans || !lastPlans || !models) return undefined;
    const stored = new Map([...first.days, ...last.days].map(day => [day.date, day]));
    const planned = new Map([...firstPlans.days, ...lastPlans.days].map(plan => [plan.date, plan]));
    return key.split(',').map(date => {
      const day = stored.get(date);
      const id = day?.kind === 'reference' ? day.modelId : planned.get(date)?.modelId;
      return pictureOf(
        date,
        day,
        models.models.find(model => model.id === id),
      );
    });
  }, [first, last, firstPlans, lastPlans, models, key]);
};
