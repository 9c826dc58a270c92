import fc from '../helpers/property.js';
import t from 'tap';
import {
  closedDay,
  dayWithPoints,
  elapsedPart,
  completenessSoFar,
  type PointsOfDay,
} from '../../domain/points.js';
import type { Day, Run } from '../../domain/day.js';

const date = '2024-03-06';
const rule = { activitySize: 4, interpolates: false } as const;
const line = { activitySize: 4, interpolates: true } as const;
const none = () => undefined;
const points = (observed: PointsOfDay['observed'], more: Partial<PointsOfDay> = {}): PointsOfDay => ({
  date,
  observed,
  ...more,
});
const dayOf = (activity: readonly number[], gaps: readonly Run[] = [], filled: readonly Run[] = []): Day => ({
  date,
  activity,
  gaps,
  filled,
});

t.test('points set their slices, and the other slices stay', async t => {
  t.strictSame(
    dayWithPoints(points([[1, [5, 6]]]), rule, none),
    dayOf(
      [0, 5, 6, 0],
      [
        [0, 1],
        [3, 4],
      ],
    ),
  );
  const before = dayOf([1, 2, 0, 4], [[2, 3]]);
  t.strictSame(
    dayWithPoints(points([[2, [9]]]), rule, () => before),
    dayOf([1, 2, 9, 4]),
  );
  t.strictSame(
    dayWithPoints(points([[1, [9]]]), rule, () => before),
    dayOf([1, 9, 0, 4], [[2, 3]]),
  );
  t.strictSame(
    dayWithPoints(points([], { gaps: [[0, 2]] }), rule, () => before),
    dayOf([0, 0, 0, 4], [[0, 3]]),
  );
  t.strictSame(
    dayWithPoints(points([[0, [8]]], { filled: [[1, [3, 3]]] }), rule, () => before),
    dayOf([8, 3, 3, 4], [], [[1, 3]]),
  );
});

t.test('a date that ends has all slices, but for those that its clock skipped', async t => {
  t.equal(closedDay(date, line, none), undefined);
  const after: Day = { ...dayOf([5, 5, 5, 5]), date: '2024-03-07' };
  const read = (day: Day) => (on: string) => (on === date ? day : on === after.date ? after : undefined);
  const present = dayOf(
    [1, 0, 3, 0],
    [
      [1, 2],
      [3, 4],
    ],
  );
  t.strictSame(
    closedDay(date, line, read(present)),
    dayOf(
      [1, 2, 3, 4],
      [],
      [
        [1, 2],
        [3, 4],
      ],
    ),
  );
  t.strictSame(closedDay(date, rule, read(present)), present);
  const skipped = [[1, 2]] as const;
  t.strictSame(closedDay(date, line, read({ ...present, skipped })), {
    ...dayOf([1, 0, 3, 4], [[1, 2]], [[3, 4]]),
    skipped,
  });
});

t.test('with linear interpolation slices without points lie between those with points', async t => {
  const begun = { inProgress: { elapsed: 3, closesAt: '' } };
  t.strictSame(
    dayWithPoints(
      points([
        [0, [2]],
        [2, [6]],
      ]),
      line,
      none,
    ),
    dayOf(
      [2, 4, 6, 6],
      [],
      [
        [1, 2],
        [3, 4],
      ],
    ),
  );
  t.strictSame(
    dayWithPoints(points([[0, [2]]], begun), line, none),
    dayOf([2, 2, 2, 0], [[3, 4]], [[1, 3]]),
    'not further than the slices that have elapsed',
  );
  const ending = { ...line, endsAtLast: true } as const;
  const some = points(
    [
      [0, [2]],
      [2, [6]],
    ],
    { inProgress: { elapsed: 4, closesAt: '' } },
  );
  t.strictSame(
    dayWithPoints(some, ending, none),
    dayOf([2, 4, 6, 0], [[3, 4]], [[1, 2]]),
    'a date in progress does not repeat its last value',
  );
  const whole = dayWithPoints(points(some.observed), line, none);
  const open = dayWithPoints(some, ending, none);
  const closed = closedDay(date, ending, on => (on === date ? open : undefined));
  t.strictSame(closed, whole, 'once it is over it does');
  const yesterday = { ...dayOf([0, 0, 0, 8]), date: '2024-03-05' };
  const tomorrow = { ...dayOf([2, 0, 0, 0]), date: '2024-03-07' };
  const around = (on: string) => [yesterday, tomorrow].find(day => day.date === on);
  t.strictSame(
    dayWithPoints(points([[1, [4]]]), line, around),
    dayOf(
      [6, 4, 4 - 2 / 3, 4 - 4 / 3],
      [],
      [
        [0, 1],
        [2, 4],
      ],
    ),
  );
});

t.test('the order of imports of points does not matter', async t => {
  const runs = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 9 })), {
    selector: ([slice]) => slice,
  });
  fc.assert(
    fc.property(runs, fc.boolean(), (set, interpolates) => {
      const folded = (order: typeof set): Day | undefined =>
        order.reduce<Day | undefined>(
          (day, [slice, value]) =>
            dayWithPoints(points([[slice, [value]]]), { activitySize: 4, interpolates }, on =>
              on === date ? day : undefined,
            ),
          undefined,
        );
      t.strictSame(folded(set), folded([...set].reverse()));
    }),
  );
});

t.test('slices that have not elapsed do not belong to the day', async t => {
  const day = dayOf([1, 0, 3, 4], [[1, 2]]);
  const part = {
    ...dayOf(
      [1, 0, 3, 0],
      [
        [1, 2],
        [3, 4],
      ],
    ),
    skipped: [[3, 4]],
  };
  t.strictSame(elapsedPart(day, 3), part);
  t.equal(completenessSoFar(day, { elapsed: 2, closesAt: '' }), 0.5);
  t.equal(completenessSoFar(day, undefined), 0.75);
});
