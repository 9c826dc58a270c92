import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useParams, Link } from '@tanstack/react-router';
import { queries } from '../../api/queries.js';
import type { DrawnAlert, Source, Alert } from '../../api/client.js';
import { numberSuffix } from '../../charts/numbers.js';
import { sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { AlertChain } from './AlertChain.js';
import { AlertDay } from './AlertDay.js';
import { AlertDecision, DayDecision, RelearnHint } from './AlertDecision.js';
import { OtherDays } from './OtherDays.js';
import './alert.css';
import { levelOf } from '../../parts/days.js';
import { HistoryStep } from '../../parts/Author.js';

/** One alert: what happened, why that is unusual, and what to do about it. */
export const AlertScreen = () => {
  const { alertId } = useParams({ from: '/alerts/$alertId' });
  const { data: alert, error } = useQuery(queries.alert(alertId));
  const { data: source, error: missing } = useQuery({
    ...queries.source(alert?.sourceId ?? 0),
    enabled: alert !== undefined,
  });
  if (!alert || !source)
    return error || missing ? (
      <Failure error={error ?? missing} />
    ) : (
      <div className="skeleton" style={{ height: '60vh' }} />
    );
  return <AlertOfSource key={alert.id} alert={alert} source={source} />;
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
            <p dir="auto">{day.planning.reason || texts.unplanned}</p>
          </section>
        )}
        {day && <DayDecision sourceId={source.id} date={alert.date} origin={day.planning.origin} />}
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
  const { alert: texts, states, kinds, incident } = useMessages();
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
        <button className="button" onClick={() => print()}>
          {texts.print}
        </button>
      </p>
    </header>
  );
};

/** Who did what with an alert, and when. */
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
