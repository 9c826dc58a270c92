import fc from '../../helpers/property.js';
import t from 'tap';
import { readCsvDays, readCsvPoints } from '../../../adapters/csv/csvBody.js';
import type { CsvRule } from '../../../adapters/csv/readings.js';
import { collectJsonDays } from '../../../adapters/json/jsonDays.js';
import { clockOf } from '../../../adapters/timeZones.js';
import { InvalidInput } from '../../../application/requests/imports/faults.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { completeness, type SliceCount } from '../../../domain/day.js';
import { exactList } from '../../helpers/exactList.js';

const ruleOf = (zone: string, more: Partial<CsvRule> = {}): CsvRule => {
  const clock = clockOf(zone);
  if (!clock) throw new Error(`no zone ${zone}`);
  return {
    kind: 'recent',
    activitySize: 24,
    aggregation: 'mean',
    interpolationMethod: 'zero',
    clock,
    ...more,
  };
};
async function* bodyOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
const read = (rows: readonly string[], rule: CsvRule) => readCsvDays(bodyOf(`${rows.join('\n')}\n`), rule);
const readJson = async (days: readonly unknown[], rule: CsvRule) =>
  (await collectJsonDays(bodyOf(JSON.stringify({ days })))).finish(rule);
const faultOf = async (answer: Promise<unknown>) => {
  try {
    await answer;
  } catch (error) {
    if (error instanceof InvalidInput) return error.faults;
  }
  throw new Error('expected InvalidInput');
};

/** Rows every `minutes` between two instants, with the value of their instant. */
const rowsOf = (
  from: string,
  to: string,
  minutes: number,
  value: (instant: Date) => number = () => 1,
): string[] => {
  const rows: string[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += minutes * 60_000)
    rows.push(`${new Date(at).toISOString().slice(0, 19)};${value(new Date(at))}`);
  return rows;
};
const hourOf = (instant: Date): number => instant.getUTCHours();

t.test('UTC stamps become days of the zone: 23 hours in spring, 25 in autumn', async t => {
  const spring = await read(
    rowsOf('2023-03-24T23:00:00Z', '2023-03-27T22:00:00Z', 60, hourOf),
    ruleOf('Europe/Paris'),
  );
  t.strictSame(
    spring.days.map(({ date, gaps, skipped }) => [date, gaps, skipped]),
    [
      ['2023-03-25', [], undefined],
      ['2023-03-26', [[2, 3]], [[2, 3]]],
      ['2023-03-27', [], undefined],
    ],
  );
  // Midnight is 23:00 UTC in winter and 22:00 UTC in summer.
  t.strictSame(spring.days[0]?.activity.slice(0, 4), [23, 0, 1, 2]);
  t.strictSame(spring.days[1]?.activity.slice(0, 5), [23, 0, 0, 1, 2]);
  t.strictSame(spring.days[2]?.activity.slice(0, 4), [22, 23, 0, 1]);
  t.equal(spring.summary.missingSamples, 0, 'a skipped hour is not a missing sample');
  t.match(spring.summary.zoneData, /^20\d\d[a-z]$/);
  t.strictSame(spring.days.map(completeness), [1, 1, 1]);

  const autumn = await read(
    rowsOf('2023-10-28T22:00:00Z', '2023-10-29T23:00:00Z', 60, instant => 10 * instant.getUTCHours()),
    ruleOf('Europe/Paris'),
  );
  t.strictSame(
    autumn.days.map(({ date, gaps }) => [date, gaps]),
    [['2023-10-29', []]],
  );
  t.strictSame(autumn.days[0]?.activity.slice(0, 5), [220, 230, 5, 20, 30], 'the mean of 0 and 10 at 2');
  t.equal(autumn.referenceYear, 2023);
});

t.test('local days: sums are scaled to the length of the slice', async t => {
  const sums = async (size: SliceCount, from: string, to: string, minutes = 60) =>
    (
      await read(
        rowsOf(from, to, minutes),
        ruleOf('Europe/Paris', { aggregation: 'sum', activitySize: size }),
      )
    ).days[0]?.activity;
  const long = ['2023-10-28T22:00:00Z', '2023-10-29T23:00:00Z'] as const;
  const short = ['2023-03-25T23:00:00Z', '2023-03-26T22:00:00Z'] as const;
  t.strictSame(await sums(24, ...long), Array(24).fill(1), 'two in an hour that lasts two');
  t.strictSame(await sums(4, ...long), [6, 6, 6, 6]);
  t.strictSame(await sums(4, ...short), [6, 6, 6, 6], 'five in six hours of which one is skipped');
  t.strictSame(await sums(24, ...short), [1, 1, 0, ...Array<number>(21).fill(1)]);
  t.strictSame(await sums(24, ...long, 5), Array(24).fill(12));
  t.strictSame(await sums(144, ...long, 5), Array(144).fill(2));
});

t.test('the sampling, the year and the first day are those of the local clock', async t => {
  const year = await read(
    rowsOf('2022-12-31T23:00:00Z', '2023-12-31T23:00:00Z', 60, hourOf),
    ruleOf('Europe/Paris', { kind: 'reference', activitySize: undefined }),
  );
  t.equal(year.activitySize, 24);
  t.equal(year.referenceYear, 2023, 'the first row is in 2022 by UTC');
  t.equal(year.days.length, 365);
  t.match(
    year.summary.warnings,
    exactList({ code: 'looksCumulative' }),
    'the hour as value is a daily register',
  );
  const tooLong = rowsOf('2022-12-31T23:00:00Z', '2024-01-02T00:00:00Z', 60);
  t.match(
    await faultOf(read(tooLong, ruleOf('Europe/Paris', { kind: 'reference' }))),
    exactList({ code: 'beyondYear', line: 366 * 24 + 1 }),
  );
  // West of Greenwich the first instants of a UTC year are in the local year before.
  const west = await read(['2023-01-01T00:00:00;1'], ruleOf('America/Los_Angeles'));
  t.equal(west.referenceYear, 2022);
});

t.test('a slice of a skipped hour stays a gap when gaps are filled', async t => {
  const rows = rowsOf('2023-03-25T23:00:00Z', '2023-03-26T22:00:00Z', 60).filter(row => !row.includes('T10'));
  const { days, summary } = await read(rows, ruleOf('Europe/Paris', { interpolationMethod: 'linear' }));
  t.match(days[0], {
    gaps: exactList(exactList(2, 3)),
    filled: exactList(exactList(12, 13)),
    skipped: exactList(exactList(2, 3)),
  });
  t.match(summary, { missingSamples: 1, filledSamples: 1 });
  t.strictSame(days.map(completeness), [22 / 23]);
});

t.test('a clock that goes back after midnight returns to the day before', async t => {
  // In 2010 Newfoundland went from 00:01 on 7 November to 23:01 on the 6th.
  for (const activitySize of [24, undefined] as const) {
    const { days } = await read(
      rowsOf('2010-11-06T02:30:00Z', '2010-11-08T03:30:00Z', 1),
      ruleOf('America/St_Johns', { aggregation: 'sum', activitySize }),
    );
    t.strictSame(
      days.map(({ date }) => date),
      ['2010-11-06', '2010-11-07'],
    );
    for (const { activity } of days)
      t.ok(
        activity.every(value => Math.abs(value - 1440 / activity.length) < 1e-9),
        'a minute counts once',
      );
  }
});

t.test('stamps with offsets are instants, by UTC and by the local clock', async t => {
  const rows = [
    '2023-10-29T02:00:00+02:00;1',
    '2023-10-29T01:00:00Z;3',
    '2023-10-29T03:00:00.000+01:00;5',
    '2023-10-29T04:00:00.5+0100;7',
  ];
  for (const stamps of ['utc', 'local'] as const) {
    const { days, summary } = await read(rows, ruleOf('Europe/Paris', { stamps }));
    t.strictSame(days[0]?.activity.slice(1, 6), [0, 2, 5, 7, 0]);
    t.equal(summary.localStamps, undefined);
  }
});

t.test('local times: both passes of a repeated hour are read, oldest or newest row first', async t => {
  const rule = ruleOf('Europe/Paris', { stamps: 'local' });
  for (const minutes of [10, 60]) {
    const rows: string[] = [];
    const times: number[] = [];
    const from = Date.parse('2023-10-28T22:00:00Z');
    for (let at = from; at < from + 6 * 3_600_000; at += minutes * 60_000) {
      const local = at + (at < Date.parse('2023-10-29T01:00:00Z') ? 2 : 1) * 3_600_000;
      rows.push(`${new Date(local).toISOString().slice(0, 19)};${at}`);
      times.push(at / 1000);
    }
    for (const sorted of [rows, [...rows].reverse()]) {
      const list = await readCsvPoints(bodyOf(`${sorted.join('\n')}\n`), rule);
      t.strictSame([...list.times], times, `each ${minutes} minutes`);
      t.ok(
        list.values.every((value, index) => value === 1000 * times[index]!),
        'with their values',
      );
    }
  }
});

t.test('local times: repeated hours by order, skipped hours omitted', async t => {
  const local = ruleOf('Europe/Paris', { stamps: 'local' });
  const hours = (date: string, list: readonly (readonly [number, number])[]): string[] =>
    list.map(([hour, value]) => `${date}T${String(hour).padStart(2, '0')}:00:00;${value}`);

  const autumn = await read(hours('2023-10-29', [[1, 1], [2, 2], [2, 4], [3, 5]]), local); // prettier-ignore
  t.strictSame(autumn.days[0]?.activity.slice(0, 5), [0, 1, 3, 5, 0]);
  t.strictSame(autumn.summary.localStamps, { repeatedHour: 2, skippedHour: 0 });
  t.match(
    autumn.summary.warnings,
    exactList({
      code: 'localStamps',
      detail: 'the clock of Europe/Paris: 2 rows in hours that occur twice, put in the order of the rows',
    }),
  );

  const halves = ['02:00;1', '02:30;1', '02:00;3', '02:30;3', '03:00;9'].map(
    row => `2023-10-29T${row.replace(';', ':00;')}`,
  );
  t.strictSame((await read(halves, local)).days[0]?.activity.slice(1, 5), [0, 2, 9, 0]);

  const spring = await read(hours('2023-03-26', [[1, 1], [2, 7], [3, 3]]), local); // prettier-ignore
  t.strictSame(spring.days[0]?.activity.slice(0, 5), [0, 1, 0, 3, 0]);
  t.strictSame(spring.summary.localStamps, { repeatedHour: 0, skippedHour: 1 });
  t.match(spring.summary.warnings, exactList({ detail: /1 row in hours that are skipped, left out$/ }));

  const back = await faultOf(read(hours('2023-06-01', [[5, 1], [4, 1]]), local)); // prettier-ignore
  t.match(
    back,
    exactList({
      code: 'timeGoesBack',
      detail: /2023-06-01T04:00:00, .*T05:00:00: .* of the clock of Europe\/Paris\. Sort the rows by date$/,
    }),
  );
  // The third time an hour comes the file is out of order.
  const thrice = await faultOf(read(hours('2023-10-29', [[2, 1], [2, 2], [2, 3]]), local)); // prettier-ignore
  t.match(thrice, exactList({ code: 'conflictingValue', line: 3 }));
  const advised = await faultOf(
    read(hours('2023-10-29', [[0, 1], [1, 1], [2, 1], [2, 2]]), ruleOf('Europe/Paris')), // prettier-ignore
  );
  const detail =
    /\. Import with timeZone and clock=local if its clock was put back, else keep one row for each time$/;
  t.match(advised, exactList({ detail }));
});

t.test('a file by the local clock is the same as by UTC, in any zone and sampling', async t => {
  const zones = [
    'Europe/Paris',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'America/Sao_Paulo',
    'Asia/Kolkata',
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...zones),
      fc.integer({ min: dayNumber('2009-01-01'), max: dayNumber('2018-12-01') }),
      fc.constantFrom(10, 15, 60),
      fc.constantFrom('mean' as const, 'sum' as const),
      async (zone, first, minutes, aggregation) => {
        const rule = ruleOf(zone, { aggregation });
        const { clock } = rule;
        const rows = rowsOf(
          `${dateOf(first)}T00:00:00Z`,
          `${dateOf(first + 20)}T00:00:00Z`,
          minutes,
          instant => (instant.getTime() / 60_000) % 1009,
        );
        const localRows = rows.map(row => {
          const [time = '', value] = row.split(';');
          const at = Date.parse(`${time}Z`) / 1000;
          const local = at + (clock?.periodAt(at).offset ?? 0);
          return `${new Date(local * 1000).toISOString().slice(0, 19)};${value}`;
        });
        const byUtc = await read(rows, rule);
        const byClock = await read(localRows, { ...rule, stamps: 'local' });
        t.strictSame(byClock.days, byUtc.days, `${zone} ${dateOf(first)} ${minutes}`);
      },
    ),
    { seed: 11, numRuns: 60 },
  );
});

t.test('JSON days are local days, with null for a missing sample', async t => {
  const hours = (count: number, value: (hour: number) => number | null = () => 1) =>
    Array.from({ length: count }, (_, hour) => value(hour));
  const nulls = await readJson(
    [{ date: '2023-03-26', activity: hours(24, hour => (hour === 2 || hour === 5 ? null : 3)) }],
    ruleOf('Europe/Paris'),
  );
  t.match(nulls.days[0], { gaps: exactList(exactList(2, 3), exactList(5, 6)), skipped: exactList(exactList(2, 3)) }); // prettier-ignore
  t.equal(nulls.summary.missingSamples, 1);
  t.strictSame(nulls.summary.warnings, []);

  const invented = await readJson(
    [{ date: '2023-03-26', activity: hours(24, () => 3) }],
    ruleOf('Europe/Paris'),
  );
  t.match(invented.days[0], { gaps: exactList(exactList(2, 3)), skipped: exactList(exactList(2, 3)) });
  t.match(
    invented.summary.warnings,
    exactList({
      code: 'skippedHour',
      detail: '1 value in hours that the clock of Europe/Paris skips was left out: 2023-03-26',
    }),
  );

  const minutes = await readJson(
    [
      {
        date: '2023-05-01',
        activity: hours(1440, minute => (minute % 10 < 5 ? minute : minute < 20 ? null : minute)),
      },
    ],
    ruleOf('Europe/Paris', { activitySize: 144 }),
  );
  t.strictSame(minutes.days[0]?.activity.slice(0, 3), [2, 12, 24.5], 'the mean of the existing values');
  const halfHours = await readJson(
    [
      {
        date: '2023-05-01',
        activity: hours(48, half => (half === 0 || half === 2 || half === 3 ? null : half)),
      },
    ],
    ruleOf('Europe/Paris'),
  );
  t.strictSame(halfHours.days[0]?.activity.slice(0, 3), [1, 0, 4.5]);
  t.strictSame(halfHours.days[0]?.gaps, [[1, 2]]);

  for (const [count, detail] of [
    [23, /For a day of 23 hours send 24 values, null for each one of the hour that the clock skips$/],
    [46, /send 48 values, null/],
    [1380, /send 1440 values, null/],
    [
      25,
      /For a day of 25 hours send 24 values, for the repeated hour the means of its first and its second time$/,
    ],
    [150, /send 144 values/],
    [22, /144, 1440$/],
  ] as const)
    t.match(
      await faultOf(readJson([{ date: '2023-03-26', activity: hours(count) }], ruleOf('UTC'))),
      exactList({ code: 'activityLength', detail }),
    );
});
