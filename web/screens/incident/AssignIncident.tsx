import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useIncidentChange } from '../../api/incidentMutations.js';
import { queries } from '../../api/queries.js';
import type { Incident } from '../../api/client.js';
import { useScope, useSession } from '../../api/session.js';
import { useMessages } from '../../messages/messages.js';
import { useDraft, whenDone } from '../../parts/drafts.js';
import { LineForm } from '../../parts/Field.js';
import { useToast } from '../../parts/Toasts.js';

const nameMax = 200;

/** The person whom an incident is assigned to, and forms that change that. */
export const AssignIncident = ({ incident: { id, assignee } }: { readonly incident: Incident }) => {
  const { incident: texts, alerts } = useMessages();
  const mayAct = useScope('alert');
  const { subject } = useSession();
  const tell = useToast();
  const { mutateAsync, isPending } = useIncidentChange(id);
  const assign = (to: string | null, done?: () => void): void =>
    whenDone(
      mutateAsync({ change: 'assign', subject: to }),
      () => {
        tell(to === null ? texts.wasUnassigned : texts.assigned(to));
        done?.();
      },
      error => tell(alerts.failed(error)),
    );
  return (
    <section className="card card-pad stack tight no-print">
      <h2>{texts.assignee}</h2>
      <p dir="auto">{assignee ?? <span className="muted">{texts.unassigned}</span>}</p>
      {mayAct && <AssignToName id={id} pending={isPending} onAssign={assign} />}
      {mayAct && (
        <div className="row">
          {assignee !== subject && (
            <button className="button" disabled={isPending} onClick={() => assign(subject)}>
              {texts.assignMe}
            </button>
          )}
          {assignee !== null && (
            <button className="button" disabled={isPending} onClick={() => assign(null)}>
              {texts.unassign}
            </button>
          )}
        </div>
      )}
    </section>
  );
};

/** A name, with those of other assignees as proposals. */
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
  const { data } = useQuery(queries.incidents({ state: 'unprocessed', sort: 'criticity' }));
  const known = new Set([subject, ...(data ?? []).flatMap(({ assignee }) => assignee ?? [])]);
  const names = useId();
  return (
    <LineForm
      label={texts.assignTo}
      button={texts.assign}
      isReady={!pending && name.trim() !== ''}
      onSubmit={() => onAssign(name.trim(), sent)}
      list={names}
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
