import t from 'tap';
import { dayTypes, type NamedDay } from '../../domain/planning/calendar.js';
import { datesOfYear, dayNumber, weekday } from '../../domain/dates.js';
import { similarity } from '../../domain/planning/similarity.js';
import { planner } from '../../domain/planning/planning.js';
import { carriedOverrides } from '../../domain/planning/modelChange.js';
import type { PlanningCalendar } from '../../domain/planning/calendar.js';
import { exactList } from '../helpers/exactList.js';

const days = (...texts: readonly string[]): NamedDay[] =>
  texts.map(text => ({ date: text.slice(0, 10), name: text.slice(11) }));

/** Some public holidays of France in 2023 and 2024; Ascension Day is a Thursday. */
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

t.test('day types: holiday, bridge, around Christmas, special, ordinary', async t => {
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

t.test('similarity weights: order of reference days for a date', async t => {
  const weigh = similarity(calendar);
  const weight = (date: string, reference: string): number => weigh(dayNumber(date), dayNumber(reference));
  /** Asserts that the weights of the reference dates for `date` decrease strictly. */
  const weightsDecrease = (date: string, ...references: readonly string[]): void => {
    const weights = references.map(reference => weight(date, reference));
    for (let at = 1; at < weights.length; at += 1)
      t.ok(
        weights[at - 1]! > weights[at]!,
        `for ${date}, ${references[at - 1]} weighs more than ${references[at]}`,
      );
  };
  // Days of the year 72 and 73 are 13 and 14 March 2023; 12 March 2024, a Tuesday, is day 71.
  weightsDecrease('2024-03-12', '2023-03-14', '2023-03-13', '2023-10-10', '2023-03-12');
  weightsDecrease('2024-03-12', '2023-03-14', '2023-03-21', '2023-03-28', '2023-10-10');
  t.equal(weight('2024-03-12', '2023-03-12'), 0, 'a Sunday has no weight for a Tuesday');
  t.ok(weight('2024-03-12', '2023-10-10') > 0, 'another season has a small weight');
  t.ok(weight('2024-03-12', '2023-10-10') < 1e-3 * weight('2024-03-12', '2023-03-14'));
  t.equal(
    weight('2024-03-12', '2023-10-10'),
    weight('2024-03-12', '2023-09-12'),
    'all distant seasons have the same weight',
  );
  t.equal(weight('2024-05-02', '2023-05-18'), 0, 'a holiday has no weight for an ordinary Thursday');
  weightsDecrease('2024-05-17', '2023-05-12', '2023-05-19');
  weightsDecrease('2024-06-19', '2023-06-28', '2023-06-21');
  weightsDecrease('2024-05-09', '2023-05-18', '2023-05-01', '2023-05-14', '2023-05-11');
  t.ok(
    weight('2024-05-09', '2023-12-25') > weight('2024-05-09', '2023-05-11'),
    'a holiday of another season weighs more than a Thursday',
  );
  weightsDecrease('2024-12-27', '2023-12-22', '2023-12-28', '2023-12-30');
  weightsDecrease('2024-12-23', '2023-12-22', '2023-12-18');
  weightsDecrease('2024-12-22', '2023-12-24', '2023-12-23', '2023-12-22');
  t.equal(weight('2024-12-22', '2023-12-22'), 0, 'a Friday has no weight for a Sunday');
  t.ok(weight('2024-12-23', '2023-01-03') > weight('2024-12-23', '2023-10-16'), 'across the new year');
  weightsDecrease('2024-05-10', '2023-05-19', '2023-05-12', '2023-05-11');
  weightsDecrease('2024-06-21', '2023-06-21', '2023-06-23', '2023-06-22');
  weightsDecrease('2024-10-10', '2023-10-12', '2023-10-11', '2023-10-15');
});

const models = [
  { id: 1, name: 'work', anomaly: false },
  { id: 2, name: 'rest', anomaly: false },
  { id: 3, name: 'quiet', anomaly: false },
];
/** 2023: rest at weekends and on holidays; quiet on the bridge day, around Christmas and on the special day. */
const assignments = datesOfYear(2023).map(date => {
  const { type } = dayTypes(holidays, specials)(dayNumber(date));
  const modelId = type === 'ordinary' ? (weekday(dayNumber(date)) > 4 ? 2 : 1) : type === 'holiday' ? 2 : 3;
  return { date, modelId };
});

t.test('planning: holidays, bridge days and special days, with their reasons', async t => {
  const plan = planner(models, assignments, calendar);
  for (const [date, modelId, reason] of [
    ['2024-05-09', 2, 'public holiday Ascension Day: all 5 reference holidays follow "rest"'],
    // Two bridge days in a year do not outweigh the Fridays near the date.
    [
      '2024-05-10',
      1,
      'bridge day: other similar days decide for "work"; of the 2 reference bridge days none follows it',
    ],
    ['2024-12-23', 3, /^around Christmas: all \d+ reference working days around Christmas follow "quiet"$/],
    ['2024-12-22', 3, /^around Christmas: .* weekend days around Christmas follow "quiet"$/],
    ['2024-06-21', 3, 'special day "Music": the only reference day of that name follows "quiet"'],
    [
      '2024-10-10',
      1,
      /^special day "Fair": there are no reference days of that name; "work" is the model of other similar days/,
    ],
    ['2024-05-02', 1, /^all \d+ reference Thursdays around 2 May follow "work"$/],
    [
      '2030-05-02',
      1,
      /Thursdays around 2 May .*; its holidays are not known, the calendar holds 2023 to 2024$/,
    ],
  ] as const) {
    const found = plan(date);
    t.equal(found.modelId, modelId, date);
    t.match(found.reason, reason);
  }
  t.equal(planner(models, assignments)('2024-05-09').modelId, 1, 'without a calendar it is a Thursday');
  t.notMatch(planner(models, assignments)('2030-05-02').reason, /not known/);
});

t.test('planning: alternatives and shares', async t => {
  const plan = planner(models, assignments, calendar);
  const one = plan('2024-05-10');
  t.ok((one.share ?? 0) > 0.2 && (one.share ?? 0) < 1);
  t.strictSame(
    one.alternatives.map(({ modelId }) => modelId),
    [3],
    'the model of the reference bridge days',
  );
  t.equal(
    Math.round(10_000 * ((one.share ?? 0) + (one.alternatives[0]?.share ?? 0))),
    10_000,
    'the shares add up to 1',
  );
  const many = [1, 2, 3, 4, 5, 6].map(id => ({ id, name: `m${id}`, anomaly: false }));
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
    many,
    mondays.map((date, index) => ({ date, modelId: [1, 2, 2, 2, 3, 4, 5][index] ?? 6 })),
  )('2024-03-11');
  t.equal(spread.modelId, 2);
  t.equal(spread.alternatives.length, 3, 'at most three alternatives');
  const shares = [spread.share ?? 0, ...spread.alternatives.map(({ share }) => share)];
  t.strictSame(
    shares,
    [...shares].sort((a, b) => b - a),
    'largest first',
  );
  t.ok(
    shares.every(share => share === Math.round(share * 10_000) / 10_000),
    'shares have four decimals',
  );
  const rare = planner(models, [
    { date: '2023-03-13', modelId: 1 },
    { date: '2023-10-16', modelId: 2 },
  ])('2024-03-11');
  t.strictSame([rare.share, rare.alternatives], [1, []], 'shares below 0.01 are omitted');
  const sunday = planner(models, [{ date: '2023-03-13', modelId: 2 }])('2024-03-10');
  t.match(
    sunday,
    { modelId: 1, share: null },
    'a Monday says nothing of a Sunday: the first model, without a share',
  );
});

t.test('planning: of models of equal weight the one with the smaller id is planned', async t => {
  const march = ['2023-03-06', '2023-03-13'];
  for (const ids of [
    [1, 2],
    [2, 1],
  ]) {
    const tied = march.map((date, index) => ({ date, modelId: ids[index] ?? 0 }));
    // Both Mondays on one date have the same weight for every date.
    const plan = planner(
      models.filter(({ id }) => id < 3),
      tied.map(assignment => ({ ...assignment, date: '2023-03-13' })),
    )('2024-03-11');
    t.equal(plan.modelId, 1, `assigned in the order ${ids.join()}`);
    t.strictSame(
      plan.alternatives.map(({ modelId, share }) => [modelId, share]),
      [[2, 0.5]],
    );
  }
});

t.test('overrides: of new models that are as near the one with the smaller id is taken', async t => {
  const model = (id: number, ...activity: readonly number[]) => ({ id, activity });
  const { carried, dropped } = carriedOverrides(
    { '2024-01-01': 1 },
    [model(1, 5, 5)],
    [model(7, 4, 5), model(8, 6, 5), model(9, 5, 7)],
    true,
  );
  t.strictSame(carried, [{ from: 1, to: 7, dates: ['2024-01-01'] }]);
  t.strictSame(dropped, []);
});

t.test('planning: reference days vote with their planned model, not with their assigned model', async t => {
  // All but one Monday in March are assigned to rest; all are planned as work.
  const mondays = ['2023-03-06', '2023-03-13', '2023-03-20', '2023-03-27'];
  const plan = planner(
    models,
    mondays.map((date, index) => ({ date, modelId: index === 0 ? 1 : 2, plannedId: 1 })),
  )('2024-03-11');
  t.match(plan, { modelId: 1, share: 1, alternatives: exactList(), origin: 'automatic' });
  t.equal(
    plan.reason,
    '"work" is nearest to the average of the 4 reference Mondays around 11 Mar, of which 1 follows it',
    'the reason counts assigned models',
  );
  t.equal(
    planner(
      models,
      mondays.map((date, index) => ({ date, modelId: index === 0 ? 1 : 2 })),
    )('2024-03-11').modelId,
    2,
    'without a planned model (older events), the assigned model counts',
  );
  const anomaly = [{ id: 1, name: 'work', anomaly: true }, ...models.slice(1)];
  t.match(
    planner(
      anomaly,
      mondays.map(date => ({ date, modelId: 2, plannedId: 1 })),
    )('2024-03-11'),
    { modelId: 2, reason: 'no reference day is similar; "rest" is the first of the models' },
    'an anomaly is never planned',
  );
});

t.test('planning: a reason that counts fewer than half says why the model is the best', async t => {
  const third = { id: 3, name: 'half', anomaly: false };
  const reasonOf = (
    date: string,
    days: readonly (readonly [date: string, modelId: number, plannedId: number])[],
  ) => {
    const assignments = days.map(([date, modelId, plannedId]) => ({ date, modelId, plannedId }));
    const holidays = ['2023-08-15', '2023-11-01', '2023-12-25', '2024-11-01'].map(date => ({
      date,
      name: date.slice(5),
    }));
    return planner([...models, third], assignments, { holidays, specials: [] })(date);
  };
  const term = [
    ['2023-07-31', 2, 2],
    ['2023-08-07', 2, 2],
    ['2023-08-28', 2, 1],
    ['2023-09-04', 1, 1],
    ['2023-09-11', 1, 1],
  ] as const;
  const begins = reasonOf('2024-09-09', term);
  t.equal(
    begins.reason,
    '2 of the 3 reference Mondays within 25 days of 9 Sep follow "work", though only 2 of all 5 in that season',
  );
  t.equal(
    begins.reasons.fr,
    '2 des 3 lundis de référence à 25 jours au plus du 9 septembre suivent «\u00a0work\u00a0», mais seulement 2 sur 5 de toute la saison',
  );
  const mixed = [
    ['2023-09-04', 1, 1],
    ['2023-09-11', 2, 1],
    ['2023-09-25', 3, 1],
    ['2023-10-02', 3, 1],
    ['2023-10-09', 1, 1],
    ['2023-10-16', 2, 1],
    ['2023-08-21', 1, 1],
  ] as const;
  t.equal(
    reasonOf('2024-09-16', mixed).reason,
    '3 of the 7 reference Mondays around 16 Sep follow "work", more than any other model',
  );
  const holidays = [
    ['2023-08-15', 2, 2],
    ['2023-11-01', 1, 1],
    ['2023-12-25', 2, 2],
  ] as const;
  const named = reasonOf('2024-11-01', holidays);
  t.equal(
    named.reason,
    'public holiday 11-01: the only reference day of that name follows "work", though only 1 of all 3 holidays',
  );
  t.equal(
    named.reasons.fr,
    'jour férié 11-01\u00a0: le seul jour de référence de ce nom suit «\u00a0work\u00a0», mais seulement 1 sur 3 de tous les jours fériés',
  );
  t.equal(
    reasonOf('2024-12-23', [
      ['2023-12-18', 1, 1],
      ['2023-01-04', 2, 2],
    ]).reason,
    'around Christmas: other similar days decide for "work", the only reference working day around Christmas does not follow it',
  );
});

t.test('planning: working days are Monday to Friday without holidays', async t => {
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
  t.equal(planner([], [])('2024-05-09').working, true, 'also without a planned model');
});

t.test(
  'planning: `unseen` is the distance to the nearest season of the reference over 90 days, at most 1',
  async t => {
    const unseenOf = (references: readonly string[], date: string): number =>
      planner(
        models,
        references.map(reference => ({ date: reference, modelId: 1 })),
      )(date).unseen;
    t.equal(unseenOf(['2023-03-06'], '2025-03-05'), 1 / 90, 'a day before');
    t.equal(unseenOf(['2023-03-06'], '2025-03-06'), 0, 'in any year');
    t.equal(unseenOf(['2023-03-06'], '2025-04-20'), 0.5, '45 days after');
    t.equal(unseenOf(['2023-03-06', '2023-04-14'], '2025-04-20'), 6 / 90, 'the nearest reference day counts');
    t.equal(unseenOf(['2023-03-06'], '2025-06-04'), 1, '90 days after');
    t.equal(unseenOf(['2023-03-06'], '2025-09-01'), 1, 'more than 90 days after');
    t.equal(unseenOf(['2023-12-31'], '2025-01-09'), 9 / 90, 'across the new year');
    t.equal(unseenOf([], '2025-03-06'), 1, 'no reference days');
  },
);
