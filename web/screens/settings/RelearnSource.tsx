import { useNavigate } from '@tanstack/react-router';
import { useRelearn } from '../../api/sourceMutations.js';
import type { Source } from '../../api/types.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';
import { useToast } from '../../parts/Toasts.js';

/** Proposes a new source that is learned from the last year of recent days; nothing without a reason for it. */
export const RelearnSource = ({
  source: { id, name, relearnProposed: proposed },
}: {
  readonly source: Source;
}) => {
  const { relearn: texts } = useMessages();
  const formats = useFormats();
  const tell = useToast();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useRelearn(id);
  if (!proposed) return null;
  const relearn = (): void =>
    mutate(undefined, {
      onSuccess: ({ source }) => {
        void navigate({ to: '/sources/$sourceId/models', params: { sourceId: source.id } });
        tell(texts.done(name, source.id));
      },
    });
  return (
    <section className="card card-pad stack tight" aria-labelledby={`relearn-${id}`}>
      <h2 id={`relearn-${id}`}>{texts.title}</h2>
      <p>{texts.reasons[proposed.reason](formats.dayYear(proposed.since))}</p>
      <p className="muted">{proposed.possible ? texts.hint : texts.notYet}</p>
      {error && <Faults error={error} />}
      <div>
        <button className="button" disabled={isPending || !proposed.possible} onClick={relearn}>
          {texts.button}
        </button>
      </div>
    </section>
  );
};
