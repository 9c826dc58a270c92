import { useEffect, useRef } from 'react';
import type { Verdict } from '../../api/client.js';
import { useMessages } from '../../messages/messages.js';
import { ResolveForm } from '../../parts/alertActions.js';

/** Asks for a verdict on one or more incidents; closed while there are none. */
export const ResolveDialog = ({
  ids,
  pending,
  onResolve,
  onClose,
}: {
  readonly ids: readonly string[];
  readonly pending: boolean;
  readonly onResolve: (verdict: Verdict, comment: string | null, done: () => void) => void;
  readonly onClose: () => void;
}) => {
  const { incidents: texts, cancel } = useMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = ids.length > 0;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby="resolve-title" onClose={onClose}>
      <h2 id="resolve-title">{texts.resolveTitle(ids.length)}</h2>
      <ResolveForm key={ids.join()} draft={`resolve ${ids.join()}`} pending={pending} onResolve={onResolve}>
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          {cancel}
        </button>
      </ResolveForm>
    </dialog>
  );
};
