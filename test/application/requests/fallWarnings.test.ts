import t from 'tap';
import { fallWarnings } from '../../../application/requests/points/sliceTimes.js';

const reset = [{ code: 'counterReset', detail: 'the register fell' }];

/** Falls, changes and the rest of the warning about readings; undefined without one. */
const warned = async (values: readonly number[], found = reset) => {
  const points = values.map((value, at) => ({ at, value, base: -1 }));
  const lastBefore = async (_: number, before: number) => points.findLast(({ at }) => at < before);
  const [warning] = await fallWarnings({ lastBefore }, found, { id: 1, at: values.length - 1 });
  return warning?.detail.split(' of the value')[0];
};

t.test('readings that came one by one fall too often when a third of the last changes are falls', async t => {
  t.equal(await warned([9, 0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 4]), '4 of the last 11 changes');
  t.equal(await warned([2, 0, 1, 0, 1, 0, 1, 2, 3, 4, 5, 6]), undefined, 'three of eleven');
  t.equal(
    await warned([2, 0, 1, 0, 1, 0, 1, 2, 3, 4, 4, 4]),
    '3 of the last 9 changes',
    'equal ones do not count',
  );
  t.equal(
    await warned([9, 8, 2, 0, 1, 0, 1, 0, 1, 2, 3, 4, 5, 6]),
    undefined,
    'the last twelve readings count',
  );
  t.equal(await warned([9, 0, 9, 0]), undefined, 'two falls are few');
  t.equal(await warned([9, 0, 9, 0, 9, 0]), '3 of the last 5 changes');
  t.equal(await warned([9, 0, 9, 0, 9, 0], []), undefined, 'without a reset there is nothing to say');
});
