import t from 'tap';
import { changedProfile } from '../../analysis/changes/changedModel.js';
import { detectChange, type LikeDay } from '../../analysis/changes/detectChange.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { MeasuredChange } from '../../domain/incidents/changes.js';

// Changes that stay: recognised on days made from a profile, with their type and size.

/** A gym with 24, 48, 72 or 144 slices, open from 7 to 21 with a ramp, on one of two models. */
const gym = (size: number, modelId: number): number[] =>
  Array.from({ length: size }, (_, slice) => {
    const hour = (slice * 24) / size;
    if (hour < 7 || hour >= 21) return 4;
    return modelId === 1 ? 60 + 30 * Math.sin(hour) : 50 + 20 * Math.cos(hour / 2);
  });

/** Days with a change and noise of a tenth; the sixth and seventh of a week have another model. */
const daysWith = (
  seed: number,
  change: Omit<MeasuredChange, 'from'> | null,
  { size = 48, count = 5 } = {},
): LikeDay[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const date = dateOf(dayNumber('2026-03-30') + index);
    const modelId = index % 7 < 5 ? 1 : 2;
    const expected = gym(size, modelId);
    const wanted = change ? changedProfile(change, expected) : expected;
    const values = wanted.map(value => value * (1 + 0.35 * (random() - 0.5)));
    return { date, values, expected, flags: values.map(() => true), modelId };
  });
};

const closing = {
  type: 'opening',
  size: -60,
  minutes: [420, 480],
} as const;

/** Values of a stretch of an hour. */
const hourOf = (value: number, size: number): number[] => Array<number>(size / 24).fill(value);

t.test('a change is recognised with its type and size in most seeded cases', async t => {
  let [right, tried] = [0, 0];
  const expectChange = (seed: number, size: number, change: Omit<MeasuredChange, 'from'>): void => {
    const found = detectChange(daysWith(seed, change, { size, count: 3 + (seed % 8) }));
    tried += 1;
    const slack = change.type === 'level' ? 0.05 : 1440 / size;
    if (found?.type === change.type && Math.abs(found.size - change.size) <= slack) right += 1;
  };
  for (let seed = 1; seed <= 60; seed += 1)
    for (const size of [24, 48, 144]) {
      expectChange(seed, size, { type: 'level', size: 0.25 });
      expectChange(seed, size, { type: 'level', size: -0.3 });
      expectChange(seed, size, { type: 'clock', size: seed % 2 ? 60 : -120 });
      expectChange(seed, size, { ...closing, values: hourOf(4, size) });
      expectChange(seed, size, { type: 'opening', size: 60, minutes: [360, 420], values: hourOf(70, size) });
    }
  t.ok(right >= 0.95 * tried, `${right} of ${tried}`);
});

t.test('an hour that is closed or open now, at either end of the active time', async t => {
  const ends = { '360': 70, '420': 4, '1200': 4, '1260': 70 };
  for (const [begin, value] of Object.entries(ends))
    for (const size of [24, 144]) {
      const [from, to] = [Number(begin), Number(begin) + 60];
      const minutes: readonly [number, number] = [from, to];
      const opening = { type: 'opening', size: value === 4 ? -60 : 60, minutes } as const;
      const days = daysWith(7, null, { size }).map(day => ({
        ...day,
        values: day.expected.map((usual, slice) => {
          const minute = (slice * 1440) / size;
          return from <= minute && minute < to ? value : usual;
        }),
      }));
      const expected = { ...opening, from: '2026-03-30', values: hourOf(value, size) };
      t.match(detectChange(days), expected, `${size} slices, from minute ${from}`);
    }
});

t.test('clean days and single anomalies have no change', async t => {
  let found = 0;
  for (let seed = 1; seed <= 100; seed += 1) {
    const clean = daysWith(seed, null, { count: 3 + (seed % 12) });
    if (detectChange(clean)) found += 1;
    const last = daysWith(seed, { ...closing, values: hourOf(4, 48) }, { count: clean.length }).at(-1)!;
    if (detectChange([...clean.slice(0, -1), last])) found += 1;
    const others = [0.3, 1.6, 0.7].map((factor, index) => ({
      ...clean[index]!,
      values: clean[index]!.values.map(value => value * factor),
    }));
    if (detectChange(others)) found += 1;
  }
  t.equal(found, 0);
});

t.test('days that resemble each other only have another shape, on their own model', async t => {
  const change = {
    type: 'shape',
    size: 0,
    values: gym(48, 1).map((_, slice) => (slice % 8 < 4 ? 90 : 10)),
  } as const;
  const days = daysWith(3, change, { count: 4 });
  const found = detectChange(days);
  t.match(found, { type: 'shape', from: '2026-03-30', modelId: 1 });
  t.equal(found?.values?.length, 48);
  t.equal(detectChange(days.slice(0, 2)), null, 'two days are too few');
});

t.test('the days before the change are not of it', async t => {
  const before = daysWith(5, { type: 'level', size: -0.6 }, { count: 2 });
  const after = daysWith(6, { type: 'clock', size: 60 }, { count: 5 }).slice(2);
  t.match(detectChange([...before, ...after]), { type: 'clock', size: 60, from: '2026-04-01' });
});

t.test('an ordinary day of the same model contradicts a change, one of another model does not', async t => {
  const days = daysWith(8, { type: 'level', size: 0.4 });
  const ordinary = { ...daysWith(9, null)[3]!, isOrdinary: true };
  const some = [...days.slice(0, 3), ordinary, ...days.slice(4)];
  t.equal(detectChange(some), null);
  t.match(detectChange(some.map(day => (day === ordinary ? { ...day, modelId: 9 } : day))), {
    type: 'level',
  });
  t.match(detectChange([{ ...ordinary, date: '2026-03-29' }, ...days]), { type: 'level' });
});

t.test('gaps do not count, and an empty profile has no level', async t => {
  const flags = Array.from({ length: 48 }, (_, slice) => slice >= 4);
  const days = daysWith(7, { type: 'level', size: 0.5 }).map(day => ({
    ...day,
    values: day.values.map((value, slice) => (slice < 4 ? 0 : value)),
    flags,
  }));
  t.match(detectChange(days), { type: 'level', size: 0.511 });
  const nothing = days.map(day => ({ ...day, expected: day.expected.map(() => 0) }));
  t.equal(detectChange(nothing), null);
});
