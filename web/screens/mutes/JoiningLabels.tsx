import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIncidentLabels } from '../../api/incidentMutations.js';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { useMessages } from '../../messages/messages.js';
import { Failure, Faults } from '../../parts/Failure.js';
import { LineForm } from '../../parts/Field.js';
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
  return (
    <LineForm
      label={texts.keys}
      hint={texts.keysHint}
      button={save}
      isReady={!isPending && typed !== null}
      onSubmit={() =>
        mutate(keysOf(typed ?? ''), {
          onSuccess: () => {
            setTyped(null);
            tell(texts.saved);
          },
        })
      }
      value={typed ?? stored.join(', ')}
      onChange={setTyped}
    >
      {error && <Faults error={error} />}
    </LineForm>
  );
};
