import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Incident } from '../../api/client.js';
import { dateOfAlert, queries, sourceOfAlert } from '../../api/queries.js';
import { sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { DaySpark } from '../../parts/DaySpark.js';
/** Alerts that unfold in a row; the page of the incident has all of them. */
const shownMax = 20;
const spark = { width: 104, height: 32 };

/** The alerts of an incident, oldest first. */
export const IncidentDays = ({ incident }: { readonly incident: Incident }) => {
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
      <DaySpark sourceId={sourceId} date={date} {...(alert && { slices: alert.slices })} {...spark} />
    </li>
  );
};
