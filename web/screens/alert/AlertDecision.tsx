import { useScope } from '../../api/session.js';
import type { Alert, Plan, Source } from '../../api/client.js';
import type { DayAct } from '../../api/dayMutations.js';
import { useMessages } from '../../messages/messages.js';
import { ResolveForm, resolvable, useAlertActions, useDayActions } from '../../parts/actions.js';
import { useShortcuts } from '../../parts/shortcuts.js';
import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { NameDays, PlanDays } from '../../parts/dayForms.js';
import { Link } from '@tanstack/react-router';

/** Actions of a person on an alert, and its present verdict. */
export const AlertDecision = ({ alert }: { readonly alert: Alert }) => {
  const { alert: texts, alerts, verdicts } = useMessages();
  const mayAct = useScope('alert');
  const { acknowledge, resolve, reopen, isPending } = useAlertActions();
  const { id, state, verdict, comment } = alert;
  useShortcuts({ ...(mayAct && state === 'open' && { a: () => acknowledge([id]) }) });
  if (!mayAct && verdict === null) return null;
  const reopening = (
    <button type="button" className="button" disabled={isPending} onClick={() => reopen([id])}>
      {alerts.reopen}
    </button>
  );
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
          onResolve={(chosen, text, done) => resolve(alert, chosen, text, done)}
        >
          {state === 'open' && (
            <button type="button" className="button" disabled={isPending} onClick={() => acknowledge([id])}>
              {alerts.acknowledge}
            </button>
          )}
          {state === 'acknowledged' && reopening}
        </ResolveForm>
      )}
      {mayAct && state === 'resolved' && <div className="act-bar">{reopening}</div>}
    </section>
  );
};

/** Another plan for a date, or a name that makes it a special day. */
export const DayDecision = ({
  sourceId,
  date,
  plan: { origin, modelId: before },
}: {
  readonly sourceId: number;
  readonly date: string;
  /** The present plan. */
  readonly plan: Pick<Plan, 'origin' | 'modelId'>;
}) => {
  const { alert: texts } = useMessages();
  const formats = useFormats();
  const mayPlan = useScope('planning');
  const models = useQuery(queries.models(sourceId)).data?.models ?? [];
  const { data: calendar } = useQuery(queries.calendar(sourceId, Number(date.slice(0, 4))));
  const { run, isPending } = useDayActions(sourceId);
  if (!mayPlan) return null;
  const dates = [date];
  const day = formats.dayYear(date);
  const clear: DayAct = { act: 'clearPlan', dates };
  const plan = (modelId: number, name: string): void => {
    const undo: DayAct =
      origin === 'manual' && before !== null ? { act: 'plan', dates, modelId: before } : clear;
    run({ act: 'plan', dates, modelId }, texts.replanned(day, name), undo);
  };
  // An earlier name may be that of a rule or of a person: it is not brought back.
  const isUnnamed = calendar?.days.every(mark => mark.date !== date || mark.type !== 'special') ?? false;
  const nameDay = (name: string, done: () => void): void =>
    run(
      { act: 'name', dates, name },
      texts.named(day, name),
      isUnnamed ? { act: 'clearName', dates } : undefined,
      done,
    );
  return (
    <section className="card card-pad stack tight no-print">
      <PlanDays label={texts.planAs} models={models} pending={isPending} onPlan={plan} />
      {origin === 'manual' && (
        <button
          type="button"
          className="button"
          disabled={isPending}
          onClick={() => run(clear, texts.cleared(day))}
        >
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
