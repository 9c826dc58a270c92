import type { InvalidInputCode } from '../../application/requests/imports/faults.js';
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
  tooManySources: type(
    422,
    'Too many sources',
    'got source 10001 of the tenant, expected at most 10000: archive one',
  ),
  sourceRelearned: type(409, 'Source learned again', 'source 12 was learned again as source 13'),
  recentTooShort: type(
    422,
    'Less than a year of recent days',
    'got recent days of 120 dates, 2026-01-01 to 2026-04-30, expected 365: the year is full on 2026-12-31',
  ),
  referenceCollecting: type(
    422,
    'Reference not complete yet',
    'the source collects its reference: got 20 days with data, expected 56 before its first models; ' +
      'it learns by itself on 2026-03-14, if each day has data',
  ),
  descriptionInvalid: type(422, 'Invalid description', 'the description of the source is not valid'),
  modelNotFound: type(422, 'Model not found', "got model 9, expected one of the source's models: 1, 2, 3"),
  modelsInvalid: type(422, 'Invalid models', 'the models are not valid'),
  alertNotFound: type(404, 'Alert not found', 'no alert 7-20240110-1'),
  alertTransition: type(
    409,
    'Illegal transition of an alert',
    'alert 12-20260302-1 is resolved, expected open for it to be acknowledged',
  ),
  incidentNotFound: type(404, 'Incident not found', 'no incident inc-7-20240110-1'),
  incidentTransition: type(
    409,
    'Illegal transition of an incident',
    'incident inc-12-20260302-1 is resolved, expected open for it to be acknowledged',
  ),
  incidentsOutdated: type(
    409,
    'Outdated decision on incidents',
    'got a decision that knows 3 events of incidents, expected 4',
  ),
  dayNotFound: type(404, 'Recent day not found', 'no recent day on 2026-03-02'),
  referenceDayNotFound: type(404, 'Reference day not found', 'source 1 has no reference day on 2024-03-02'),
  tooFewReferenceDays: type(
    409,
    'Too few reference days',
    'without 2024-03-02 13 reference days remain, expected at least 14',
  ),
  importOutOfOrder: type(409, 'Import part out of order', 'got part 3, expected part 2'),
  checkOutdated: type(409, 'Outdated check', 'got a check that knows 3 checks, expected 4'),
  modelsOutdated: type(409, 'Outdated models', 'got a change of version 3 of the models, expected version 4'),
  modelsCurrent: type(
    409,
    'No earlier models',
    'got version 4 of the models, expected one before the present version 4',
  ),
  modelsVersionNotFound: type(
    404,
    'Version of the models not found',
    'source 1 never had version 9 of its models',
  ),
  tooManySpecialDays: type(
    422,
    'Too many special days',
    'got special day 1001, expected at most 1000 of a source',
  ),
  calendarRuleNotFound: type(
    404,
    'Calendar rule not found',
    'no calendar rule 0b7c0012-1f2e-5a3b-9c4d-0123456789ab',
  ),
  tooManyCalendarRules: type(
    422,
    'Too many calendar rules',
    'got calendar rule 51, expected at most 50 of a source and of a tenant: delete one',
  ),
  webhookNotFound: type(404, 'Webhook not found', 'no webhook 0b7c0012-1f2e-5a3b-9c4d-0123456789ab'),
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
  muteNotFound: type(404, 'Mute not found', 'no mute 0b7c0012-1f2e-5a3b-9c4d-0123456789ab'),
  muteInvalid: type(422, 'Invalid mute', 'the times of the mute are not valid'),
  tooManyMutes: type(422, 'Too many mutes', 'got mute 201 of the tenant, expected at most 200'),
  tokenNotFound: type(404, 'Token not found', 'no token 0b7c0012-1f2e-5a3b-9c4d-0123456789ab'),
  tokenRequestInvalid: type(422, 'Invalid token request', 'the token that is asked for is not valid'),
  tokenRevoked: type(
    409,
    'Token revoked',
    'the token of this request was revoked at 2026-03-03T06:00:12.402Z',
  ),
  tooManyTokens: type(
    422,
    'Too many tokens',
    'got token 201 of the tenant, expected at most 200: revoke one',
  ),
  tokensOfProvider: type(
    409,
    'Tokens of an identity provider',
    'JWT_JWKS_URL is set, so the identity provider signs and ends tokens: ask there',
  ),
  firstStartOver: type(
    409,
    'First start over',
    'got a first token, expected no token to be issued before it',
  ),
  personNotFound: type(404, 'Person not found', 'unknown subject: no event was written for it'),
};

/** Types of the refusals of input. */
const inputTypes: Readonly<Record<InvalidInputCode, ProblemType>> = {
  parametersInvalid: type(422, 'Invalid parameters', 'the query is not valid'),
  bodyInvalid: type(422, 'Invalid body', 'the body is not valid'),
  csvInvalid: type(422, 'Invalid CSV', 'the file has 2 faults: nothing was stored'),
  csvEmpty: type(422, 'CSV without rows', 'got no row of data, expected at least one, date;value'),
  jsonInvalid: type(422, 'Invalid days', 'days has 2 faults: nothing was stored'),
  daysEmpty: type(422, 'No days', 'got no day, expected at least one'),
  referenceTooShort: type(
    422,
    'Reference too short',
    'got 9 days of 20 with at least 75 % of their 24 slices observed, expected at least 14',
  ),
  notCumulative: type(
    422,
    'Not a register',
    'got 4,012 falls in 8,120 changes of the value, the first 11.9 at 2023-01-01T03:00:00Z after 12.5 at ' +
      '2023-01-01T02:00:00Z, expected readings of a register, which rise except for a rare reset: create a source ' +
      'with aggregation=sum for amounts, or with aggregation=mean for levels',
  ),
  duplicateField: type(422, 'Duplicate field', 'got the field days twice, expected it once'),
  elementTooLarge: type(
    422,
    'Day too large',
    'got a day of more than 262144 bytes, expected at most as many',
  ),
  envelopeTooLarge: type(
    422,
    'Too many bytes outside days',
    'got more than 65536 bytes outside the elements of days, expected at most as many',
  ),
  nesting: type(
    422,
    'Nesting too deep',
    'got more than 8 nested objects and arrays at byte 512, expected at most as many',
  ),
  calendarInvalid: type(422, 'Invalid calendar', 'the calendar has a fault: nothing was stored'),
};

const httpTypes = {
  unparseable: type(400, 'Request cannot be parsed', 'the body is not valid JSON'),
  linesRejected: type(
    400,
    'Lines rejected',
    "partial write: line 2: unable to parse 'energy': missing fields; all other lines are stored, dropped=1",
  ),
  credentialsInAddress: type(
    400,
    'Credentials in the address',
    'got the parameter u and p, expected the token in the header Authorization: addresses are logged by proxies',
  ),
  tokenMissing: type(401, 'Token required', 'expected the header "Authorization: Bearer <token>"'),
  tokenInvalid: type(401, 'Invalid token', 'the token expired at 2026-03-03T06:00:00.000Z'),
  firstCodeWrong: type(
    403,
    'Wrong code',
    'got a wrong code, expected the one of this start; attempts left: 4',
  ),
  scopeMissing: type(403, 'Scope missing', 'the token lacks the scope "import"'),
  notFound: type(404, 'No such resource', 'no resource at /v1/sources'),
  importNotFound: type(404, 'Import not found', 'no import 0b7c0012-1f2e-5a3b-9c4d-0123456789ab'),
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
  cursorExpired: type(
    410,
    'Cursor expired',
    'the list of this cursor is not kept any more; begin again without a cursor',
  ),
  logEmpty: type(409, 'Empty log', 'the log has no event yet'),
  tooLarge: type(413, 'Body too large', 'got a body of 70000 bytes, expected at most 65536'),
  headersTooLarge: type(431, 'Headers too large', 'got more than 16384 bytes of headers'),
  mediaType: type(
    415,
    'Unsupported media type',
    'got Content-Type text/plain, expected application/json in UTF-8',
  ),
  gzipInvalid: type(
    400,
    'Body is not whole gzip',
    'the body is not gzip: it ends after 4096 packed bytes, before its end mark, or has other bytes after it',
  ),
  contentEncoding: type(
    415,
    'Unsupported content encoding',
    'got Content-Encoding br, expected gzip or none',
  ),
  keyReused: type(
    422,
    'Idempotency-Key of another request',
    'another request used this Idempotency-Key; use a new one',
  ),
  listTooLong: type(
    422,
    'List too long for its order',
    'got more than 100000 records in an order that changes, expected at most as many: filter the list, or sort it by date',
  ),
  historyTooLong: type(
    422,
    'History too long',
    'the answer needs more than 50000 events: ask for one source or an earlier moment, or run daybook replay',
  ),
  internal: type(
    500,
    'Internal error',
    'the request failed; the log of the service has the reason under X-Request-Id',
  ),
  analysisFailed: type(
    500,
    'Analysis failed',
    'the analysis failed; models that the source has stay in force',
  ),
  notImplemented: type(501, 'Method not implemented', 'got PROPFIND, expected a method of HTTP'),
  keysUnavailable: type(
    503,
    'Token keys unavailable; retry later',
    'the keys that check tokens cannot be fetched; retry later',
  ),
  storeUnavailable: type(
    503,
    'Service unavailable; retry later',
    'the event store is unreachable; this attempt had no effect, retry it',
  ),
  storageFull: type(503, 'Disk full; retry later', 'the disk is nearly full; this attempt had no effect'),
  readModelsBehind: type(
    503,
    'Read models behind; retry later',
    'the read models are 8 s behind the log, expected at most 0 s; retry, or accept older answers with maxStaleness=<seconds>',
  ),
  sourceParked: type(
    503,
    'Source parked',
    'source 7 is parked: this build cannot handle event 412 (DaysImported) of it: SQLITE_CONSTRAINT_NOTNULL; ' +
      'nothing was stored. A build that can handle the event takes it up again, or "daybook rebuild"',
  ),
  logDamaged: type(
    503,
    'Log damaged',
    'source 7 is parked: event 412 (DaysImported) of it is damaged in the log; nothing was stored. The operator has ' +
      'to run "daybook verify" for all damaged places, then restore the log from a backup',
  ),
  contention: type(
    503,
    'Concurrent changes; retry later',
    'other instances kept changing stream source-12; this attempt had no effect, retry it',
  ),
  outcomeUnknown: type(
    503,
    'Outcome unknown; retry with the same key',
    'the event store became unreachable; the request may have taken effect',
  ),
  tooManyWrites: type(
    429,
    'Too many writes; retry later',
    '12 bodies of this tenant are waiting, and the load allows no more; retry later',
  ),
  queueFull: type(
    503,
    'Queue full; retry later',
    '12 analyses of this tenant are waiting, and the load allows no more; retry later',
  ),
} as const satisfies Readonly<Record<string, ProblemType>>;

/** Every problem type by its code. */
export const problemTypes = { ...rejectionTypes, ...inputTypes, ...httpTypes };

export type ProblemCode = keyof typeof problemTypes;
