import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { queries, sourceOfAlert } from '../../api/queries.js';
import type { Incident } from '../../api/client.js';
import { numberSuffix } from '../../charts/numbers.js';
import { sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { AlertDay } from '../alert/AlertDay.js';
import { useJoinedWords } from './joinedWords.js';

/** One alert of an incident: its date and source, its sentence, why it is in the incident, and its day as a chart. */
export const ChosenAlert = ({ id, incident }: { readonly id: string; readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const formats = useFormats();
  const why = useJoinedWords(incident);
  const { data: alert, error } = useQuery(queries.alert(id));
  const sourceId = sourceOfAlert(id);
  const { data: source } = useQuery(queries.source(sourceId));
  const { data: day } = useQuery({
    ...queries.day(sourceId, alert?.date ?? ''),
    enabled: alert !== undefined,
  });
  if (error && !alert) return <Failure error={error} />;
  return (
    <section className="stack tight" aria-labelledby="chosen-alert">
      <div className="row chosen-head">
        <h2 id="chosen-alert" dir="auto">
          {alert && source ? `${formats.longDay(alert.date)} · ${source.name}` : '…'}
        </h2>
        <Link to="/alerts/$alertId" params={{ alertId: id }} className="button no-print">
          {texts.openAlert}
        </Link>
      </div>
      <p dir="auto">
        {alert && sentenceOf(alert, formats)}
        <span className="muted small why">{why(id)}</span>
      </p>
      {alert && day && source ? (
        <AlertDay key={id} alert={alert} day={day} suffix={numberSuffix(source)} />
      ) : (
        <div className="skeleton" style={{ height: 380 }} />
      )}
    </section>
  );
};
