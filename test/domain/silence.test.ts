import t from 'tap';
import {
  dateOfSilence,
  deadlineOf,
  expectedInterval,
  rhythmAfter,
  rhythmFrom,
  silenceAt,
  type Rhythm,
} from '../../domain/alerts/silence.js';
import { dateOf, dayNumber } from '../../domain/dates.js';

const hours = (count: number): number => count * 3_600_000;
const created = rhythmFrom('2024-03-01T00:00:00.000Z');
/** Imports, each at an instant with the last date of its data. */
const after = (...imports: readonly (readonly [at: string, lastDate: string])[]): Rhythm =>
  imports.reduce<Rhythm>(
    (rhythm, [at, lastDate], n) => rhythmAfter(rhythm, { importId: `i${n}`, at, lastDate }),
    created,
  );
const at = (date: string, time = '06:00'): string => `${date}T${time}:00.000Z`;
/** Daily imports from a date on, each with the day before. */
const daily = (first: string, count: number, skip: (date: string) => boolean = () => false) =>
  Array.from({ length: count }, (_, n) => dateOf(dayNumber(first) + n))
    .filter(date => !skip(date))
    .map(date => [at(date), dateOf(dayNumber(date) - 1)] as const);
const isWeekend = (date: string): boolean => (dayNumber(date) + 3) % 7 > 4;

t.test('a source without imports, or with one data set, has no rhythm', async t => {
  t.equal(expectedInterval(created, null), null);
  const once = after([at('2024-03-01'), '2023-12-31']);
  t.strictSame(once, {
    ...{ since: at('2024-03-01'), importId: 'i0', lastDate: '2023-12-31', liveAt: null, waits: [] },
  });
  const parts = after(
    ...[1, 2, 3, 4, 5].map(n => [at('2024-03-01', `06:0${n}`), `202${n - 1}-12-31`] as const),
  );
  t.equal(expectedInterval(parts, null), null, 'years one after the other');
  const again = after(...[1, 2, 3, 4, 5].map(n => [at('2024-03-01', `06:0${n}`), '2024-02-29'] as const));
  t.equal(expectedInterval(again, null), null, 'yesterday, again and again on one day');
});

t.test('a daily import is overdue when half a day more has passed', async t => {
  t.equal(expectedInterval(after(...daily('2024-03-04', 3)), null), null, 'two waits are no rhythm');
  const rhythm = after(...daily('2024-03-04', 4));
  t.strictSame(expectedInterval(rhythm, null), { ms: hours(36), origin: 'learned' });
  t.equal(deadlineOf(rhythm, expectedInterval(rhythm, null)), at('2024-03-08', '18:00'));
  t.equal(silenceAt(rhythm, null, at('2024-03-08', '17:59')), undefined);
  t.strictSame(silenceAt(rhythm, null, at('2024-03-08', '18:00')), {
    ...{ since: at('2024-03-07'), deadline: at('2024-03-08', '18:00'), lastDate: '2024-03-06' },
    ...{ intervalMinutes: 36 * 60, origin: 'learned' },
  });
});

t.test('weekends without imports are part of the rhythm, one outage is not', async t => {
  const weekdays = after(...daily('2024-03-04', 19, isWeekend));
  t.strictSame(expectedInterval(weekdays, null), { ms: hours(1.5 * 72), origin: 'learned' });
  const outage = after(...daily('2024-03-04', 30, date => date > '2024-03-10' && date < '2024-03-16'));
  t.strictSame(expectedInterval(outage, null), { ms: hours(36), origin: 'learned' });
});

t.test('an outage in the first days is not the rhythm', async t => {
  const rhythm = after(...daily('2024-03-04', 5), [at('2024-03-20'), '2024-03-19']);
  t.strictSame(
    rhythm.waits.map(({ ms }) => ms),
    [24, 24, 24, 24, 72].map(hours),
    'it counts as much as a weekend',
  );
  t.strictSame(expectedInterval(rhythm, null), { ms: hours(108), origin: 'learned' });
});

t.test('hourly imports are overdue within hours, once a week of them is known', async t => {
  const hourly = (days: number) =>
    after(
      ...Array.from({ length: 24 * days }, (_, n) => {
        const instant = new Date(Date.parse(at('2024-03-04', '00:00')) + hours(n)).toISOString();
        return [instant, instant.slice(0, 10)] as const;
      }),
    );
  t.strictSame(expectedInterval(hourly(4), null), { ms: hours(36), origin: 'learned' }, 'careful at first');
  t.strictSame(expectedInterval(hourly(10), null), { ms: hours(1.5), origin: 'learned' });
});

t.test('an import every second month is no rhythm', async t => {
  const slow = after(
    ...['2024-01-02', '2024-03-04', '2024-05-04', '2024-07-04'].map(date => [at(date), date] as const),
  );
  t.equal(expectedInterval(slow, null), null);
});

t.test('only the last four weeks of imports are remembered', async t => {
  t.equal(after(...daily('2024-03-04', 60)).waits.length, 28);
});

t.test('a given interval counts from the last import, or from the creation', async t => {
  t.strictSame(expectedInterval(created, 60), { ms: hours(1), origin: 'given' });
  t.match(silenceAt(created, 60, '2024-03-01T01:00:00.000Z'), { since: created.since, lastDate: null });
  t.equal(silenceAt(created, 60, '2024-03-01T00:59:59.999Z'), undefined);
  t.match(silenceAt(after([at('2024-03-02'), '2020-01-01']), 60, at('2024-03-02', '07:00')), {
    since: at('2024-03-02'),
    origin: 'given',
  });
});

t.test('corrections of older days do not end a silence', async t => {
  const rhythm = after(...daily('2024-03-04', 5));
  const corrected = rhythmAfter(rhythm, { importId: 'c', at: at('2024-03-12'), lastDate: '2024-03-01' });
  t.strictSame(corrected, rhythm);
  const again = rhythmAfter(rhythm, { importId: 'c', at: at('2024-03-12'), lastDate: '2024-03-07' });
  t.equal(again.since, at('2024-03-12'), 'the newest date again is news: its day may have grown');
});

t.test('the alert has the first date without data, at most that of the deadline', async t => {
  const of = (lastDate: string | null) => dateOfSilence({ lastDate }, '2024-03-08');
  t.equal(of('2024-03-06'), '2024-03-07');
  t.equal(of('2024-03-08'), '2024-03-08');
  t.equal(of('2024-12-31'), '2024-03-08', 'data of the future');
  t.equal(of(null), '2024-03-08');
});

t.test('data of a week ago are live, older data are not', async t => {
  const liveAt = (lastDate: string) => after([at('2024-03-11'), lastDate]).liveAt;
  t.equal(liveAt('2024-03-04'), at('2024-03-11'), 'seven days');
  t.equal(liveAt('2024-03-03'), null, 'eight days');
});
