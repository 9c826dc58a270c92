import t from 'tap';
import { memoryStore } from '../../../adapters/memoryStore.js';
import type { FollowUps } from '../../../application/followUps/followUps.js';
import { tracedFollowUps, tracedStore } from '../../../application/followUps/traced.js';
import { Conflict, StoreUnavailable } from '../../../application/ports/eventStore.js';
import type { Span } from '../../../application/ports/monitoring.js';
import { decode, type KnownEvent } from '../../../domain/events.js';
import { exactList } from '../../helpers/exactList.js';
import { listed, proposed } from '../../helpers/logs/storeContract.js';
import { id } from '../../helpers/data/samples.js';

/** A tracer with the spans that it got, and clocks of which each look takes 5 ms. */
const recording = () => {
  const spans: Span[] = [];
  let nowMs = 1000;
  return {
    spans,
    tracer: { record: (span: Span) => void spans.push(span) },
    clocks: { nowMs: () => nowMs, elapsedMs: () => (nowMs += 5) },
  };
};

t.test('each append is a span, with its error', async t => {
  const { spans, tracer, clocks } = recording();
  const store = tracedStore(memoryStore(), tracer, clocks);
  await store.append('source-1', 'absent', [proposed(1), proposed(2)]);
  await t.rejects(store.append('source-1', 'absent', [proposed(3)]), Conflict);
  const own = { ...proposed(4), metadata: { by: 'reactor', cause: id(9), correlation: id(9) } };
  await store.append('source-1', 1, [own]);
  t.match(
    spans,
    exactList(
      {
        correlation: id(2001),
        parent: id(1001),
        name: 'append source',
        ...{ startMs: 1000, durationMs: 5 },
        attributes: { 'daybook.stream': 'source-1', 'daybook.event_count': 2 },
      },
      { correlation: id(2003), parent: id(1003), error: /source-1/ },
      { correlation: id(9), key: id(9), parent: undefined },
    ),
  );
  t.notOk(spans[0]?.error);
});

t.test('follow-up work is a span once it is over: an error that is retried has none', async t => {
  const { spans, tracer, clocks } = recording();
  const store = memoryStore();
  await store.append('source-1', 'absent', [proposed(1)]);
  const event = decode((await listed(store.all(0n)))[0]!) as KnownEvent;
  const running = (error?: Error) => {
    const work = { run: async () => (error ? Promise.reject(error) : undefined) } as unknown as FollowUps;
    return tracedFollowUps(work, tracer, clocks).run(event);
  };
  await t.rejects(running(new StoreUnavailable('not now')), StoreUnavailable);
  t.strictSame(spans, [], 'the store is away for a moment');
  await running();
  await t.rejects(running(new RangeError('got NaN')), RangeError);
  const facts = { correlation: id(2001), key: event.id, parent: id(1001), kind: 'internal' };
  t.match(spans, exactList(facts, { ...facts, error: 'got NaN' }));
  t.notOk(spans[0]?.error);
});
