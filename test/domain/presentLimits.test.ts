// Minimum detectable change of limits that alerts have widened.
import t from 'tap';
import { presentLimits } from '../../domain/planning/presentLimits.js';

const model = (days: number, activity: readonly number[]) => ({ days, activity });
/** Limits of a source whose reference has no value below a minimum. */
const limitsOf = (
  measured: Parameters<typeof presentLimits>[0],
  models: readonly ReturnType<typeof model>[],
  factor: number,
  minimum = 0,
) => presentLimits(measured, models, { factor, minimum });
// Six slices: eight hours are two of them. The first part has a quarter of the mean of the day, or half of it.
const flat = model(90, [1, 2, 3, 6, 6, 6]);
const high = model(10, [2, 3, 4, 5, 5, 5]);
const part = { from: 0, to: 1 };
const measured = {
  wholeDay: { more: 0.4, less: 0.35 },
  eightHours: { more: 0.9, less: 0.3 },
  timesOfDay: [
    { ...part, more: 1.5, less: 0.2 },
    { from: 3, to: 6, more: null, less: null },
  ],
};

t.test('limits that are not widened have the measured sizes', async t => {
  t.strictSame(limitsOf(measured, [flat], 1), { factor: 1, minimumDetectableChange: measured });
});

t.test('sizes grow with the factor, rounded up to whole percents', async t => {
  t.strictSame(limitsOf(measured, [flat, high], 1.11).minimumDetectableChange, {
    wholeDay: { more: 0.45, less: 0.39 },
    eightHours: { more: 1, less: 0.34 },
    timesOfDay: [
      { ...part, more: 1.67, less: 0.23 },
      { from: 3, to: 6, more: null, less: null },
    ],
  });
});

t.test('nothing is stated beyond what is measured, or below 0', async t => {
  const wide = limitsOf(measured, [flat, high], 1.4).minimumDetectableChange;
  t.strictSame(wide.eightHours, { more: null, less: 0.42 }, 'eight hours have half of the day');
  t.strictSame(wide.timesOfDay?.[0], { ...part, more: null, less: null }, 'a fall by 0.28 of 0.25');
  const below = limitsOf(measured, [model(1, [1, 2, 3, 6, 6, 6])], 1.4, -5).minimumDetectableChange;
  t.equal(below.timesOfDay?.[0]?.less, 0.28, 'values may fall below 0');
  t.equal(limitsOf(measured, [flat], 2).minimumDetectableChange.wholeDay.less, 0.7);
  t.strictSame(
    limitsOf({ ...measured, wholeDay: { more: 0.6, less: 0.6 } }, [flat], 2).minimumDetectableChange.wholeDay,
    { more: null, less: null },
  );
});

t.test('a fall counts where four of five planned days have as much', async t => {
  const some = (days: number) => limitsOf(measured, [flat, { ...high, days }], 1.4);
  t.equal(some(300).minimumDetectableChange.timesOfDay?.[0]?.less, null, '77 % of the days');
  t.equal(some(400).minimumDetectableChange.timesOfDay?.[0]?.less, 0.28, '82 % of the days');
});

t.test('without times of day, and with models without activity', async t => {
  const { timesOfDay: _, ...older } = measured;
  t.notOk('timesOfDay' in limitsOf(older, [flat], 1.2).minimumDetectableChange);
  const none = limitsOf(measured, [model(3, [0, 0, 0, 0, 0, 0])], 1.2).minimumDetectableChange;
  t.strictSame([none.eightHours.less, none.timesOfDay?.[0]?.less], [null, null]);
});
