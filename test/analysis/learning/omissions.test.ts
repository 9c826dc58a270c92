import t from 'tap';
import { typicalDays } from '../../../analysis/learning/typicalDays.js';
import { trial } from '../../../analysis/tuning/trial.js';
import type { Day } from '../../../domain/day.js';
import { exactList } from '../../helpers/exactList.js';
import { madeDays } from '../../helpers/data/madeDays.js';

const setting = { modelCount: null, coverage: null, calendar: null, seed: 1 };
const learn = (days: readonly Day[], engine?: string) =>
  typicalDays(days, { ...setting, ...(engine && { engine }) });

const engine12 = 'daybook-calendar/12';

/** Days of which one slice of one day has another value. */
const withValue = (days: readonly Day[], value: number, place = 101, slice = 13): Day[] =>
  days.map((day, index) => (index === place ? { ...day, activity: day.activity.with(slice, value) } : day));

const made = madeDays({ count: 181, slices: 24, seed: 3 });
const [halfYear, next] = [made.slice(0, 180), made[180]!];

t.test('implausible values: a day with one is left out, and all else is learned as without it', async t => {
  const { date } = halfYear[101]!;
  const { leftOut: others, ...without } = learn(halfYear.filter(day => day.date !== date));
  for (const value of [2 ** 32 - 1, -9999]) {
    const damaged = withValue(halfYear, value);
    const { leftOut, ...learned } = learn(damaged);
    t.strictSame(learned, without);
    const reason = `the value ${value} is far beyond those of other days`;
    t.strictSame(
      leftOut,
      [...others, { date, reason }].sort((a, b) => (a.date < b.date ? -1 : 1)),
    );
    t.not(learn(damaged, engine12).models[0]?.limits?.unit, learned.models[0]?.limits?.unit);
  }
});

t.test('implausible values: what people notice is still found after a reference with one', async t => {
  const { learned, recheck } = trial(withValue(halfYear, 2 ** 32 - 1), [], setting);
  for (const factor of [0, 0.5, 2]) {
    const day = { ...next, activity: next.activity.map(value => value * factor) };
    t.equal(recheck(day).outcome, 'abnormal', `${factor} times as much`);
  }
  t.type(learned.bounds.minimumDetectableChange?.wholeDay.more, 'number');
});

t.test('implausible values: none in rare events, in a tenth of the days, or among few days', async t => {
  const named = (days: readonly Day[]) =>
    learn(days).leftOut.filter(({ reason }) => reason.startsWith('the value'));
  const largest = Math.max(...halfYear.flatMap(({ activity }) => activity));
  t.strictSame(named(withValue(halfYear, 100 * largest)), []);
  const often = halfYear.map((day, index) =>
    index % 9 === 0 ? { ...day, activity: day.activity.with(3, -9999) } : day,
  );
  t.strictSame(named(often), []);
  t.strictSame(named(withValue(halfYear.slice(0, 9), 1e9, 4)), []);
  t.match(named(withValue(halfYear.slice(0, 10), 1e9, 4)), exactList({ date: halfYear[4]!.date }));
});

t.test('outliers count neither for the minimum nor for the longest flatline', async t => {
  const stuck = halfYear.map((day, index) =>
    index === 101 ? { ...day, activity: day.activity.map(() => 400) } : day,
  );
  const fallen = halfYear.map((day, index) =>
    index === 101 ? { ...day, activity: day.activity.map(value => (value < 60 ? -40 : value)) } : day,
  );
  const { longestRun, minimum } = learn(halfYear).checks!;
  for (const days of [stuck, fallen]) {
    t.ok(learn(days).leftOut.some(({ date }) => date === days[101]!.date));
    t.match(learn(days).checks, { longestRun, minimum });
    t.notMatch(learn(days, engine12).checks, { longestRun, minimum });
  }
});

t.test('a reference of the smallest numbers has a scale', async t => {
  const tiny = halfYear.map(day => ({ ...day, activity: day.activity.map(() => Number.MIN_VALUE) }));
  const [model] = learn(tiny).models;
  t.equal(model?.limits?.unit, 1e-300);
  t.ok([...model!.activity, ...model!.topTolerance, ...model!.bottomTolerance].every(Number.isFinite));
});

t.test('outliers among days that repeat exactly have a reason that can be read', async t => {
  const same = halfYear.map((day, index) => ({
    ...day,
    activity: halfYear[index % 7 < 5 ? 0 : 5]!.activity,
  }));
  const odd = same.map((day, index) =>
    index === 101 ? { ...day, activity: day.activity.map(value => 3 * value) } : day,
  );
  const reasonOf = (engine?: string) => learn(odd, engine).leftOut.map(({ reason }) => reason);
  t.strictSame(reasonOf(), [
    'unusual: more than 1000 times as far from days of its season and weekday as the median day',
  ]);
  t.match(reasonOf(engine12), exactList(/^unusual: \d{9,}\.\d times as far/));
});
