import { Link } from '@tanstack/react-router';
import { useId, useMemo } from 'react';
import { useScope } from '../../api/session.js';
import type { Incident } from '../../api/client.js';
import { gradedIncident, levelOf } from '../../parts/days.js';
import { lossOf, sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import {
  alertsOfOneDate,
  mutedNow,
  reopenable,
  resolvableIncident,
  useSourcesText,
} from '../../parts/actions.js';
import { phone, useMediaQuery } from '../../parts/smallScreens.js';
import { wall } from '../../api/early.js';
import { useQuery } from '@tanstack/react-query';
import { dateOfAlert, queries, sourceOfAlert } from '../../api/queries.js';
import { DaySpark } from '../../charts/Chart.js';
import { alertPicture, usualPicture, type DayPicture } from '../../charts/dayPicture.js';

/** Widths of a small chart; a wall display has room. */
const sparkWidth = 132;
const sparkWidthWall = 336;
const sparkHeight = 44;

type Acts = {
  readonly onAcknowledge: () => void;
  readonly onResolve: () => void;
  readonly onReopen: () => void;
};

type RowProps = Acts & {
  readonly incident: Incident;
  readonly selected: boolean;
  readonly unfolded: boolean;
  readonly onSelect: () => void;
  readonly onUnfold: () => void;
};

/** One incident as a row: its mark, sentence, facts, a small chart and buttons; its days unfold below. */
export const IncidentRow = ({ incident, selected, unfolded, onSelect, onUnfold, ...acts }: RowProps) => {
  const { incidents: texts } = useMessages();
  const formats = useFormats();
  const mayAct = useScope('alert');
  const isPhone = useMediaQuery(phone);
  const days = useId();
  const { id, state, alert } = incident;
  const sentence = sentenceOf(incident, formats);
  const buttons = mayAct && <IncidentButtons state={state} {...acts} />;
  return (
    <>
      <div className="incident-row" data-state={state} data-selected={selected || undefined}>
        <label className="incident-check">
          <input type="checkbox" aria-label={texts.select(sentence)} checked={selected} onChange={onSelect} />
        </label>
        <span
          className="mark"
          data-level={levelOf(gradedIncident(incident))}
          data-done={state === 'resolved' || state === 'invalidated' || undefined}
          aria-hidden
        />
        <div className="incident-text">
          <Link
            to="/incidents/$incidentId"
            params={{ incidentId: id }}
            className="incident-link"
            title={sentence}
            dir="auto"
          >
            {sentence}
          </Link>
          <IncidentFacts incident={incident} />
        </div>
        {!isPhone && <div className="incident-spark">{alert && <RowSpark alert={alert} />}</div>}
        {!isPhone && <div className="incident-actions">{buttons}</div>}
        <button
          type="button"
          className="button quiet icon unfold"
          aria-expanded={unfolded}
          aria-controls={days}
          aria-label={texts.days(sentence)}
          onClick={onUnfold}
        >
          <svg viewBox="0 0 18 18" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden>
            <path d="m5 7 4 4 4-4" />
          </svg>
        </button>
      </div>
      <div id={days} className="incident-more" hidden={!unfolded}>
        {unfolded && isPhone && <p className="small">{sentence}</p>}
        {unfolded && isPhone && <div className="row">{buttons}</div>}
        {unfolded && <IncidentDays incident={incident} />}
      </div>
    </>
  );
};

const RowSpark = ({ alert }: { readonly alert: NonNullable<Incident['alert']> }) => {
  const isWall = useMediaQuery(wall);
  return (
    <AlertSpark
      id={alert.id}
      slices={alert.slices}
      height={sparkHeight}
      width={isWall ? sparkWidthWall : sparkWidth}
    />
  );
};

/** Source, state, mute, assignee, loss, criticity, number of alerts and kind: the sentence has the dates. */
const IncidentFacts = ({ incident }: { readonly incident: Incident }) => {
  const messages = useMessages();
  const { incidents: texts, incidentStates, kinds } = messages;
  const formats = useFormats();
  const sources = useSourcesText()(incident);
  const loss = lossOf(incident, formats);
  const { state, kind, assignee } = incident;
  const alerts = alertsOfOneDate(incident);
  const muted = mutedNow(incident);
  return (
    <p className="muted small incident-meta">
      <span dir="auto" className="incident-source" title={sources}>
        {sources}
      </span>
      {state !== 'open' && <span className="badge">{incidentStates[state]}</span>}
      {muted !== null && (
        <span className="badge muted-mark">
          <svg viewBox="0 0 12 12" aria-hidden>
            <path d="M2 4.5h2L6.5 2v8L4 7.5H2zM8.5 4.5l2.5 3m0-3-2.5 3" />
          </svg>
          {texts.mutedUntil(formats.instant(muted))}
        </span>
      )}
      {assignee !== null && (
        <span className="badge" dir="auto">
          @{assignee}
        </span>
      )}
      <span className="incident-loss" title={messages.loss.explain}>
        {loss && `${loss}, `}
        {messages.alert.criticity(formats.percent(incident.criticity))}
      </span>
      {alerts !== undefined && <span className="incident-extra">{texts.alerts(alerts)}</span>}
      {kind !== null && <span className="incident-extra">{kinds[kind]}</span>}
    </p>
  );
};

/** Each button has its place, so that columns of rows with fewer ones are aligned. */
const IncidentButtons = ({
  state,
  onAcknowledge,
  onResolve,
  onReopen,
}: Acts & { readonly state: Incident['state'] }) => {
  const { alerts: texts } = useMessages();
  return (
    <>
      {state === 'open' && (
        <button type="button" className="button" onClick={onAcknowledge}>
          {texts.acknowledge}
        </button>
      )}
      {reopenable.includes(state) && (
        <button type="button" className="button" onClick={onReopen}>
          {texts.reopen}
        </button>
      )}
      {resolvableIncident.includes(state) && (
        <button type="button" className="button resolve" onClick={onResolve}>
          {texts.resolve}
        </button>
      )}
    </>
  );
};

/** Alerts that unfold in a row; the page of the incident has all of them. */
const shownMax = 20;
const spark = { width: 104, height: 32 };

/** The alerts of an incident, oldest first. */
const IncidentDays = ({ incident }: { readonly incident: Incident }) => {
  const { incidents: texts } = useMessages();
  const formats = useFormats();
  const { alertIds, id } = incident;
  return (
    <>
      <ul className="incident-days" aria-label={texts.days(sentenceOf(incident, formats))}>
        {alertIds.slice(0, shownMax).map(alertId => (
          <AlertDay key={alertId} id={alertId} sources={incident.sources} />
        ))}
      </ul>
      {alertIds.length > shownMax && (
        <Link to="/incidents/$incidentId" params={{ incidentId: id }} className="alone small">
          {texts.moreDays(alertIds.length - shownMax)}
        </Link>
      )}
    </>
  );
};

const AlertDay = ({ id, sources }: { readonly id: string; readonly sources: Incident['sources'] }) => {
  const { states } = useMessages();
  const formats = useFormats();
  const { data: alert } = useQuery(queries.alert(id));
  const date = dateOfAlert(id);
  const sourceId = sourceOfAlert(id);
  return (
    <li>
      <Link to="/alerts/$alertId" params={{ alertId: id }} className="incident-day">
        {formats.dayFull(date)}
      </Link>
      {sources.length > 1 && (
        <span dir="auto" className="muted small">
          {sources.find(source => source.id === sourceId)?.name}
        </span>
      )}
      <span dir="auto" className="small incident-day-sentence">
        {alert && sentenceOf(alert, formats)}
      </span>
      {alert && alert.state !== 'open' && <span className="badge">{states[alert.state]}</span>}
      <AlertSpark id={id} slices={alert?.slices ?? []} {...spark} />
    </li>
  );
};

type Size = { readonly width: number; readonly height: number };

/** A small chart of the day of an alert, for the eye only: its row has the facts as text. */
const AlertSpark = ({
  id,
  slices,
  ...size
}: Size & {
  readonly id: string;
  /** Broken stretches of an alert that is invalidated. */
  readonly slices: DayPicture['broken'];
}) => {
  const { data: day } = useQuery(queries.day(sourceOfAlert(id), dateOfAlert(id)));
  const alert = day?.alerts.find(one => one.id === id);
  const picture = useMemo(() => {
    if (!day || alert) return day && alert && alertPicture(day, alert);
    return { ...usualPicture(day), broken: slices };
  }, [day, alert, slices]);
  return <div aria-hidden>{picture && <DaySpark picture={picture} {...size} />}</div>;
};
