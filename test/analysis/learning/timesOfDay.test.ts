import t from 'tap';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import { presentRules } from '../../../analysis/engine.js';
import { typicalDays } from '../../../analysis/learning/typicalDays.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { dateOf } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { withIds } from '../../../domain/planning/models.js';
import { planner } from '../../../domain/planning/planning.js';
import { madeDay, madeDays, monday } from '../../helpers/data/madeDays.js';

const learn = (days: readonly Day[], engine?: string) =>
  typicalDays(days, { modelCount: 2, coverage: null, calendar: null, seed: 1, ...(engine && { engine }) });
const statedBy = (days: readonly Day[], engine?: string) =>
  learn(days, engine).bounds.minimumDetectableChange?.timesOfDay;

/** A day of which each slice of a part is moved by a share of its mean. */
const moved = (day: Day, { from, to }: { readonly from: number; readonly to: number }, by: number): Day => {
  const added = (by * day.activity.reduce((sum, value) => sum + value, 0)) / day.activity.length;
  const change = (value: number, slice: number): number =>
    slice >= from && slice < to ? Math.max(0, value + added) : value;
  return { ...day, activity: day.activity.map(change) };
};

t.test('times of day: four of five new days show a stated change, fewer half of it', async t => {
  const count = 200;
  const slices = 24;
  const learned = learn(madeDays({ count, slices, seed: 77 }));
  const { models, assignments } = withIds(learned, 1);
  const { checks } = learned;
  const plan = planner(models, assignments);
  const around = { models, checks, completeness: 1, referenceGaps: () => 0, plan, rules: presentRules };
  const random = seededRandom(5);
  const days = Array.from({ length: 150 }, () => {
    const number = monday + Math.floor(random() * count);
    const made = (before: number): Day => madeDay(dateOf(number - before), slices, random);
    const before = Array.from({ length: 14 }, (_, index) => ({ day: made(14 - index), drifting: false }));
    return { day: made(0), before };
  });
  const shareFound = (part: { readonly from: number; readonly to: number }, by: number): number =>
    days.filter(({ day, before }) => checkDay(moved(day, part, by), around, () => before).finding !== null)
      .length / days.length;
  const stated = learned.bounds.minimumDetectableChange?.timesOfDay ?? [];
  t.strictSame(
    stated.map(({ from, to }) => [from, to]),
    [
      [0, 6],
      [6, 12],
      [12, 18],
      [18, 24],
    ],
  );
  for (const part of stated)
    for (const by of [part.more, part.less === null ? null : -part.less]) {
      if (by === null) continue;
      const found = shareFound(part, by);
      t.comment(`slices ${part.from} to ${part.to}, ${by}: ${found}`);
      // Four standard errors of 150 days at 0.8 are 0.13.
      t.ok(found > 0.67, `slices ${part.from} to ${part.to}: ${by} is found on ${found}`);
      t.ok(shareFound(part, by / 2) < 0.8, 'half of it is found less often');
    }
  t.ok(
    stated.every(({ more }) => more !== null),
    'each time of day has a rise',
  );
  t.ok(stated[1]!.less !== null, 'the morning has a fall');
});

t.test('times of day: no fall is stated where values end at 0', async t => {
  const days = madeDays({ count: 120, slices: 24, seed: 6 });
  const night = (day: Day, value: number): Day => ({
    ...day,
    activity: day.activity.map((one, slice) => (slice < 6 ? value : one)),
  });
  const [atNight] = statedBy(days.map(day => night(day, 0))) ?? [];
  t.equal(atNight?.less, null, 'nights at 0 cannot fall');
  t.ok(atNight?.more !== null, 'they can rise');
  const [low] = statedBy(days.map(day => night(day, 0.6))) ?? [];
  t.equal(low?.less, null, 'a fall by more than nights have is not stated');
  const [below] =
    statedBy(
      days.map(day => ({ ...night(day, 0), activity: night(day, 0).activity.map(one => one - 20) })),
    ) ?? [];
  t.ok(below?.less !== null, 'values below 0 have no end there');
});

t.test('times of day: from engine 10 on, with at least four slices', async t => {
  const days = madeDays({ count: 120, slices: 8, seed: 6 });
  t.equal(statedBy(days)?.length, 4);
  t.equal(statedBy(days, 'daybook-calendar/9'), undefined);
  t.equal(statedBy(madeDays({ count: 120, slices: 3, seed: 6 })), undefined);
});

t.test('a mirrored series has the same changes in the other direction', async t => {
  const days = madeDays({ count: 120, slices: 24, seed: 5 });
  const shifted = days.map(day => ({ ...day, activity: day.activity.map(value => value + 20) }));
  const mirrored = shifted.map(day => ({ ...day, activity: day.activity.map(value => -value) }));
  const stated = (of: readonly Day[], engine?: string) => learn(of, engine).bounds.minimumDetectableChange!;
  const [above, below] = [stated(shifted), stated(mirrored)];
  for (const part of ['wholeDay', 'eightHours'] as const) {
    t.ok(above[part].more !== null && above[part].less !== null);
    t.strictSame(below[part], { more: above[part].less, less: above[part].more }, part);
  }
  t.notSame(stated(mirrored, 'daybook-calendar/11').eightHours, below.eightHours, 'earlier: swapped');
});

t.test('the eight busiest hours are those with the largest values', async t => {
  const hours = (hour: number): number => (hour < 8 ? 3 : hour >= 20 ? 10 : 0.1);
  const random = seededRandom(3);
  const days = madeDays({ count: 120, slices: 24, seed: 5 }).map(day => {
    const level = 1 + 0.6 * random();
    return { ...day, activity: day.activity.map((_, hour) => hours(hour) * level * (1 + 0.5 * random())) };
  });
  const lessOf = (engine?: string) => learn(days, engine).bounds.minimumDetectableChange!.eightHours.less;
  t.comment(`${lessOf()} and ${lessOf('daybook-calendar/11')}`);
  t.not(lessOf(), lessOf('daybook-calendar/11'));
});

t.test('limits at a target coverage are not below the smallest ones', async t => {
  const constant = madeDays({ count: 100, slices: 24, seed: 5 }).map(day => ({
    ...day,
    activity: day.activity.map(() => 50),
  }));
  const widthOf = (coverage: number | null, engine?: string): number => {
    const chosen = { modelCount: 2, coverage, calendar: null, seed: 1, ...(engine && { engine }) };
    const [model] = typicalDays(constant, chosen).models;
    return model!.topTolerance[0]! - 50;
  };
  t.ok(widthOf(0.99) > 0.5 * widthOf(null), `${widthOf(0.99)} and ${widthOf(null)}`);
  t.ok(widthOf(0.99, 'daybook-calendar/11') < 0.01 * widthOf(null));
});
