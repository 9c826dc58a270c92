import t from 'tap';
import { sizeFilledBy } from '../../../../application/requests/imports/dayFolder.js';

/** Numbers of steps by their length in seconds. */
const steps = (counts: Readonly<Record<number, number>>): Uint32Array => {
  const all = new Uint32Array(4000);
  for (const [seconds, count] of Object.entries(counts)) all[Number(seconds)] = count;
  return all;
};

t.test('irregular readings fill the most slices of which one in a hundred stays empty', async t => {
  const irregular = { 400: 300, 500: 300, 590: 300 };
  t.equal(sizeFilledBy(steps({ ...irregular, 700: 1 }), 'mean'), 144, 'ten minutes, seldom a little longer');
  t.equal(sizeFilledBy(steps({ ...irregular, 700: 100 }), 'mean'), 72);
  t.equal(sizeFilledBy(steps({ 600: 1000 }), 'mean'), 144, 'regular ones');
  t.equal(sizeFilledBy(steps({ 600: 500, 3600: 500 }), 'mean'), 144, 'half of them: the lower median counts');
  t.equal(sizeFilledBy(steps({}), 'mean'), 4, 'no step');
});
