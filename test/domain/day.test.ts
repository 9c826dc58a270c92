import fc from '../helpers/property.js';
import t from 'tap';
import {
  dateOf,
  datesOfYear,
  dayNumber,
  dayNumberOf,
  dayOfYear,
  month,
  parseDate,
  seasonGap,
  weekday,
  weekdayNames,
  year,
} from '../../domain/dates.js';
import {
  completeness,
  countFilledBy,
  isLearnable,
  resample,
  runsLength,
  runsWhere,
  sliceCounts,
  usable,
  type Day,
} from '../../domain/day.js';
import { missingDates } from '../../domain/days.js';
import { modelFaults, type Assignment, type Model, type ModelDraft } from '../../domain/planning/models.js';
import { planner } from '../../domain/planning/planning.js';
import { dayOf, draft } from '../helpers/data/samples.js';

// Dates

t.test('dates: valid and invalid dates', async t => {
  const known: readonly (readonly [string, number])[] = [
    ['1970-01-01', 0],
    ['1969-12-31', -1],
    ['2000-02-29', 11_016],
    ['2000-03-01', 11_017],
    ['2024-01-01', 19_723],
    ['0001-01-01', -719_162],
    ['9998-12-31', 2_932_531],
  ];
  for (const [date, number] of known) {
    t.equal(parseDate(date), number, date);
    t.equal(dayNumber(date), number, `dayNumber of ${date}`);
    t.equal(dateOf(number), date, `the date of ${number}`);
  }
  for (const date of [
    '',
    '2023-02-29',
    '1900-02-29',
    '2023-04-31',
    '2023-00-10',
    '2023-13-01',
    '2023-01-00',
    '2023-01-32',
    '0000-01-01',
    '23-01-01',
    '2023-1-1',
    '2023-01-01T00:00:00',
    ' 2023-01-01',
    '2023-01-01\n',
    '10000-01-01',
  ]) {
    t.equal(parseDate(date), undefined, JSON.stringify(date));
    t.throws(() => dayNumber(date), RangeError);
  }
  t.equal(dayNumberOf(1, 2, 29), undefined, 'year 1 is not a leap year');
  t.equal(dayNumberOf(4, 2, 29), -718_008, 'year 4 is a leap year');
  t.equal(dayNumberOf(99, 12, 31), -683_004, 'years below 100 are not read as 19xx');
  t.equal(dayNumberOf(10_000, 1, 1), undefined);
  for (let year = 1; year <= 9998; year += 3)
    for (let month = 1; month <= 12; month += 1)
      for (const day of [1, 28, 29, 30, 31]) {
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const expected = date.getUTCMonth() === month - 1 ? date.getTime() / 86_400_000 : undefined;
        if (dayNumberOf(year, month, day) !== expected) t.fail(`${year}-${month}-${day}`);
      }
});

t.test('dates: weekday, month, year', async t => {
  const known: readonly (readonly [string, string, number, number])[] = [
    ['1970-01-01', 'Thursday', 0, 1970],
    ['1969-12-28', 'Sunday', 11, 1969],
    ['2000-02-29', 'Tuesday', 1, 2000],
    ['2024-11-18', 'Monday', 10, 2024],
    ['0001-01-01', 'Monday', 0, 1],
    ['9998-12-31', 'Thursday', 11, 9998],
  ];
  for (const [date, name, itsMonth, itsYear] of known) {
    const number = dayNumber(date);
    t.equal(weekdayNames[weekday(number)], name, date);
    t.equal(month(number), itsMonth);
    t.equal(year(number), itsYear);
  }
  for (let number = dayNumber('1899-12-31'); number < dayNumber('2301-01-02'); number += 1) {
    const date = new Date(number * 86_400_000);
    const start = Date.UTC(date.getUTCFullYear(), 0, 1) / 86_400_000;
    const expected = [date.getUTCMonth(), date.getUTCFullYear(), number - start];
    const got = [month(number), year(number), dayOfYear(number)];
    if (got.join() !== expected.join()) t.fail(`${number}: ${got.join()}`);
  }
});

t.test('dates: day of the year, and the distance across a new year', async t => {
  t.equal(dayOfYear(dayNumber('2023-01-01')), 0);
  t.equal(dayOfYear(dayNumber('2023-12-31')), 364);
  t.equal(dayOfYear(dayNumber('2024-02-29')), 59);
  t.equal(dayOfYear(dayNumber('2024-12-31')), 365);
  t.equal(dayOfYear(dayNumber('0001-03-01')), 59);
  t.equal(dayOfYear(dayNumber('0001-01-01') - 1), 365, 'before the first date');
  t.equal(seasonGap(0, 0), 0);
  t.equal(seasonGap(0, 364), 1, '1 January and 31 December are neighbours');
  t.equal(seasonGap(364, 0), 1);
  t.equal(seasonGap(0, 365), 0, 'the 366th day counts as 1 January');
  t.equal(seasonGap(10, 40), 30);
  t.equal(seasonGap(0, 182), 182);
  t.equal(seasonGap(0, 183), 182);
});

t.test('dates: the dates of a year', async t => {
  t.equal(datesOfYear(2023).length, 365);
  t.equal(datesOfYear(2024).length, 366);
  t.equal(datesOfYear(1900).length, 365);
  t.equal(datesOfYear(2000).length, 366);
  t.equal(datesOfYear(2024)[59], '2024-02-29');
  t.equal(datesOfYear(1)[0], '0001-01-01');
  t.equal(datesOfYear(9998).at(-1), '9998-12-31');
  t.throws(() => datesOfYear(0), RangeError);
  t.throws(() => datesOfYear(9999), RangeError);
});

const anyNumber = fc.integer({ min: -719_162, max: 2_932_531 });

t.test('dates: conversions are inverse over all years', async t => {
  fc.assert(
    fc.property(anyNumber, number => {
      const date = dateOf(number);
      const inYear = dayOfYear(number);
      return (
        parseDate(date) === number &&
        (weekday(number) + 1) % 7 === weekday(number + 1) &&
        datesOfYear(year(number))[inYear] === date &&
        month(number) === Number(date.slice(5, 7)) - 1
      );
    }),
  );
  fc.assert(
    fc.property(fc.nat(365), fc.nat(365), (a, b) => {
      const gap = seasonGap(a, b);
      return gap === seasonGap(b, a) && gap >= 0 && gap <= 182;
    }),
  );
  t.pass('held');
});

// Days

/** Values of a day with `length` slices: the given values, then zeros. */
const padded = (length: number, ...values: readonly number[]): number[] =>
  Array.from({ length }, (_, index) => values[index] ?? 0);
const firstOf = (values: readonly number[], count: number): readonly number[] => values.slice(0, count);

t.test('resample: worked examples', async t => {
  t.strictSame(resample([1, 2, 3, 4], 4, 'mean'), [1, 2, 3, 4], 'the same length');
  t.strictSame(resample([1, 2, 3, 4], 8, 'mean'), [1, 1, 2, 2, 3, 3, 4, 4], 'repeated up');
  t.strictSame(resample([1, 2, 3, 4], 8, 'sum'), [0.5, 0.5, 1, 1, 1.5, 1.5, 2, 2], 'split equally up');
  t.strictSame(resample([1, 2, 3, 4, 5, 6, 7, 8], 4, 'mean'), [1.5, 3.5, 5.5, 7.5], 'averaged down');
  t.strictSame(resample([1, 2, 3, 4, 5, 6, 7, 8], 4, 'sum'), [3, 7, 11, 15], 'added down');
  t.strictSame(
    resample([1, 2, 3, 4, 5, 6, 7, 8], 12, 'mean'),
    [1, 1.5, 2, 3, 3.5, 4, 5, 5.5, 6, 7, 7.5, 8],
    '8 to 12',
  );
  // A slice of 30 minutes is three of 10, one of 20 minutes is two.
  t.strictSame(firstOf(resample(padded(48, 6, 12), 72, 'mean'), 4), [6, 9, 12, 0], '48 to 72, mean');
  t.strictSame(firstOf(resample(padded(48, 6, 12), 72, 'sum'), 4), [4, 6, 8, 0], '48 to 72, sum');
  t.strictSame(firstOf(resample(padded(72, 3, 6, 9), 48, 'mean'), 3), [4, 8, 0], '72 to 48, mean');
  t.strictSame(firstOf(resample(padded(72, 2, 4, 6), 48, 'sum'), 3), [4, 8, 0], '72 to 48, sum');
  const minutes = padded(1440, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20);
  t.strictSame(firstOf(resample(minutes, 144, 'mean'), 3), [5.5, 2, 0], '1440 to 144, mean');
  t.strictSame(firstOf(resample(minutes, 144, 'sum'), 3), [55, 20, 0], '1440 to 144, sum');
  const hour = padded(144, 1, 2, 3, 4, 5, 6);
  t.strictSame(firstOf(resample(hour, 24, 'mean'), 2), [3.5, 0], '144 to 24, mean');
  t.strictSame(firstOf(resample(hour, 24, 'sum'), 2), [21, 0], '144 to 24, sum');
});

t.test('resample: the result is a new array', async t => {
  const values = [1, 2, 3, 4];
  const same = resample(values, 4, 'mean');
  same[0] = 9;
  t.strictSame(values, [1, 2, 3, 4]);
});

t.test('resample: keeps the sum or the mean of the day, and upsampling can be reversed', async t => {
  const anyLength = fc.constantFrom(...sliceCounts, 1440);
  const anyValues = anyLength.chain(length =>
    fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: length, maxLength: length }),
  );
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const near = (a: number, b: number) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));
  fc.assert(
    fc.property(anyValues, fc.constantFrom(...sliceCounts), (values, length) => {
      const added = resample(values, length, 'sum');
      const averaged = resample(values, length, 'mean');
      if (added.length !== length || averaged.length !== length) return false;
      const low = Math.min(...values) - 1e-6;
      const high = Math.max(...values) + 1e-6;
      const back = length % values.length === 0 ? resample(averaged, values.length, 'mean') : values;
      return (
        near(total(added), total(values)) &&
        near(total(averaged) / length, total(values) / values.length) &&
        averaged.every(value => value >= low && value <= high) &&
        back.every((value, index) => near(value, values[index] ?? NaN))
      );
    }),
  );
  t.pass('held');
});

t.test('runs, completeness, flags', async t => {
  const at = (...indices: readonly number[]) => runsWhere(6, index => indices.includes(index));
  t.strictSame(at(), []);
  t.strictSame(at(0), [[0, 1]]);
  t.strictSame(at(5), [[5, 6]]);
  t.strictSame(at(0, 1, 3, 5), [
    [0, 2],
    [3, 4],
    [5, 6],
  ]);
  t.strictSame(at(0, 1, 2, 3, 4, 5), [[0, 6]]);
  t.strictSame(
    runsWhere(0, () => true),
    [],
  );
  t.equal(runsLength([]), 0);
  t.equal(
    runsLength([
      [0, 2],
      [3, 4],
    ]),
    3,
  );
  const day: Day = { date: '2024-01-01', activity: [0, 0, 5, 5], gaps: [[0, 2]], filled: [[3, 4]] };
  t.equal(completeness(day), 0.25, 'a filled slice is not observed');
  t.equal(completeness(dayOf('2024-01-01')), 1);
  t.equal(completeness({ ...dayOf('2024-01-01'), gaps: [[0, 4]] }), 0);
  t.notOk(isLearnable(day), 'half of the slices are too few');
  t.ok(isLearnable({ ...day, gaps: [[0, 1]] }), 'three quarters are enough, filled or not');
  t.ok(isLearnable({ ...day, skipped: [[0, 2]] }), 'skipped slices are no slices of the day');
  t.notOk(isLearnable({ ...day, gaps: [[0, 4]], skipped: [[0, 4]] }), 'a day without any slice');
  t.strictSame(usable(day), [false, false, true, true], 'a filled slice is usable, a gap is not');
});

t.test('runs: they contain exactly the given indices and do not touch', async t => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 30 }), flags => {
      const runs = runsWhere(flags.length, index => flags[index] === true);
      const found = flags.map((_, index) => runs.some(([from, to]) => from <= index && index < to));
      return (
        found.join() === flags.join() &&
        runsLength(runs) === flags.filter(Boolean).length &&
        runs.every(([from], index) => index === 0 || (runs[index - 1]?.[1] ?? 0) < from)
      );
    }),
  );
  t.pass('held');
});

t.test('slice count: the finest one in which points fill every slice', async t => {
  const known: readonly (readonly [number, number])[] = [
    [1, 144],
    [7, 144],
    [59, 144],
    [60, 144],
    [61, 72],
    [300, 144],
    [600, 144],
    [601, 12],
    [900, 48],
    [1200, 72],
    [1800, 48],
    [3600, 24],
    [7200, 12],
    [10_800, 8],
    [21_600, 4],
    [43_200, 4],
    [86_400, 4],
  ];
  for (const [step, count] of known) t.equal(countFilledBy(step), count, `points ${step} s apart`);
});

// Models

t.test('models: each fault has a JSON pointer', async t => {
  const pointers = (...models: readonly ModelDraft[]) =>
    modelFaults(models).map(({ code, pointer }) => `${code} ${pointer}`);
  t.strictSame(pointers(draft('A'), draft('B')), []);
  t.strictSame(pointers(), []);
  t.strictSame(pointers(draft('A'), draft('B'), draft('A'), draft('A')), [
    'nameTaken /models/2/name',
    'nameTaken /models/3/name',
  ]);
  t.strictSame(pointers(draft('a'), draft('A')), [], 'names are case-sensitive');
  t.strictSame(pointers(draft('A'), { ...draft('B'), topTolerance: [11, 11, 11] }), [
    'lengths /models/1/topTolerance',
  ]);
  t.strictSame(pointers({ ...draft('A'), topTolerance: [], bottomTolerance: [9, 9, 9, 9, 9] }), [
    'lengths /models/0/topTolerance',
    'lengths /models/0/bottomTolerance',
  ]);
  t.strictSame(
    pointers({ ...draft('A'), topTolerance: [10, 9.9, 10, 10], bottomTolerance: [10, 10, 10.1, 10] }),
    ['bounds /models/0/topTolerance/1', 'bounds /models/0/bottomTolerance/2'],
    'a bound may equal the profile',
  );
  t.strictSame(
    pointers({ ...draft('A'), topTolerance: [9, 9, 9, 9], bottomTolerance: [11, 11, 11, 11] }).length,
    8,
    'all faults are reported together',
  );
});

t.test('models: faults say got and expected', async t => {
  const [name, top] = modelFaults([draft('A'), { ...draft('A'), topTolerance: [8, 11, 11, 11] }]).map(
    ({ detail }) => detail,
  );
  t.equal(name, 'got "A" again, expected a unique name: /models/0 has it');
  t.equal(top, 'got 8, expected at least the activity 10');
  t.equal(
    modelFaults([{ ...draft('A'), bottomTolerance: [12, 9, 9, 9] }])[0]?.detail,
    'got 12, expected at most the activity 10',
  );
  t.equal(
    modelFaults([{ ...draft('A'), bottomTolerance: [9] }])[0]?.detail,
    'got 1 values, expected 4 as in activity',
  );
});

// Planning

type Planned = Pick<Model, 'id' | 'name' | 'anomaly'>;
const working: Planned = { id: 1, name: 'working', anomaly: false };
const weekend: Planned = { id: 2, name: 'weekend', anomaly: false };
const summer: Planned = { id: 3, name: 'summer', anomaly: false };
const strike: Planned = { id: 4, name: 'strike', anomaly: true };
const all = [working, weekend, summer, strike];

/** 2023: models for weekends, for July and August, and for a strike on two Mondays and in the last week of May. */
const year2023: readonly Assignment[] = datesOfYear(2023).map(date => {
  const number = dayNumber(date);
  if (date >= '2023-05-22' && date <= '2023-05-28') return { date, modelId: strike.id };
  if (date === '2023-10-02' || date === '2023-10-09') return { date, modelId: strike.id };
  if (weekday(number) >= 5) return { date, modelId: weekend.id };
  return { date, modelId: month(number) === 6 || month(number) === 7 ? summer.id : working.id };
});

t.test('planning: weekday and season of a constructed year', async t => {
  const plan = planner(all, year2023);
  const expected: readonly (readonly [string, number])[] = [
    ['2024-01-08', working.id], // Monday
    ['2024-01-12', working.id], // Friday
    ['2024-01-13', weekend.id], // Saturday
    ['2024-01-14', weekend.id], // Sunday
    ['2024-02-29', working.id], // the leap day, a Thursday
    ['2020-02-29', weekend.id], // the leap day, a Saturday
    ['2024-05-24', working.id], // a Friday in the season of the strike
    ['2024-07-31', summer.id], // Wednesday
    ['2024-08-03', weekend.id], // Saturday in summer
    ['2024-10-07', working.id], // Monday in the season of the strike
    ['2024-12-31', working.id], // Tuesday, the 366th day
    ['2023-05-24', working.id], // itself a day of the strike
    ['0001-01-01', working.id], // Monday
    ['9998-12-31', working.id], // Thursday
  ];
  for (const [date, modelId] of expected)
    t.match(plan(date), { date, modelId, origin: 'automatic' }, `${date} follows ${modelId}`);
});

t.test('planning: text of reasons', async t => {
  const plan = planner(all, year2023);
  t.equal(plan('2024-01-13').reason, 'all 14 reference Saturdays around 13 Jan follow "weekend"');
  // Fourteen Mondays are less than 50 days from 1 July, one of them in the strike; seven are in summer.
  t.equal(plan('2024-07-01').reason, '7 of the 13 reference Mondays around 1 Jul follow "summer"');
  const few = planner([working], [{ date: '2023-01-02', modelId: 1 }]);
  t.equal(
    few('2023-07-03').reason,
    'there are no reference Mondays around 3 Jul; "working" is the model of similar days in other seasons',
  );
  const near = planner([working], [{ date: '2023-07-04', modelId: 1 }])('2023-07-03');
  t.strictSame(
    [near.reason, near.reasons.fr],
    [
      'there are no reference Mondays around 3 Jul; "working" is the model of other similar days',
      'il n’y a pas de lundis de référence autour du 3 juillet\u00a0; «\u00a0working\u00a0» est le modèle d’autres jours semblables',
    ],
  );
});

t.test('planning: anomalies are never planned', async t => {
  const plannedIds = new Set(datesOfYear(2024).map(date => planner(all, year2023)(date).modelId));
  t.strictSame([...plannedIds].sort(), [working.id, weekend.id, summer.id]);
  const none = planner([strike], year2023)('2024-01-08');
  t.strictSame(none, {
    date: '2024-01-08',
    modelId: null,
    origin: 'automatic',
    reason: 'no model may be planned: none, or all are anomalies',
    reasons: {
      fr: 'aucun modèle ne peut être prévu\u00a0: il n’y en a pas, ou tous sont des anomalies',
    },
    share: null,
    alternatives: [],
    working: true,
    dayType: { type: 'ordinary' },
    similar: 'own',
    unseen: 1,
  });
  t.equal(planner([], [])('2024-01-08').modelId, null);
  t.equal(planner([], year2023)('2024-01-08').modelId, null, 'assignments to removed models are ignored');
  t.equal(
    planner([strike, weekend], [{ date: '2023-01-02', modelId: strike.id }])('2024-01-08').modelId,
    weekend.id,
    'without assignments to plannable models, the smallest plannable id',
  );
  t.equal(planner([summer, weekend], [])('2024-01-08').modelId, weekend.id, 'no reference days');
});

t.test('planning: the planned model of a reference date outranks its assigned model', async t => {
  const days = [
    { date: '2023-01-02', modelId: weekend.id, plannedId: working.id },
    { date: '2023-01-07', modelId: weekend.id },
  ];
  const plan = planner([working, weekend], days);
  t.equal(plan('2024-01-08').modelId, working.id);
  t.equal(plan('2024-01-13').modelId, weekend.id);
});

t.test('planning: working days, and seasons that the reference lacks', async t => {
  const calendar = { holidays: [{ date: '2023-05-01', name: 'Labour Day' }], specials: [] };
  const plan = planner([working], [{ date: '2023-04-01', modelId: working.id }], calendar);
  t.strictSame(
    ['2023-05-01', '2023-05-02', '2023-05-06'].map(date => plan(date).working),
    [false, true, false],
  );
  t.strictSame(
    ['2023-04-01', '2023-04-10', '2023-05-16', '2023-06-30', '2023-10-01', '2023-03-23'].map(
      date => plan(date).unseen,
    ),
    [0, 0.1, 0.5, 1, 1, 0.1],
  );
});

t.test('planning: reference days that are similar to a date, those of anomalies included', async t => {
  const onDays = (weekdays: number) => year2023.filter(({ date }) => weekday(dayNumber(date)) < weekdays);
  const similarOn = (models: readonly Planned[], days: readonly Assignment[]) =>
    ['2024-01-12', '2024-01-13', '2024-01-14'].map(date => planner(models, days)(date).similar);
  t.strictSame(similarOn(all, onDays(5)), ['own', 'none', 'none'], 'Monday to Friday');
  t.strictSame(similarOn(all, onDays(6)), ['own', 'own', 'others'], 'Monday to Saturday');
  const closed = all.map(model => ({ ...model, anomaly: model.id === weekend.id }));
  t.strictSame(similarOn(closed, year2023), ['own', 'own', 'own'], 'weekends are an anomaly');
  const evidence = { errorReduction: 0.9, better: 9, of: 9 };
  const cycles = [{ kind: 'days', length: 8, first: '2023-01-02', evidence }] as const;
  const onPhase = (number: number) => (number - dayNumber('2023-01-02')) % 8;
  const present = year2023.filter(({ date }) => onPhase(dayNumber(date)) < 4);
  const byCycle = planner(all, present, { holidays: null, specials: [], cycles });
  t.equal(byCycle(dateOf(dayNumber('2023-01-02') + 8 * 50)).similar, 'own');
  t.equal(byCycle(dateOf(dayNumber('2023-01-02') + 8 * 50 + 4)).similar, 'none', 'a place without days');
});

t.test('planning: ties go to the smaller id', async t => {
  const on = (first: number, second: number) =>
    planner(
      [weekend, working],
      [
        { date: '2023-05-01', modelId: first },
        { date: '2023-05-15', modelId: second },
      ],
    )('2023-05-08').modelId;
  t.equal(on(1, 2), 1);
  t.equal(on(2, 1), 1);
});

t.test('planning: similarity weights, worked examples', async t => {
  const plannedId = (date: string, ...days: readonly (readonly [string, number])[]) =>
    planner(
      [working, weekend],
      days.map(([date, modelId]) => ({ date, modelId })),
    )(date).modelId;
  // One day at 0 weighs 1; two at 28 days weigh 2 × (1 − (28/50)²)² = 0.942; two at 21 days 1.357.
  t.equal(plannedId('2023-06-05', ['2023-06-05', 2], ['2023-05-08', 1], ['2023-07-03', 1]), 2);
  t.equal(plannedId('2023-06-05', ['2023-06-05', 2], ['2023-05-15', 1], ['2023-06-26', 1]), 1);
  // A Monday at 42 days weighs 0.087, a Tuesday at 1 day 0.1: the nearer working day weighs more.
  t.equal(plannedId('2023-06-05', ['2023-04-24', 1], ['2023-06-06', 2]), 2);
  // A Monday at 35 days weighs 0.26.
  t.equal(plannedId('2023-06-05', ['2023-05-01', 1], ['2023-06-06', 2]), 1);
  // A Sunday has no weight for a Monday, even if the Mondays are far away.
  t.equal(plannedId('2023-06-05', ['2023-06-04', 1], ['2023-12-04', 2]), 2);
  // Saturday and Sunday have weight for each other.
  t.equal(plannedId('2023-06-03', ['2023-06-04', 2], ['2023-06-02', 1]), 2);
  // Across the new year: 31 December 2022 and 7 January 2023 are Saturdays, a week apart.
  t.equal(plannedId('2022-12-31', ['2023-01-07', 2], ['2022-10-29', 1]), 2);
  // The kernel ends at 50 days: 49 days has weight, 50 only that of any other season. The nearer of equal weights wins.
  t.equal(plannedId('2023-06-05', ['2023-04-10', 1], ['2023-07-31', 1], ['2023-07-24', 2]), 2);
});

t.test('planning: earlier queries do not change a plan', async t => {
  const once = planner(all, year2023);
  const second = planner(all, year2023);
  const dates = datesOfYear(2024);
  const backwards = [...dates].reverse().map(date => second(date));
  t.strictSame(backwards.reverse(), dates.map(once));
});

t.test('planning: a planned model exists and is not an anomaly', async t => {
  const models = fc.uniqueArray(
    fc.record({ id: fc.integer({ min: 1, max: 9 }), name: fc.string(), anomaly: fc.boolean() }),
    { selector: model => model.id, maxLength: 6 },
  );
  const assignments = fc.array(
    fc.record({
      date: fc.integer({ min: 19_358, max: 19_722 }).map(dateOf),
      modelId: fc.integer({ min: 1, max: 9 }),
    }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(models, assignments, anyNumber.map(dateOf), (models, assignments, date) => {
      const plannable = models.filter(model => !model.anomaly).map(model => model.id);
      const { modelId } = planner(models, assignments)(date);
      return plannable.length === 0 ? modelId === null : plannable.includes(modelId ?? -1);
    }),
  );
  t.pass('held');
});

t.test('missing dates: a hole of at most 31 days in an import with three quarters of its dates', async t => {
  /** The missing dates of an import with a hole after some days and before others. */
  const missingIn = (before: number, hole: number, afterHole: number): readonly string[] =>
    missingDates([
      ...Array.from({ length: before }, (_, index) => dateOf(index)),
      ...Array.from({ length: afterHole }, (_, index) => dateOf(before + hole + index)),
    ]);
  const hole = (from: number, length: number) => Array.from({ length }, (_, index) => dateOf(from + index));
  t.strictSame(missingIn(50, 31, 43), hole(50, 31), '93 of 124 dates and a hole of 31');
  t.strictSame(missingIn(50, 31, 42), [], '92 of 123 dates are less than three quarters');
  t.strictSame(missingIn(50, 32, 60), [], 'a hole of 32 days separates two data sets');
  t.strictSame(missingIn(2, 1, 1), hole(2, 1), '3 of 4 dates');
  t.strictSame(missingIn(4, 0, 4), [], 'no hole');
});
