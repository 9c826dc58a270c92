import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useIncidentLabels } from '../../api/incidentMutations.js';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { useMessages } from '../../messages/messages.js';
import { Failure, Faults } from '../../parts/Failure.js';
import { useToast } from '../../parts/Toasts.js';

const keysOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map(key => key.trim())
    .filter(key => key !== '');

/** The labels whose equal values join sources in one incident; people with the scope `model` change them. */
export const JoiningLabels = () => {
  const { mutes: texts } = useMessages();
  const mayChange = useScope('model');
  const { data, error, refetch } = useQuery(queries.tenantSettings());
  const labels = data?.incidentLabels;
  return (
    <section className="card card-pad stack tight" aria-labelledby="joining">
      <h2 id="joining">{texts.joinTitle}</h2>
      <p className="muted">{texts.joinLead}</p>
      {error && !data && <Failure error={error} reset={() => void refetch()} />}
      {labels && !mayChange && <p dir="auto">{labels.length > 0 ? labels.join(', ') : texts.noKeys}</p>}
      {labels && mayChange && <KeysForm stored={labels} />}
    </section>
  );
};

const KeysForm = ({ stored }: { readonly stored: readonly string[] }) => {
  const { mutes: texts, save } = useMessages();
  const tell = useToast();
  /** null until a person types: then it follows what is stored. */
  const [typed, setTyped] = useState<string | null>(null);
  const { mutate, isPending, error } = useIncidentLabels();
  const id = useId();
  return (
    <form
      className="field"
      onSubmit={event => {
        event.preventDefault();
        if (typed === null) return;
        mutate(keysOf(typed), {
          onSuccess: () => {
            setTyped(null);
            tell(texts.saved);
          },
        });
      }}
    >
      <label htmlFor={id}>{texts.keys}</label>
      <div className="row nowrap">
        <input
          id={id}
          className="input grow"
          dir="auto"
          value={typed ?? stored.join(', ')}
          onChange={({ target }) => setTyped(target.value)}
        />
        <button className="button" disabled={isPending || typed === null}>
          {save}
        </button>
      </div>
      <p className="hint">{texts.keysHint}</p>
      {error && <Faults error={error} />}
    </form>
  );
};
