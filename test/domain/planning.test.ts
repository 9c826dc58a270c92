import t from 'tap';
import { dayTypes, type NamedDay } from '../../domain/calendar.js';
import { datesOfYear, dayNumber, weekday } from '../../domain/dates.js';
import { kinship, planner, type PlanningCalendar } from '../../domain/planning.js';

const days = (...texts: readonly string[]): NamedDay[] =>
  texts.map(text => ({ date: text.slice(0, 10), name: text.slice(11) }));

/** Of 2023 and 2024, as in France but fewer; Ascension Day is a Thursday. */
const holidays = days(
  "2023-01-01 New Year's Day",
  '2023-05-01 Labour Day',
  '2023-05-18 Ascension Day',
  '2023-08-15 Assumption',
  '2023-12-25 Christmas Day',
  "2024-01-01 New Year's Day",
  '2024-05-01 Labour Day',
  '2024-05-09 Ascension Day',
  '2024-08-15 Assumption',
  '2024-12-25 Christmas Day',
);
const specials = days('2023-06-21 Music', '2024-06-21 Music', '2024-10-10 Fair');
const calendar: PlanningCalendar = { holidays, specials };

t.test('types of dates', async t => {
  const typeOf = dayTypes(holidays, [...specials, ...days('2023-08-15 Regatta')]);
  const type = (date: string) => {
    const found = typeOf(dayNumber(date));
    return 'name' in found ? `${found.type} ${found.name}` : found.type;
  };
  for (const [date, wanted] of [
    ['2023-05-01', 'holiday Labour Day'],
    ['2023-05-19', 'bridge'],
    ['2023-05-17', 'ordinary'],
    ['2023-08-14', 'bridge'],
    ['2023-08-16', 'ordinary'],
    ['2024-08-16', 'bridge'],
    ['2023-06-21', 'special Music'],
    ['2023-08-15', 'special Regatta'],
    ['2023-12-20', 'ordinary'],
    ['2023-12-21', 'christmas'],
    ['2023-12-25', 'holiday Christmas Day'],
    ['2024-01-05', 'christmas'],
    ['2024-01-06', 'ordinary'],
    ['2023-07-08', 'ordinary'],
  ] as const)
    t.equal(type(date), wanted, date);
  const unknown = dayTypes(null, specials);
  t.strictSame(
    unknown(dayNumber('2023-12-24')),
    { type: 'ordinary' },
    'without a calendar there is no Christmas',
  );
  t.strictSame(unknown(dayNumber('2023-06-21')), { type: 'special', name: 'Music' });
});

t.test('weights worked out by hand', async t => {
  const weigh = kinship(calendar);
  const of = (date: string, reference: string): number => weigh(dayNumber(date), dayNumber(reference));
  const near = (found: number, wanted: number, what: string) =>
    t.ok(Math.abs(found - wanted) < 1e-9, `${what}: ${found}, expected ${wanted}`);
  // Days of the year 72 and 73 are 13 and 14 March 2023; 12 March 2024 is day 71.
  const kernel = (gap: number, half = 50) => (1 - (gap / half) ** 2) ** 2 + 1e-6;
  near(of('2024-03-12', '2023-03-14'), kernel(1), 'the same weekday');
  near(of('2024-03-12', '2023-03-13'), 0.1 * kernel(0), 'another working day');
  near(of('2024-03-12', '2023-03-12'), 0, 'a Sunday for a Tuesday');
  near(of('2024-03-12', '2023-10-10'), 1e-6, 'another season');
  near(of('2024-05-14', '2023-05-16'), kernel(1), 'an ordinary day beside holidays');
  near(of('2024-05-02', '2023-05-18'), 0, 'a holiday says nothing of an ordinary Thursday');
  near(of('2024-05-17', '2023-05-19'), 0.05 * kernel(1), 'and a bridge little');
  near(of('2024-06-19', '2023-06-21'), 0.02 * kernel(1), 'a special day less');
  near(of('2024-05-09', '2023-05-18'), 3.3 + kernel(8), 'the holiday of the same name');
  near(of('2024-05-09', '2023-05-01'), 0.3 + kernel(9), 'another holiday');
  near(of('2024-05-09', '2023-05-14'), 0.2 * kernel(4), 'a Sunday');
  near(of('2024-05-09', '2023-05-11'), 1e-6 * kernel(1), 'an ordinary Thursday');
  near(of('2024-12-23', '2023-12-22'), 0.5 * kernel(2, 12), 'working days round Christmas');
  near(of('2024-12-23', '2023-01-03'), 0.5 * kernel(10, 12), 'across the new year');
  near(of('2024-12-22', '2023-12-23'), 0.3 * kernel(0, 12), 'days of the weekend');
  near(of('2024-12-22', '2023-12-22'), 0, 'a Friday for a Sunday');
  near(of('2024-12-27', '2023-12-22'), kernel(6, 12), 'the same weekday');
  near(of('2024-12-23', '2023-12-18'), 0.1 * kernel(6), 'an ordinary Monday before');
  near(of('2024-05-10', '2023-05-19'), 0.3 + kernel(8), 'a bridge');
  near(of('2024-05-10', '2023-05-12'), 0.3 * kernel(1), 'an ordinary Friday for a bridge');
  near(of('2024-05-10', '2023-05-11'), 0, 'an ordinary Thursday not');
  near(of('2024-06-21', '2023-06-21'), 3 + kernel(1), 'a special day of the same name');
  near(of('2024-10-10', '2023-10-12'), 0.1 * kernel(1), 'a special day without namesakes: its weekday');
});

const models = [
  { id: 1, name: 'work', anomaly: false },
  { id: 2, name: 'rest', anomaly: false },
  { id: 3, name: 'quiet', anomaly: false },
];
/** 2023: rest at weekends and on holidays, quiet on the bridge, round Christmas and on the special day. */
const assignments = datesOfYear(2023).map(date => {
  const { type } = dayTypes(holidays, specials)(dayNumber(date));
  const modelId = type === 'ordinary' ? (weekday(dayNumber(date)) > 4 ? 2 : 1) : type === 'holiday' ? 2 : 3;
  return { date, modelId };
});

t.test('the plan of dates that are not ordinary, with its reason', async t => {
  const plan = planner(models, assignments, calendar);
  for (const [date, modelId, reason] of [
    ['2024-05-09', 2, 'public holiday Ascension Day: 5 of the 5 reference holidays follow "rest"'],
    // Two bridges in a year do not outweigh its Fridays near by.
    [
      '2024-05-10',
      1,
      'bridge day: 0 of the 2 reference bridge days follow "work"; most weight is with other days alike',
    ],
    [
      '2024-12-23',
      3,
      /^round Christmas: \d+ of the \d+ reference working days round Christmas follow "quiet"$/,
    ],
    ['2024-12-22', 3, /^round Christmas: .* weekend days round Christmas follow "quiet"$/],
    ['2024-06-21', 3, 'special day "Music": 1 of the 1 reference days of that name follow "quiet"'],
    [
      '2024-10-10',
      1,
      /^special day "Fair": no reference days of that name; "work" is what days alike follow/,
    ],
    ['2024-05-02', 1, /^\d+ of the \d+ reference Thursdays round May follow "work"$/],
    ['2030-05-02', 1, /Thursdays round May .*; its holidays are not known, the calendar holds 2023 to 2024$/],
  ] as const) {
    const found = plan(date);
    t.equal(found.modelId, modelId, date);
    t.match(found.reason, reason);
  }
  t.equal(planner(models, assignments)('2024-05-09').modelId, 1, 'without a calendar it is a Thursday');
  t.notMatch(planner(models, assignments)('2030-05-02').reason, /not known/);
});

t.test('alternatives and shares', async t => {
  const plan = planner(models, assignments, calendar);
  const one = plan('2024-05-10');
  t.ok((one.share ?? 0) > 0.2 && (one.share ?? 0) < 1);
  t.strictSame(
    one.alternatives.map(({ modelId }) => modelId),
    [3],
    'what the bridges follow',
  );
  t.equal(
    Math.round(10_000 * ((one.share ?? 0) + (one.alternatives[0]?.share ?? 0))),
    10_000,
    'shares of one',
  );
  const five = [1, 2, 3, 4, 5, 6].map(id => ({ id, name: `m${id}`, anomaly: false }));
  const mondays = [
    '2023-03-06',
    '2023-03-13',
    '2023-03-13',
    '2023-03-13',
    '2023-03-20',
    '2023-03-27',
    '2023-04-03',
  ];
  const spread = planner(
    five,
    mondays.map((date, index) => ({ date, modelId: [1, 2, 2, 2, 3, 4, 5][index] ?? 6 })),
  )('2024-03-11');
  t.equal(spread.modelId, 2);
  t.equal(spread.alternatives.length, 3, 'three at most');
  const shares = [spread.share ?? 0, ...spread.alternatives.map(({ share }) => share)];
  t.strictSame(
    shares,
    [...shares].sort((a, b) => b - a),
    'largest first',
  );
  t.ok(
    shares.every(share => share === Math.round(share * 10_000) / 10_000),
    'in four digits',
  );
  const rare = planner(models, [
    { date: '2023-03-13', modelId: 1 },
    { date: '2023-10-16', modelId: 2 },
  ])('2024-03-11');
  t.strictSame([rare.share, rare.alternatives], [1, []], 'less than a hundredth is not told');
});
