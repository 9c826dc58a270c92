import fc from '../../helpers/property.js';
import t from 'tap';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import { rulesToUse } from '../../../analysis/engine.js';
import { trial } from '../../../analysis/tuning/trial.js';
import type { Day, Run } from '../../../domain/day.js';
import { amount } from '../../helpers/amount.js';
import { madeDays } from '../../helpers/data/madeDays.js';

// A date in progress: its elapsed slices are compared with the limits of the whole day.

const slices = 24;
const setting = { modelCount: null, coverage: null, calendar: null, seed: 1 };
const days = madeDays({ count: 420, slices, seed: 5 });
const tried = trial(days.slice(0, 365), days.slice(365), setting);

/** The day until `elapsed` slices have elapsed. */
const until = (day: Day, elapsed: number) => ({
  ...day,
  activity: day.activity.map((value, slice) => (slice < elapsed ? value : 0)),
  gaps: elapsed < slices ? [[elapsed, slices] as const] : [],
  inProgress: { elapsed, closesAt: '2030-01-01T00:00:00Z' },
});

/** A day in which stretches are multiplied. */
const changed = fc
  .record({
    index: fc.integer({ min: 0, max: 54 }),
    from: fc.integer({ min: 0, max: slices - 1 }),
    length: fc.integer({ min: 1, max: slices }),
    factor: fc.double({ min: 0.2, max: 4, noNaN: true }),
    moved: fc.double({ min: 0.7, max: 1.5, noNaN: true }),
  })
  .map(({ index, from, length, factor, moved }): Day => {
    const day = days[365 + index]!;
    const activity = day.activity.map(
      (value, slice) => value * moved * (slice >= from && slice < from + length ? factor : 1),
    );
    return { ...day, activity };
  });

t.test('what breaks a limit so far breaks one of the whole day, later slices whatever they are', async t => {
  let early = 0;
  fc.assert(
    fc.property(changed, changed, fc.integer({ min: 1, max: slices }), (day, other, elapsed) => {
      const { outcome, finding, adaptation } = tried.recheck(until(day, elapsed));
      if (adaptation !== undefined) return false;
      if (!finding) return outcome === 'normal' || outcome === 'notCompared';
      early += 1;
      const rest = other.activity.slice(elapsed);
      const whole = tried.recheck({ ...day, activity: [...day.activity.slice(0, elapsed), ...rest] });
      return (
        whole.finding !== null && whole.outcome === 'abnormal' && finding.facts?.soFar?.elapsed === elapsed
      );
    }),
    { numRuns: amount({ quick: 1000, slow: 20_000 }) },
  );
  t.ok(early > 100, `${early} days were found before their end`);
});

t.test('a date in progress has no gap, and none of its slices is compared before it has elapsed', async t => {
  const day = days[370]!;
  t.equal(tried.recheck(until(day, 0)).outcome, 'notCompared');
  for (let elapsed = 1; elapsed <= slices; elapsed += 1)
    t.equal(tried.recheck(until(day, elapsed)).outcome, 'normal', `${elapsed} slices`);
  const { inProgress, ...closed } = until(day, 6);
  t.equal(tried.recheck(closed).outcome, 'gap', 'when the date has closed, the rest is missing');
});

t.test('a finding says whether the last elapsed slice is outside', async t => {
  const usual = days[370]!;
  const day = {
    ...usual,
    activity: usual.activity.map((value, slice) => (slice > 7 && slice < 12 ? 5 * value : value)),
  };
  const soFar = (elapsed: number) => tried.recheck(until(day, elapsed)).finding?.facts?.soFar;
  t.equal(soFar(8), undefined);
  t.strictSame(soFar(10), { elapsed: 10, ongoing: true });
  t.strictSame(soFar(12), { elapsed: 12, ongoing: true });
  t.strictSame(soFar(14), { elapsed: 14, ongoing: false });
  // The data end in the stretch, after it, or in slices that the clock skips.
  const found = (dataEnd: number, skipped: readonly Run[] = []) => {
    const { gaps, ...rest } = until(day, 16);
    const ending = { ...rest, skipped, gaps: [[dataEnd, slices] as const] };
    return tried.recheck(ending).finding?.facts?.soFar;
  };
  t.strictSame(found(11), { elapsed: 16, ongoing: true, dataEnd: 11 });
  t.strictSame(found(12), { elapsed: 16, ongoing: true, dataEnd: 12 });
  t.strictSame(found(14), { elapsed: 16, ongoing: false, dataEnd: 14 });
  t.strictSame(found(15, [[15, 16]]), { elapsed: 16, ongoing: false });
  // A source without points is at 0, which is data as well.
  const filled = { ...until(day, 16), filled: [[11, 16]] as const };
  const rules = rulesToUse('daybook-calendar/14');
  const found14 = checkDay(filled, { ...tried.comparison, rules }, () => []).finding;
  t.strictSame(tried.recheck(filled).finding?.facts?.soFar, { elapsed: 16, ongoing: false });
  t.strictSame(found14?.facts?.soFar, { elapsed: 16, ongoing: true, dataEnd: 11 });
});
