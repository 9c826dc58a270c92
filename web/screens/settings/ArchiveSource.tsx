import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useArchive } from '../../api/sourceMutations.js';
import type { Source } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';
import { useToast } from '../../parts/Toasts.js';

/** Archives a source after a confirmation; the message about it has an undo. */
export const ArchiveSource = ({ source: { id, name } }: { readonly source: Source }) => {
  const { settings: texts, alerts, cancel } = useMessages();
  const tell = useToast();
  const navigate = useNavigate();
  const dialog = useRef<HTMLDialogElement>(null);
  const { mutate, isPending, error } = useArchive(id);
  const archive = (): void =>
    mutate('archive', {
      onSuccess: () => {
        dialog.current?.close();
        void navigate({ to: '/' });
        tell(texts.archived(name), () =>
          mutate('restore', {
            onSuccess: () => tell(texts.restored(name)),
            onError: reason => tell(alerts.failed(reason.message)),
          }),
        );
      },
    });
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.archiveTitle}</h2>
      <p className="muted">{texts.archiveHint}</p>
      <div>
        <button className="button" onClick={() => dialog.current?.showModal()}>
          {texts.archive}
        </button>
      </div>
      <dialog ref={dialog} aria-labelledby={`archive-${id}`}>
        <h2 id={`archive-${id}`} dir="auto">
          {texts.archiveQuestion(name)}
        </h2>
        <p className="muted">{texts.archiveHint}</p>
        {error && <Faults error={error} />}
        <div className="row dialog-end">
          <button className="button primary" disabled={isPending} onClick={archive}>
            {texts.archiveYes}
          </button>
          <button className="button" onClick={() => dialog.current?.close()}>
            {cancel}
          </button>
        </div>
      </dialog>
    </section>
  );
};
