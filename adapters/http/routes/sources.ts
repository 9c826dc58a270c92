import Type from 'typebox';
import type { Service } from '../../../application/service.js';
import { serviceAsOf, sourceAsOf } from '../asOfQuery.js';
import { shownSource, sourceRecord } from '../views.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

const pageMax = 500;

export const sourceRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/source/list',
    operationId: 'listSources',
    summary: 'The sources of the tenant, by id',
    scope: 'read',
    params: schemas.noFields,
    query: Type.Object(
      {
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageMax, default: pageMax })),
        cursor: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        asOf: schemas.asOf,
      },
      schemas.strict,
    ),
    body: { kind: 'none' },
    answers: {
      200: {
        description: 'A page of sources',
        schema: Type.Object({
          sources: Type.Array(schemas.source),
          nextCursor: Type.Optional(Type.String()),
        }),
      },
    },
    run: async call => {
      const {
        actor,
        query: { limit = pageMax, cursor = 0 },
      } = call;
      const then = await serviceAsOf(service, call, service.models.sources.ids(actor.tenant));
      const page = then.models.sources.page(actor.tenant, cursor, limit + 1);
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
    summary: 'One source, with the state of its analysis',
    scope: 'read',
    params: Type.Object({ source_id: schemas.sourceId }, schemas.strict),
    query: schemas.knownAt,
    body: { kind: 'none' },
    answers: { 200: { description: 'The source', schema: schemas.source } },
    run: async call => {
      const {
        actor,
        params: { source_id: id },
      } = call;
      const then = await sourceAsOf(service, call, id);
      return { status: 200, body: sourceRecord(then, actor, id) };
    },
  }),
];
