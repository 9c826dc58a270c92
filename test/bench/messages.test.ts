import t from 'tap';
import { trial } from '../../analysis/tuning/trial.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { causeNames, causesFor, openingOf } from '../../bench/quality/injected/causes.js';
import { messagesOf, quietStretches, type Messages } from '../../bench/quality/injected.js';
import { messagesTable } from '../../bench/quality/injectedTables.js';
import type { Series } from '../../bench/quality/series.js';
import { unmeasured } from '../helpers/unmeasured.js';

/** Days from a date: 10 at night, 20 from 8 h on, varying by 2 % in a cycle of five days. */
const daysFrom = (date: string, count: number): Day[] =>
  Array.from({ length: count }, (_, index) => ({
    date: dateOf(dayNumber(date) + index),
    activity: Array.from(
      { length: 24 },
      (_, slice) => (slice < 8 ? 10 : 20) * (1 + 0.02 * Math.sin(index * index + slice)),
    ),
    gaps: [],
    filled: [],
  }));

const series: Series = {
  name: 'made-up',
  calendar: null,
  referenceYear: 2023,
  reference: daysFrom('2023-01-02', 84),
  recent: daysFrom('2024-03-01', 40),
  checkedPart: 'recent',
  knownEvents: [],
};
const setting = { modelCount: 1, coverage: null, calendar: null, seed: 1 };
const profile = Array.from({ length: 24 }, (_, slice) => (slice < 8 ? 10 : 20));
const causes = (seed = 1) => causesFor(series, () => profile, seed);

t.test('messages: changes with known causes', async t => {
  const days = series.recent.slice(0, 2);
  const activity = (kind: number, seed = 1) =>
    causes(seed)
      [kind]!.apply(days)
      ?.map(day => day.activity);
  t.strictSame(
    causes().map(({ length }) => length),
    [28, 28, 28, 28, 2, 1],
  );

  const ratios = activity(0)!.flatMap((values, day) =>
    values.map((value, at) => value / days[day]!.activity[at]!),
  );
  t.ok(Math.max(...ratios) - Math.min(...ratios) < 1e-12, 'one factor for all days');
  t.ok(Math.abs(ratios[0]! - 1) >= 0.25 && Math.abs(ratios[0]! - 1) <= 0.5, String(ratios[0]));
  t.strictSame(activity(0), activity(0), 'the same seed');
  t.notSame(activity(0), activity(0, 2));

  const [clock] = activity(1)!;
  const [first] = days as [Day, Day];
  const later = [...first.activity.slice(23), ...first.activity.slice(0, 23)];
  const earlier = [...first.activity.slice(1), ...first.activity.slice(0, 1)];
  t.ok([later, earlier].some(values => JSON.stringify(values) === JSON.stringify(clock)));

  const holed = (from: number) => days.map(day => ({ ...day, gaps: [[from, from + 1]] as Day['gaps'] }));
  t.equal(causes()[1]!.apply(holed(3)), null, 'a gap is not moved');
  t.equal(causes()[2]!.apply(holed(7)), null, 'the slice before the opening is a gap');

  const opening = activity(2)!;
  t.equal(opening[1]![8], days[1]!.activity[7], 'closed as the hour before');
  t.equal(opening[1]![9], days[1]!.activity[9]);
  t.equal(causesFor(series, () => null, 1)[2]!.apply(days), null, 'no day has an opening');

  const [shape] = activity(3)!;
  t.strictSame([shape![5], shape![18]], [first.activity[5], first.activity[18]]);
  t.strictSame([shape![6], shape![17]], [first.activity[6]! * 0.6, first.activity[17]! * 1.4]);

  const gaps = causes()[4]!
    .apply(days)!
    .map(day => day.gaps);
  const at = gaps[0]![0]![0];
  t.ok(at >= 8 && at < 16);
  t.strictSame(gaps, [[[at, 24]], [[0, at]]]);
  t.equal(openingOf([1, 1, 5, 9, 1]), 2);
  t.equal(openingOf([5, 1, 9]), null, 'no inactive slice before it');
});

t.test('messages: stretches of quiet days, at most six at equal distances', async t => {
  const dayOf = (date: string, isQuiet = true) =>
    ({ day: { date }, finding: isQuiet ? null : { kind: 'activity' } }) as never;
  const dates = ['2024-03-01', '2024-03-02', '2024-03-03', '2024-03-05', '2024-03-06', '2024-03-07'];
  const found = (some: readonly never[], length: number) =>
    quietStretches({ days: some }, length).map(([first]) => first?.date);
  const days = dates.map(date => dayOf(date, date !== '2024-03-06'));
  t.strictSame(found(days, 1), ['2024-03-01', '2024-03-02', '2024-03-03', '2024-03-05', '2024-03-07']);
  t.strictSame(found(days, 2), ['2024-03-01', '2024-03-02'], 'neither alerts nor missing dates between them');
  const many = Array.from({ length: 12 }, (_, index) => dayOf(dateOf(dayNumber('2024-03-01') + index)));
  t.strictSame(
    found(many, 1).map(date => Number(date?.slice(-2))),
    [2, 4, 6, 8, 10, 12],
  );
});

t.test('messages: changed days are checked one after the other, as if they had come so', async t => {
  const tried = trial(series.reference, series.recent, setting);
  const changed = causes()[0]!.apply(series.recent.slice(10, 38))!;
  const direct = trial(series.reference, [...series.recent.slice(0, 10), ...changed], setting);
  const expected = direct.days.slice(10).map(({ plan: _, ...checked }) => checked);
  t.strictSame(tried.recheckAll(changed), expected);
  t.notSame(
    changed.map(day => ({ day, ...tried.recheck(day) })),
    expected,
    'unlike days that are checked each alone',
  );
});

t.test('messages: a change that stays has one incident', async t => {
  const found = messagesOf(series, setting);
  t.equal(found.length, causeNames.length);
  for (const { causes, seen, alerts, incidents } of found) {
    t.equal(causes, 6);
    t.ok(incidents >= seen && alerts >= incidents);
  }
  const [level] = found;
  t.strictSame([level?.seen, level?.incidents], [6, 6]);
  t.ok((level?.alerts ?? 0) > 6 * 3, String(level?.alerts));
  t.strictSame(found.at(-2), { causes: 6, seen: 6, alerts: 12, incidents: 6 }, 'both dates of a gap');
});

t.test('messages: the table', async t => {
  const messages: Messages[] = causeNames.map(() => ({ causes: 4, seen: 2, alerts: 9, incidents: 3 }));
  const table = messagesTable([{ ...unmeasured, messages }], 1);
  t.match(table, /^messages, 1 series /);
  t.match(table, /\nlevel.* +4 +2 +9 +3 +4\.50 +1\.50 +1\.50 to 1\.50\n/);
  t.match(table, /\nall +24 +12 +54 +18 +4\.50 +1\.50 /);
  const unseen = messages.map(one => ({ ...one, seen: 0, alerts: 0, incidents: 0 }));
  t.match(messagesTable([{ ...unmeasured, messages: unseen }], 1), /\nall +24 +0 +0 +0 +– +– +–\n/);
});
