import type { InvalidInputCode } from '../../application/requests/imports/faults.js';
import type { RejectionCode } from '../../domain/rejection.js';

/** A problem type (RFC 9457): its status, its title, and an example of its detail. */
export type ProblemType = { readonly status: number; readonly title: string; readonly example: string };

/** Problem types with one status, from their titles and examples. */
const withStatus = <Code extends string>(
  status: number,
  types: Readonly<Record<Code, readonly [title: string, example: string]>>,
) =>
  Object.fromEntries(
    Object.entries<readonly [string, string]>(types).map(([code, [title, example]]) => [
      code,
      { status, title, example },
    ]),
  ) as Record<Code, ProblemType>;

/** Types of the refusals of domain rules. */
const rejectionTypes: Readonly<Record<RejectionCode, ProblemType>> = {
  ...withStatus(404, {
    sourceNotFound: ['Source not found', 'no source 12'],
    alertNotFound: ['Alert not found', 'no alert 7-20240110-1'],
    incidentNotFound: ['Incident not found', 'no incident inc-7-20240110-1'],
    dayNotFound: ['Recent day not found', 'no recent day on 2026-03-02'],
    referenceDayNotFound: ['Reference day not found', 'source 1 has no reference day on 2024-03-02'],
    modelsVersionNotFound: ['Version of the models not found', 'source 1 never had version 9 of its models'],
    calendarRuleNotFound: [
      'Calendar rule not found',
      'no calendar rule 0b7c0012-1f2e-5a3b-9c4d-0123456789ab',
    ],
    webhookNotFound: ['Webhook not found', 'no webhook 0b7c0012-1f2e-5a3b-9c4d-0123456789ab'],
    muteNotFound: ['Mute not found', 'no mute 0b7c0012-1f2e-5a3b-9c4d-0123456789ab'],
    tokenNotFound: ['Token not found', 'no token 0b7c0012-1f2e-5a3b-9c4d-0123456789ab'],
    personNotFound: ['Person not found', 'unknown subject: no event was written for it'],
  }),
  ...withStatus(409, {
    sourceExists: ['Source exists', 'source 12 exists already'],
    sourceNameTaken: [
      'Name taken',
      'got the name "Entrance hall", which source 12 has; allowDuplicate=true gives it to both',
    ],
    sourceRelearned: ['Source learned again', 'source 12 was learned again as source 13'],
    alertTransition: [
      'Illegal transition of an alert',
      'alert 12-20260302-1 is resolved, expected open for it to be acknowledged',
    ],
    incidentTransition: [
      'Illegal transition of an incident',
      'incident inc-12-20260302-1 is resolved, expected open for it to be acknowledged',
    ],
    incidentsOutdated: [
      'Outdated decision on incidents',
      'got a decision that knows 3 events of incidents, expected 4',
    ],
    tooFewReferenceDays: [
      'Too few reference days',
      'without 2024-03-02 13 reference days remain, expected at least 14',
    ],
    importOutOfOrder: ['Import part out of order', 'got part 3, expected part 2'],
    checkOutdated: ['Outdated check', 'got a check that knows 3 checks, expected 4'],
    modelsOutdated: ['Outdated models', 'got a change of version 3 of the models, expected version 4'],
    modelsCurrent: [
      'No earlier models',
      'got version 4 of the models, expected one before the present version 4',
    ],
    tokenRevoked: ['Token revoked', 'the token of this request was revoked at 2026-03-03T06:00:12.402Z'],
    tokensOfProvider: [
      'Tokens of an identity provider',
      'JWT_JWKS_URL is set, so the identity provider signs and ends tokens: ask there',
    ],
    firstStartOver: ['First start over', 'got a first token, expected no token to be issued before it'],
  }),
  ...withStatus(422, {
    tooManySources: [
      'Too many sources',
      'got source 10001 of the tenant, expected at most 10000: archive one',
    ],
    recentTooShort: [
      'Less than a year of recent days',
      'got recent days of 120 dates, 2026-01-01 to 2026-04-30, expected 365: the year is full on 2026-12-31',
    ],
    referenceCollecting: [
      'Reference not complete yet',
      'the source collects its reference: got 20 days with data, expected 56 before its first models; ' +
        'it learns by itself on 2026-03-14, if each day has data',
    ],
    descriptionInvalid: ['Invalid description', 'the description of the source is not valid'],
    modelNotFound: ['Model not found', "got model 9, expected one of the source's models: 1, 2, 3"],
    modelsInvalid: ['Invalid models', 'the models are not valid'],
    tooManySpecialDays: ['Too many special days', 'got special day 1001, expected at most 1000 of a source'],
    tooManyCalendarRules: [
      'Too many calendar rules',
      'got calendar rule 51, expected at most 50 of a source and of a tenant: delete one',
    ],
    webhookInvalid: ['Invalid webhook', 'the address of the receiver is refused'],
    tooManyWebhooks: ['Too many webhooks', 'got webhook 51 of the tenant, expected at most 50: delete one'],
    tooManyOverrides: [
      'Too many overrides',
      'got override 5001 of the planning, expected at most 5000 of a source',
    ],
    muteInvalid: ['Invalid mute', 'the times of the mute are not valid'],
    tooManyMutes: ['Too many mutes', 'got mute 201 of the tenant, expected at most 200'],
    tokenRequestInvalid: ['Invalid token request', 'the token that is asked for is not valid'],
    tooManyTokens: ['Too many tokens', 'got token 201 of the tenant, expected at most 200: revoke one'],
  }),
};

/** Types of the refusals of input. */
const inputTypes: Readonly<Record<InvalidInputCode, ProblemType>> = withStatus(422, {
  parametersInvalid: ['Invalid parameters', 'the query is not valid'],
  bodyInvalid: ['Invalid body', 'the body is not valid'],
  csvInvalid: ['Invalid CSV', 'the file has 2 faults: nothing was stored'],
  csvEmpty: ['CSV without rows', 'got no row of data, expected at least one, date;value'],
  jsonInvalid: ['Invalid days', 'days has 2 faults: nothing was stored'],
  daysEmpty: ['No days', 'got no day, expected at least one'],
  referenceTooShort: [
    'Reference too short',
    'got 9 days of 20 with at least 75 % of their 24 slices observed, expected at least 14',
  ],
  notCumulative: [
    'Not a register',
    'got 4,012 falls in 8,120 changes of the value, the first 11.9 at 2023-01-01T03:00:00Z after 12.5 at ' +
      '2023-01-01T02:00:00Z, expected readings of a register, which rise except for a rare reset: create a source ' +
      'with aggregation=sum for amounts, or with aggregation=mean for levels',
  ],
  duplicateField: ['Duplicate field', 'got the field days twice, expected it once'],
  elementTooLarge: ['Day too large', 'got a day of more than 262144 bytes, expected at most as many'],
  envelopeTooLarge: [
    'Too many bytes outside days',
    'got more than 65536 bytes outside the elements of days, expected at most as many',
  ],
  nesting: [
    'Nesting too deep',
    'got more than 8 nested objects and arrays at byte 512, expected at most as many',
  ],
  calendarInvalid: ['Invalid calendar', 'the calendar has a fault: nothing was stored'],
});

const httpTypes = {
  ...withStatus(400, {
    unparseable: ['Request cannot be parsed', 'the body is not valid JSON'],
    linesRejected: [
      'Lines rejected',
      "partial write: line 2: unable to parse 'energy': missing fields; all other lines are stored, dropped=1",
    ],
    credentialsInAddress: [
      'Credentials in the address',
      'got the parameter u and p, expected the token in the header Authorization: addresses are logged by proxies',
    ],
    gzipInvalid: [
      'Body is not whole gzip',
      'the body is not gzip: it ends after 4096 packed bytes, before its end mark, or has other bytes after it',
    ],
  }),
  ...withStatus(401, {
    tokenMissing: ['Token required', 'expected the header "Authorization: Bearer <token>"'],
    tokenInvalid: ['Invalid token', 'the token expired at 2026-03-03T06:00:00.000Z'],
  }),
  ...withStatus(403, {
    firstCodeWrong: ['Wrong code', 'got a wrong code, expected the one of this start; attempts left: 4'],
    scopeMissing: ['Scope missing', 'the token lacks the scope "import"'],
  }),
  ...withStatus(404, {
    notFound: ['No such resource', 'no resource at /v1/sources'],
    importNotFound: ['Import not found', 'no import 0b7c0012-1f2e-5a3b-9c4d-0123456789ab'],
    eventNotFound: ['Event not found', 'no event 0b7c0013-1f2e-5a3b-9c4d-0123456789ab'],
    checkpointKeyMissing: [
      'No key for checkpoints',
      'no key is configured for signing checkpoints; see the setting AUDIT_KEY_FILE',
    ],
  }),
  ...withStatus(405, { methodNotAllowed: ['Method not allowed', 'got PATCH, expected GET'] }),
  ...withStatus(408, {
    bodyTooSlow: ['Body too slow', 'got 900 bytes in 10.0 s, expected at least 1000 a second'],
  }),
  ...withStatus(409, {
    keyInUse: ['Idempotency-Key in use', 'a request with this Idempotency-Key is in progress; retry later'],
    overtaken: ['Superseded', 'superseded by a newer reset or replacement of the models'],
    logEmpty: ['Empty log', 'the log has no event yet'],
  }),
  ...withStatus(410, {
    cursorExpired: [
      'Cursor expired',
      'the list of this cursor is not kept any more; begin again without a cursor',
    ],
  }),
  ...withStatus(413, { tooLarge: ['Body too large', 'got a body of 70000 bytes, expected at most 65536'] }),
  ...withStatus(415, {
    mediaType: ['Unsupported media type', 'got Content-Type text/plain, expected application/json in UTF-8'],
    contentEncoding: ['Unsupported content encoding', 'got Content-Encoding br, expected gzip or none'],
  }),
  ...withStatus(422, {
    keyReused: [
      'Idempotency-Key of another request',
      'another request used this Idempotency-Key; use a new one',
    ],
    listTooLong: [
      'List too long for its order',
      'got more than 100000 records in an order that changes, expected at most as many: filter the list, or sort it by date',
    ],
    historyTooLong: [
      'History too long',
      'the answer needs more than 50000 events: ask for one source or an earlier moment, or run daybook replay',
    ],
  }),
  ...withStatus(429, {
    tooManyWrites: [
      'Too many writes; retry later',
      '12 bodies of this tenant are waiting, and the load allows no more; retry later',
    ],
  }),
  ...withStatus(431, { headersTooLarge: ['Headers too large', 'got more than 16384 bytes of headers'] }),
  ...withStatus(500, {
    internal: [
      'Internal error',
      'the request failed; the log of the service has the reason under X-Request-Id',
    ],
    analysisFailed: ['Analysis failed', 'the analysis failed; models that the source has stay in force'],
  }),
  ...withStatus(501, {
    notImplemented: ['Method not implemented', 'got PROPFIND, expected a method of HTTP'],
  }),
  ...withStatus(503, {
    keysUnavailable: [
      'Token keys unavailable; retry later',
      'the keys that check tokens cannot be fetched; retry later',
    ],
    storeUnavailable: [
      'Service unavailable; retry later',
      'the event store is unreachable; this attempt had no effect, retry it',
    ],
    storageFull: ['Disk full; retry later', 'the disk is nearly full; this attempt had no effect'],
    readModelsBehind: [
      'Read models behind; retry later',
      'the read models are 8 s behind the log, expected at most 0 s; retry, or accept older answers with maxStaleness=<seconds>',
    ],
    sourceParked: [
      'Source parked',
      'source 7 is parked: this build cannot handle event 412 (DaysImported) of it: SQLITE_CONSTRAINT_NOTNULL; ' +
        'nothing was stored. A build that can handle the event takes it up again, or "daybook rebuild"',
    ],
    logDamaged: [
      'Log damaged',
      'source 7 is parked: event 412 (DaysImported) of it is damaged in the log; nothing was stored. The operator has ' +
        'to run "daybook verify" for all damaged places, then restore the log from a backup',
    ],
    contention: [
      'Concurrent changes; retry later',
      'other instances kept changing stream source-12; this attempt had no effect, retry it',
    ],
    outcomeUnknown: [
      'Outcome unknown; retry with the same key',
      'the event store became unreachable; the request may have taken effect',
    ],
    queueFull: [
      'Queue full; retry later',
      '12 analyses of this tenant are waiting, and the load allows no more; retry later',
    ],
  }),
};

/** Every problem type by its code. */
export const problemTypes = { ...rejectionTypes, ...inputTypes, ...httpTypes };

export type ProblemCode = keyof typeof problemTypes;

/** Problems of a request that appends events, also of a reading that is recorded. */
export const recordingProblems = ['storageFull', 'outcomeUnknown', 'contention'] as const;
