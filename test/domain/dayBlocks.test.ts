import t from 'tap';
import { dayBlocks } from '../../domain/day.js';

t.test('a day as block characters, from its lowest value to its highest', async t => {
  const day = (activity: readonly number[], gaps: readonly (readonly [number, number])[] = []) => ({
    activity,
    gaps,
  });
  t.equal(dayBlocks(day([0, 1, 2, 3, 4, 5, 6, 7])), '▁▂▃▄▅▆▇█');
  t.equal(dayBlocks(day([20, 27, 20, 23.5])), '▁█▁▅', 'the lowest value is the lowest block');
  t.equal(dayBlocks(day([5, 5, 5, 5])), '▁▁▁▁', 'a flatline');
  t.equal(dayBlocks(day([0, 7, 0, 0], [[2, 4]])), '▁█··', 'slices without data');
  t.equal(dayBlocks(day([0, 7, 0, 0]), 2), '▁█··', 'slices that have not elapsed');
  t.equal(dayBlocks(day([0, 0, 0, 0], [[0, 4]])), '····');
  t.equal(dayBlocks(day([])), '');
});

t.test('many slices are drawn as their means', async t => {
  const values = Array.from({ length: 144 }, (_, slice) => (slice < 3 ? [0, 7, 14][slice] : 14)) as number[];
  const line = dayBlocks({ activity: values, gaps: [[1, 2]] });
  t.equal(line, `▁${'█'.repeat(47)}`, 'the mean of 0 and 14 is the lowest of all');
  t.equal([...dayBlocks({ activity: Array<number>(72).fill(1), gaps: [] })].length, 36);
});
