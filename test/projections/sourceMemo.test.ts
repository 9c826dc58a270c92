import t from 'tap';
import { sourcesMaxUsual } from '../../domain/source/sourceState.js';
import { readModelMemos } from '../../projections/readModels.js';
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

t.test('source memo: lists of all sources of a tenant read each of them once', async t => {
  const { setups, counted, overview } = readModelMemos();
  for (const memo of [setups, counted, overview]) {
    let reads = 0;
    const list = () => {
      for (let id = 1; id <= sourcesMaxUsual; id += 1) memo(id, 'a', () => (reads++, { days: [] }) as never);
    };
    list();
    list();
    t.equal(reads, sourcesMaxUsual);
  }
});
