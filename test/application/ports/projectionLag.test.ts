import t from 'tap';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { projectionLag } from '../../../application/ports/monitoring.js';
import { instant } from '../../helpers/data/samples.js';
import { proposed } from '../../helpers/logs/storeContract.js';

t.test('the lag of the read models: events after their checkpoint, and the age of the first', async t => {
  const store = memoryStore();
  const lagAfter = (position: bigint, now = instant(60)) =>
    projectionLag(store, { checkpoint: () => ({ position }) as never }, { nowMs: () => Date.parse(now) });
  t.strictSame(await lagAfter(0n), { events: 0, seconds: 0 }, 'an empty log');
  await store.append('source-1', 'absent', [proposed(10), proposed(20), proposed(30)]);
  t.strictSame(await lagAfter(0n), { events: 3, seconds: 50 });
  t.strictSame(await lagAfter(2n), { events: 1, seconds: 30 });
  t.strictSame(await lagAfter(3n), { events: 0, seconds: 0 });
  t.strictSame(
    await lagAfter(0n, instant(5)),
    { events: 3, seconds: 0 },
    'an event of a clock that is ahead',
  );
  const many = Array.from({ length: 1000 }, (_, n) => proposed(100 + n));
  await store.append('source-1', 2, many);
  t.strictSame(await lagAfter(0n), { events: 1000, seconds: 50 }, 'no more than 1,000 are counted');
});
