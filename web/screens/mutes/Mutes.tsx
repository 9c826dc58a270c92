import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useUnmute, useIncidentLabels } from '../../api/incidentMutations.js';
import { queries } from '../../api/queries.js';
import type { Mute } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author } from '../../parts/Author.js';
import { Failure, Faults } from '../../parts/Failure.js';
import { useToast } from '../../parts/Toasts.js';
import { useSourceName, useTold } from '../../parts/actions.js';
import { unlessTyped } from '../../parts/drafts.js';
import { NewMute } from './NewMute.js';
import '../servicePages.css';
import { LineForm } from '../../parts/Field.js';

/** Settings of a tenant: its mutes, and the labels that join sources in one incident. */
export const Mutes = () => {
  const { mutes: texts } = useMessages();
  const mayAct = useScope('alert');
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  return (
    <div className="stack mutes-page">
      <h1>{texts.title}</h1>
      <MuteList />
      {mayAct && <NewMute />}
      <JoiningLabels />
    </div>
  );
};

/** The mutes that have not ended. */
const MuteList = () => {
  const { mutes: texts, loading } = useMessages();
  const { data, error, refetch } = useQuery(queries.mutes());
  return (
    <section className="card card-pad stack tight">
      <h2 id="mutes">{texts.mutes}</h2>
      <p className="muted">{texts.lead}</p>
      {error && !data && <Failure error={error} reset={() => void refetch()} />}
      {!data && !error && <p role="status">{loading}</p>}
      {data?.length === 0 && <p>{texts.none}</p>}
      {data && data.length > 0 && (
        <ul className="records" aria-labelledby="mutes">
          {data.map(mute => (
            <MuteRow key={mute.id} mute={mute} />
          ))}
        </ul>
      )}
    </section>
  );
};

/** Names what a mute covers. */
const useScopeText = ({ sourceId, labels }: Mute): string => {
  const { mutes: texts } = useMessages();
  const { data: overview } = useQuery(queries.overview(undefined));
  // A mute of a source that was learned again goes on, and only archived sources have its name.
  const isArchived = sourceId !== undefined && overview?.sources.every(({ id }) => id !== sourceId) === true;
  const { data: archived } = useQuery({ ...queries.archivedSources(), enabled: isArchived });
  const nameOf = useSourceName(archived);
  if (sourceId !== undefined) return nameOf(sourceId);
  if (labels === undefined) return texts.incident;
  return Object.entries(labels)
    .map(label => label.join('='))
    .join(', ');
};

const MuteRow = ({ mute }: { readonly mute: Mute }) => {
  const { mutes: texts } = useMessages();
  const formats = useFormats();
  const mayAct = useScope('alert');
  const scope = useScopeText(mute);
  const { run, isPending } = useTold(useUnmute());
  const { id, incidentId, from, until, reason, by, byKind } = mute;
  const isActive = Date.parse(from) <= Date.now();
  return (
    <li>
      <div>
        <p className="row">
          {incidentId === undefined ? (
            <strong dir="auto">{scope}</strong>
          ) : (
            <Link to="/incidents/$incidentId" params={{ incidentId }} className="alone">
              {scope}
            </Link>
          )}
          <span className="badge">{isActive ? texts.active : texts.planned}</span>
        </p>
        <p dir="auto">{reason}</p>
        <p className="muted small">
          {texts.period(formats.instant(from), formats.instant(until))} · <Author by={by} byKind={byKind} />
        </p>
      </div>
      {mayAct && (
        <button
          type="button"
          className="button"
          aria-label={texts.endOf(scope)}
          disabled={isPending}
          onClick={() => run(id, texts.ended)}
        >
          {texts.end}
        </button>
      )}
    </li>
  );
};

const keysOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map(key => key.trim())
    .filter(key => key !== '');

/** The labels whose equal values join sources in one incident; people with the scope `model` change them. */
const JoiningLabels = () => {
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
  /** The labels as they were when the person began to type. */
  const [opened, setOpened] = useState(stored);
  const { mutate, isPending, error } = useIncidentLabels();
  return (
    <LineForm
      label={texts.keys}
      hint={texts.keysHint}
      button={save}
      isReady={!isPending && typed !== null}
      onSubmit={() =>
        mutate(
          { opened, labels: keysOf(typed ?? '') },
          {
            onSuccess: () => {
              setTyped(unlessTyped(typed, null));
              // Labels that others added are not in a text that a person went on typing.
              setOpened(keysOf(typed ?? ''));
              tell(texts.saved);
            },
          },
        )
      }
      value={typed ?? stored.join(', ')}
      onChange={text => {
        if (typed === null) setOpened(stored);
        setTyped(text);
      }}
    >
      {error && <Faults error={error} />}
    </LineForm>
  );
};
