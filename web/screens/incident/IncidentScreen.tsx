import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { dateOfAlert, queries, sourceOfAlert, useSourceNames } from '../../api/queries.js';
import type { Incident } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { lossOf, sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure, isNotFound } from '../../parts/Failure.js';
import { alertsOfOneDate, mutedNow, useSourceName, useSourcesText, useTold } from '../../parts/actions.js';
import { gradedIncident, levelOf } from '../../parts/days.js';
import { AcceptChange, IncidentHistory } from './IncidentHistory.js';
import { AssignIncident, IncidentDecision } from './IncidentDecision.js';
import { IncidentAlerts, useJoinedWords } from './IncidentAlerts.js';
import { SnoozeIncident, useMuteEnd } from './SnoozeIncident.js';
import '../alert/alert.css';
import { numberSuffix } from '../../charts/chartParts.js';
import { AlertDay } from '../alert/AlertDay.js';
import { useIncidentChange } from '../../api/incidentMutations.js';
import { submits, Select } from '../../parts/Field.js';

/** One incident: what happened on which days, why they belong together, and what to do about it. */
export const IncidentScreen = () => {
  const { incidentId } = useParams({ from: '/incidents/$incidentId' });
  const { data: incident, error } = useQuery(queries.incident(incidentId));
  if (!incident || isNotFound(error))
    return error ? <Failure error={error} /> : <div className="skeleton" style={{ height: '60vh' }} />;
  return <WholeIncident key={incident.id} incident={incident} />;
};

const WholeIncident = ({ incident }: { readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const formats = useFormats();
  const mayAct = useScope('alert');
  const { alert: asked } = useSearch({ from: '/incidents/$incidentId' });
  const navigate = useNavigate({ from: '/incidents/$incidentId' });
  const title = texts.title(sentenceOf(incident, formats));
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  useMuteEnd(incident);
  const { alertIds, alert } = incident;
  const present = useSourceNames();
  const ids = [...(alert ? [alert.id] : []), ...alertIds];
  // The days of an archived source are hidden.
  const first = ids.find(id => present.has(sourceOfAlert(id))) ?? ids[0];
  const chosen = asked !== undefined && alertIds.includes(asked) ? asked : first;
  const choose = (id: string): void => void navigate({ search: { alert: id }, replace: true });
  const waits = incident.state === 'open' || incident.state === 'acknowledged';
  return (
    <article className="alert-page incident-page">
      <IncidentHead incident={incident} title={title} />
      <div className="alert-main">
        {chosen !== undefined && <ChosenAlert id={chosen} incident={incident} />}
        {chosen !== undefined && alertIds.length > 0 && (
          <IncidentAlerts incident={incident} chosen={chosen} onChoose={choose} />
        )}
      </div>
      <aside className="alert-side">
        <IncidentDecision incident={incident} />
        <AcceptChange incident={incident} />
        <AssignIncident incident={incident} />
        {mayAct && waits && <SnoozeIncident incident={incident} />}
        {mayAct && waits && <MergeIncident incident={incident} />}
        <IncidentHistory incident={incident} />
      </aside>
    </article>
  );
};

/** Sources, title, loss and state of an incident; says when its alerts are elsewhere. */
const IncidentHead = ({ incident, title }: { readonly incident: Incident; readonly title: string }) => {
  const messages = useMessages();
  const { incidents, incidentStates, kinds, alert: alertTexts } = messages;
  const formats = useFormats();
  const loss = lossOf(incident, formats);
  const { sources, state, kind, criticity, assignee } = incident;
  const alerts = alertsOfOneDate(incident);
  const muted = mutedNow(incident);
  return (
    <header className="alert-head">
      <p className="muted incident-sources">
        {sources.map(({ id, name }) => (
          <Link key={id} to="/sources/$sourceId" params={{ sourceId: id }} className="alone" dir="auto">
            {name}
          </Link>
        ))}
      </p>
      <h1 dir="auto">{title}</h1>
      <p className="row">
        <span className="badge">
          <span className="mark" data-level={levelOf(gradedIncident(incident))} aria-hidden />
          {loss && <span title={messages.loss.explain}>{loss}, </span>}
          {alertTexts.criticity(formats.percent(criticity))}
        </span>
        <span className="badge">{incidentStates[state]}</span>
        {kind !== null && <span className="badge">{kinds[kind]}</span>}
        {alerts !== undefined && <span className="badge">{incidents.alerts(alerts)}</span>}
        {assignee !== null && (
          <span className="badge" dir="auto">
            @{assignee}
          </span>
        )}
        {muted !== null && <span className="badge">{incidents.mutedUntil(formats.instant(muted))}</span>}
      </p>
      <p className="row alert-links no-print incident-print">
        <button type="button" className="button" onClick={() => print()}>
          {alertTexts.print}
        </button>
      </p>
      <Elsewhere incident={incident} />
    </header>
  );
};

/** Says where the alerts of a merged incident are, and that those of an invalidated one are gone. */
const Elsewhere = ({ incident: { state, mergedInto, accepted } }: { readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  if (state === 'merged' && mergedInto !== null)
    return (
      <p className="notice">
        <span>{texts.mergedInto}</span>
        <Link to="/incidents/$incidentId" params={{ incidentId: mergedInto }} className="button">
          {texts.toOther}
        </Link>
      </p>
    );
  if (state !== 'invalidated') return null;
  return <p className="notice">{accepted.length > 0 ? texts.change.explains : texts.invalidated}</p>;
};

/** One alert of an incident: its date and source, its sentence, why it is in the incident, and its day as a chart. */
const ChosenAlert = ({ id, incident }: { readonly id: string; readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const formats = useFormats();
  const why = useJoinedWords(incident);
  const nameOf = useSourceName(incident.sources);
  const { data: alert, error } = useQuery(queries.alert(id));
  const isArchived = isNotFound(error);
  const sourceId = sourceOfAlert(id);
  const { data: source } = useQuery(queries.source(sourceId));
  const { data: day } = useQuery({
    ...queries.day(sourceId, alert?.date ?? ''),
    enabled: alert !== undefined,
  });
  if (error && !alert && !isArchived) return <Failure error={error} />;
  return (
    <section className="stack tight" aria-labelledby="chosen-alert">
      <div className="row chosen-head">
        <h2 id="chosen-alert" dir="auto">
          {formats.longDay(dateOfAlert(id))} · {nameOf(sourceId)}
        </h2>
        {!isArchived && (
          <Link to="/alerts/$alertId" params={{ alertId: id }} className="button no-print">
            {texts.openAlert}
          </Link>
        )}
      </div>
      <p dir="auto">
        {alert && sentenceOf(alert, formats)}
        <span className="muted small why">{why(id)}</span>
      </p>
      {isArchived ? (
        <p className="notice">
          <span>{texts.archived}</span>
          <Link to="/sources/$sourceId" params={{ sourceId }} className="button no-print">
            {texts.toOther}
          </Link>
        </p>
      ) : alert && day && source ? (
        <AlertDay key={id} alert={alert} day={day} suffix={numberSuffix(source)} />
      ) : (
        <div className="skeleton" style={{ height: 380 }} />
      )}
    </section>
  );
};

/** Moves the alerts of an incident into another one that waits; these are read only when they are asked for. */
const MergeIncident = ({ incident: { id } }: { readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="card card-pad no-print merge"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{texts.merge}</summary>
      {isOpen && <MergeForm id={id} />}
    </details>
  );
};

/** A choice of another incident that waits; shows the whole one once they are merged. */
const MergeForm = ({ id }: { readonly id: string }) => {
  const { incident: texts, loading } = useMessages();
  const formats = useFormats();
  const sourcesOf = useSourcesText();
  const navigate = useNavigate();
  const [into, setInto] = useState('');
  const field = useId();
  const { data, error } = useQuery(queries.incidents({ state: 'unprocessed', sort: 'criticity' }));
  const { run, isPending } = useTold(useIncidentChange(id));
  const others = (data ?? []).filter(one => one.id !== id);
  const target = others.find(one => one.id === into);
  if (!data) return error ? <Failure error={error} /> : <p role="status">{loading}</p>;
  if (others.length === 0) return <p>{texts.noOther}</p>;
  const merge = (incidentId: string): void =>
    run({ change: 'merge', incidentId }, texts.wasMerged, ({ id: whole }, isHere) => {
      if (isHere) void navigate({ to: '/incidents/$incidentId', params: { incidentId: whole }, search: {} });
    });
  return (
    <form
      className="field"
      onSubmit={submits(() => {
        if (target) merge(target.id);
      })}
    >
      <label htmlFor={field}>{texts.mergeWith}</label>
      <Select
        id={field}
        value={target?.id ?? ''}
        options={[
          ['', ''],
          ...others.map(one => [one.id, `${sourcesOf(one)} · ${sentenceOf(one, formats)}`] as const),
        ]}
        onChange={setInto}
      />
      <p className="hint">{texts.mergeHint}</p>
      <div>
        <button type="submit" className="button" disabled={isPending || !target}>
          {texts.mergeYes}
        </button>
      </div>
    </form>
  );
};
