import type { InvalidInputCode } from '../../application/imports/faults.js';
import type { RejectionCode } from '../../domain/rejection.js';

/** A problem type (RFC 9457): its status, its title, and an example of its detail. */
export type ProblemType = { readonly status: number; readonly title: string; readonly example: string };

const type = (status: number, title: string, example: string): ProblemType => ({ status, title, example });

/** Types of the refusals of domain rules. */
const rejectionTypes: Readonly<Record<RejectionCode, ProblemType>> = {
  sourceNotFound: type(404, 'Source not found', 'no source 12'),
  sourceExists: type(409, 'Source exists', 'source 12 exists already'),
  sourceNameTaken: type(
    409,
    'Name taken',
    'got the name "Entrance hall", which source 12 has; allowDuplicate=true gives it to both',
  ),
  sourceRelearned: type(409, 'Source learned again', 'source 12 was learned again as source 13'),
  recentTooShort: type(
    422,
    'Less than a year of recent days',
    'got recent days of 120 dates, 2026-01-01 to 2026-04-30, expected 365: the year is full on 2026-12-31',
  ),
  descriptionInvalid: type(422, 'Invalid description', 'the description of the source is not valid'),
  modelNotFound: type(422, 'Model not found', 'no model 9 in source 12'),
  modelsInvalid: type(422, 'Invalid models', 'the models break their rules'),
  alertNotFound: type(404, 'Alert not found', 'no such alert'),
  alertTransition: type(
    409,
    'Illegal transition of an alert',
    'alert 12-20260302-1 is resolved, expected open for it to be acknowledged',
  ),
  importOutOfOrder: type(409, 'Import part out of order', 'got part 3, expected part 2'),
  checkOutdated: type(409, 'Outdated check', 'a newer check of these days exists'),
  modelsOutdated: type(409, 'Outdated models', 'got a change of version 3 of the models, expected version 4'),
  tooManySpecialDays: type(422, 'Too many special days', 'got 1001 special days, expected at most 1000'),
  webhookNotFound: type(404, 'Webhook not found', 'no webhook 3'),
  webhookInvalid: type(422, 'Invalid webhook', 'the address of the receiver is refused'),
  tooManyWebhooks: type(
    422,
    'Too many webhooks',
    'got webhook 51 of the tenant, expected at most 50: delete one',
  ),
  tooManyOverrides: type(
    422,
    'Too many overrides',
    'got override 5001 of the planning, expected at most 5000 of a source',
  ),
  personNotFound: type(404, 'Person not found', 'unknown subject: no event was written for it'),
};

/** Types of the refusals of input. */
const inputTypes: Readonly<Record<InvalidInputCode, ProblemType>> = {
  parametersInvalid: type(422, 'Invalid parameters', 'the query is not valid'),
  bodyInvalid: type(422, 'Invalid body', 'the body is not valid'),
  csvInvalid: type(422, 'Invalid CSV', 'the CSV has 2 faults'),
  csvEmpty: type(422, 'CSV without rows', 'the CSV has no rows'),
  jsonInvalid: type(422, 'Invalid days', 'the days have 2 faults'),
  daysEmpty: type(422, 'No days', 'the body has no days'),
  referenceTooShort: type(
    422,
    'Reference too short',
    'got 9 complete days, expected at least 14 to learn typical days',
  ),
  duplicateField: type(422, 'Duplicate field', 'the field "name" occurs twice'),
  elementTooLarge: type(422, 'Day too large', 'an element of days has more than 100000 bytes'),
  envelopeTooLarge: type(
    422,
    'Too many bytes outside days',
    'the body has more than 100000 bytes outside days',
  ),
  nesting: type(422, 'Nesting too deep', 'the body nests deeper than 8 levels'),
};

const httpTypes = {
  unparseable: type(400, 'Request cannot be parsed', 'the body is not valid JSON'),
  tokenMissing: type(401, 'Token required', 'expected the header "Authorization: Bearer <token>"'),
  tokenInvalid: type(401, 'Invalid token', 'the token expired at 2026-03-03T06:00:00.000Z'),
  scopeMissing: type(403, 'Scope missing', 'the token lacks the scope "import"'),
  notFound: type(404, 'No such resource', 'no resource at /v1/sources'),
  importNotFound: type(404, 'Import not found', 'no such import'),
  eventNotFound: type(404, 'Event not found', 'no event 0b7c0013-1f2e-5a3b-9c4d-0123456789ab'),
  checkpointKeyMissing: type(
    404,
    'No key for checkpoints',
    'no key is configured for signing checkpoints; see the setting AUDIT_KEY_FILE',
  ),
  methodNotAllowed: type(405, 'Method not allowed', 'got PATCH, expected GET'),
  bodyTooSlow: type(408, 'Body too slow', 'got 900 bytes in 10.0 s, expected at least 1000 a second'),
  keyInUse: type(
    409,
    'Idempotency-Key in use',
    'a request with this Idempotency-Key is in progress; retry later',
  ),
  overtaken: type(409, 'Superseded', 'superseded by a newer reset or replacement of the models'),
  logEmpty: type(409, 'Empty log', 'the log has no event yet'),
  tooLarge: type(413, 'Body too large', 'the body has more than 65536 bytes'),
  mediaType: type(
    415,
    'Unsupported media type',
    'got Content-Type text/plain, expected application/json in UTF-8',
  ),
  contentEncoding: type(415, 'Unsupported content encoding', 'got Content-Encoding gzip, expected none'),
  keyReused: type(
    422,
    'Idempotency-Key of another request',
    'another request used this Idempotency-Key; use a new one',
  ),
  historyTooLong: type(
    422,
    'History too long',
    'got 60000 events, expected at most 50000; ask for one source',
  ),
  internal: type(
    500,
    'Internal error',
    'the request failed; the log of the service has the reason under X-Request-Id',
  ),
  analysisFailed: type(500, 'Analysis failed', 'the analysis failed; the models are unchanged'),
  notImplemented: type(501, 'Method not implemented', 'got PROPFIND, expected a method of HTTP'),
  keysUnavailable: type(
    503,
    'Token keys unavailable; retry later',
    'the keys that check tokens cannot be fetched; retry later',
  ),
  storeUnavailable: type(
    503,
    'Service unavailable; retry later',
    'the event store is unreachable; the request had no effect, retry it',
  ),
  storageFull: type(503, 'Disk full; retry later', 'the disk is nearly full; the request had no effect'),
  readModelsBehind: type(
    503,
    'Read models behind; retry later',
    'the read models had the whole log 8 s ago, expected at most 0 s',
  ),
  contention: type(
    503,
    'Concurrent changes; retry later',
    'a lost race; the request had no effect, retry it',
  ),
  outcomeUnknown: type(
    503,
    'Outcome unknown; retry with the same key',
    'the event store became unreachable; the request may have taken effect',
  ),
  queueFull: type(503, 'Queue full; retry later', 'too many requests are in progress'),
} as const satisfies Readonly<Record<string, ProblemType>>;

/** Every problem type by its code. */
export const problemTypes = { ...rejectionTypes, ...inputTypes, ...httpTypes };

export type ProblemCode = keyof typeof problemTypes;
