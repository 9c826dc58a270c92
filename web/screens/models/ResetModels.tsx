import { useState } from 'react';
import { usePreview, useReset, type Reset } from '../../api/sourceMutations.js';
import type { ModelList } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';
import { useToast } from '../../parts/Toasts.js';
import { ResetFields } from './ResetFields.js';
import { MovedOverrides, ResetPreview } from './ResetPreview.js';

const countUsual = 4;
const coverageUsual = 0.99;

/** New automatic models: how many, and how many false alerts a year are accepted. */
export const ResetModels = ({ sourceId, list }: { readonly sourceId: number; readonly list: ModelList }) => {
  const { models: texts } = useMessages();
  const tell = useToast();
  const [asked, setAsked] = useState<Reset>({
    count: list.models.length || countUsual,
    coverage: list.bounds?.targetCoverage ?? coverageUsual,
    keepPlanning: true,
  });
  const preview = usePreview(sourceId);
  const reset = useReset(sourceId);
  const isPending = preview.isPending || reset.isPending;
  /** A preview and the outcome of a reset are about the settings that they were asked with. */
  const change = (next: Partial<Reset>): void => {
    setAsked(now => ({ ...now, ...next }));
    preview.reset();
    reset.reset();
  };
  const error = preview.error ?? reset.error;
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.resetTitle}</h2>
      <ResetFields asked={asked} onChange={change} />
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
