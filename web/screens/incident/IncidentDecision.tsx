import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import type { Incident, Verdict } from '../../api/client.js';
import { lastVerdict, useIncidentChange } from '../../api/incidentMutations.js';
import { queries } from '../../api/queries.js';
import { useScope, useSession } from '../../api/session.js';
import { useMessages } from '../../messages/messages.js';
import { LineForm, Field, submits } from '../../parts/Field.js';
import {
  reopenable,
  resolvableIncident,
  useIncidentActions,
  useTold,
  VerdictField,
} from '../../parts/actions.js';
import { useDraft } from '../../parts/drafts.js';
import { useShortcuts } from '../../parts/shortcuts.js';

const nameMax = 200;

/** The person whom an incident is assigned to, and forms that change that. */
export const AssignIncident = ({ incident: { id, assignee, state } }: { readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const mayAct = useScope('alert') && state !== 'merged';
  const { subject } = useSession();
  const { run, isPending } = useTold(useIncidentChange(id));
  const assign = (to: string | null, done?: () => void): void =>
    run({ change: 'assign', subject: to }, to === null ? texts.wasUnassigned : texts.assigned(to), done);
  return (
    <section className="card card-pad stack tight no-print">
      <h2>{texts.assignee}</h2>
      <p dir="auto">{assignee ?? <span className="muted">{texts.unassigned}</span>}</p>
      {mayAct && <AssignToName id={id} pending={isPending} onAssign={assign} />}
      {mayAct && (
        <div className="row">
          {assignee !== subject && (
            <button type="button" className="button" disabled={isPending} onClick={() => assign(subject)}>
              {texts.assignMe}
            </button>
          )}
          {assignee !== null && (
            <button type="button" className="button" disabled={isPending} onClick={() => assign(null)}>
              {texts.unassign}
            </button>
          )}
        </div>
      )}
    </section>
  );
};

/** A name, with those of other assignees as proposals, which are read while a person types. */
const AssignToName = ({
  id,
  pending,
  onAssign,
}: {
  readonly id: string;
  readonly pending: boolean;
  readonly onAssign: (subject: string, done: () => void) => void;
}) => {
  const { incident: texts } = useMessages();
  const { subject } = useSession();
  const [name, setName, sent] = useDraft(`assign ${id}`);
  const [isTyping, setTyping] = useState(false);
  const { data } = useQuery({
    ...queries.incidents({ state: 'unprocessed', sort: 'criticity' }),
    enabled: isTyping,
  });
  const known = new Set([subject, ...(data ?? []).flatMap(({ assignee }) => assignee ?? [])]);
  const names = useId();
  return (
    <LineForm
      label={texts.assignTo}
      button={texts.assign}
      isReady={!pending && name.trim() !== ''}
      onSubmit={() => onAssign(name.trim(), sent)}
      list={names}
      onFocus={() => setTyping(true)}
      onBlur={() => setTyping(false)}
      maxLength={nameMax}
      autoComplete="off"
      value={name}
      onChange={setName}
    >
      <datalist id={names}>
        {[...known].map(one => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </LineForm>
  );
};

/** Decisions of a person about an incident. The comment field stays in every state, with what was typed. */
export const IncidentDecision = ({ incident }: { readonly incident: Incident }) => {
  const { incident: texts, alerts } = useMessages();
  const mayAct = useScope('alert');
  const [verdict, setVerdict] = useState<Verdict | ''>('');
  const [comment, setComment, sent] = useDraft(`incident ${incident.id}`);
  const { acknowledge, resolve, reopen, isPending } = useIncidentActions();
  const form = useRef<HTMLFormElement>(null);
  const { state } = incident;
  const isResolvable = resolvableIncident.includes(state);
  const accept = (): void => acknowledge([incident]);
  useShortcuts({
    ...(mayAct && state === 'open' && { a: accept }),
    ...(mayAct && isResolvable && { r: () => form.current?.querySelector('select')?.focus() }),
  });
  if (!mayAct || (state === 'merged' && comment === '')) return <LastVerdict incident={incident} />;
  const submit = (): void => {
    if (verdict === '') return;
    resolve([incident], verdict, comment.trim() || null, () => {
      setVerdict('');
      sent();
    });
  };
  return (
    <section className="card card-pad stack tight decision">
      <h2>{texts.decide}</h2>
      <LastVerdict incident={incident} />
      <form ref={form} className="stack tight" onSubmit={submits(submit)}>
        <CommentField incident={incident} text={comment} onChange={setComment} onSent={sent} />
        <div className="act-bar">
          {isResolvable && <VerdictField value={verdict} onChange={setVerdict} />}
          {state === 'open' && (
            <button type="button" className="button" disabled={isPending} onClick={accept}>
              {alerts.acknowledge}
            </button>
          )}
          {reopenable.includes(state) && (
            <button type="button" className="button" disabled={isPending} onClick={() => reopen([incident])}>
              {alerts.reopen}
            </button>
          )}
          {isResolvable && (
            <button type="submit" className="button primary" disabled={isPending || verdict === ''}>
              {alerts.resolve}
            </button>
          )}
        </div>
      </form>
    </section>
  );
};

/** A comment, which goes with the verdict or is added by itself. */
const CommentField = ({
  incident,
  text,
  onChange,
  onSent,
}: {
  readonly incident: Incident;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onSent: () => void;
}) => {
  const { incident: texts, alerts } = useMessages();
  const { run, isPending } = useTold(useIncidentChange(incident.id));
  const add = (): void => run({ change: 'comment', text: text.trim() }, texts.commented, onSent);
  return (
    <Field label={alerts.comment}>
      {id => (
        <>
          <textarea
            id={id}
            className="textarea"
            maxLength={2000}
            dir="auto"
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
          <div>
            <button type="button" className="button" disabled={isPending || text.trim() === ''} onClick={add}>
              {texts.addComment}
            </button>
          </div>
        </>
      )}
    </Field>
  );
};

/** The verdict of a resolved incident. */
const LastVerdict = ({ incident: { id, state } }: { readonly incident: Incident }) => {
  const { verdicts } = useMessages();
  const { data } = useQuery({ ...queries.incidentHistory(id), enabled: state === 'resolved' });
  // Verdicts on single alerts are no steps of the incident: after them its own last decision may be another one.
  const verdict = state === 'resolved' && data ? lastVerdict(data.events) : undefined;
  return verdict === undefined ? null : (
    <p>
      <strong>{verdicts[verdict]}</strong>
    </p>
  );
};
