import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { useMessages } from '../messages/messages.js';

type Toast = {
  readonly id: number;
  readonly text: string;
  readonly undo?: (() => void) | undefined;
  /** Where the action can be taken back later. */
  readonly later?: string | undefined;
};
type Tell = (text: string, undo?: () => void, later?: string) => void;

const ToastContext = createContext<Tell>(() => {});

/** Time that a message is shown after its last use, in ms. */
const shownMs = 8000;

/** Messages about finished actions, with an undo if possible. */
export const useToast = (): Tell => useContext(ToastContext);

/** Ids of the messages that the pointer is on, and that have the focus. */
type Used = { readonly pointed?: number | undefined; readonly focused?: number | undefined };

/** Shows messages of actions for a while, over the page. */
export const Toasts = ({ children }: { readonly children: ReactNode }) => {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const [used, setUsed] = useState<Used>({});
  const next = useRef(0);
  const remove = useCallback((id: number) => setToasts(all => all.filter(toast => toast.id !== id)), []);
  const tell = useCallback<Tell>((text, undo, later) => {
    const id = (next.current += 1);
    setToasts(all => [...all.slice(-2), { id, text, undo, later }]);
  }, []);
  const onUse = useCallback((change: Used) => setUsed(before => ({ ...before, ...change })), []);
  // All wait for the one that is used: without the others it would move away from under the pointer.
  const isHeld = toasts.some(({ id }) => id === used.pointed || id === used.focused);
  return (
    <ToastContext value={tell}>
      {children}
      <div className="toasts no-print" role="status">
        {useMemo(
          () =>
            toasts.map(toast => (
              <ToastLine key={toast.id} toast={toast} isHeld={isHeld} onUse={onUse} onClose={remove} />
            )),
          [toasts, isHeld, onUse, remove],
        )}
      </div>
    </ToastContext>
  );
};

/** A message, which is closed some time after its last use. */
const ToastLine = ({
  toast: { id, text, undo, later },
  isHeld,
  onUse,
  onClose,
}: {
  readonly toast: Toast;
  readonly isHeld: boolean;
  readonly onUse: (change: Used) => void;
  readonly onClose: (id: number) => void;
}) => {
  const { undo: undoText, close } = useMessages();
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => onClose(id), shownMs);
    return () => clearTimeout(timer);
  }, [isHeld, id, onClose]);
  return (
    <div
      className="toast"
      onPointerEnter={() => onUse({ pointed: id })}
      onPointerLeave={() => onUse({ pointed: undefined })}
      onFocus={() => onUse({ focused: id })}
      onBlur={() => onUse({ focused: undefined })}
    >
      <span className="toast-text">
        <span dir="auto">{text}</span>
        {later !== undefined && <span className="small">{later}</span>}
      </span>
      {undo && (
        <button
          type="button"
          className="button quiet"
          onClick={() => {
            onClose(id);
            undo();
          }}
        >
          {undoText}
        </button>
      )}
      <button type="button" className="button quiet icon" aria-label={close} onClick={() => onClose(id)}>
        ×
      </button>
    </div>
  );
};
