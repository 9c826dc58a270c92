import t from 'tap';
import { dayTypes, type NamedDay } from '../../domain/calendar.js';
import { datesOfYear, dayNumber, weekday } from '../../domain/dates.js';
import { similarity } from '../../domain/similarity.js';
import { planner } from '../../domain/planning.js';
import type { PlanningCalendar } from '../../domain/calendar.js';

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

t.test('weights: which reference day says more of a date', async t => {
  const weigh = similarity(calendar);
  const of = (date: string, reference: string): number => weigh(dayNumber(date), dayNumber(reference));
  /** Reference dates in order of what they say of a date, each less than the one before; the last may say nothing. */
  const falls = (date: string, ...references: readonly string[]): void => {
    const weights = references.map(reference => of(date, reference));
    for (let at = 1; at < weights.length; at += 1)
      t.ok(
        weights[at - 1]! > weights[at]!,
        `for ${date} ${references[at - 1]} says more than ${references[at]}`,
      );
  };
  // Days of the year 72 and 73 are 13 and 14 March 2023; 12 March 2024, a Tuesday, is day 71.
  falls('2024-03-12', '2023-03-14', '2023-03-13', '2023-10-10', '2023-03-12');
  falls('2024-03-12', '2023-03-14', '2023-03-21', '2023-03-28', '2023-10-10');
  t.equal(of('2024-03-12', '2023-03-12'), 0, 'a Sunday says nothing of a Tuesday');
  t.ok(of('2024-03-12', '2023-10-10') > 0, 'another season says a little');
  t.ok(of('2024-03-12', '2023-10-10') < 1e-3 * of('2024-03-12', '2023-03-14'));
  t.equal(of('2024-03-12', '2023-10-10'), of('2024-03-12', '2023-09-12'), 'all seasons far away the same');
  t.equal(of('2024-05-02', '2023-05-18'), 0, 'a holiday says nothing of an ordinary Thursday');
  falls('2024-05-17', '2023-05-12', '2023-05-19');
  falls('2024-06-19', '2023-06-28', '2023-06-21');
  falls('2024-05-09', '2023-05-18', '2023-05-01', '2023-05-14', '2023-05-11');
  t.ok(
    of('2024-05-09', '2023-12-25') > of('2024-05-09', '2023-05-11'),
    'a holiday of another season, rather than a Thursday',
  );
  falls('2024-12-27', '2023-12-22', '2023-12-28', '2023-12-30');
  falls('2024-12-23', '2023-12-22', '2023-12-18');
  falls('2024-12-22', '2023-12-24', '2023-12-23', '2023-12-22');
  t.equal(of('2024-12-22', '2023-12-22'), 0, 'a Friday for a Sunday');
  t.ok(of('2024-12-23', '2023-01-03') > of('2024-12-23', '2023-10-16'), 'across the new year');
  falls('2024-05-10', '2023-05-19', '2023-05-12', '2023-05-11');
  falls('2024-06-21', '2023-06-21', '2023-06-23', '2023-06-22');
  falls('2024-10-10', '2023-10-12', '2023-10-11', '2023-10-15');
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

t.test('the planning goes by what is expected of reference days, not by what they were', async t => {
  // Every Monday in March was like rest, but for one; all were expected to be work.
  const mondays = ['2023-03-06', '2023-03-13', '2023-03-20', '2023-03-27'];
  const plan = planner(
    models,
    mondays.map((date, index) => ({ date, modelId: index === 0 ? 1 : 2, plannedId: 1 })),
  )('2024-03-11');
  t.match(plan, { modelId: 1, share: 1, alternatives: [], origin: 'automatic' });
  t.equal(
    plan.reason,
    '1 of the 4 reference Mondays round Mar follow "work"',
    'the reason tells what they were',
  );
  t.equal(
    planner(
      models,
      mondays.map((date, index) => ({ date, modelId: index === 0 ? 1 : 2 })),
    )('2024-03-11').modelId,
    2,
    'without an expectation, as in models of earlier versions, by what they were',
  );
  const anomaly = [{ id: 1, name: 'work', anomaly: true }, ...models.slice(1)];
  t.match(
    planner(
      anomaly,
      mondays.map(date => ({ date, modelId: 2, plannedId: 1 })),
    )('2024-03-11'),
    { modelId: 2, reason: 'no reference day is alike; "rest" is the first of the models' },
    'an anomaly is not planned, though it was expected',
  );
});

t.test('working days are Monday to Friday, holidays are not', async t => {
  const plan = planner(models, assignments, calendar);
  for (const [date, working] of [
    ['2024-05-06', true],
    ['2024-05-10', true],
    ['2024-05-11', false],
    ['2024-05-12', false],
    ['2024-05-09', false],
    ['2024-12-23', true],
    ['2024-06-21', true],
    ['2024-10-10', true],
  ] as const)
    t.equal(plan(date).working, working, date);
  t.equal(planner(models, assignments)('2024-05-09').working, true, 'without a calendar it is a Thursday');
  t.equal(planner([], [])('2024-05-09').working, true, 'whether or not a model is planned');
});

t.test(
  'a season is as unseen as its days are from the nearest reference day, three months at most',
  async t => {
    const of = (references: readonly string[], date: string): number =>
      planner(
        models,
        references.map(reference => ({ date: reference, modelId: 1 })),
      )(date).unseen;
    t.equal(of(['2023-03-06'], '2025-03-05'), 1 / 90, 'a day before');
    t.equal(of(['2023-03-06'], '2025-03-06'), 0, 'whichever year');
    t.equal(of(['2023-03-06'], '2025-04-20'), 0.5, '45 days after');
    t.equal(of(['2023-03-06', '2023-04-14'], '2025-04-20'), 6 / 90, 'the nearest counts');
    t.equal(of(['2023-03-06'], '2025-06-04'), 1, '90 days after');
    t.equal(of(['2023-03-06'], '2025-09-01'), 1, 'and beyond');
    t.equal(of(['2023-12-31'], '2025-01-09'), 9 / 90, 'round the year');
    t.equal(of([], '2025-03-06'), 1, 'nothing was seen');
  },
);
