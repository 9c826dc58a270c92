import fc from '../helpers/property.js';
import t from 'tap';
import { readCsvDays } from '../../adapters/csv/csvBody.js';
import { defaultForm } from '../../adapters/csv/csvForm.js';
import type { CsvRule } from '../../adapters/csv/readings.js';
import { collectJsonDays } from '../../adapters/json/jsonDays.js';
import { clockOf, tomorrowIn } from '../../adapters/timeZones.js';
import { InvalidInput } from '../../application/requests/imports/faults.js';
import { tomorrowOf } from '../../application/ports/localClock.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { isTomorrow, latestTomorrow } from '../../domain/futureDays.js';
import { exactList } from '../helpers/exactList.js';

// Recent days after tomorrow of the source's clock are refused, unless the request allows them.

const zones = [
  ...['UTC', 'Europe/Paris', 'America/New_York', 'Asia/Kolkata', 'Asia/Tokyo', 'Australia/Lord_Howe'],
  ...['Pacific/Kiritimati', 'Pacific/Chatham', 'Pacific/Niue', 'Etc/GMT+12', 'America/St_Johns'],
];
const ruleOf = (zone: string, at: string, allowFuture = false): CsvRule => {
  const clock = clockOf(zone);
  if (!clock) throw new Error(`no zone ${zone}`);
  const nowMs = Date.parse(at);
  const future = { tomorrow: tomorrowOf(clock, at), allowFuture, nowMs, latenessMs: 900_000 };
  const settings = { activitySize: 24, aggregation: 'mean', interpolationMethod: 'zero' } as const;
  return { kind: 'recent', ...settings, clock, future };
};
async function* bodyOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
type Read = (date: string, rule: CsvRule) => ReturnType<typeof readCsvDays | ReturnType<typeof collectJson>>;
const collectJson = (dates: readonly string[]) => async (rule: CsvRule) => {
  const days = dates.map(date => ({ date, activity: Array<number>(24).fill(1) }));
  return (await collectJsonDays(bodyOf(JSON.stringify({ days })))).finish(rule);
};
const csv = (rows: readonly string[], rule: CsvRule) =>
  readCsvDays(bodyOf(`date;value\n${rows.join('\n')}\n`), rule);

/** Each way in which days are read: plain rows, rows that csv-parse reads, columns by number, JSON. */
const ways: Readonly<Record<string, Read>> = {
  plain: (date, rule) => csv([`${date}T12:00:00;1`], { ...rule, stamps: 'local' }),
  parsed: (date, rule) => csv([`${date}T12:00:00.5;1`], { ...rule, stamps: 'local' }),
  columns: (date, rule) =>
    readCsvDays(bodyOf(`1;${date}T12:00:00\n`), {
      ...{ ...rule, stamps: 'local' },
      form: { ...defaultForm, dateColumn: '2', valueColumn: '1' },
    }),
  json: (date, rule) => collectJson([date])(rule),
};

const refusal = async (reading: Promise<unknown>): Promise<InvalidInput | undefined> => {
  try {
    await reading;
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
};

/** The date that a clock shows, by the formatter of the runtime alone. */
const dateIn = (timeZone: string, at: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(at));

t.test('a date in progress has no value after its last one, whatever the method', async t => {
  const today = '2024-03-06';
  const rows = [`${today}T00:30:00;2`, `${today}T02:30:00;4`];
  for (const interpolationMethod of ['zero', 'linear'] as const) {
    const rule = { ...ruleOf('UTC', `${today}T10:30:00.000Z`), interpolationMethod };
    const { days, summary } = await csv(rows, rule);
    const isLinear = interpolationMethod === 'linear';
    const activity = [2, isLinear ? 3 : 0, 4, ...Array<number>(21).fill(0)];
    const gaps = isLinear
      ? [[3, 24]]
      : [
          [1, 2],
          [3, 24],
        ];
    t.strictSame(days, [{ date: today, activity, gaps, filled: isLinear ? [[1, 2]] : [] }]);
    t.match(summary, { missingSamples: isLinear ? 1 : 8, filledSamples: isLinear ? 1 : 0 });
    t.match(summary.inProgress, exactList({ elapsed: 10 }));
  }
  const linear = { ...ruleOf('UTC', `${today}T10:30:00.000Z`), interpolationMethod: 'linear' as const };
  const [day] = (await csv([...rows, '2024-03-07T00:30:00;4'], linear)).days;
  t.strictSame(
    [day?.gaps, day?.filled],
    [
      [[10, 24]],
      [
        [1, 2],
        [3, 10],
      ],
    ],
    'a value of tomorrow follows',
  );
});

t.test('any zone, instant and date: accepted exactly up to tomorrow there, in every way', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...zones),
      fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2026, 0, 1) }),
      fc.integer({ min: -3, max: 4 }),
      fc.constantFrom(...Object.entries(ways)),
      async (zone, ms, shift, [way, read]) => {
        const at = new Date(ms).toISOString();
        const tomorrow = dateOf(dayNumber(dateIn(zone, at)) + 1);
        const date = dateOf(dayNumber(tomorrow) + shift);
        const refused = await refusal(read(date, ruleOf(zone, at)));
        const codes = refused?.faults.map(({ code }) => code) ?? [];
        if (JSON.stringify(codes) !== JSON.stringify(date > tomorrow ? ['futureDate'] : []))
          throw new Error(`${way}, ${zone} at ${at}: ${date} has the faults ${codes.join()}`);
        const { days, summary } = await read(date, ruleOf(zone, at, true));
        return (
          tomorrowIn(zone, at) === tomorrow &&
          isTomorrow(tomorrow, at) &&
          days.length === 1 &&
          (summary.countedTo === null) === date > tomorrow &&
          (summary.warnings.length === 1) === date > tomorrow
        );
      },
    ),
  );
});

t.test('a fault names place, date, tomorrow and the cure', async t => {
  const rule = ruleOf('Europe/Paris', '2024-03-09T23:30:00.000Z');
  const rows = ['2024-03-10T12:00:00;1', '2024-03-11T22:59:59;1', '2024-03-11T23:00:00;1'];
  const inCsv = await refusal(csv(rows, rule));
  const detail =
    'got 2024-03-11T23:00:00, expected a date up to tomorrow, 2024-03-11, by the clock of Europe/Paris: ' +
    'correct the year, or the order of day and month, or import with allowFuture=true';
  const value = '2024-03-11T23:00:00';
  t.strictSame(inCsv?.faults, [{ code: 'futureDate', detail, line: 4, column: 1, value }]);
  const inJson = await refusal(collectJson(['2024-03-11', '2024-03-12'])(rule));
  t.strictSame(inJson?.faults, [
    {
      code: 'futureDate',
      detail: detail.replace('2024-03-11T23:00:00', '2024-03-12'),
      ...{ pointer: '/days/1/date', value: '2024-03-12' },
    },
  ]);
});

t.test('a whole future day is one fault with its number, in a file of many days', async t => {
  const hoursOf = (date: string) =>
    Array.from({ length: 24 }, (_, hour) => `${date}T${String(hour).padStart(2, '0')}:00:00;1`);
  const rows = ['2024-03-07', '2024-03-08', '2024-03-09', '2099-01-01'].flatMap(hoursOf);
  const refused = await refusal(csv(rows, ruleOf('UTC', '2024-03-10T09:00:00Z')));
  t.match(refused?.faults, { length: 1, 0: { code: 'futureDate', line: 74, count: 24 } });
});

t.test('future days that are allowed are stored with a warning, and the last other date', async t => {
  const rule = ruleOf('UTC', '2024-03-10T09:00:00.000Z', true);
  const { days, summary } = await collectJson(['2024-03-09', '2024-03-11', '2024-03-12', '2024-04-01'])(rule);
  t.equal(days.length, 4);
  t.equal(summary.countedTo, '2024-03-11');
  const detail = /^2 days after tomorrow, 2024-03-11, from 2024-03-12 on: stored and checked/;
  t.match(summary.warnings, exactList({ code: 'futureDays', detail }));
  t.notOk('countedTo' in (await collectJson(['2024-03-11'])(rule)).summary, 'absent without future days');
});

t.test('first rows of tomorrow are a date in progress, and name the present date', async t => {
  const rule = ruleOf('UTC', '2024-03-10T22:30:00.000Z');
  const rows = ['2024-03-10T21:10:00;1', '2024-03-11T00:10:00;1', '2024-03-11T01:10:00;1'];
  const { summary } = await csv(rows, { ...rule, stamps: 'local' });
  t.match(
    summary.inProgress,
    exactList(
      { date: '2024-03-10', elapsed: 22 },
      { date: '2024-03-11', elapsed: 2, closesAt: '2024-03-12T00:15:00.000Z' },
    ),
  );
  t.match(summary, { missingSamples: 21, today: '2024-03-10' });
  t.notOk('today' in (await csv(rows.slice(0, 1), { ...rule, stamps: 'local' })).summary);
});

t.test('the latest tomorrow of all clocks is the one at UTC+14', t => {
  t.equal(latestTomorrow('2024-03-10T09:59:59.999Z'), '2024-03-11');
  t.equal(latestTomorrow('2024-03-10T10:00:00.000Z'), '2024-03-12');
  t.notOk(isTomorrow('2024-03-13', '2024-03-10T10:00:00.000Z'));
  t.ok(isTomorrow('2024-03-10', '2024-03-10T11:59:59.999Z'), 'at UTC-12 it is the day before');
  t.notOk(isTomorrow('2024-03-10', '2024-03-10T12:00:00.000Z'));
  t.end();
});

t.test(
  'the date of today is in progress until its last slice came; what is to come is not missing',
  async t => {
    const rule = ruleOf('Europe/Paris', '2024-03-05T05:30:00.000Z');
    const rows = (date: string, hours: readonly number[]) =>
      hours.map(hour => `${date}T${String(hour).padStart(2, '0')}:10:00;1`);
    const read = async (...dates: (readonly string[])[]) =>
      (await csv(dates.flat(), { ...rule, stamps: 'local' })).summary;
    const morning = [0, 1, 2, 4];
    const all = Array.from({ length: 24 }, (_, hour) => hour);
    const closesAt = '2024-03-05T23:15:00.000Z';
    t.match(await read(rows('2024-03-04', morning), rows('2024-03-05', morning)), {
      inProgress: exactList({ date: '2024-03-05', elapsed: 6, closesAt }),
      missingSamples: 20 + 2,
    });
    t.match(
      (await read(rows('2024-03-05', [...morning, 8]))).inProgress,
      exactList({ date: '2024-03-05', elapsed: 9, closesAt }),
      'a slice that came early has passed',
    );
    t.equal((await read(rows('2024-03-05', all))).inProgress, undefined);
    t.equal((await read(rows('2024-03-04', morning))).inProgress, undefined);
  },
);
