import { useId, useState } from 'react';
import { useDayAct, type DayAct } from '../../api/mutations.js';
import { useScope } from '../../api/session.js';
import type { Model } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { useToast } from '../../parts/Toasts.js';
import { datesOf } from './datesOf.js';
import type { Range } from './YearGrid.js';
import type { YearDay } from './yearDays.js';

/** Actions on the selected dates. */
export const PeriodPanel = ({
  sourceId,
  range,
  models,
  days,
  past,
  onRange,
  onClose,
}: {
  readonly sourceId: number;
  readonly range: Range;
  readonly models: readonly Model[];
  readonly days: readonly YearDay[];
  /** Whether a past moment is shown, which cannot be changed. */
  readonly past: boolean;
  readonly onRange: (range: Range) => void;
  readonly onClose: () => void;
}) => {
  const { calendar: texts, alert: alertTexts, alerts, close } = useMessages();
  const tell = useToast();
  const mayPlan = useScope('planning') && !past;
  const { mutate, isPending } = useDayAct(sourceId);
  const [modelId, setModelId] = useState('');
  const [name, setName] = useState('');
  const id = useId();
  if (!mayPlan) return null;
  const dates = datesOf(range);
  const planned = days.filter(
    ({ date, plan }) => plan?.origin === 'manual' && date >= range.from && date <= range.to,
  );
  const run = (act: DayAct, text: string, undo?: DayAct): void =>
    mutate(act, {
      onSuccess: () =>
        tell(text, undo && (() => mutate(undo, { onError: error => tell(alerts.failed(error.message)) }))),
      onError: error => tell(alerts.failed(error.message)),
    });
  const model = models.find(one => String(one.id) === modelId);
  return (
    <section className="card card-pad stack tight no-print" aria-label={texts.period}>
      <div className="row">
        <h2 className="spacer">{texts.selected(dates.length)}</h2>
        <button className="button quiet icon" aria-label={close} onClick={onClose}>
          ×
        </button>
      </div>
      <div className="row nowrap">
        <input
          type="date"
          className="input grow"
          aria-label={texts.from}
          value={range.from}
          max={range.to}
          onChange={({ target }) => target.value && onRange({ ...range, from: target.value })}
        />
        <input
          type="date"
          className="input grow"
          aria-label={texts.to}
          value={range.to}
          min={range.from}
          onChange={({ target }) => target.value && onRange({ ...range, to: target.value })}
        />
      </div>
      <div className="field">
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
          <button
            className="button primary"
            disabled={!model || isPending}
            onClick={() =>
              model &&
              run(
                { act: 'plan', dates, modelId: model.id },
                texts.plannedAs(dates.length, model.name),
                planned.length === 0 ? { act: 'clearPlan', dates } : undefined,
              )
            }
          >
            {alertTexts.plan}
          </button>
        </div>
      </div>
      {planned.length > 0 && (
        <button
          className="button"
          disabled={isPending}
          onClick={() =>
            run({ act: 'clearPlan', dates: planned.map(({ date }) => date) }, texts.cleared(planned.length))
          }
        >
          {texts.takeBack(planned.length)}
        </button>
      )}
      <div className="field">
        <label htmlFor={`${id}-name`}>{alertTexts.special}</label>
        <div className="row nowrap">
          <input
            id={`${id}-name`}
            className="input grow"
            dir="auto"
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <button
            className="button"
            disabled={name.trim() === '' || isPending}
            onClick={() =>
              run({ act: 'name', dates, name: name.trim() }, texts.named(dates.length, name.trim()), {
                act: 'clearName',
                dates,
              })
            }
          >
            {alertTexts.name}
          </button>
        </div>
      </div>
      <p role="status" className="muted small">
        {isPending ? texts.working : ''}
      </p>
    </section>
  );
};
