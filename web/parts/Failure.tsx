import { ProblemError } from '../../client/index.js';
import { useMessages } from '../messages/messages.js';
import { Link } from '@tanstack/react-router';
import { unbroken } from '../messages/percent.js';

/** Whether there is nothing at an address, or nothing any more: data that were read before are void then. */
export const isNotFound = (error: unknown): boolean => error instanceof ProblemError && error.status === 404;

/** Whether a source was refused because another one has its name; people may use it all the same. */
export const isNameTaken = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'sourceNameTaken';

/** Whether an action may have been done: the client has repeated it, and only the last attempt is known. */
const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ProblemError && (error.status === 0 || error.status >= 500 || error.code === 'keyInUse');

/** Returns a function that says that an action was not done, or that this is not known. */
export const useFailedWords = (): ((error: Error) => string) => {
  const { alerts } = useMessages();
  return error => (isOutcomeUnknown(error) ? alerts.unknown(error) : alerts.failed(error));
};

/** An error message with a button to retry. */
export const Failure = ({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) => {
  const { failure, retry, unreachable } = useMessages();
  if (isNotFound(error)) return <NotFound />;
  const text = error instanceof ProblemError && error.status === 0 ? unreachable : failure(error);
  return (
    <div className="notice bad" role="alert">
      <span>{text}</span>
      {reset && (
        <button type="button" className="button" onClick={reset}>
          {retry}
        </button>
      )}
    </div>
  );
};

/** The page of an address that leads to nothing. */
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

/** A text in the reader's language above what the service said, which has the values; that alone without one. */
const Said = ({ known, detail }: { readonly known: string | undefined; readonly detail: string }) => (
  <>
    {known}
    <span className={known === undefined ? undefined : 'service-words'} dir="auto" lang="en">
      {unbroken(detail)}
    </span>
  </>
);

/** Faults of a refused request, with line or place. @param text in the reader's language, with all facts */
export const Faults = ({ error, text }: { readonly error: unknown; readonly text?: string | undefined }) => {
  const { faults: texts, service } = useMessages();
  const problem = error instanceof ProblemError ? error : undefined;
  const known = service.problems[problem?.code ?? ''];
  const own = text ?? (problem?.status === 0 ? known : undefined);
  const detail = error instanceof Error ? error.message : String(error);
  const errors = problem?.errors.slice(0, shownMax) ?? [];
  return (
    <div className="faults" role="alert">
      <p className="fault">
        <strong dir="auto">{own ?? <Said known={known} detail={detail} />}</strong>
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
                  <td>
                    <FaultText fault={fault} />
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

/** A fault of a request or a file. */
export const FaultText = ({
  fault: { code, detail },
}: {
  readonly fault: { code: string; detail: string };
}) => <Said known={useMessages().service.faults[code]} detail={detail} />;

/** Why models could not be learned. */
export const AnalysisFault = ({
  analysis: { detail = '' },
}: {
  readonly analysis: { readonly detail?: string };
}) => <Said known={useMessages().models.failed} detail={detail} />;

/** A warning of an import or of a file that is looked at, with what to do. */
export const WarningText = ({
  warning: { code, detail, cure },
}: {
  readonly warning: { readonly code: string; readonly detail: string; readonly cure: string };
}) => {
  const known = useMessages().service.warnings[code];
  return (
    <div>
      <Said known={known && `${known.seen} ${known.cure}`} detail={known ? detail : `${detail}. ${cure}`} />
    </div>
  );
};
