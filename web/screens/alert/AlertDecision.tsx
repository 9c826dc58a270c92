import { useScope } from '../../api/session.js';
import type { Alert, Source } from '../../api/client.js';
import { useMessages } from '../../messages/messages.js';
import { ResolveForm, resolvable, useAlertActions } from '../../parts/actions.js';
import { useShortcuts } from '../../parts/shortcuts.js';
import { useQuery } from '@tanstack/react-query';
import { useDayAct } from '../../api/mutations.js';
import { queries } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { NameDays, PlanDays } from '../../parts/dayForms.js';
import { useToast } from '../../parts/Toasts.js';
import { Link } from '@tanstack/react-router';

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
        <ResolveForm
          draft={`resolve ${id}`}
          pending={isPending}
          onResolve={(chosen, text, done) => resolve([id], chosen, text, done)}
        >
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

/** Another plan for a date, or a name that makes it a special day. Both can be undone. */
export const DayDecision = ({
  sourceId,
  date,
  origin,
}: {
  readonly sourceId: number;
  readonly date: string;
  /** Whether a person planned the date before. */
  readonly origin: 'automatic' | 'manual';
}) => {
  const { alert: texts, alerts } = useMessages();
  const formats = useFormats();
  const tell = useToast();
  const mayPlan = useScope('planning');
  const models = useQuery(queries.models(sourceId)).data?.models ?? [];
  const { mutate, isPending } = useDayAct(sourceId);
  if (!mayPlan) return null;
  const dates = [date];
  const onError = (error: Error): void => tell(alerts.failed(error));
  const clear = (): void =>
    mutate(
      { act: 'clearPlan', dates },
      { onSuccess: () => tell(texts.cleared(formats.dayYear(date))), onError },
    );
  const plan = (modelId: number, name: string): void =>
    mutate(
      { act: 'plan', dates, modelId },
      { onSuccess: () => tell(texts.replanned(formats.dayYear(date), name), clear), onError },
    );
  const nameDay = (name: string, done: () => void): void => {
    const undo = (): void => mutate({ act: 'clearName', dates }, { onError });
    const onSuccess = (): void => {
      done();
      tell(texts.named(formats.dayYear(date), name), undo);
    };
    mutate({ act: 'name', dates, name }, { onSuccess, onError });
  };
  return (
    <section className="card card-pad stack tight no-print">
      <PlanDays label={texts.planAs} models={models} pending={isPending} onPlan={plan} />
      {origin === 'manual' && (
        <button className="button" disabled={isPending} onClick={clear}>
          {texts.takeBack}
        </button>
      )}
      <NameDays pending={isPending} onName={nameDay} />
    </section>
  );
};

/** Says that a source has changed for good, and leads to where it is learned again; nothing without that reason. */
export const RelearnHint = ({
  source: { id, relearnProposed: proposed },
}: {
  readonly source: Pick<Source, 'id' | 'relearnProposed'>;
}) => {
  const { relearn: texts } = useMessages();
  const { dayYear } = useFormats();
  const mayModel = useScope('model');
  if (!mayModel || !proposed || proposed.reason === 'yearOfData') return null;
  return (
    <section className="card card-pad stack tight no-print">
      <h2>{texts.title}</h2>
      <p>{texts.reasons[proposed.reason](dayYear(proposed.since))}</p>
      <div>
        <Link to="/sources/$sourceId/settings" params={{ sourceId: id }} className="button">
          {texts.link}
        </Link>
      </div>
    </section>
  );
};
