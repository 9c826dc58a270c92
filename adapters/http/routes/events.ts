import { Readable } from 'node:stream';
import { changedSourceOf, tenantOfEvent } from '../../../application/requests/history/auditTrail.js';
import { InvalidInput, shown } from '../../../application/requests/imports/faults.js';
import type { LiveChange } from '../../../application/reading/liveChanges.js';
import type { Service } from '../../../application/requests/service.js';
import { fairQueue, type FairQueue } from '../../../application/ports/sharing/fairQueue.js';
import type { EventType } from '../../../domain/events.js';
import { route, type Call, type Route } from '../route.js';
import { sourceIdSchema, described, text } from '../schemas/common.js';

const liveChangeSchema = described(
  'LiveChange',
  'Data of a server-sent event "change", whose id is a position of the log. The event "ready" begins the stream; ' +
    'the event "reset" means that more changed than a resumed stream repeats. The event "tenant" has a type without a ' +
    'source: a mute, or the settings of the tenant.',
  {
    type: text('Type of the event.', 'AlertRaised'),
    sourceId: sourceIdSchema,
  },
);

/** Interval of the lines that show proxies and clients that the stream is alive. */
const heartbeatMs = 15_000;
/** Longest life of a stream; it ends with its token at the latest. */
const lifetimeMs = 15 * 60_000;
/** Bytes that wait for a client; a slower one is disconnected and resumes. */
const bufferBytesMax = 262_144;
/** Changes that a resumed stream repeats, and events of all tenants that are read for it. */
const repeatedMax = 1000;
const readMax = 20_000;
/** Streams for which the log is read at once: each read has a part of the log in memory. */
const resumesAtOnce = 8;
const resumesWaitingMax = 2000;

type StreamCall = Pick<Call<unknown, unknown, unknown>, 'actor' | 'signal' | 'lastEventId'>;

/** Position of the header Last-Event-ID; undefined without it. @throws InvalidInput */
const resumedAfter = (text: string): bigint | undefined => {
  if (text === '') return undefined;
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  throw new InvalidInput('parametersInvalid', 'the header Last-Event-ID is not valid', [
    {
      code: 'position',
      pointer: '/header/Last-Event-ID',
      value: shown(text),
      detail: `got "${shown(text)}", expected the id of an event of this stream: digits`,
    },
  ]);
};

const textOf = (event: string, id: bigint, data: object): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Changes of a tenant after a position; undefined when there are too many to repeat. */
const missed = async (
  { log, models, turns }: Pick<Service, 'log' | 'models' | 'turns'>,
  { actor: { tenant }, signal }: StreamCall,
  { after, now }: { readonly after: bigint; readonly now: bigint },
): Promise<LiveChange[] | undefined> => {
  // Events before it would be read, too, and not be counted.
  if (after > 0n && (await log.hasEventAt?.(after)) === false) return undefined;
  const changes: LiveChange[] = [];
  const yieldToEventLoop = turns.yielderFor(tenant, signal);
  let read = 0;
  for await (const event of log.all(after)) {
    await yieldToEventLoop();
    // Later ones come live, when the read models know the tenants of their sources.
    if (event.position > now) break;
    if ((read += 1) > readMax) return undefined;
    const sourceId = changedSourceOf(event);
    if (sourceId === undefined || tenantOfEvent({ models }, event) !== tenant) continue;
    if (changes.length === repeatedMax) return undefined;
    // The client only compares the type as text.
    changes.push({ position: event.position, type: event.type as EventType, sourceId });
  }
  return changes;
};

/**
 * Changes that a stream repeats when it begins; none for a new stream and for one that missed nothing.
 * @param resumes places for those that read the log
 * @param after position that the client has; undefined for a new stream
 * @param now   position of the read models
 * @returns     undefined when there are too many, and for a position that the log does not have
 */
const repeatedAfter = async (
  service: Pick<Service, 'log' | 'models' | 'turns'>,
  resumes: FairQueue,
  call: StreamCall,
  { after, now }: { readonly after: bigint | undefined; readonly now: bigint },
): Promise<LiveChange[] | undefined> => {
  if (after === undefined || after === now) return [];
  if (after > now) return undefined;
  return resumes.run(call.actor.tenant, () => missed(service, call, { after, now }), call.signal);
};

/** Whether the token of a stream was revoked since it began. */
const isRevoked = ({ models }: Pick<Service, 'models'>, { tenant, jti }: StreamCall['actor']): boolean =>
  jti !== undefined && models.tokens.revokedAt(tenant, jti) !== undefined;

/** Stream of a tenant's changes as server-sent events; what happens while it resumes waits and follows. */
const streamOf = async (
  service: Pick<Service, 'changes' | 'models' | 'log' | 'turns'>,
  resumes: FairQueue,
  call: StreamCall,
): Promise<Readable> => {
  const after = resumedAfter(call.lastEventId);
  const stream = new Readable({ read: () => {} });
  const waiting: LiveChange[] = [];
  let last: bigint | undefined;
  let ended = false;
  const push = (text: string): void => {
    if (stream.readableLength > bufferBytesMax) stream.destroy();
    else if (!ended && !stream.destroyed) stream.push(text);
  };
  const end = (): void => {
    if (!ended) stream.push(null);
    ended = true;
  };
  const send = ({ position, type, sourceId }: LiveChange): void => {
    if (last !== undefined && position <= last) return;
    last = position;
    push(
      sourceId === null
        ? textOf('tenant', position, { type })
        : textOf('change', position, { type, sourceId }),
    );
  };
  const stop = service.changes.listen(call.actor.tenant, {
    changed: change => (last === undefined ? void waiting.push(change) : send(change)),
    end,
  });
  const beat = (): void => {
    try {
      if (isRevoked(service, call.actor)) return end();
      // Changes up to here were sent: with the id a client resumes after those of other tenants, too.
      const { position } = service.models.checkpoint('readModels');
      push(last !== undefined && position > last ? `id: ${position}\n\n` : ':\n\n');
    } catch {
      // The read models cannot be read now. An error of a timer would end the process; the client resumes the stream.
      end();
    }
  };
  const heartbeat = setInterval(beat, heartbeatMs);
  // The clock that the token was checked by, not that of the service.
  const lifetime = setTimeout(end, Math.min(lifetimeMs, 1000 * call.actor.exp - Date.now()));
  const finish = (): void => {
    stop();
    clearInterval(heartbeat);
    clearTimeout(lifetime);
  };
  stream.once('close', finish);
  call.signal.addEventListener('abort', () => stream.destroy(), { once: true });
  try {
    const now = service.models.checkpoint('readModels').position;
    const changes = await repeatedAfter(service, resumes, call, { after, now });
    last = changes ? (after ?? now) : now;
    push(`retry: 1000\n${textOf(changes ? 'ready' : 'reset', last, {})}`);
    for (const change of [...(changes ?? []), ...waiting]) send(change);
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
};

const exampleStream =
  'retry: 1000\nid: 411\nevent: ready\ndata: {}\n\n' +
  'id: 412\nevent: change\ndata: {"type":"AlertRaised","sourceId":12}\n\n';

/** The route that streams changes to clients. */
export const eventRoutes = (
  service: Pick<Service, 'changes' | 'log' | 'models' | 'turns'>,
  resumes = fairQueue({
    atOnce: resumesAtOnce,
    reserving: true,
    waitingMax: resumesWaitingMax,
    name: 'resumed streams',
  }),
): readonly Route[] => [
  route({
    at: 'GET /v1/events',
    operationId: 'streamEvents',
    summary: 'Stream changes as server-sent events; the header Last-Event-ID resumes a stream',
    scope: 'read',
    answers: {
      200: {
        description: 'A stream that ends after 15 minutes, or with its token; the client resumes it',
        schema: liveChangeSchema,
        others: { 'text/event-stream': exampleStream },
      },
    },
    run: async call => ({
      status: 200,
      headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' },
      body: await streamOf(service, resumes, call),
    }),
  }),
];
