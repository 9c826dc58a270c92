import t from 'tap';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import type { Checked, Comparison, DayBefore } from '../../../analysis/checking/comparison.js';
import { presentRules, rulesToUse } from '../../../analysis/engine.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { exactList } from '../../helpers/exactList.js';
import { planOf } from '../../helpers/data/plans.js';

// Days of a source that collects its reference, before its first models.

const first = dayNumber('2024-03-01');

/** A day of 24 slices whose values differ: 0 from 22 to 6, then 10, 11, …; `value` from `from` to `to`. */
const dayOf = (index: number, from = 0, to = 0, value = 12.5): Day => ({
  date: dateOf(first + index),
  activity: Array.from({ length: 24 }, (_, hour) => {
    if (from <= hour && hour < to) return value;
    return hour < 6 || hour >= 22 ? 0 : 10 + hour + index / 10;
  }),
  gaps: [],
  filled: [],
});

const comparison: Comparison = {
  ...{ models: [], checks: null, completeness: 0, referenceGaps: () => 0, rules: presentRules },
  collects: true,
  plan: date => planOf(date, { modelId: null, share: 0 }),
};

const check = (
  day: Parameters<typeof checkDay>[0],
  days: readonly Day[],
  changed: Partial<Comparison> = {},
) => checkDay(day, { ...comparison, ...changed }, () => days.map(day => ({ day, drifting: false })));

const usual = [dayOf(0), dayOf(1)];
const none = { outcome: 'notCompared', finding: null } as const;

t.test('a flatline that two days before do not explain is frozen', async t => {
  // Their longest stretch has the six hours of the night: nine hours are the limit.
  t.strictSame(check(dayOf(2, 8, 17), usual), none);
  t.match(check(dayOf(2, 8, 18), usual), {
    outcome: 'abnormal',
    finding: {
      kind: 'frozen',
      criticity: 1 - 6 / 10,
      slices: exactList({ from: 8, to: 18 }),
      plannedModelId: null,
      facts: { deviation: null, flatline: { value: 12.5, longest: 6, of: 'daysBefore' } },
    },
  });
  const { finding } = check(dayOf(2, 8, 18), usual, { rules: rulesToUse('daybook-calendar/9') });
  t.strictSame(finding?.facts?.flatline, { value: 12.5, longest: 6 }, 'an earlier engine does not say so');
  t.strictSame(check(dayOf(2, 8, 18), usual, { collects: false }), none, 'its models are on their way');
});

t.test('nothing is known before the third day, nor of days without most of their slices', async t => {
  t.strictSame(check(dayOf(2, 0, 24), [dayOf(1)]), none);
  const poor: Day = { ...dayOf(0), gaps: [[0, 7]] };
  t.strictSame(check(dayOf(2, 0, 24), [poor, dayOf(1)]), none);
  t.equal(check(dayOf(2, 0, 24), usual).outcome, 'abnormal');
});

t.test('a source may rest at its minimum, and be constant often', async t => {
  t.strictSame(check(dayOf(2, 0, 24, 0), usual), none);
  const constant = (index: number): Day => dayOf(index, 8, 13, 20);
  t.strictSame(check(dayOf(2, 0, 24), [constant(0), dayOf(1)]), none, 'on half of its days');
  t.equal(check(dayOf(3, 0, 24), [constant(0), dayOf(1), dayOf(2)]).outcome, 'abnormal');
  t.equal(check(dayOf(2, 0, 24), [dayOf(0, 8, 12, 20), dayOf(1)]).outcome, 'abnormal', 'four slices are few');
});

t.test('a frozen day does not explain the next one', async t => {
  const before: readonly DayBefore[] = [
    ...usual.map(day => ({ day, drifting: false })),
    { day: dayOf(2, 0, 24), drifting: false, abnormal: true },
  ];
  const checked: Checked = checkDay(dayOf(3, 0, 24), comparison, () => before);
  t.match(checked, { outcome: 'abnormal', finding: { facts: { flatline: { longest: 6 } } } });
});

t.test('a date in progress is frozen as soon as its elapsed slices are', async t => {
  const inProgress = (elapsed: number) => ({
    ...dayOf(2, 8, elapsed),
    inProgress: { elapsed, closesAt: '2024-03-04T00:15:00.000Z' },
  });
  t.strictSame(check(inProgress(17), usual), none);
  t.match(check(inProgress(18), usual).finding, { facts: { soFar: { elapsed: 18, ongoing: true } } });
  t.strictSame(check(inProgress(0), usual), none);
});
