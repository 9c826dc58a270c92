import { Rejection } from '../../domain/rejection.js';
import { QueueFull } from '../../application/ports/analyst.js';
import { HistoryTooLong } from '../../application/requests/history/asOf.js';
import { EventDamaged } from '../../domain/events.js';
import {
  Contention,
  damageAdvice,
  LogDamaged,
  OutcomeUnknown,
  StorageFull,
  StoreUnavailable,
} from '../../application/ports/eventStore.js';
import { ReadModelsBehind } from '../../application/reading/freshness.js';
import { SourceParked } from '../../application/reading/parking.js';
import {
  InvalidInput,
  TooLarge,
  Unparseable,
  type InputFault,
} from '../../application/requests/imports/faults.js';
import { KeysUnavailable } from '../network/remoteKeys.js';
import { BodyTooSlow } from './clientConnection.js';
import { problemTypes, type ProblemCode } from './problemTypes.js';

/** A refused or failed request as clients see it (RFC 9457). */
export class Problem extends Error {
  readonly name = 'Problem';
  readonly status: number;
  readonly title: string;
  readonly code: ProblemCode;
  readonly errors: readonly InputFault[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: {
      readonly errors?: readonly InputFault[];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail);
    const { status, title } = problemTypes[code];
    this.status = status;
    this.title = title;
    this.code = code;
    this.errors = extra.errors ?? [];
    this.headers = extra.headers ?? {};
  }
}

/** Media type of problems. */
export const problemMedia = 'application/problem+json';

/** The body of a problem. */
export const problemBody = ({ status, title, code, message, errors }: Problem) => ({
  type: `urn:daybook:problem:${code}`,
  title,
  status,
  detail: message,
  code,
  ...(errors.length > 0 ? { errors } : {}),
});

/** A problem that ends by itself: 503 with `Retry-After`. */
export const unavailable = (code: ProblemCode, detail: string): Problem =>
  new Problem(code, detail, { headers: { 'Retry-After': '5' } });

// An earlier attempt under the same Idempotency-Key may have had one.
const noEffect = 'this attempt had no effect';

/** Problem of an error that means: retry later. */
const temporaryProblemOf = (error: unknown): Problem | undefined => {
  if (error instanceof Contention)
    return unavailable('contention', `${error.message}; ${noEffect}, retry it`);
  if (error instanceof OutcomeUnknown)
    return unavailable(
      'outcomeUnknown',
      'the event store became unreachable before it acknowledged the request, which may have taken effect; retry it ' +
        'with the same Idempotency-Key',
    );
  // Sizes, files and settings are in the log of the service: clients without a token see these answers too.
  if (error instanceof StorageFull) return unavailable('storageFull', `the disk is nearly full; ${noEffect}`);
  if (error instanceof LogDamaged)
    return unavailable('logDamaged', `the log is damaged; the operator has to ${damageAdvice}`);
  if (error instanceof EventDamaged) return unavailable('logDamaged', `${error.message}; ${damageAdvice}`);
  if (error instanceof StoreUnavailable)
    return unavailable('storeUnavailable', `the event store is unreachable; ${noEffect}, retry it`);
  if (error instanceof SourceParked)
    return unavailable(error.isDamage ? 'logDamaged' : 'sourceParked', error.message);
  if (error instanceof ReadModelsBehind) return unavailable('readModelsBehind', error.message);
  if (error instanceof KeysUnavailable)
    return unavailable('keysUnavailable', `${error.message}; retry later`);
  if (error instanceof QueueFull) return unavailable('queueFull', error.message);
  return undefined;
};

/** The problem of any error. An unexpected error is a 500 without details. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (error instanceof Unparseable)
    return new Problem('unparseable', error.message, { errors: error.faults });
  if (error instanceof InvalidInput) return new Problem(error.code, error.message, { errors: error.faults });
  if (error instanceof HistoryTooLong) return new Problem('historyTooLong', error.message);
  if (error instanceof BodyTooSlow)
    return new Problem('bodyTooSlow', error.message, { headers: { Connection: 'close' } });
  if (error instanceof TooLarge) return new Problem('tooLarge', error.message);
  if (error instanceof Rejection) return new Problem(error.code, error.message, { errors: error.faults });
  return (
    temporaryProblemOf(error) ??
    new Problem('internal', 'the request failed; the log of the service has the reason under X-Request-Id')
  );
};

const unknownOutcomes: readonly ProblemCode[] = [
  'internal',
  'storeUnavailable',
  'storageFull',
  'outcomeUnknown',
  'contention',
  // The event of the request itself may be the one that cannot be handled.
  'sourceParked',
  'logDamaged',
];

/** Whether an error proves that the request ended: its Idempotency-Key may be used again. */
export const isOutcomeKnown = (error: unknown): boolean => !unknownOutcomes.includes(problemOf(error).code);
