import { faultsMax } from '../../../domain/rejection.js';
import { scopes } from '../middleware/tokens.js';
import { publicOperations } from '../routes/publicRoutes.js';
import { type PublicOperation, type Route, json, mayLeaveOut, queryOf, mergePatch } from '../route.js';
import {
  headerComponents,
  problemAnswers,
  problemExamples,
  successAnswers,
  routeProblems,
} from './answers.js';
import {
  components,
  type Components,
  exampleOf,
  type SchemaKeywords,
  named,
  text,
} from '../schemas/common.js';
import Type, { type TObject } from '../typebox.js';

const faultSchema = named('Fault', {
  code: Type.String({ examples: ['maximum'] }),
  detail: text('The given and the expected value.', 'got 900, expected at most 500'),
  pointer: Type.Optional(
    text('JSON Pointer (RFC 6901) into the body, or /query/… or /path/…', '/query/limit'),
  ),
  line: Type.Optional(Type.Integer({ minimum: 1, description: 'Line of a CSV body; a header is line 1.' })),
  column: Type.Optional(Type.Integer({ minimum: 1, description: 'Field of the line.' })),
  count: Type.Optional(
    Type.Integer({ description: 'Number of faults with this cause; this is the first of them.' }),
  ),
  value: Type.Optional(text('The value, cut to 80 characters.', '501')),
});

/** The answer to a refused request (RFC 9457). */
const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'urn:daybook:problem:{code}' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'The problem and the next step.' }),
    code: Type.String(),
    errors: Type.Optional(
      Type.Array(faultSchema, { maxItems: faultsMax, description: `The faults, up to ${faultsMax}.` }),
    ),
  },
  { title: 'Problem' },
);

/** Groups of operations and their descriptions, in the order of the description. */
const descriptions = {
  source: 'Sources: named activity time series',
  import: 'Imports of reference days and recent days, in CSV and JSON',
  feed: 'Series of line protocol that sources take their points from',
  model: 'Models: the typical days of a source',
  day: 'Stored days with their checks',
  table: 'Facts about a source as tables, for analyses',
  planning: 'The model that each date should follow',
  calendar: 'Public holidays and special days',
  'calendar-rule': 'Special days by rules and iCalendar files',
  alert: 'Alerts: recent days that broke a limit',
  incident: 'Incidents: all alerts of one cause, which people handle',
  mute: 'Mutes: times without first announcements',
  settings: 'Settings of the tenant',
  events: 'A stream of changes',
  overview: 'All sources at a glance',
  audit: 'The log: events, checkpoints and proofs',
  webhook: 'Webhooks: signed messages to receivers, and their deliveries',
  token: 'Tokens that the service issues and revokes',
  person: 'Personal data in events',
  service: 'State and description of the service; no token is needed',
} as const;

type Tag = keyof typeof descriptions;

const tags: readonly { readonly name: string; readonly description: string }[] = Object.entries(
  descriptions,
).map(([name, description]) => ({ name, description }));

/**
 * Tag of a path: its first part after the version.
 * @throws RangeError for a path without a tag
 */
const tagOf = (path: string): Tag => {
  const part = path.split('/')[2]?.replace(/^import-csv$/, 'import') ?? '';
  if (!Object.hasOwn(descriptions, part)) throw new RangeError(`no tag for ${path}, add one for "${part}"`);
  return part as Tag;
};

const parametersIn = (schema: TObject, place: 'path' | 'query'): object[] =>
  Object.entries(schema.properties).map(([name, property]) => {
    const { description, examples, ...rest } = property as SchemaKeywords;
    const required = (schema as SchemaKeywords).required?.includes(name) ?? false;
    const example = exampleOf(property);
    return {
      name,
      in: place,
      required,
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(example === undefined ? {} : { example }),
    };
  });

const keyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeated request with the same key and body gets the kept response.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '5f0e2a5e-8d7e-4c4b-9a53-2b6f3f9c1a10',
};

/** Parameters of the path, the query and the headers. */
const parametersOf = (route: Route): object[] => [
  ...parametersIn(route.params, 'path'),
  ...parametersIn(queryOf(route), 'query'),
  ...(route.method === 'get' ? [] : [keyParameter]),
];

const csvBody = {
  schema: {
    type: 'string',
    description:
      'Two columns, date and value, with the separator ";"; dates are ISO 8601 in ascending order, UTC without an offset; ' +
      'values have a decimal comma. The header is optional.',
  },
  example: '"date";"value"\n"2026-03-02T00:00:00";"12,5"\n"2026-03-02T01:00:00";"11"\n',
};

const iCalendarBody = {
  schema: { type: 'string', description: 'A file of RFC 5545 in UTF-8, as calendars export it.' },
  example:
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20261019\r\nDTEND;VALUE=DATE:20261103\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
};

/** The body of a route with an example; undefined for none. */
const requestBodyOf = (body: Route['body'], { referenced }: Components): object | undefined => {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'csv':
      return { required: true, content: { 'text/csv': csvBody } };
    case 'iCalendar':
      return { required: true, content: { 'text/calendar': iCalendarBody } };
    case 'json':
    case 'days':
    case 'patch': {
      const media = { schema: referenced(body.schema), example: exampleOf(body.schema) };
      return {
        required: !mayLeaveOut(body),
        content: { 'application/json': media, ...(body.kind === 'patch' && { [mergePatch]: media }) },
      };
    }
  }
};

/** An operation with a token. */
const operation = (route: Route, collected: Components): object => {
  const requestBody = requestBodyOf(route.body, collected);
  const headers = route.method === 'get' ? (['X-Daybook-Position', 'Age'] as const) : [];
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [tagOf(route.path)],
    security: [{ bearer: [route.scope] }],
    parameters: parametersOf(route),
    ...(requestBody && { requestBody }),
    responses: {
      ...successAnswers(route.answers, headers, collected),
      ...problemAnswers(routeProblems(route)),
    },
  };
};

/** An operation without a token. */
const publicOperation = (described: PublicOperation, collected: Components): object => ({
  operationId: described.operationId,
  summary: described.summary,
  tags: [described.body ? 'token' : 'service'],
  security: [],
  ...(described.body && { requestBody: requestBodyOf(json(described.body), collected) }),
  responses: { ...successAnswers(described.answers, [], collected), ...problemAnswers(described.problems) },
});

/** The API description (OpenAPI 3.1), made from the schemas that check requests. */
export const openApi = (routes: readonly Route[]) => {
  const collected = components();
  collected.referenced(problemSchema);
  const paths: Record<string, Record<string, object>> = {};
  for (const one of publicOperations)
    paths[one.path] = { [one.body ? 'post' : 'get']: publicOperation(one, collected) };
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route, collected) };
  const problems = [...publicOperations.flatMap(one => one.problems), ...routes.flatMap(routeProblems)];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Daybook',
      version: '1',
      summary: 'Typical days, planning and alerts for activity time series',
      description:
        'Learns the typical days of activity time series, plans which one to expect on which date, checks recent days ' +
        `and raises alerts. Scopes of tokens: ${scopes.join(', ')}.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags,
    paths,
    components: {
      schemas: collected.schemas(),
      headers: headerComponents,
      examples: problemExamples(new Set(problems)),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
};
