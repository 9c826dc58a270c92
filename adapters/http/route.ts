import Type, { type Static, type TObject, type TSchema } from './typebox.js';
import type { Requester } from '../../application/requests/access.js';
import type { Actor, Scope } from './middleware/tokens.js';
import type { ProblemCode } from './problemTypes.js';
import { seconds, type Seen } from '../../application/reading/freshness.js';
import { noFields, integer, object } from './schemas/common.js';

/** The body that a route expects. `days` is JSON with a list of days, which the route reads as a stream. */
export type BodyKind =
  | { readonly kind: 'none' }
  /** `patch` is a JSON merge patch (RFC 7396). */
  | { readonly kind: 'json' | 'patch'; readonly schema: TSchema; readonly bytesMax: number }
  | { readonly kind: 'days'; readonly schema: TSchema }
  | { readonly kind: 'csv' }
  /** A file of RFC 5545. */
  | { readonly kind: 'iCalendar'; readonly bytesMax: number };

/** Media type of a JSON merge patch; `application/json` is accepted too. */
export const mergePatch = 'application/merge-patch+json';

/** Limit of a body with a few fields. */
export const smallBodyBytesMax = 65_536;

export type Answer = {
  readonly status: number;
  /** A value of JSON, whose lists may be async iterables, or a stream of bytes. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once when the JSON of the body is made, or was given up. */
  readonly release?: () => void;
  /** Whether encrypted fields stay encrypted. Streamed bodies decrypt them themselves. */
  readonly sealed?: boolean;
  /** Whether texts are exactly those of events: hashes cover them. Other answers steer no display. */
  readonly isExact?: boolean;
  /** Whether the answer has a secret and is not kept: a retry runs again under the same command id. */
  readonly isSecret?: boolean;
};

/** One valid request to a route. */
export type Call<Params, Query, Body> = {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The bytes of a streamed body. */
  readonly stream: AsyncIterable<Buffer>;
  readonly actor: Actor;
  /** Aborted when the client disconnects: for work without an effect. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /** Header Last-Event-ID of a resumed event stream; empty for none. */
  readonly lastEventId: string;
  /** The media type that the client prefers; the first one of equals, false for none. */
  readonly accepts: (...types: readonly string[]) => string | false;
} & Requester;

/** Answers of a route by status, for the API description. */
export type Answers = Readonly<
  Record<
    number,
    {
      readonly description: string;
      readonly schema: TSchema;
      /** Other media types of the answer, with an example text of each. */
      readonly others?: Readonly<Record<string, string>>;
    }
  >
>;

export type Route = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With parameters in braces, as in OpenAPI. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly scope: Scope;
  readonly params: TObject;
  readonly query: TObject;
  readonly body: BodyKind;
  readonly answers: Answers;
  /** Problems of this route only; openApi/answers.ts has those of all routes. */
  readonly problems?: readonly ProblemCode[];
  readonly run: (call: Call<never, never, never>) => Promise<Answer>;
};

/** A request that needs no token, for the description: a read, or with a body a POST. */
export type PublicOperation = Pick<Route, 'path' | 'operationId' | 'summary' | 'answers'> & {
  readonly body?: TSchema;
  readonly problems: readonly ProblemCode[];
};

/** Static type of the body of a call. */
export type BodyOf<Body extends BodyKind> = Body extends {
  kind: 'json' | 'patch';
  schema: infer Schema extends TSchema;
}
  ? Static<Schema>
  : undefined;

/** A body of a few fields as JSON. */
export const json = <Schema extends TSchema>(schema: Schema, bytesMax: number = smallBodyBytesMax) =>
  ({ kind: 'json', schema, bytesMax }) as const;

/** A JSON merge patch of a few fields. */
export const patch = <Schema extends TSchema>(schema: Schema) =>
  ({ kind: 'patch', schema, bytesMax: smallBodyBytesMax }) as const;

/** Whether a request without a body has that of `{}`: all of its fields are optional. */
export const mayLeaveOut = (body: BodyKind): boolean =>
  (body.kind === 'json' || body.kind === 'patch') &&
  (body.schema as { readonly required?: readonly string[] }).required === undefined;

/** The answers of a route that has one, with the status 200. */
export const ok = (description: string, schema: TSchema): Answers => ({ 200: { description, schema } });

const noBody = { kind: 'none' } as const;

/** The body of a route that expects none. */
export type NoBody = typeof noBody;

/** Names of a route and what it refuses. */
export type Names = Pick<Route, 'operationId' | 'summary' | 'problems'> & {
  /** Method and path. */
  readonly at: `${Uppercase<Route['method']>} /${string}`;
};

/** How a route runs: `run` gives the whole answer, `result` the body of an answer with the status 200. */
type Runs<Its> =
  | { readonly run: (call: Its) => Promise<Answer>; readonly result?: never }
  | { readonly result: (call: Its) => unknown; readonly run?: never };

/** Makes a route, which has the static types of its schemas. Without schemas it takes no parameters and no body. */
export const route = <
  Params extends TObject = typeof noFields,
  Query extends TObject = typeof noFields,
  Body extends BodyKind = NoBody,
>({
  at,
  result,
  run,
  ...typed
}: Names &
  Pick<Route, 'scope' | 'answers'> & {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
  } & Runs<NoInfer<Call<Static<Params>, Static<Query>, BodyOf<Body>>>>): Route => {
  const [method, path] = at.split(' ') as [string, string];
  return {
    ...{ params: noFields, query: noFields, body: noBody },
    ...typed,
    method: method.toLowerCase() as Route['method'],
    path,
    run: (run ?? (async call => ({ status: 200, body: await result(call) }))) as Route['run'],
  };
};

const maxStaleness = Type.Optional(
  integer(
    'Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that ' +
      'long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind.',
    60,
    { minimum: 0, maximum: 86_400 },
  ),
);

/** Query of a route. Every read also has `maxStaleness`. */
export const queryOf = ({ method, query }: Pick<Route, 'method' | 'query'>): TObject =>
  method === 'get' ? object({ ...query.properties, maxStaleness }) : query;

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
    description:
      'Position of the log up to which the answer holds all events; the present one for a read with asOf.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$', examples: ['412'] },
  },
  Age: {
    description: 'Seconds since the read models had the whole log. Absent for a current answer.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
  },
};
