import type { IncomingMessage } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import { InvalidInput, shown, type InputFault } from '../../application/imports/faults.js';
import type { Requester } from '../../application/requester.js';
import { Problem } from './middleware/problems.js';
import { checker } from './schemas.js';
import type { Actor, Scope } from './middleware/tokens.js';

/** What a route takes as its body; `days` is JSON with a list of days, streamed and checked by its own reader. */
export type BodyKind =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly schema: TSchema; readonly bytesMax: number }
  | { readonly kind: 'days'; readonly schema: TSchema }
  | { readonly kind: 'csv' };

export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Goes out as it is stored: what people have sealed stays so. Streams open for themselves what they bring. */
  readonly sealed?: boolean;
};

/** One request to one route, checked. */
export type Call<Params, Query, Body> = {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The request's bytes, for bodies that are streamed. */
  readonly stream: AsyncIterable<Buffer>;
  readonly actor: Actor;
  /** Aborted when the client is gone: for what has no effect but on the answer. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /** Header Last-Event-ID of an event stream that a client resumes; empty for none. */
  readonly lastEventId: string;
  /** The first of these media types that the client likes best, false for none. */
  readonly accepts: (...types: readonly string[]) => string | false;
} & Requester;

/** What each answer of a route is, for /openapi.json. */
export type Answers = Readonly<
  Record<
    number,
    {
      readonly description: string;
      readonly schema: TSchema;
      /** Media types of texts that it may be instead of JSON. */
      readonly others?: readonly string[];
    }
  >
>;

export type Route = {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly scope: Scope;
  readonly params: TObject;
  readonly query: TObject;
  readonly body: BodyKind;
  readonly answers: Answers;
  readonly run: (call: Call<never, never, never>) => Promise<Answer>;
};

type BodyOf<Body extends BodyKind> = Body extends { kind: 'json'; schema: infer Schema extends TSchema }
  ? Static<Schema>
  : undefined;

/** A route whose `run` knows the static types of its schemas. */
export const route = <Params extends TObject, Query extends TObject, Body extends BodyKind>(
  of: Omit<Route, 'params' | 'query' | 'body' | 'run'> & {
    readonly params: Params;
    readonly query: Query;
    readonly body: Body;
    readonly run: (call: Call<Static<Params>, Static<Query>, BodyOf<Body>>) => Promise<Answer>;
  },
): Route => of as unknown as Route;

/**
 * Texts of a path or a query as the values that their schema speaks of: numbers where it wants them,
 * everything else as it is for the check to judge.
 */
const coerced = (schema: TObject, texts: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const wanted = schema.properties[name] as { type?: string; enum?: readonly unknown[] } | undefined;
      const number = wanted?.type === 'integer' || wanted?.enum?.some(value => typeof value === 'number');
      const form = number
        ? /^-?\d{1,16}$/
        : wanted?.type === 'number'
          ? /^-?\d{1,16}(\.\d{1,16})?$/
          : undefined;
      return [name, typeof text === 'string' && form?.test(text) ? Number(text) : text];
    }),
  );

/** Reads the texts of a path or query by `schema`; all faults at once. */
export const textReader = (schema: TObject, place: string) => {
  const check = checker(schema);
  return (texts: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const values = coerced(schema, texts);
    const faults = check(values).map(({ pointer = '', ...fault }): InputFault => {
      const got = texts[pointer.slice(1)];
      return {
        ...fault,
        pointer: `/${place}${pointer}`,
        // An unknown parameter may be anything, even a token: it is not repeated.
        ...(typeof got === 'string' && fault.code !== 'unknownField' ? { value: shown(got) } : {}),
      };
    });
    if (faults.some(fault => fault.pointer === '/path/source_id'))
      throw new Problem(404, 'sourceNotFound', 'no such source');
    if (faults.length > 0) throw new InvalidInput('parametersInvalid', `the ${place} is not valid`, faults);
    return values;
  };
};

/** Whether a Content-Type header names `media` in UTF-8 (or says nothing of the encoding). */
const isMedia = (header: string | undefined, media: string): boolean => {
  const [type, ...parameters] = (header ?? '').toLowerCase().split(';');
  return (
    type?.trim() === media &&
    parameters.every(parameter => {
      const [name, value] = parameter.trim().split('=');
      return name !== 'charset' || /^"?utf-?8"?$/.test(value?.trim() ?? '');
    })
  );
};

/**
 * Refuses a body of another kind than the route takes.
 * @throws Problem 415
 */
export const requireMedia = (request: IncomingMessage, kind: BodyKind['kind']): void => {
  if (kind === 'none') return;
  const media = kind === 'csv' ? 'text/csv' : 'application/json';
  const got = request.headers['content-type'];
  if (!isMedia(got, media))
    throw new Problem(415, 'mediaType', `got Content-Type ${got ?? 'none'}, expected ${media} in UTF-8`, {
      headers: { Accept: media },
    });
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Problem(415, 'contentEncoding', `got Content-Encoding ${encoding}, expected none`, {
      headers: { 'Accept-Encoding': 'identity' },
    });
};
