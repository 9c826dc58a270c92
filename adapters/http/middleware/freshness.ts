import Type, { type TObject } from 'typebox';
import { seconds, type Seen } from '../../../application/freshness.js';
import type { Route } from '../route.js';
import { strict } from '../schemas.js';

/** How old an answer may be that a client takes, in seconds. */
const maxStaleness = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 86_400,
    description:
      'seconds that the answer may be old: it is given at once when the read models were level with the log so ' +
      'recently; without it a read waits for them, and is refused with 503 readModelsBehind after five seconds',
  }),
);

/** The query of a route: every read takes `maxStaleness` beside its own. */
export const queryOf = ({ method, query }: Pick<Route, 'method' | 'query'>): TObject =>
  method === 'get' ? Type.Object({ ...query.properties, maxStaleness }, strict) : query;

/** `maxStaleness` of a checked query in milliseconds. */
export const msOf = (given: unknown): number | undefined =>
  typeof given === 'number' ? given * 1000 : undefined;

/** The headers by which an answer says what it is of. */
export const markOf = ({ position, ageMs }: Seen): Readonly<Record<string, string>> => ({
  'X-Daybook-Position': String(position),
  ...(ageMs > 0 && { Age: String(seconds(ageMs)) }),
});

/** The same for /openapi.json. */
export const markHeaders = {
  'X-Daybook-Position': {
    description: 'Position of the read models: the answer holds all events up to it',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  Age: {
    description:
      'Seconds since the read models were last level with the log; not there when they hold all that was in the ' +
      'log at the request',
    required: false,
    schema: { type: 'integer', minimum: 1 },
  },
};
