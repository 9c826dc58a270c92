import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useIncidentChange } from '../../api/incidentMutations.js';
import { queries } from '../../api/queries.js';
import type { Incident } from '../../api/client.js';
import { sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { useSourcesText } from '../../parts/incidentActions.js';
import { submits } from '../../parts/Field.js';
import { Select } from '../../parts/Select.js';
import { useToast } from '../../parts/Toasts.js';
import { whenDone } from '../../parts/whenDone.js';

/** Moves the alerts of an incident into another one that waits, and shows that; nothing without another one. */
export const MergeIncident = ({ incident: { id } }: { readonly incident: Incident }) => {
  const { incident: texts, alerts } = useMessages();
  const formats = useFormats();
  const sourcesOf = useSourcesText();
  const tell = useToast();
  const navigate = useNavigate();
  const [into, setInto] = useState('');
  const field = useId();
  const { data } = useQuery(queries.incidents({ state: 'unprocessed', sort: 'criticity' }));
  const { mutateAsync, isPending } = useIncidentChange(id);
  const others = (data ?? []).filter(one => one.id !== id);
  const target = others.find(one => one.id === into);
  if (others.length === 0) return null;
  const merge = (incidentId: string): void =>
    whenDone(
      mutateAsync({ change: 'merge', incidentId }),
      ({ id: whole }) => {
        tell(texts.wasMerged);
        void navigate({ to: '/incidents/$incidentId', params: { incidentId: whole }, search: {} });
      },
      error => tell(alerts.failed(error.message)),
    );
  return (
    <section className="card card-pad stack tight no-print">
      <h2>{texts.merge}</h2>
      <form
        className="field"
        onSubmit={submits(() => {
          if (target) merge(target.id);
        })}
      >
        <label htmlFor={field}>{texts.mergeWith}</label>
        <Select id={field} value={target?.id ?? ''} onChange={setInto}>
          <option value="" />
          {others.map(one => (
            <option key={one.id} value={one.id}>
              {`${sourcesOf(one)} · ${sentenceOf(one, formats)}`}
            </option>
          ))}
        </Select>
        <p className="hint">{texts.mergeHint}</p>
        <div>
          <button className="button" disabled={isPending || !target}>
            {texts.mergeYes}
          </button>
        </div>
      </form>
    </section>
  );
};
