import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from 'react';
import { useMessages } from '../messages/messages.js';

type Toast = { readonly id: number; readonly text: string; readonly undo?: () => void };
type Tell = (text: string, undo?: () => void) => void;

const ToastContext = createContext<Tell>(() => {});

/** Time that a message is shown, in ms. */
const shownMs = 8000;

/** Messages about finished actions, with an undo if possible. */
export const useToast = (): Tell => useContext(ToastContext);

/** Shows messages of actions for a while, over the page. */
export const Toasts = ({ children }: { readonly children: ReactNode }) => {
  const { undo: undoText, close } = useMessages();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const next = useRef(0);
  const remove = useCallback((id: number) => setToasts(all => all.filter(toast => toast.id !== id)), []);
  const tell = useCallback<Tell>(
    (text, undo) => {
      const id = (next.current += 1);
      setToasts(all => [...all.slice(-2), { id, text, ...(undo && { undo }) }]);
      setTimeout(() => remove(id), shownMs);
    },
    [remove],
  );
  return (
    <ToastContext value={tell}>
      {children}
      <div className="toasts no-print" role="status">
        {useMemo(
          () =>
            toasts.map(({ id, text, undo }) => (
              <div key={id} className="toast">
                <span dir="auto">{text}</span>
                {undo && (
                  <button
                    className="button quiet"
                    onClick={() => {
                      remove(id);
                      undo();
                    }}
                  >
                    {undoText}
                  </button>
                )}
                <button className="button quiet icon" aria-label={close} onClick={() => remove(id)}>
                  ×
                </button>
              </div>
            )),
          [toasts, remove, undoText, close],
        )}
      </div>
    </ToastContext>
  );
};
