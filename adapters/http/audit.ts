import { Readable } from 'node:stream';
import Type from 'typebox';
import { sourceOf, streams, type Recorded } from '../../domain/events.js';
import { InvalidInput } from '../faults.js';
import { breather } from '../pieces.js';
import type { Service } from '../service.js';
import { noFields } from './resources.js';
import { route, type Route } from './route.js';
import * as schemas from './schemas.js';
import type { Actor } from './tokens.js';

const limitDefault = 100;
const limitMax = 500;
const lines = 'application/x-ndjson';

/** A date, or an instant; texts of both compare as times do. */
const time = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?Z?)?$',
  description: 'a UTC date or instant',
});

const query = Type.Object(
  {
    sourceId: Type.Optional(schemas.sourceId),
    stream: Type.Optional(Type.String({ maxLength: 100 })),
    type: Type.Optional(Type.String({ maxLength: 100 })),
    actor: Type.Optional(Type.String({ maxLength: 200 })),
    from: Type.Optional(time),
    to: Type.Optional(time),
    format: Type.Optional(
      Type.Enum(['json', 'ndjson'], { description: `ndjson like the header Accept: ${lines}: all at once` }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault })),
    cursor: Type.Optional(Type.String({ maxLength: 20, pattern: '^\\d{1,19}$' })),
  },
  schemas.strict,
);
type Query = Type.Static<typeof query>;

const auditEvent = Type.Object(
  {
    position: Type.String({ description: 'in the log; a cursor' }),
    id: Type.String(),
    stream: Type.String(),
    revision: Type.Integer({ minimum: 0 }),
    type: Type.String(),
    v: Type.Integer({ minimum: 1 }),
    at: schemas.instant,
    data: Type.Unknown({ description: 'as it was stored, in the shape of its version' }),
    metadata: Type.Object(
      { by: Type.String(), cause: Type.String(), correlation: Type.String() },
      schemas.strict,
    ),
    hash: Type.Optional(
      Type.String({ description: 'SHA-256 over it and the event before it in its stream' }),
    ),
  },
  schemas.strict,
);

const shown = ({ position, ...event }: Recorded) => ({ position: String(position), ...event });

/** The source that an event is of: its stream's, or the one whose id the catalog gives. */
const sourceIdOf = ({ stream, data }: Recorded): number =>
  stream === streams.catalog ? (data as { readonly sourceId: number }).sourceId : sourceOf(stream);

export const auditRoutes = (service: Service): readonly Route[] => {
  const { models, audit } = service;

  /** The events of the actor's tenant that a query asks for, in the order of the log. */
  async function* eventsOf(actor: Actor, asked: Query): AsyncGenerator<Recorded> {
    const { sourceId, stream, type, actor: by, from = '', to, cursor = '0' } = asked;
    const breathe = breather();
    for await (const event of audit.log.all(BigInt(cursor), type === undefined ? undefined : [type])) {
      await breathe();
      const own = sourceIdOf(event);
      if (
        models.sources.setup(own)?.tenant === actor.tenant &&
        (sourceId ?? own) === own &&
        (stream ?? event.stream) === event.stream &&
        (by ?? event.metadata.by) === event.metadata.by &&
        event.at >= from &&
        (to === undefined || event.at < to)
      )
        yield event;
    }
  }

  async function* linesOf(actor: Actor, asked: Query): AsyncGenerator<string> {
    for await (const event of eventsOf(actor, asked)) yield `${JSON.stringify(shown(event))}\n`;
  }

  return [
    route({
      method: 'get',
      path: '/v1/audit/event',
      operationId: 'listAuditEvents',
      summary: 'What happened: events in the order of the log, from "from" (inclusive) to "to" (exclusive)',
      scope: 'audit',
      params: noFields,
      query,
      body: { kind: 'none' },
      answers: {
        200: {
          description: `A page of events; as ${lines} all of them, one a line`,
          schema: Type.Object({ events: Type.Array(auditEvent), nextCursor: Type.Optional(Type.String()) }),
          others: [lines],
        },
      },
      run: async ({ actor, query: asked, requestId, accepts }) => {
        if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to)
          throw new InvalidInput('parametersInvalid', 'the query is not valid', [
            {
              code: 'order',
              pointer: '/query/to',
              detail: 'expected an end that is not before the beginning',
            },
          ]);
        const format = asked.format ?? (accepts('application/json', lines) === lines ? 'ndjson' : 'json');
        audit.noteRead({ requestId, subject: actor.subject, tenant: actor.tenant, query: asked, format });
        if (format === 'ndjson')
          return {
            status: 200,
            headers: { 'Content-Type': lines },
            body: Readable.from(linesOf(actor, asked)),
          };
        const { limit = limitDefault } = asked;
        const events: Recorded[] = [];
        let more = false;
        for await (const event of eventsOf(actor, asked)) {
          more = events.length === limit;
          if (more) break;
          events.push(event);
        }
        const last = events.at(-1);
        return {
          status: 200,
          body: { events: events.map(shown), ...(more && last && { nextCursor: String(last.position) }) },
        };
      },
    }),
  ];
};
