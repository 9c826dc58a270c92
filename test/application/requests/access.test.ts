import t from 'tap';
import { Database } from '../../../adapters/sqlite/driver.js';
import {
  isOwnSource,
  ownCalendarRule,
  ownIncident,
  ownSource,
  ownWebhook,
} from '../../../application/requests/access.js';
import { requireNotParked, SourceParked } from '../../../application/reading/parking.js';
import { replay } from '../../../application/reading/replay.js';
import { EventDamaged, type Recorded } from '../../../domain/events.js';
import { streams, sourceOf } from '../../../domain/streams.js';
import { readModels } from '../../../projections/readModels.js';
import { everyEvent, storeOf } from '../../helpers/logs/poisonedLog.js';

t.test('what a parked stream has is refused as parked, not as unknown', async t => {
  const models = readModels(new Database(':memory:'), 'one');
  const store = await storeOf(everyEvent());
  await replay(models, store.all(0n), { tree: false });
  const first = new Map<string, Recorded>();
  for await (const event of store.all(0n)) if (!first.has(event.stream)) first.set(event.stream, event);
  const source = [...first.keys()].find(stream => stream.startsWith('source-')) ?? '';
  const id = sourceOf(source);
  const tenant = models.sources.setup(id)?.tenant ?? '';
  const readers = [
    [source, () => ownSource(models, { tenant }, id)],
    [source, () => isOwnSource(models, { tenant }, id)],
    [streams.incidents(tenant), () => ownIncident(models, { tenant }, 'inc-1')],
    [streams.calendar(tenant), () => ownCalendarRule(models, { tenant }, 'rule-1')],
    [streams.webhooks(tenant), () => ownWebhook(models, { tenant }, 'webhook-1')],
  ] as const;
  const isRefused = (read: () => unknown): boolean => {
    try {
      read();
      return false;
    } catch (error) {
      return error instanceof SourceParked;
    }
  };
  for (const [stream, read] of readers) t.notOk(isRefused(read), `${stream} is not parked`);
  for (const stream of new Set(readers.map(([name]) => name))) {
    const event = first.get(stream);
    if (!event) throw new Error(`got no event of ${stream}, expected one in the log`);
    models.park(event, new Error('a fault'), event.position);
  }
  for (const [stream, read] of readers) t.ok(isRefused(read), `${stream} is parked`);
});

t.test('a refusal names the kind of the error, and nothing of the event', async t => {
  const models = readModels(new Database(':memory:'), 'one');
  const store = await storeOf(everyEvent());
  await replay(models, store.all(0n), { tree: false });
  const first = new Map<string, Recorded>();
  for await (const event of store.all(0n)) if (!first.has(event.stream)) first.set(event.stream, event);
  const messageOf = (stream: string, fault: (event: Recorded) => Error): string => {
    const event = first.get(stream)!;
    models.park(event, fault(event), event.position);
    try {
      requireNotParked(models, stream);
      return 'not parked';
    } catch (error) {
      return (error as Error).message.replace(`event ${event.position} `, 'event P ');
    }
  };
  const content = () => new TypeError('the name "Roof of Ann" is taken');
  t.equal(
    messageOf(streams.catalog, content),
    'the catalogue of sources is parked: this build cannot handle event P (SourceIdReserved) of it: TypeError; nothing was ' +
      'stored. A build that can handle the event takes it up again, or "daybook rebuild"',
  );
  const source = [...first.keys()].find(stream => stream.startsWith('source-')) ?? '';
  t.equal(
    messageOf(source, event => new EventDamaged(event, 'the name "Roof of Ann" is not JSON')),
    `source ${sourceOf(source)} is parked: event P (${first.get(source)?.type}) of it is damaged in the log; nothing ` +
      'was stored. The operator has to run "daybook verify" for all damaged places, then restore the log from a backup',
  );
});
