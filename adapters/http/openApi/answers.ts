import { freshnessHeaderSchemas, type Answers, type BodyKind, type Route } from '../route.js';
import { problemTypes, recordingProblems, type ProblemCode } from '../problemTypes.js';
import { type Components, exampleOf } from '../schemas/common.js';

/** Problems of every route with a token. */
const common: readonly ProblemCode[] = [
  'tokenMissing',
  'tokenInvalid',
  'scopeMissing',
  'parametersInvalid',
  'internal',
  'keysUnavailable',
  'queueFull',
  'storeUnavailable',
  'sourceParked',
  'logDamaged',
];

const anyBodyProblems: readonly ProblemCode[] = [
  'unparseable',
  'bodyTooSlow',
  'tooLarge',
  'mediaType',
  'contentEncoding',
  'gzipInvalid',
];

/** Problems of a JSON body. */
export const jsonProblems: readonly ProblemCode[] = [...anyBodyProblems, 'bodyInvalid', 'nesting'];

/** Problems of the body of a route. */
const bodyProblems: Readonly<Record<BodyKind['kind'], readonly ProblemCode[]>> = {
  none: [],
  json: jsonProblems,
  patch: jsonProblems,
  days: [
    ...anyBodyProblems,
    'bodyInvalid',
    'jsonInvalid',
    'daysEmpty',
    'duplicateField',
    'elementTooLarge',
    'envelopeTooLarge',
    'nesting',
  ],
  csv: [...anyBodyProblems, 'csvInvalid', 'csvEmpty'],
  iCalendar: [...anyBodyProblems, 'calendarInvalid'],
};

const writeProblems: readonly ProblemCode[] = [...recordingProblems, 'keyInUse', 'keyReused'];

/** The problems that a route can answer: those of its parts, and its own ones. */
export const routeProblems = ({
  method,
  params,
  query,
  body,
  problems = [],
}: Route): readonly ProblemCode[] => [
  ...new Set<ProblemCode>([
    ...common,
    ...('source_id' in params.properties ? (['sourceNotFound'] as const) : []),
    ...('asOf' in query.properties ? (['historyTooLong'] as const) : []),
    ...bodyProblems[body.kind],
    ...(method === 'get' ? (['readModelsBehind'] as const) : writeProblems),
    ...problems,
  ]),
];

/** Problem codes by their statuses, ascending. */
const byStatus = (codes: readonly ProblemCode[]): readonly (readonly [number, readonly ProblemCode[]])[] =>
  [...new Set(codes.map(code => problemTypes[code].status))]
    .sort((a, b) => a - b)
    .map(status => [status, codes.filter(code => problemTypes[code].status === status)]);

const header = (name: string): object => ({ $ref: `#/components/headers/${name}` });

/** Headers of the description; answers refer to them. */
export const headerComponents = {
  ...freshnessHeaderSchemas,
  Location: {
    description: 'Address of the source or import that the request created or changes.',
    schema: { type: 'string', examples: ['/v1/source/12'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', examples: [5] },
  },
  'WWW-Authenticate': {
    description: 'Why the token was refused (RFC 6750).',
    schema: {
      type: 'string',
      examples: ['Bearer realm="daybook", error="invalid_token", error_description="the token expired"'],
    },
  },
  'X-Request-Id': {
    description: 'Id of the request in the log of the service.',
    schema: { type: 'string', examples: ['5f0e2a5e-8d7e-4c4b-9a53-2b6f3f9c1a10'] },
  },
};

type HeaderName = keyof typeof headerComponents;

const headersOf = (names: readonly HeaderName[]): object =>
  Object.fromEntries(names.map(name => [name, header(name)]));

const problemHeaders = (status: number, codes: readonly ProblemCode[]): object =>
  headersOf([
    'X-Request-Id',
    ...(status === 401 || status === 403 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 503 || codes.includes('keyInUse') ? (['Retry-After'] as const) : []),
  ]);

/** The answers of a status that is refused: its codes, with an example of each. */
const problemAnswer = (status: number, codes: readonly ProblemCode[]): object => ({
  description: codes.map(code => `${code}: ${problemTypes[code].title}.`).join(' '),
  headers: problemHeaders(status, codes),
  content: {
    'application/problem+json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Problem' },
          { type: 'object', properties: { code: { type: 'string', enum: codes } } },
        ],
      },
      examples: Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
});

/** Refused answers by status. */
export const problemAnswers = (codes: readonly ProblemCode[]): Readonly<Record<string, object>> =>
  Object.fromEntries(
    byStatus(codes).map(([status, statusCodes]) => [status, problemAnswer(status, statusCodes)]),
  );

/** An example of each problem; answers refer to them. */
export const problemExamples = (codes: Iterable<ProblemCode>): Readonly<Record<string, object>> =>
  Object.fromEntries(
    [...codes].sort().map(code => {
      const { status, title, example } = problemTypes[code];
      return [
        code,
        {
          summary: title,
          value: { type: `urn:daybook:problem:${code}`, title, status, detail: example, code },
        },
      ];
    }),
  );

/** Successful answers by status, each with an example. `headers` are those of every status. */
export const successAnswers = (
  answers: Answers,
  headers: readonly HeaderName[],
  { referenced }: Components,
): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, others = {} }]) => [
      status,
      {
        description,
        headers: headersOf([
          'X-Request-Id',
          ...headers,
          ...(status === '201' || status === '202' ? (['Location'] as const) : []),
        ]),
        content: {
          'application/json': { schema: referenced(schema), example: exampleOf(schema) },
          ...Object.fromEntries(
            Object.entries(others).map(([media, example]) => [
              media,
              { schema: { type: 'string' }, example },
            ]),
          ),
        },
      },
    ]),
  );
