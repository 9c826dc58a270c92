import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api, bodyOf } from '../../api/client.js';
import type { ModelList } from '../../api/types.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { useToast } from '../../parts/Toasts.js';

const daysPerYear = 365;
const coverageMin = 0.9;
const coverageMax = 0.995;

/** New automatic models: how many, and how many false alerts a year are accepted. */
export const ResetModels = ({ sourceId, list }: { readonly sourceId: number; readonly list: ModelList }) => {
  const { models: texts, alerts } = useMessages();
  const formats = useFormats();
  const tell = useToast();
  const client = useQueryClient();
  const [count, setCount] = useState(list.models.length || 4);
  const [coverage, setCoverage] = useState(list.bounds?.targetCoverage ?? 0.99);
  const id = useId();
  const reset = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/v1/model/reset/{source_id}/{model_count}', {
          params: { path: { source_id: sourceId, model_count: count }, query: { coverage } },
        }),
      ),
    onSuccess: ({ models, alerts: changes }) =>
      tell(texts.wasReset(models.length, changes.counts.raised, changes.counts.invalidated)),
    onError: error => tell(alerts.failed(error.message)),
    onSettled: () =>
      client.invalidateQueries({ predicate: ({ queryKey: [, of] }) => of === null || of === sourceId }),
  });
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.resetTitle}</h2>
      <div className="field">
        <label htmlFor={`${id}-count`}>{texts.count}</label>
        <input
          id={`${id}-count`}
          type="number"
          className="input"
          min={1}
          max={64}
          value={count}
          onChange={({ target }) => setCount(Math.min(64, Math.max(1, target.valueAsNumber || 1)))}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-coverage`}>{texts.coverage}</label>
        <input
          id={`${id}-coverage`}
          type="range"
          className="range"
          min={coverageMin}
          max={coverageMax}
          step={0.005}
          value={coverage}
          aria-valuetext={texts.falseAlerts(formats.number(Math.round((1 - coverage) * daysPerYear)))}
          onChange={({ target }) => setCoverage(target.valueAsNumber)}
        />
        <output htmlFor={`${id}-coverage`} className="hint">
          {texts.falseAlerts(formats.number(Math.round((1 - coverage) * daysPerYear)))}
        </output>
      </div>
      <p className="hint">{texts.resetHint}</p>
      <button className="button" disabled={reset.isPending} onClick={() => reset.mutate()}>
        {texts.reset}
      </button>
      <p role="status" className="muted small">
        {reset.isPending ? texts.learning : ''}
      </p>
    </section>
  );
};
