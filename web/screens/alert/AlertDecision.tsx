import { useScope } from '../../api/session.js';
import type { Alert } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { ResolveForm } from '../../parts/forms/ResolveForm.js';
import { resolvable, useAlertActions } from '../../parts/useAlertActions.js';
import { useShortcuts } from '../../parts/shortcuts.js';

/** Actions of a person on an alert, and its present verdict. */
export const AlertDecision = ({ alert }: { readonly alert: Alert }) => {
  const { alert: texts, alerts, verdicts } = useMessages();
  const mayAct = useScope('alert');
  const { acknowledge, resolve, reopen, isPending } = useAlertActions();
  const { id, state, verdict, comment } = alert;
  useShortcuts({ ...(mayAct && state === 'open' && { a: () => acknowledge([id]) }) });
  if (!mayAct && verdict === null) return null;
  return (
    <section className="card card-pad stack tight decision">
      <h2>{texts.decide}</h2>
      {verdict !== null && (
        <p>
          <strong>{verdicts[verdict]}</strong>
          {comment !== null && (
            <span className="comment" dir="auto">
              {comment}
            </span>
          )}
        </p>
      )}
      {mayAct && resolvable.includes(state) && (
        <ResolveForm pending={isPending} onResolve={(chosen, text) => resolve([id], chosen, text)}>
          {state === 'open' && (
            <button type="button" className="button" disabled={isPending} onClick={() => acknowledge([id])}>
              {alerts.acknowledge}
            </button>
          )}
        </ResolveForm>
      )}
      {mayAct && state === 'resolved' && (
        <div className="act-bar">
          <button className="button" disabled={isPending} onClick={() => reopen([id])}>
            {alerts.reopen}
          </button>
        </div>
      )}
    </section>
  );
};
