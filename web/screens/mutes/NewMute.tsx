import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { useMute, type NewMute as Body } from '../../api/incidentMutations.js';
import { queries } from '../../api/queries.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Failure.js';
import { instantOf } from '../../parts/instants.js';
import { Select } from '../../parts/Select.js';
import { useToast } from '../../parts/Toasts.js';

type Typed = {
  readonly scope: 'source' | 'labels';
  readonly source: string;
  /** One `key=value` a line. */
  readonly labels: string;
  readonly from: string;
  readonly until: string;
  readonly reason: string;
};

const nothing: Typed = { scope: 'source', source: '', labels: '', from: '', until: '', reason: '' };

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');

/** The first line that is no `key=value`. */
const faultOf = (labels: string): string | undefined => linesOf(labels).find(line => !/^[^=]+=./.test(line));

/** The body of the request; undefined while something is missing. */
const bodyOf = ({ scope, source, labels, from, until, reason }: Typed): Body | undefined => {
  const end = instantOf(until);
  const start = instantOf(from);
  const isScoped = scope === 'source' ? source !== '' : labels.trim() !== '' && faultOf(labels) === undefined;
  if (!isScoped || end === undefined || reason.trim() === '') return undefined;
  const pairs = linesOf(labels).map(line => {
    const at = line.indexOf('=');
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
  });
  return {
    ...(scope === 'source' ? { sourceId: Number(source) } : { labels: Object.fromEntries(pairs) }),
    ...(start !== undefined && { from: start }),
    until: end,
    reason: reason.trim(),
  };
};

/** Mutes a source, or sources with labels, for a time and with a reason. */
export const NewMute = () => {
  const { mutes: texts } = useMessages();
  const tell = useToast();
  const [typed, setTyped] = useState(nothing);
  const { mutate, isPending, error } = useMute();
  const change = (next: Partial<Typed>): void => setTyped({ ...typed, ...next });
  const body = bodyOf(typed);
  return (
    <section className="card card-pad stack tight" aria-labelledby="new-mute">
      <h2 id="new-mute">{texts.create}</h2>
      <form
        className="stack tight"
        onSubmit={event => {
          event.preventDefault();
          if (!body) return;
          mutate(body, {
            onSuccess: () => {
              setTyped(nothing);
              tell(texts.created);
            },
          });
        }}
      >
        <ScopeFields typed={typed} change={change} />
        <TimeFields typed={typed} change={change} />
        {error && <Faults error={error} />}
        <div>
          <button className="button primary" disabled={isPending || !body}>
            {texts.mute}
          </button>
        </div>
      </form>
    </section>
  );
};

type Fields = { readonly typed: Typed; readonly change: (next: Partial<Typed>) => void };

const Field = ({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly children: (id: string) => ReactNode;
}) => {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <p className="hint">{hint}</p>}
    </div>
  );
};

const ScopeFields = ({ typed: { scope, source, labels }, change }: Fields) => {
  const { mutes: texts } = useMessages();
  const { data } = useQuery(queries.overview(undefined));
  const fault = faultOf(labels);
  return (
    <>
      <Field label={texts.scope}>
        {id => (
          <Select id={id} value={scope} onChange={next => change({ scope: next as Typed['scope'] })}>
            <option value="source">{texts.scopes.source}</option>
            <option value="labels">{texts.scopes.labels}</option>
          </Select>
        )}
      </Field>
      {scope === 'source' ? (
        <Field label={texts.source}>
          {id => (
            <Select id={id} value={source} onChange={next => change({ source: next })}>
              <option value="" />
              {data?.sources.map(one => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : (
        <Field label={texts.labels} hint={texts.labelsHint}>
          {id => (
            <>
              <textarea
                id={id}
                className="textarea"
                dir="auto"
                maxLength={4000}
                value={labels}
                onChange={({ target }) => change({ labels: target.value })}
              />
              {fault !== undefined && (
                <p className="fault" role="alert">
                  {texts.labelFault(fault)}
                </p>
              )}
            </>
          )}
        </Field>
      )}
    </>
  );
};

const TimeFields = ({ typed: { from, until, reason }, change }: Fields) => {
  const { mutes: texts } = useMessages();
  return (
    <>
      <div className="mute-times">
        <Field label={texts.from} hint={texts.fromHint}>
          {id => (
            <input
              id={id}
              type="datetime-local"
              className="input"
              value={from}
              onChange={({ target }) => change({ from: target.value })}
            />
          )}
        </Field>
        <Field label={texts.until}>
          {id => (
            <input
              id={id}
              type="datetime-local"
              className="input"
              required
              value={until}
              onChange={({ target }) => change({ until: target.value })}
            />
          )}
        </Field>
      </div>
      <Field label={texts.reason}>
        {id => (
          <input
            id={id}
            className="input"
            required
            maxLength={2000}
            dir="auto"
            value={reason}
            onChange={({ target }) => change({ reason: target.value })}
          />
        )}
      </Field>
    </>
  );
};
