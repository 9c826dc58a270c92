import { ProblemError } from '../../client/index.js';
import { useMessages } from '../messages/messages.js';
import { Link } from '@tanstack/react-router';
import { unbroken } from '../messages/percent.js';

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

export const NotFound = () => {
  const { notFound, backToOverview } = useMessages();
  return (
    <div className="stack">
      <h1>{notFound}</h1>
      <p>
        <Link to="/" className="alone">
          {backToOverview}
        </Link>
      </p>
    </div>
  );
};

const shownMax = 100;

/** Faults of a refused request, with line or place. @param text in the reader's language; else that of the service */
export const Faults = ({ error, text }: { readonly error: unknown; readonly text?: string | undefined }) => {
  const { faults: texts, unreachable } = useMessages();
  const problem = error instanceof ProblemError ? error : undefined;
  const detail =
    text ?? (problem?.status === 0 ? unreachable : error instanceof Error ? error.message : String(error));
  const errors = problem?.errors.slice(0, shownMax) ?? [];
  return (
    <div className="faults" role="alert">
      <p className="fault">
        <strong dir="auto" lang={text === undefined && problem && problem.status !== 0 ? 'en' : undefined}>
          {unbroken(detail)}
        </strong>
      </p>
      {errors.length > 0 && (
        <div className="scroll-x" tabIndex={0} role="region" aria-label={texts.title}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{texts.where}</th>
                <th scope="col">{texts.what}</th>
                <th scope="col">{texts.value}</th>
              </tr>
            </thead>
            <tbody>
              {errors.map((fault, index) => (
                <tr key={index}>
                  <td>
                    {fault.line !== undefined ? texts.line(fault.line, fault.column) : (fault.pointer ?? '')}
                  </td>
                  <td dir="auto" lang="en">
                    {unbroken(fault.detail)}
                  </td>
                  <td className="mono" dir="auto">
                    {fault.value ?? ''}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
};
