import t from 'tap';
import { QueueFull } from '../../../application/ports/analyst.js';
import { liveChanges, type LiveChange } from '../../../application/reading/liveChanges.js';
import type { KnownEvent } from '../../../domain/events.js';

const event = (position: number, stream: string): KnownEvent =>
  ({ position: BigInt(position), stream, type: 'DaysImported' }) as KnownEvent;
/** Source 1 is of tenant a, source 2 of tenant b; other events belong to no source. */
const ownerOf = ({ stream }: KnownEvent) => {
  const sourceId = Number(stream.split('-')[1]);
  return sourceId > 0 ? { sourceId, tenant: sourceId === 1 ? 'a' : 'b' } : undefined;
};

/** A listener with what it got. */
const listening = () => {
  const got: (LiveChange | 'end')[] = [];
  const changed = (change: LiveChange): void => void got.push(change);
  return { got, listener: { changed, end: () => void got.push('end') } };
};

t.test('a listener gets the changes of the sources of its tenant, in their order', async t => {
  const changes = liveChanges(ownerOf);
  const [one, other] = [listening(), listening()];
  const remove = changes.listen('a', one.listener);
  changes.listen('a', other.listener);
  changes.notice([event(1, 'days-1'), event(2, 'days-2'), event(3, 'catalog'), event(4, 'source-1')]);
  const seen = [1n, 4n].map(position => ({ position, type: 'DaysImported', sourceId: 1 }));
  t.strictSame([one.got, other.got], [seen, seen]);
  remove();
  changes.notice([event(5, 'days-1')]);
  t.strictSame([one.got.length, other.got.length], [2, 3], 'a removed listener gets no more');
  changes.close();
  t.strictSame([one.got.at(-1), other.got.at(-1)], [seen[1], 'end']);
  const late = listening();
  changes.listen('b', late.listener)();
  t.strictSame(late.got, ['end'], 'after the end of the service');
});

t.test('a tenant has at most 500 listeners', async t => {
  const changes = liveChanges(ownerOf);
  const removes = Array.from({ length: 500 }, () => changes.listen('a', listening().listener));
  t.throws(() => changes.listen('a', listening().listener), QueueFull);
  changes.listen('b', listening().listener);
  removes[0]?.();
  changes.listen('a', listening().listener);
  t.throws(() => changes.listen('a', listening().listener), QueueFull);
});
