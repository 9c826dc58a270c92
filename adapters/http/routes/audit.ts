import { Readable } from 'node:stream';
import Type from 'typebox';
import { parseDate } from '../../../domain/dates.js';
import type { Recorded } from '../../../domain/events.js';
import { positionDigits } from '../../../application/history/moment.js';
import { trail, type AuditTrailFilter } from '../../../application/history/auditTrail.js';
import { trailFaults } from '../../../application/history/trailFaults.js';
import { fairQueue } from '../../../application/sharing/fairQueue.js';
import { InvalidInput } from '../../../application/imports/faults.js';
import { seal } from '../../privacy/sealed.js';
import type { Service } from '../../../application/service.js';
import { tenantOfEvent } from '../../../application/history/eventOwner.js';
import { recordReading } from '../../../application/useCases/recordReading.js';
import { route, type Call, type Route } from '../route.js';
import * as schemas from '../schemas.js';
import type { Actor } from '../middleware/tokens.js';

/** Pages that are made at once, and that may wait for it. */
const pagesMax = 4;
const waitingMax = 256;

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
    cursor: Type.Optional(
      Type.String({
        pattern: `^${positionDigits}(\\.${positionDigits})?$`,
        description: 'nextCursor of an answer, or the position of an event: those after it',
      }),
    ),
  },
  schemas.strict,
);

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
type Shown = ReturnType<typeof shown>;

const columns = 'position,id,stream,revision,type,v,at,by,cause,correlation,hash,data';

/** A field of CSV (RFC 4180). */
const field = (value: string | number): string =>
  /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);

const rowOf = (event: Shown): string => {
  const { position, id, stream, revision, type, v, at, data, metadata, hash = '' } = event;
  const { by, cause, correlation } = metadata;
  return [position, id, stream, revision, type, v, at, by, cause, correlation, hash, JSON.stringify(data)]
    .map(field)
    .join();
};

type Asking = Pick<Call<unknown, unknown, unknown>, 'actor' | 'signal'>;

/** The first events, and whether there are more. */
const pageOf = async (found: AsyncIterable<Recorded>, limit: number) => {
  const events: Recorded[] = [];
  for await (const event of found) {
    if (events.length === limit) return { events, more: true };
    events.push(event);
  }
  return { events, more: false };
};

/** A page's end and the end of what is paged through: what comes meanwhile, such as this reading, waits for the next. */
const cursorOf = (position: bigint, until: bigint): string => `${position}.${until}`;

const dateFault = (name: 'from' | 'to', time: string | undefined) =>
  time === undefined || parseDate(time.slice(0, 10)) !== undefined
    ? []
    : [{ code: 'date', pointer: `/query/${name}`, value: time, detail: 'expected a date of the calendar' }];

const orderFault = {
  code: 'order',
  pointer: '/query/to',
  detail: 'expected an end that is not before the beginning',
} as const;

export const auditRoutes = (service: Service): readonly Route[] => {
  const { models, log, people, turns } = service;
  /** Pages are made a few at a time: each holds its events, which may be large, until it is made. */
  const pages = fairQueue({ atOnce: pagesMax, waitingMax, what: 'pages of the audit trail' });

  const isOwn = (actor: Actor, event: Recorded): boolean => tenantOfEvent(service, event) === actor.tenant;

  /** @throws InvalidInput for invalid or reversed times, and for names that no event of the tenant has */
  const requireTrail = (asked: AuditTrailFilter, { tenant }: Actor): void => {
    const { sources } = models;
    const isReversed = asked.from !== undefined && asked.to !== undefined && asked.from > asked.to;
    const faults = [
      ...dateFault('from', asked.from),
      ...dateFault('to', asked.to),
      ...(isReversed ? [orderFault] : []),
      ...trailFaults(asked, {
        tenant,
        isOwn: sourceId => sources.setup(sourceId)?.tenant === tenant,
        sourceIds: () => sources.ids(tenant),
      }),
    ];
    if (faults.length > 0) throw new InvalidInput('parametersInvalid', 'the query is not valid', faults);
  };

  async function* eventsOf(
    { actor, signal }: Asking,
    filter: AuditTrailFilter,
    after: bigint,
    until: bigint,
  ): AsyncGenerator<Recorded> {
    const yieldToEventLoop = turns.yielderFor(actor.tenant, signal);
    for await (const event of trail(log, filter, after, until, yieldToEventLoop))
      if (isOwn(actor, event)) yield event;
  }

  async function* textOf(
    actor: Actor,
    events: AsyncIterable<Recorded>,
    format: Format,
  ): AsyncGenerator<string> {
    if (format === 'csv') yield `${columns}\r\n`;
    for await (const event of events) {
      const json = await people.openedJson(actor.tenant, JSON.stringify(shown(event)));
      yield format === 'csv' ? `${rowOf(JSON.parse(json) as Shown)}\r\n` : `${json}\n`;
    }
  }

  /**
   * How events may name whom a query names: sealed, or as they are in older events; and how the note of the query
   * does: under the key of the one who asks where the other is nobody.
   */
  const namesOf = async (asker: Actor, subject: string) => {
    const key = await people.known({ tenant: asker.tenant, subject });
    const sealed = key ? seal(subject, key) : await people.sealed(asker, subject);
    return { by: [sealed, subject], noted: { actor: sealed } };
  };

  return [
    route({
      method: 'get',
      path: '/v1/audit/event',
      operationId: 'listAuditEvents',
      summary: 'What happened: events in the order of the log, from "from" (inclusive) to "to" (exclusive)',
      scope: 'audit',
      params: schemas.noFields,
      query,
      body: { kind: 'none' },
      answers: {
        200: {
          description: 'A page of events; as NDJSON or CSV all of them, one a line',
          schema: Type.Object({ events: Type.Array(auditEvent), nextCursor: Type.Optional(Type.String()) }),
          others: [media.ndjson, media.csv],
        },
      },
      run: async call => {
        const { actor, query: asked, accepts } = call;
        requireTrail(asked, actor);
        const liked = accepts(...Object.values(media));
        const format = asked.format ?? formats.find(name => media[name] === liked) ?? 'json';
        const { format: _, limit = limitDefault, cursor = '0', actor: named, ...plain } = asked;
        const names = named === undefined ? undefined : await namesOf(actor, named);
        const note = { query: { ...asked, ...names?.noted }, format };
        await service.caughtUp();
        const { position: now } = models.checkpoint('readModels');
        const [after = 0n, until = now] = cursor.split('.').map(BigInt);
        const filter = { ...plain, ...(names && { by: names.by }) };
        const found = eventsOf(call, filter, after, until < now ? until : now);
        if (format !== 'json') {
          await recordReading(service, call, { ...note, count: null });
          return {
            status: 200,
            headers: { 'Content-Type': `${media[format]}; charset=utf-8` },
            body: Readable.from(textOf(actor, found, format), { highWaterMark: 1 }),
          };
        }
        const { events, more } = await pages.run(actor.tenant, () => pageOf(found, limit), call.signal);
        await recordReading(service, call, { ...note, count: events.length });
        const last = events.at(-1);
        return {
          status: 200,
          body: {
            events: events.map(shown),
            ...(more && last && { nextCursor: cursorOf(last.position, until) }),
          },
        };
      },
    }),
  ];
};
