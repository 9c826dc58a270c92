import t from 'tap';
import { alertDetails } from '../../domain/alerts/alertDetails.js';
import { clockTime, type DatedFinding } from '../../domain/alerts/alertSentence.js';
import type { Deviation, Finding, FindingFacts } from '../../domain/alerts/findings.js';
import type { Silence } from '../../domain/alerts/silence.js';
import { exactList } from '../helpers/exactList.js';

const deviation: Deviation = {
  ...{ from: 14, to: 20, slices: 6, actual: 69, expected: 100, others: 0 },
  comparedWith: 'model',
};
const facts: FindingFacts = {
  plannedAs: { origin: 'automatic', type: 'ordinary', name: null },
  deviation,
  limits: [{ limit: 'window', from: 14, to: 20, score: -1.5, allowed: 1.2, actual: 69, bound: 80 }],
  widening: 1,
};
const finding: DatedFinding['finding'] = {
  kind: 'activity',
  slices: [{ from: 14, to: 20, direction: 'under', excess: 11 }],
  facts,
};
/** Details of a finding on Monday 4 March 2024. */
const detailsOf = (given: Partial<Finding> = {}, more: Partial<DatedFinding> = {}) =>
  alertDetails(
    {
      date: '2024-03-04',
      size: 24,
      aggregation: 'mean',
      texts: {},
      finding: { ...finding, ...given },
      ...more,
    },
    null,
  );
const sentenceOf = (given: Partial<FindingFacts>, kind: Finding['kind'] = 'activity'): string =>
  detailsOf({ kind, facts: { ...facts, ...given } }).sentence;
const deviating = (given: Partial<Deviation>): string =>
  sentenceOf({ deviation: { ...deviation, ...given } });

t.test('details: a loss over the allowance, in words', async t => {
  // A severity s is s / (1 − s) times the allowance: 0.44 / 0.56 = 0.786, 0.6 / 0.4 = 1.5, 0.499 / 0.501 = 0.996.
  for (const [severity, loss, fr] of [
    [0, '0 % of its allowance', '0 % de sa marge'],
    [0.44, '79 % of its allowance', '79 % de sa marge'],
    [0.498, '99 % of its allowance', '99 % de sa marge'],
    [0.499, 'its whole allowance', 'toute sa marge'],
    [0.51, 'its whole allowance', 'toute sa marge'],
    [0.6, '1.5 times its allowance', '1,5 fois sa marge'],
    [0.96, '24 times its allowance', '24 fois sa marge'],
    [1, '1000 times its allowance', '1000 fois sa marge'],
  ] as const) {
    const details = detailsOf({ severity });
    t.strictSame([details.loss, details.losses], [loss, { fr }]);
  }
  t.notOk('loss' in detailsOf(), 'an alert of an old engine has no severity');
});

t.test('details: clock times of slices', async t => {
  t.strictSame(
    [clockTime(0, 24), clockTime(1, 144), clockTime(143, 144), clockTime(24, 24), clockTime(5, 48)],
    ['00:00', '00:10', '23:50', '24:00', '02:30'],
  );
});

t.test('details: an alert with all its numbers', async t => {
  t.strictSame(detailsOf(), {
    sentence: '31 % under the usual Monday from 14:00 to 20:00',
    sentences: { fr: '31 % au-dessous du lundi habituel de 14:00 à 20:00' },
    slices: [{ from: 14, to: 20, direction: 'under', excess: 11, fromTime: '14:00', toTime: '20:00' }],
    deviation: {
      ...{ from: 14, to: 20, fromTime: '14:00', toTime: '20:00', slices: 6, others: 0 },
      ...{ aggregation: 'mean', actual: 69, expected: 100, absolute: -31, percent: -31 },
      comparedWith: 'model',
    },
    brokenLimits: [
      {
        ...{ limit: 'window', from: 14, to: 20, fromTime: '14:00', toTime: '20:00' },
        ...{ score: -1.5, allowed: 1.2, actual: 69, bound: 80 },
      },
    ],
    completeness: null,
    gap: null,
    flatline: null,
    silence: null,
  });
});

t.test('details: a source with sums has totals over the stretch', async t => {
  t.match(detailsOf({}, { aggregation: 'sum' }).deviation, {
    ...{ actual: 414, expected: 600, absolute: -186, percent: -31, aggregation: 'sum' },
  });
});

t.test('details: a unit is behind the numbers of a sentence and goes with the deviation', async t => {
  const of = (given: Partial<FindingFacts>, kind: Finding['kind'] = 'activity') =>
    detailsOf({ kind, facts: { ...facts, ...given } }, { texts: { unit: 'kWh' } });
  const zero = of({ deviation: { ...deviation, actual: 12.3456, expected: 0 } });
  t.equal(zero.sentence, '12.3 kWh instead of the 0 kWh of the usual Monday from 14:00 to 20:00');
  t.equal(zero.deviation?.unit, 'kWh');
  t.match(of({ flatline: { value: 7, longest: 3 } }, 'frozen').sentence, /^The same value 7 kWh /);
  const explainedBy = {
    effect: 0,
    planned: -5,
    expected: -3,
    covariates: [{ sourceId: 2, name: 'Oslo', value: 4 }],
  };
  t.match(of({ explainedBy }).sentence, /, expected \+2 kWh for 4\.0 \(Oslo\)$/);
});

t.test('details: a shape like that of no other day', async t => {
  const shapeLimit = { ...facts.limits[0]!, limit: 'shape' } as const;
  const alone = (shape: FindingFacts['shape'], given: Partial<FindingFacts> = {}) => {
    const { sentence, sentences } = detailsOf(
      { facts: { ...facts, limits: [shapeLimit], shape: shape!, ...given } },
      { texts: { unit: 'kWh' } },
    );
    return [sentence, sentences.fr];
  };
  const [en, fr] = [', unlike all comparable days', ', contrairement à tout jour comparable'];
  t.strictSame(alone({ type: 'clock', minutes: 120 }), [
    `The course of the day is 2 hours late${en}`,
    `Le profil de la journée a 2 heures de retard${fr}`,
  ]);
  t.strictSame(alone({ type: 'clock', minutes: -90 }), [
    `The course of the day is 1 hour 30 minutes early${en}`,
    `Le profil de la journée a 1 heure 30 minutes d’avance${fr}`,
  ]);
  t.strictSame(alone({ type: 'noise' }), [
    `The day goes up and down from slice to slice${en}`,
    `La journée monte et descend d’un intervalle à l’autre${fr}`,
  ]);
  t.strictSame(alone({ type: 'frozen', flatline: { from: 3, to: 9, value: 4.5 } }), [
    `The same value 4.5 kWh from 03:00 to 09:00${en}`,
    `La même valeur 4,5 kWh de 03:00 à 09:00${fr}`,
  ]);
  t.strictSame(alone({ type: 'shape' }, { deviation: { ...deviation, comparedWith: 'dayLevel' } }), [
    'The course of the day is unlike all comparable days: ' +
      '31 % under the usual Monday at the level of this day from 14:00 to 20:00',
    'Le profil de la journée ne ressemble à aucun jour comparable\u00a0: ' +
      '31 % au-dessous du lundi habituel au niveau de cette journée de 14:00 à 20:00',
  ]);
  const limits = [...facts.limits, shapeLimit];
  t.strictSame(alone({ type: 'clock', minutes: 60 }, { limits }), [
    '31 % under the usual Monday from 14:00 to 20:00; the course of the day is 1 hour late',
    '31 % au-dessous du lundi habituel de 14:00 à 20:00\u00a0; ' +
      'le profil de la journée a 1 heure de retard',
  ]);
  const [empty] = alone({ type: 'clock', minutes: 60 }, { limits, deviation: { ...deviation, actual: 5 } });
  t.equal(empty, '95 % under the usual Monday from 14:00 to 20:00', 'next to nothing has no course');
  t.equal(alone({ type: 'shape' }, { limits })[0], '31 % under the usual Monday from 14:00 to 20:00');
  t.strictSame(detailsOf({ facts: { ...facts, shape: { type: 'noise' } } }).shape, { type: 'noise' });
});

t.test('details: sentences about deviations', async t => {
  t.equal(deviating({ actual: 101.4 }), '1 % over the usual Monday from 14:00 to 20:00');
  for (const [actual, shown] of [
    [100.4, '100.4 instead of the 100'],
    [99.97, '99.97 instead of the 100'],
    [100, '100 instead of the 100'],
  ] as const)
    t.equal(deviating({ actual }).slice(0, shown.length), shown);
  t.equal(deviating({ from: 0, to: 24 }), '31 % under the usual Monday all day');
  t.equal(
    deviating({ others: 1 }),
    '31 % under the usual Monday from 14:00 to 20:00, and unusual in 1 other stretch',
  );
  t.match(deviating({ others: 2 }), /and unusual in 2 other stretches$/);
  t.equal(
    deviating({ comparedWith: 'daysBefore' }),
    '31 % under what the days before suggest for this Monday from 14:00 to 20:00',
  );
  t.equal(
    deviating({ actual: 12.3456, expected: 0 }),
    '12.3 instead of the 0 of the usual Monday from 14:00 to 20:00',
  );
  t.match(
    deviating({ actual: -3, expected: -5 }),
    /^-3 instead of the -5 of /,
    'a negative level has no percentage',
  );
  t.match(deviating({ actual: -5, expected: 10 }), /^-5 instead of the 10 of /, 'nor has one below 0');
  t.match(deviating({ actual: 1250, expected: 10 }), /^1250 instead of the 10 of /, 'over tenfold');
  t.match(deviating({ actual: 1e300, expected: 1e-300 }), /^1e\+300 instead of the 1e-300 of /);
  t.equal(
    deviating({ actual: 12.3456, expected: 0, comparedWith: 'daysBefore' }),
    '12.3 instead of the 0 that the days before suggest from 14:00 to 20:00',
  );
  t.equal(deviating({ actual: 200 }), '2 times the usual Monday from 14:00 to 20:00');
  t.equal(deviating({ actual: 199 }), '99 % over the usual Monday from 14:00 to 20:00');
  const degrees = sentenceOf({ straight: true, deviation: { ...deviation, actual: 17.1, expected: 5.2 } });
  t.equal(degrees, '17.1 instead of the 5.2 of the usual Monday from 14:00 to 20:00', 'temperatures');
  t.equal(deviating({ actual: 724 }), '7.2 times the usual Monday from 14:00 to 20:00');
});

t.test('details: the sentence names the reason of the plan', async t => {
  const planned = (plannedAs: Partial<FindingFacts['plannedAs']>) =>
    sentenceOf({ plannedAs: { ...facts.plannedAs, ...plannedAs } }).slice('31 % under '.length, -20);
  t.equal(planned({ type: 'holiday', name: 'Pfingsten' }), 'the usual public holiday');
  t.equal(planned({ type: 'bridge' }), 'the usual bridge day');
  t.equal(planned({ type: 'christmas' }), 'the usual day around Christmas');
  t.equal(planned({ type: 'special', name: 'Market' }), 'the usual special day "Market"');
  t.equal(planned({ origin: 'manual', type: 'holiday' }), 'the model planned by hand');
  const monthDay = { kind: 'monthDay', counts: 'workingDays', place: -1 } as const;
  t.equal(planned({ place: { monthDay } }), 'the usual last working day of the month');
  t.equal(planned({ type: 'holiday', place: { phase: 2, length: 8 } }), 'the usual day 3 of 8');
  t.equal(planned({ place: { phase: 12, length: 14 } }), 'the usual Saturday of week 2 of 2');
  const byHand = { origin: 'manual', place: { monthDay } } as const;
  t.equal(planned(byHand), 'the model planned by hand');
});

t.test('details: the sentence says how covariates changed what was expected', async t => {
  const temperature = { sourceId: 2, name: 'Temperature', value: -3.14 };
  const wind = { sourceId: 3, name: 'Wind', value: 12 };
  const explained = (
    given: Partial<NonNullable<FindingFacts['explainedBy']>>,
    more: Partial<FindingFacts> = {},
  ) =>
    sentenceOf({
      ...more,
      explainedBy: { effect: 0.1, planned: 100, expected: 120, covariates: [temperature], ...given },
    }).slice('31 % under the usual Monday from 14:00 to 20:00'.length);
  t.strictSame(
    [
      explained({}),
      explained({ expected: 80, missing: [] }),
      explained({ covariates: [temperature, wind], missing: ['Sun'] }),
      explained({ covariates: [], missing: ['Sun', 'Rain'] }),
      explained({ covariates: [] }),
      explained({ planned: 0, expected: 1.25 }),
      explained({ planned: -5, expected: -7 }),
      explained({ expected: 100 }),
      explained({ planned: -10, expected: -9.96 }),
      explained({ planned: -0.2, expected: -0.18 }),
    ],
    [
      ', expected +20 % for −3.1 (Temperature)',
      ', expected −20 % for −3.1 (Temperature)',
      ', expected +20 % for −3.1 (Temperature) and 12.0 (Wind), not adjusted to Sun, which had no value',
      ', not adjusted to Sun and Rain, which had no value',
      '',
      ', expected +1.25 for −3.1 (Temperature)',
      ', expected −2 for −3.1 (Temperature)',
      '',
      '',
      ', expected +0.02 for −3.1 (Temperature)',
    ],
  );
  const degrees = explained({ planned: 2, expected: 4 }, { straight: true });
  t.match(degrees, /, expected \+2 for −3\.1 \(Temperature\)$/, 'no percents of temperatures');
});

t.test('details: drift, flatline and gap', async t => {
  t.equal(
    sentenceOf({}, 'drift'),
    'The level has been different for days: 31 % under the usual Monday from 14:00 to 20:00',
  );
  const frozen = detailsOf({ kind: 'frozen', facts: { ...facts, flatline: { value: 12.5, longest: 2 } } });
  t.equal(
    frozen.sentence,
    'The same value 12.5 from 14:00 to 20:00, longer than any value above the lowest on a reference day',
  );
  t.strictSame(frozen.flatline, { value: 12.5, longest: 2 });
  const gap = detailsOf({
    ...{ kind: 'gap', slices: [] },
    facts: { ...facts, deviation: null, limits: [], completeness: { day: 0.37, usual: 1 } },
  });
  t.equal(gap.sentence, '37 % of the day was observed, of reference days 100 %');
  const without = { gap: { from: 8, to: 20, longest: 1 } };
  t.equal(
    sentenceOf({ completeness: { day: 0.5, usual: 1 }, deviation: null, ...without }, 'gap'),
    'No data from 08:00 to 20:00, longer than on any comparable day',
  );
  t.equal(
    sentenceOf(without, 'gap'),
    'No data from 08:00 to 20:00, longer than on any comparable day; ' +
      'also 31 % under the usual Monday from 14:00 to 20:00',
  );
  t.strictSame([gap.deviation, gap.completeness], [null, { day: 0.37, usual: 1 }]);
});

t.test('details: a missing date, and silences', async t => {
  const missing = detailsOf({
    ...{ kind: 'gap', slices: [] },
    facts: { ...facts, deviation: null, limits: [], completeness: { day: 0, usual: 1 } },
  });
  t.equal(missing.sentence, 'No data of this day');
  const silence: Silence = {
    ...{ since: '2024-03-03T06:12:30.000Z', deadline: '2024-03-04T18:12:30.000Z', lastDate: '2024-03-02' },
    ...{ intervalMinutes: 2160, origin: 'learned' },
  };
  const detailsFor = (more: Partial<Silence>) =>
    alertDetails(
      {
        ...{ date: '2024-03-03', size: 24, aggregation: 'mean', texts: {} },
        finding: { kind: 'noData', slices: [], silence: { ...silence, ...more } },
      },
      null,
    );
  t.equal(
    detailsFor({}).sentence,
    'No data since 2024-03-03 06:12 UTC, usually expected within 1 day 12 hours; the last day is 2024-03-02',
  );
  t.equal(
    detailsFor({ origin: 'given', intervalMinutes: 1, lastDate: null }).sentence,
    'No data since 2024-03-03 06:12 UTC, expected within 1 minute; none came yet',
  );
  t.match(detailsFor({ intervalMinutes: 90 }).sentence, /within 1 hour 30 minutes;/);
  t.match(detailsFor({ intervalMinutes: 1440.4 }).sentence, /within 1 day;/);
  t.match(detailsFor({}), { silence, deviation: null, brokenLimits: exactList(), completeness: null });
});

t.test('details: alerts of older event versions contain what can be derived', async t => {
  const { facts: _, ...older } = finding;
  const dated = { date: '2024-03-04', size: 24, aggregation: 'mean' as const, texts: {}, finding: older };
  t.match(alertDetails(dated, deviation), {
    sentence: '31 % under the planned model from 14:00 to 20:00',
    deviation: { actual: 69, percent: -31 },
    brokenLimits: exactList(),
  });
  t.equal(alertDetails(dated, null).sentence, 'The day breaks the limits of its planned model');
  const sentence = (kind: Finding['kind']) =>
    alertDetails({ ...dated, finding: { ...older, kind } }, null).sentence;
  t.equal(sentence('gap'), 'Less than half of the usual part of the day was observed');
  t.equal(
    sentence('frozen'),
    'The same value from 14:00 to 20:00, longer than any value above the lowest on a reference day',
  );
  t.equal(sentence('drift'), 'The level has been different for days');
});
