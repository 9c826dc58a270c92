import { ProblemError } from '../../client/index.js';
import { useMessages } from '../messages/messages.js';
import { NotFound } from './NotFound.js';

/** An error message with a button to retry. */
export const Failure = ({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) => {
  const { failure, retry, unreachable } = useMessages();
  if (error instanceof ProblemError && error.status === 404) return <NotFound />;
  const text =
    error instanceof ProblemError && error.status === 0
      ? unreachable
      : failure(error instanceof Error ? error.message : String(error));
  return (
    <div className="notice bad" role="alert">
      <span>{text}</span>
      {reset && (
        <button className="button" onClick={reset}>
          {retry}
        </button>
      )}
    </div>
  );
};
