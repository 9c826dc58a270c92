import type { TObject } from '../typebox.js';
import { queryOf } from '../middleware/freshness.js';
import { mergePatch, type Route } from '../route.js';
import type { Components } from './components.js';
import { exampleOf, type SchemaKeywords } from './examples.js';

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
export const parametersOf = (route: Route): object[] => [
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

/** The body of a route with an example; undefined for none. */
export const requestBodyOf = ({ body }: Route, { referenced }: Components): object | undefined => {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'csv':
      return { required: true, content: { 'text/csv': csvBody } };
    case 'json':
    case 'days':
    case 'patch': {
      const media = { schema: referenced(body.schema), example: exampleOf(body.schema) };
      return {
        required: true,
        content: { 'application/json': media, ...(body.kind === 'patch' && { [mergePatch]: media }) },
      };
    }
  }
};
