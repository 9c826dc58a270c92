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

/** What the trail may be read as, and its media types; all but the first are streamed. */
const media = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;
type Format = keyof typeof media;
const formats = Object.keys(media) as readonly Format[];

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
      Type.Enum([...formats], {
        description: `ndjson and csv, like Accept: ${media.ndjson} or ${media.csv}, give all events at once`,
      }),
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

const columns = 'position,id,stream,revision,type,v,at,by,cause,correlation,hash,data';

/** A field of CSV (RFC 4180). */
const field = (value: string | number): string =>
  /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);

const rowOf = (event: Recorded): string => {
  const { position, id, stream, revision, type, v, at, data, metadata, hash = '' } = event;
  const { by, cause, correlation } = metadata;
  return [
    String(position),
    id,
    stream,
    revision,
    type,
    v,
    at,
    by,
    cause,
    correlation,
    hash,
    JSON.stringify(data),
  ]
    .map(field)
    .join();
};

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

  async function* textOf(actor: Actor, asked: Query, format: Format): AsyncGenerator<string> {
    if (format === 'csv') yield `${columns}\r\n`;
    for await (const event of eventsOf(actor, asked))
      yield format === 'csv' ? `${rowOf(event)}\r\n` : `${JSON.stringify(shown(event))}\n`;
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
          description: 'A page of events; as NDJSON or CSV all of them, one a line',
          schema: Type.Object({ events: Type.Array(auditEvent), nextCursor: Type.Optional(Type.String()) }),
          others: [media.ndjson, media.csv],
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
        const liked = accepts(...Object.values(media));
        const format = asked.format ?? formats.find(name => media[name] === liked) ?? 'json';
        audit.noteRead({ requestId, subject: actor.subject, tenant: actor.tenant, query: asked, format });
        if (format !== 'json')
          return {
            status: 200,
            headers: { 'Content-Type': `${media[format]}; charset=utf-8` },
            body: Readable.from(textOf(actor, asked, format)),
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
