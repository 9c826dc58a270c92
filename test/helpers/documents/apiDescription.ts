import { Compile, type TSchema } from '../../../adapters/http/typebox.js';
import { routesOf } from '../../../adapters/http/app.js';
import { openApi } from '../../../adapters/http/openApi/document.js';
import { noMetrics } from '../../../application/ports/monitoring.js';
import type { Service } from '../../../application/requests/service.js';
import type { Received } from '../service.js';

/** The used parts of /openapi.json. */
export type Document = {
  readonly openapi: string;
  readonly info: object;
  readonly servers?: readonly { readonly url: unknown }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
  readonly components?: {
    readonly schemas?: Readonly<Record<string, unknown>>;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
    readonly securitySchemes?: Readonly<Record<string, unknown>>;
  };
};
/** A body of one media type. */
export type Media = {
  readonly schema: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
};
type Content = Readonly<Record<string, Media>>;
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: unknown;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
};

/** Operations of a document; methods in lower case. */
export const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );

/** All `$ref` in a schema. */
export const refsOf = (schema: unknown): string[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : Object.entries(schema).flatMap(([name, value]: [string, unknown]) =>
        name === '$ref' && typeof value === 'string' ? [value] : refsOf(value),
      );

/** A schema of the document with its references replaced by what they refer to. */
export const inlined = (document: Document, schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(part => inlined(document, part));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref: ref } = schema as { readonly $ref?: unknown };
  if (typeof ref === 'string')
    return inlined(document, document.components?.schemas?.[ref.replace('#/components/schemas/', '')]);
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => [name, inlined(document, value)]),
  );
};

/** The schema with `additionalProperties: false` in all objects. */
const strictly = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(strictly);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => [
      name,
      name === 'enum' || name === 'const' ? value : strictly(value),
    ]),
  );
  return parts['type'] === 'object' && parts['additionalProperties'] === undefined
    ? { ...parts, additionalProperties: false }
    : parts;
};

/** A function that finds the operation of a request. */
const operationFinder = (document: Document) => {
  const paths = Object.entries(document.paths).map(([path, operations]) => ({
    // Paths without parameters have priority.
    rank: path.split('{').length,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operations,
  }));
  paths.sort((a, b) => a.rank - b.rank);
  return (method: string, path: string): Operation | undefined => {
    const bare = path.replace(/\?.*/, '');
    return paths.find(({ pattern }) => pattern.test(bare))?.operations[method.toLowerCase()];
  };
};

/**
 * Validates answers against /openapi.json.
 * @returns faults of an answer, as text; empty if it conforms
 */
export const answerChecker = (document: Document) => {
  const find = operationFinder(document);
  const compiled = new Map<unknown, Validator>();
  return (method: string, path: string, { status, headers, body }: Received): string[] => {
    const bare = path.replace(/\?.*/, '');
    const found = find(method, path);
    if (!found) return [`${method} ${bare} is not in the document`];
    const { responses } = found;
    const answer = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
    const type = headers.get('content-type')?.replace(/;.*/, '') ?? 'none';
    const schema = answer?.content?.[type]?.schema;
    if (schema === undefined) return [`${status} as ${type} is not in the document`];
    const isProblem = type === 'application/problem+json';
    const whole = inlined(document, schema);
    // The parts of `allOf` name some fields each.
    const validator = compiled.get(schema) ?? Compile((isProblem ? whole : strictly(whole)) as TSchema);
    compiled.set(schema, validator);
    if (validator.Check(body)) return [];
    return validator.Errors(body).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
};
type Validator = ReturnType<typeof Compile>;

/** The description of this build. */
let described: ReturnType<typeof operationFinder> | undefined;

/** Fault of a problem that the description does not list for its operation; undefined for all other answers. */
export const undescribedProblem = (
  method: string,
  path: string,
  { status, headers }: Pick<Received, 'status' | 'headers'>,
  text: string,
): string | undefined => {
  if (!headers.get('content-type')?.startsWith('application/problem+json')) return undefined;
  described ??= operationFinder(openApi(routesOf({ metrics: noMetrics } as Service)) as unknown as Document);
  const operation = described(method, path);
  if (!operation) return undefined;
  const { code } = JSON.parse(text) as { readonly code: string };
  const listed = operation.responses[status]?.content?.['application/problem+json']?.examples ?? {};
  return code in listed ? undefined : `${operation.operationId} does not list ${status} ${code}`;
};
