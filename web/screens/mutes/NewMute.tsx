import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMute, type NewMute as Body } from '../../api/incidentMutations.js';
import { queries } from '../../api/queries.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Failure.js';
import { instantOf } from '../../parts/days.js';
import { fieldsUnlessTyped } from '../../parts/drafts.js';
import { Field, SelectField, submits, TextField } from '../../parts/Field.js';
import { PairsArea, pairsOf } from '../../parts/PairsArea.js';
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
  const isWhole = labels.trim() !== '' && faultOf(labels) === undefined;
  const isScoped = scope === 'source' ? source !== '' : isWhole;
  if (!isScoped || end === undefined || reason.trim() === '') return undefined;
  return {
    ...(scope === 'source'
      ? { sourceId: Number(source) }
      : { labels: Object.fromEntries(pairsOf(labels, '=')) }),
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
        onSubmit={submits(() => {
          if (!body) return;
          mutate(body, {
            onSuccess: () => {
              setTyped(fieldsUnlessTyped(typed, nothing));
              tell(texts.created);
            },
          });
        })}
      >
        <ScopeFields typed={typed} change={change} />
        <TimeFields typed={typed} change={change} />
        {error && <Faults error={error} />}
        <div>
          <button type="submit" className="button primary" disabled={isPending || !body}>
            {texts.mute}
          </button>
        </div>
      </form>
    </section>
  );
};

type Fields = { readonly typed: Typed; readonly change: (next: Partial<Typed>) => void };

const ScopeFields = ({ typed: { scope, source, labels }, change }: Fields) => {
  const { mutes: texts } = useMessages();
  const { data } = useQuery(queries.overview(undefined));
  const fault = faultOf(labels);
  return (
    <>
      <SelectField
        label={texts.scope}
        value={scope}
        options={[
          ['source', texts.scopes.source],
          ['labels', texts.scopes.labels],
        ]}
        onChange={next => change({ scope: next as Typed['scope'] })}
      />
      {scope === 'source' ? (
        <SelectField
          label={texts.source}
          value={source}
          options={(data?.sources ?? []).map(one => [String(one.id), one.name])}
          onChange={next => change({ source: next })}
        >
          <option value="">{texts.chooseSource}</option>
        </SelectField>
      ) : (
        <Field label={texts.labels} hint={texts.labelsHint}>
          {(id, hintId) => (
            <>
              <PairsArea
                id={id}
                aria-describedby={hintId}
                maxLength={4000}
                separator="="
                value={labels}
                onChange={next => change({ labels: next })}
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
      <div className="short-fields">
        <TextField
          label={texts.from}
          hint={texts.fromHint}
          type="datetime-local"
          value={from}
          onChange={next => change({ from: next })}
        />
        <TextField
          label={texts.until}
          type="datetime-local"
          required
          value={until}
          onChange={next => change({ until: next })}
        />
      </div>
      <TextField
        label={texts.reason}
        required
        maxLength={2000}
        dir="auto"
        value={reason}
        onChange={next => change({ reason: next })}
      />
    </>
  );
};
