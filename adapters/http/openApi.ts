import type { TObject, TSchema } from 'typebox';
import Type from 'typebox';
import { markHeaders, queryOf } from './middleware/freshness.js';
import type { Route } from './route.js';
import { health, problem } from './schemas.js';
import { scopes } from './middleware/tokens.js';

const problemAnswer = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

/** The refusals that every guarded route shares. */
const refusals = {
  401: problemAnswer('No valid token'),
  403: problemAnswer('The token lacks the scope'),
  503: problemAnswer('Not possible now; Retry-After says when to try again'),
};

const parameters = (schema: TObject, place: 'path' | 'query') =>
  Object.entries(schema.properties).map(([name, property]) => ({
    name,
    in: place,
    required: (schema as { required?: readonly string[] }).required?.includes(name) ?? false,
    schema: property as TSchema,
  }));

const keyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description: 'The same key and body gets the first answer again',
};

const requestBody = ({ body }: Route) => {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'csv':
      return {
        required: true,
        content: {
          'text/csv': {
            schema: {
              type: 'string',
              description:
                'date;value, ISO 8601, UTC unless there is an offset, decimal comma, ascending, header optional',
            },
          },
        },
      };
    case 'json':
    case 'days':
      return { required: true, content: { 'application/json': { schema: body.schema } } };
  }
};

const operation = (route: Route) => {
  const body = requestBody(route);
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.path.split('/')[2]],
    security: [{ bearer: [route.scope] }],
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(queryOf(route), 'query'),
      ...(route.method === 'post' ? [keyParameter] : []),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, { description, schema, others = [] }]) => [
          status,
          {
            description,
            ...(route.method === 'get' && { headers: markHeaders }),
            content: {
              'application/json': { schema },
              ...Object.fromEntries(others.map(media => [media, { schema: { type: 'string' } }])),
            },
          },
        ]),
      ),
      ...refusals,
      '4XX': problemAnswer('Refused; code and errors say why'),
    },
  };
};

const publicAnswer = (description: string, schema: TSchema, others: object = {}) => ({
  security: [],
  responses: {
    200: { description, content: { 'application/json': { schema } } },
    ...others,
  },
});

/** The API as OpenAPI 3.1, made from the very schemas that check the requests. */
export const openApi = (routes: readonly Route[]) => {
  const paths: Record<string, Record<string, object>> = {
    '/health': {
      get: {
        operationId: 'health',
        summary: 'Whether requests can be taken',
        ...publicAnswer('They can', health, {
          503: problemAnswer('They cannot: the event store cannot be reached'),
        }),
      },
    },
    '/openapi.json': {
      get: {
        operationId: 'openApi',
        summary: 'This description',
        ...publicAnswer('OpenAPI 3.1', Type.Object({})),
      },
    },
  };
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operation(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Daybook',
      version: '1',
      description:
        'Learns the typical days of activity time series, plans which to expect on which date, and raises ' +
        `alerts on days that break their bounds. Scopes: ${scopes.join(', ')}.`,
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: problem },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
};
