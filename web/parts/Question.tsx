import { useId, useRef } from 'react';
import { useMessages } from '../messages/messages.js';
import { Faults } from './Failure.js';

/** A button that asks before it acts. `onYes` may close the dialog. */
export const AskingButton = ({
  text,
  name,
  className = 'button',
  question,
  hint,
  yes,
  isPending,
  error,
  forget,
  onYes,
}: {
  readonly text: string;
  readonly className?: string;
  /** Accessible name of the button, when its text does not say enough. */
  readonly name?: string;
  readonly question: string;
  /** The consequence of a yes. */
  readonly hint: string;
  readonly yes: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** Forgets the error of the last answer: a question that is asked again begins without it. */
  readonly forget: () => void;
  readonly onYes: (close: () => void) => void;
}) => {
  const { cancel } = useMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const close = (): void => dialog.current?.close();
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={name}
        onClick={() => {
          // A request that is under way goes on.
          if (error) forget();
          dialog.current?.showModal();
        }}
      >
        {text}
      </button>
      <dialog ref={dialog} aria-labelledby={titleId}>
        <h2 id={titleId} dir="auto">
          {question}
        </h2>
        <p className="muted">{hint}</p>
        {error && <Faults error={error} />}
        <div className="row dialog-end">
          <button type="button" className="button primary" disabled={isPending} onClick={() => onYes(close)}>
            {yes}
          </button>
          <button type="button" className="button" onClick={close}>
            {cancel}
          </button>
        </div>
      </dialog>
    </>
  );
};
