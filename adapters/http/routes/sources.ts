import Type from 'typebox';
import type { Service } from '../../../application/service.js';
import { serviceAsOf, sourceAsOf } from '../asOfQuery.js';
import { route, type Route } from '../route.js';
import { asOfQuery, asOfSchema, noFields, sourceParams, strict } from '../schemas/common.js';
import { sourcePageSchema, sourceSchema } from '../schemas/source.js';
import { shownSource, sourceRecord } from '../views.js';

const pageMax = 500;
const listQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageMax, default: pageMax, examples: [100] })),
    cursor: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'nextCursor of an answer.',
        examples: [12],
      }),
    ),
    asOf: asOfSchema,
  },
  strict,
);

export const sourceRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/source/list',
    operationId: 'listSources',
    summary: 'List the sources of the tenant by id',
    scope: 'read',
    params: noFields,
    query: listQuery,
    body: { kind: 'none' },
    answers: { 200: { description: 'A page of sources', schema: sourcePageSchema } },
    run: async call => {
      const { tenant } = call.actor;
      const { limit = pageMax, cursor = 0 } = call.query;
      const then = await serviceAsOf(service, call, service.models.sources.ids(tenant));
      const page = then.models.sources.page(tenant, cursor, limit + 1);
      const sources = page.slice(0, limit).map(record => shownSource(then, record));
      const last = sources.at(-1);
      return {
        status: 200,
        body: { sources, ...(page.length > limit && last ? { nextCursor: String(last.id) } : {}) },
      };
    },
  }),
  route({
    method: 'get',
    path: '/v1/source/{source_id}',
    operationId: 'getSource',
    summary: 'Get a source, with the state of its analysis',
    scope: 'read',
    params: sourceParams,
    query: asOfQuery,
    body: { kind: 'none' },
    answers: { 200: { description: 'The source', schema: sourceSchema } },
    run: async call => {
      const { source_id: id } = call.params;
      const then = await sourceAsOf(service, call, id);
      return { status: 200, body: sourceRecord(then, call.actor, id) };
    },
  }),
];
