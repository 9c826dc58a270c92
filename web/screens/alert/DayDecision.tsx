import { useQuery } from '@tanstack/react-query';
import { useDayAct } from '../../api/mutations.js';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import type { Model } from '../../api/types.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { NameDays } from '../../parts/forms/NameDays.js';
import { PlanDays } from '../../parts/forms/PlanDays.js';
import { useToast } from '../../parts/Toasts.js';

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
  const onError = (error: Error): void => tell(alerts.failed(error.message));
  const clear = (): void =>
    mutate(
      { act: 'clearPlan', dates },
      { onSuccess: () => tell(texts.cleared(formats.dayYear(date))), onError },
    );
  const plan = ({ id: modelId, name }: Model): void =>
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
