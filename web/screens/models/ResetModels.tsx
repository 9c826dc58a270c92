import { useId, useState } from 'react';
import { usePreview, useReset } from '../../api/sourceMutations.js';
import type { ModelList } from '../../api/types.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';
import { useToast } from '../../parts/Toasts.js';
import { MovedOverrides, ResetPreview } from './ResetPreview.js';

const daysPerYear = 365;
const coverageMin = 0.9;
const coverageMax = 0.995;

/** New automatic models: how many, and how many false alerts a year are accepted. */
export const ResetModels = ({ sourceId, list }: { readonly sourceId: number; readonly list: ModelList }) => {
  const { models: texts } = useMessages();
  const formats = useFormats();
  const tell = useToast();
  const [count, setCount] = useState(list.models.length || 4);
  const [coverage, setCoverage] = useState(list.bounds?.targetCoverage ?? 0.99);
  const id = useId();
  const [keepPlanning, setKeepPlanning] = useState(true);
  const preview = usePreview(sourceId);
  const reset = useReset(sourceId);
  const asked = { count, coverage, keepPlanning };
  const isPending = preview.isPending || reset.isPending;
  /** A preview and the outcome of a reset are about the settings that they were asked with. */
  const change = (set: () => void): void => {
    set();
    preview.reset();
    reset.reset();
  };
  const error = preview.error ?? reset.error;
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
          onChange={({ target }) =>
            change(() => setCount(Math.min(64, Math.max(1, target.valueAsNumber || 1))))
          }
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
          onChange={({ target }) => change(() => setCoverage(target.valueAsNumber))}
        />
        <output htmlFor={`${id}-coverage`} className="hint">
          {texts.falseAlerts(formats.number(Math.round((1 - coverage) * daysPerYear)))}
        </output>
      </div>
      <div className="check">
        <input
          id={`${id}-keep`}
          type="checkbox"
          checked={keepPlanning}
          onChange={({ target }) => change(() => setKeepPlanning(target.checked))}
        />
        <label htmlFor={`${id}-keep`}>{texts.keepPlanning}</label>
      </div>
      <p className="hint">{texts.resetHint}</p>
      <div className="row">
        <button
          className="button primary"
          disabled={isPending}
          onClick={() => {
            reset.reset();
            preview.mutate(asked);
          }}
        >
          {texts.preview}
        </button>
        <button
          className="button"
          disabled={isPending}
          onClick={() =>
            reset.mutate(asked, {
              onSuccess: ({ models, alerts: { counts } }) => {
                preview.reset();
                tell(texts.wasReset(models.length, counts.raised, counts.invalidated));
              },
            })
          }
        >
          {texts.reset}
        </button>
      </div>
      <p role="status" className="muted small">
        {isPending ? texts.learning : ''}
      </p>
      {error && <Faults error={error} />}
      {preview.data && <ResetPreview preview={preview.data} />}
      {reset.data && <MovedOverrides overrides={reset.data.overrides} isDone />}
    </section>
  );
};
