import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useDayAct } from '../../api/mutations.js';
import { useScope } from '../../api/session.js';
import { queries } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { useToast } from '../../parts/Toasts.js';

/** Another plan for a date, or a name that makes it a special day. Both can be taken back. */
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
  const [modelId, setModelId] = useState('');
  const [name, setName] = useState('');
  const id = useId();
  if (!mayPlan) return null;
  const dates = [date];
  const onError = (error: Error): void => tell(alerts.failed(error.message));
  const clear = (): void =>
    mutate(
      { act: 'clearPlan', dates },
      { onSuccess: () => tell(texts.cleared(formats.dayYear(date))), onError },
    );
  const model = models.find(one => String(one.id) === modelId);
  return (
    <section className="card card-pad stack tight no-print">
      <form
        className="field"
        onSubmit={event => {
          event.preventDefault();
          if (!model) return;
          mutate(
            { act: 'plan', dates, modelId: model.id },
            {
              onSuccess: () => tell(texts.replanned(formats.dayYear(date), model.name), clear),
              onError,
            },
          );
        }}
      >
        <label htmlFor={`${id}-model`}>{texts.planAs}</label>
        <div className="row nowrap">
          <select
            id={`${id}-model`}
            className="select grow"
            value={modelId}
            onChange={({ target }) => setModelId(target.value)}
          >
            <option value="" />
            {models.map(({ id: value, name: text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
          <button className="button" disabled={!model || isPending}>
            {texts.plan}
          </button>
        </div>
      </form>
      {origin === 'manual' && (
        <button className="button" disabled={isPending} onClick={clear}>
          {texts.takeBack}
        </button>
      )}
      <form
        className="field"
        onSubmit={event => {
          event.preventDefault();
          const given = name.trim();
          if (given === '') return;
          mutate(
            { act: 'name', dates, name: given },
            {
              onSuccess: () => {
                setName('');
                tell(texts.named(formats.dayYear(date), given), () =>
                  mutate({ act: 'clearName', dates }, { onError }),
                );
              },
              onError,
            },
          );
        }}
      >
        <label htmlFor={`${id}-name`}>{texts.special}</label>
        <div className="row nowrap">
          <input
            id={`${id}-name`}
            className="input grow"
            maxLength={100}
            dir="auto"
            value={name}
            aria-describedby={`${id}-hint`}
            onChange={({ target }) => setName(target.value)}
          />
          <button className="button" disabled={name.trim() === '' || isPending}>
            {texts.name}
          </button>
        </div>
        <p id={`${id}-hint`} className="hint">
          {texts.specialHint}
        </p>
      </form>
    </section>
  );
};
