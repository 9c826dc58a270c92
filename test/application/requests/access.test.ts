import t from 'tap';
import { Database } from '../../../adapters/sqlite/driver.js';
import {
  isOwnSource,
  ownCalendarRule,
  ownIncident,
  ownSource,
  ownWebhook,
} from '../../../application/requests/access.js';
import { SourceParked } from '../../../application/reading/parking.js';
import { replay } from '../../../application/reading/replay.js';
import type { Recorded } from '../../../domain/events.js';
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
