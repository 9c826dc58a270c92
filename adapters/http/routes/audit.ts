import type { Static } from '../typebox.js';
import { authorOf } from '../../../application/ports/people.js';
import {
  trail,
  type AuditTrailFilter,
  isOfTenant,
  trailFaults,
  recordReading,
} from '../../../application/requests/history/auditTrail.js';
import { ownSourceOrArchived } from '../../../application/requests/access.js';
import { queryFault } from '../../../application/requests/imports/faults.js';
import type { Deciding, Service } from '../../../application/requests/service.js';
import { comparableTime } from '../../../domain/dates.js';
import { requireSound, type Recorded } from '../../../domain/events.js';
import { seal } from '../../privacy/people.js';
import { inPlace, largeStream } from '../answers/largeAnswer.js';
import {
  auditRow,
  auditRowNames,
  shownEvent,
  type ShownEvent,
  auditEventSchema,
  auditFormats,
  auditLimits,
  auditMedia,
  auditPageSchema,
  auditQuery,
  type AuditFormat,
} from '../schemas/audit.js';
import type { Actor } from '../middleware/tokens.js';
import { exampleOf } from '../schemas/common.js';
import { recordingProblems } from '../problemTypes.js';
import { route, type Answer, type Call, type Route } from '../route.js';

type AuditCall = Call<unknown, Static<typeof auditQuery>, undefined>;
type Order = NonNullable<AuditCall['query']['order']>;
type Range = Parameters<typeof trail>[2];

const exampleEvent = exampleOf(auditEventSchema) as ShownEvent;
const exampleLine = JSON.stringify(exampleEvent);
const exampleCsv = `${auditRowNames}\r\n${auditRow(exampleEvent)}\r\n`;

type Page = { readonly events: readonly Recorded[]; readonly more: boolean };

/** The first events, and whether there are more. */
const firstPage = async (found: AsyncIterable<Recorded>, limit: number): Promise<Page> => {
  const events: Recorded[] = [];
  for await (const event of found) {
    if (events.length === limit) return { events, more: true };
    events.push(event);
  }
  return { events, more: false };
};

/** The last events, newest first, and whether there are earlier ones. Streams are read forwards. */
const lastPage = async (found: AsyncIterable<Recorded>, limit: number): Promise<Page> => {
  const events: Recorded[] = [];
  let more = false;
  for await (const event of found) {
    events.push(event);
    if (events.length > limit) {
      events.shift();
      more = true;
    }
  }
  return { events: events.reverse(), more };
};

/** Positions of the next page: after the first, up to the second, so that paging ends while events are appended. */
const cursorAfter = (last: Recorded, { after, until }: Range, order: Order): string =>
  order === 'newest' ? `${after}.${last.position - 1n}` : `${last.position}.${until}`;

const timeFault = (name: 'from' | 'to', time: string | undefined) =>
  time === undefined || comparableTime(time) !== undefined
    ? []
    : [
        {
          code: 'date',
          pointer: `/query/${name}`,
          value: time,
          detail: 'expected a date or an instant of the calendar',
        },
      ];

/** The times of a query, which `matchesFilter` compares as texts. */
const comparableTimes = (query: AuditCall['query']): Pick<AuditTrailFilter, 'from' | 'to'> =>
  Object.fromEntries(
    (['from', 'to'] as const).flatMap(name => {
      const time = comparableTime(query[name] ?? '');
      return time === undefined ? [] : [[name, time]];
    }),
  );

/** @throws InvalidInput for invalid times, and for names that no event of the tenant has; Rejection `sourceNotFound` */
const requireTrail = ({ models }: Pick<Service, 'models'>, { query, actor }: AuditCall): void => {
  const { sources } = models;
  const { tenant } = actor;
  if (query.sourceId !== undefined) ownSourceOrArchived(models, actor, query.sourceId);
  const faults = [
    ...timeFault('from', query.from),
    ...timeFault('to', query.to),
    ...trailFaults(query, {
      tenant,
      isOwn: sourceId => sources.setup(sourceId)?.tenant === tenant,
      sourceIds: () => sources.ids(tenant),
    }),
  ];
  if (faults.length > 0) throw queryFault(...faults);
};

/** @throws InvalidInput for newest events first in a format that streams all events */
const requirePages = ({ query }: AuditCall, format: AuditFormat): void => {
  if (query.order !== 'newest' || format === 'json') return;
  const detail = `got newest with the format ${format}, expected oldest, or pages of JSON`;
  throw queryFault({ code: 'orderOfFormat', pointer: '/query/order', value: 'newest', detail });
};

/** The format of the query, else the one that the client prefers. */
const formatOf = ({ query, accepts }: AuditCall): AuditFormat => {
  const preferred = accepts(...Object.values(auditMedia));
  return query.format ?? auditFormats.find(name => auditMedia[name] === preferred) ?? 'json';
};

/** Routes that read the events of a tenant. */
export const auditRoutes = (
  service: Deciding & Pick<Service, 'largeAnswers' | 'log' | 'people' | 'requireWhole' | 'turns'>,
): readonly Route[] => [
  route({
    at: 'GET /v1/audit/event',
    operationId: 'listAuditEvents',
    summary: 'List the events of the tenant in the order of the log; each reading is recorded',
    scope: 'audit',
    query: auditQuery,
    problems: ['sourceNotFound', ...recordingProblems],
    answers: {
      200: {
        description: 'A page of events; as NDJSON or CSV all events, one a line',
        schema: auditPageSchema,
        others: { [auditMedia.ndjson]: `${exampleLine}\n`, [auditMedia.csv]: exampleCsv },
      },
    },
    run: async call => {
      requireTrail(service, call);
      const reading = await readingOf(service, call);
      return reading.format === 'json'
        ? pageAnswer(service, call, reading)
        : streamed(service, call, reading);
    },
  }),
];

/** A page of events. It has a place among the large answers until its JSON is made: events may be large. */
const pageAnswer = (
  service: Deciding & Pick<Service, 'largeAnswers' | 'requireWhole'>,
  call: AuditCall,
  reading: Reading,
): Promise<Answer> =>
  inPlace(service, call, async () => {
    const { limit = auditLimits.default, order = 'oldest' } = call.query;
    const pageOf = order === 'newest' ? lastPage : firstPage;
    const { events, more } = await pageOf(reading.events, limit);
    await recordReading(service, call, { ...reading.note, count: events.length });
    const last = events.at(-1);
    return {
      status: 200,
      isExact: true,
      body: {
        events: events.map(shownEvent),
        ...(more && last && { nextCursor: cursorAfter(last, reading.range, order) }),
      },
    };
  });

/** The events of a query, and the record of the reading. */
const readingOf = async (
  service: Deciding & Pick<Service, 'people' | 'turns' | 'log' | 'requireWhole'>,
  call: AuditCall,
) => {
  const { actor, query } = call;
  const format = formatOf(call);
  requirePages(call, format);
  const { format: asked, limit, order, cursor = '0', actor: subject, ...conditions } = query;
  const names = subject === undefined ? undefined : await namesOf(service, actor, subject);
  await service.caughtUp();
  const { position: now } = service.models.checkpoint('readModels');
  const [after = 0n, until = now] = cursor.split('.').map(BigInt);
  const filter = { ...conditions, ...comparableTimes(query), ...(names && { by: names.by }) };
  const range = { after, until: until < now ? until : now };
  return {
    format,
    range: { after, until },
    note: { query: { ...query, ...names?.recorded }, format },
    events: ownEvents(service, call, filter, range),
  };
};

/**
 * Names of a subject in events: encrypted, or plain in older events, unless it reads like another author. The record of
 * the reading uses the key of the reader when the subject has none.
 */
const namesOf = async ({ people }: Pick<Service, 'people'>, reader: Actor, subject: string) => {
  const key = await people.known({ tenant: reader.tenant, subject });
  const sealed = key ? seal(subject, key) : await people.sealed(reader, subject);
  const isPlain = authorOf(subject).byKind === 'person';
  return { by: isPlain ? [sealed, subject] : [sealed], recorded: { actor: sealed } };
};

/** Events of the tenant after one position, up to another. @throws EventDamaged, StoreUnavailable */
async function* ownEvents(
  service: Pick<Service, 'turns' | 'log' | 'models' | 'requireWhole'>,
  { actor, signal }: AuditCall,
  filter: AuditTrailFilter,
  range: Range,
): AsyncGenerator<Recorded> {
  const yieldToEventLoop = service.turns.yielderFor(actor.tenant, signal);
  for await (const event of trail(service.log, filter, range, yieldToEventLoop))
    if (isOfTenant(service, event, actor.tenant)) {
      requireSound(event);
      yield event;
    }
}

type Reading = Awaited<ReturnType<typeof readingOf>>;

/** All events as text. The reading is recorded first. */
const streamed = async (
  service: Deciding & Pick<Service, 'largeAnswers' | 'people' | 'requireWhole'>,
  call: AuditCall,
  { note, format, events }: Reading,
): Promise<Answer> => {
  const send = largeStream(service, call);
  try {
    await recordReading(service, call, { ...note, count: null });
  } catch (error) {
    send.release();
    throw error;
  }
  return {
    status: 200,
    headers: { 'Content-Type': `${auditMedia[format]}; charset=utf-8` },
    body: send.stream(textOf(service, call.actor, events, format)),
  };
};

async function* textOf(
  { people }: Pick<Service, 'people'>,
  { tenant }: Actor,
  events: AsyncIterable<Recorded>,
  format: AuditFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${auditRowNames}\r\n`;
  for await (const event of events) {
    const json = await people.openedJson(tenant, JSON.stringify(shownEvent(event)));
    yield format === 'csv' ? `${auditRow(JSON.parse(json) as ShownEvent)}\r\n` : `${json}\n`;
  }
}
