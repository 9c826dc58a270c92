import t from 'tap';
import { sourceMemo } from '../../projections/readModel.js';

t.test('source memo: a value is read once for each version of its source', async t => {
  const memo = sourceMemo<string>(10);
  const reads: string[] = [];
  const ask = (sourceId: number, version: number): string =>
    memo(sourceId, version, () => {
      reads.push(`${sourceId}@${version}`);
      return `${sourceId}@${version}`;
    });
  t.strictSame(
    [ask(1, 0), ask(1, 0), ask(2, 0), ask(1, 1), ask(2, 0), ask(1, 1)],
    ['1@0', '1@0', '2@0', '1@1', '2@0', '1@1'],
  );
  t.strictSame(reads, ['1@0', '2@0', '1@1']);
});

t.test('source memo: the oldest entry is evicted', async t => {
  const memo = sourceMemo<number>(2);
  let reads = 0;
  const ask = (sourceId: number): number => memo(sourceId, 'a', () => ++reads);
  [1, 2, 3].forEach(ask);
  t.strictSame([ask(3), ask(2), reads], [3, 2, 3]);
  t.equal(ask(1), 4, 'source 1 was evicted');
});
