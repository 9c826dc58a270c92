import Type, { type TObject } from '../typebox.js';
import { seconds, type Seen } from '../../../application/freshness.js';
import type { Route } from '../route.js';
import { strict } from '../schemas/common.js';

const maxStaleness = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 86_400,
    description:
      'Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that ' +
      'long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind.',
    examples: [60],
  }),
);

/** Query of a route. Every read also has `maxStaleness`. */
export const queryOf = ({ method, query }: Pick<Route, 'method' | 'query'>): TObject =>
  method === 'get' ? Type.Object({ ...query.properties, maxStaleness }, strict) : query;

/** `maxStaleness` of a valid query, in milliseconds. */
export const maxStalenessMs = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' ? seconds * 1000 : undefined;

/** Headers with the position and age of an answer. */
export const freshnessHeaders = ({ position, ageMs }: Seen): Readonly<Record<string, string>> => ({
  'X-Daybook-Position': String(position),
  ...(ageMs > 0 && { Age: String(seconds(ageMs)) }),
});

/** The same headers for the API description. */
export const freshnessHeaderSchemas = {
  'X-Daybook-Position': {
    description: 'Position of the log up to which the answer holds all events.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$', examples: ['412'] },
  },
  Age: {
    description: 'Seconds since the read models had the whole log. Absent for a current answer.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
  },
};
