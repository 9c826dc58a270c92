import { problemTypes, type ProblemCode } from '../problemTypes.js';
import type { BodyKind, Route } from '../route.js';

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
];

const anyBodyProblems: readonly ProblemCode[] = [
  'unparseable',
  'bodyTooSlow',
  'tooLarge',
  'mediaType',
  'contentEncoding',
  'gzipInvalid',
];

const jsonProblems: readonly ProblemCode[] = [...anyBodyProblems, 'bodyInvalid', 'nesting'];

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
};

const writeProblems: readonly ProblemCode[] = [
  'storageFull',
  'outcomeUnknown',
  'contention',
  'keyInUse',
  'keyReused',
];

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
export const byStatus = (
  codes: readonly ProblemCode[],
): readonly (readonly [number, readonly ProblemCode[]])[] =>
  [...new Set(codes.map(code => problemTypes[code].status))]
    .sort((a, b) => a - b)
    .map(status => [status, codes.filter(code => problemTypes[code].status === status)]);
