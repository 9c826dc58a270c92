import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useUnmute } from '../../api/incidentMutations.js';
import { queries, useSourceNames } from '../../api/queries.js';
import type { Mute } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author } from '../../parts/Author.js';
import { Failure } from '../../parts/Failure.js';
import { useToast } from '../../parts/Toasts.js';
import { whenDone } from '../../parts/whenDone.js';
import { JoiningLabels } from './JoiningLabels.js';
import { NewMute } from './NewMute.js';
import './mutes.css';

/** Settings of a tenant: its mutes, and the labels that join sources in one incident. */
export const Mutes = () => {
  const { mutes: texts } = useMessages();
  const mayAct = useScope('alert');
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  return (
    <div className="mutes-page">
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
        <ul className="mute-list" aria-labelledby="mutes">
          {data.map(mute => (
            <MuteRow key={mute.id} mute={mute} />
          ))}
        </ul>
      )}
    </section>
  );
};

/** Returns a function that names what a mute covers. */
const useScopeText = (): ((mute: Mute) => string) => {
  const { mutes: texts, explained } = useMessages();
  const names = useSourceNames();
  return ({ sourceId, labels }) => {
    if (sourceId !== undefined) return names.get(sourceId) ?? explained.source(sourceId);
    if (labels === undefined) return texts.incident;
    return Object.entries(labels)
      .map(label => label.join('='))
      .join(', ');
  };
};

const MuteRow = ({ mute }: { readonly mute: Mute }) => {
  const { mutes: texts, alerts } = useMessages();
  const formats = useFormats();
  const tell = useToast();
  const mayAct = useScope('alert');
  const scope = useScopeText()(mute);
  const { mutateAsync, isPending } = useUnmute();
  const { id, incidentId, from, until, reason, by, byKind } = mute;
  const isActive = Date.parse(from) <= Date.now();
  const end = (): void =>
    whenDone(
      mutateAsync(id),
      () => tell(texts.ended),
      error => tell(alerts.failed(error.message)),
    );
  return (
    <li>
      <div className="mute-text">
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
        <p className="mute-reason" dir="auto">
          {reason}
        </p>
        <p className="muted small">
          {texts.period(formats.instant(from), formats.instant(until))} · <Author by={by} byKind={byKind} />
        </p>
      </div>
      {mayAct && (
        <button className="button" aria-label={texts.endOf(scope)} disabled={isPending} onClick={end}>
          {texts.end}
        </button>
      )}
    </li>
  );
};
