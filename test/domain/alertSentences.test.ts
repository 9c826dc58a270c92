import t from 'tap';
import { alertDetails } from '../../domain/alerts/alertDetails.js';
import type { DatedFinding } from '../../domain/alerts/alertSentence.js';
import { alertKinds, type Deviation, type Finding, type FindingFacts } from '../../domain/alerts/findings.js';
import type { Silence } from '../../domain/alerts/silence.js';

const deviation: Deviation = {
  ...{ from: 7, to: 10, slices: 3, actual: 162, expected: 100, others: 0 },
  comparedWith: 'model',
};
const facts: FindingFacts = {
  plannedAs: { origin: 'automatic', type: 'ordinary', name: null },
  deviation,
  limits: [],
  widening: 1,
};
type Found = Partial<Omit<Finding, 'facts'>> & { readonly facts?: Partial<FindingFacts> };
/** Sentences of a finding on Wednesday 6 March 2024 from 07:00 to 10:00, in all languages. */
const sentencesOf = ({ facts: given, kind = 'activity', slices }: Found, texts = {}) => {
  const finding: DatedFinding['finding'] = {
    kind,
    slices: slices ?? [{ from: 7, to: 10, direction: 'over', excess: 11 }],
    facts: { ...facts, ...given },
  };
  const { sentence, sentences } = alertDetails(
    { date: '2024-03-06', size: 24, aggregation: 'mean', texts, finding },
    null,
  );
  return [sentence, sentences.fr] as const;
};
const soFar = (elapsed: number, ongoing: boolean): Pick<FindingFacts, 'soFar'> => ({
  soFar: { elapsed, ongoing },
});

t.test('sentences: a date in progress', async t => {
  t.strictSame(sentencesOf({ facts: soFar(10, true) }), [
    '62 % over the usual Wednesday since 07:00, still going on',
    '62 % au-dessus du mercredi habituel depuis 07:00, toujours en cours',
  ]);
  t.strictSame(sentencesOf({ facts: soFar(12, false) }), [
    '62 % over the usual Wednesday from 07:00 to 10:00, normal since',
    '62 % au-dessus du mercredi habituel de 07:00 à 10:00, normal depuis',
  ]);
  t.equal(
    sentencesOf({ facts: { ...soFar(10, true), deviation: { ...deviation, from: 0 } } })[0],
    '62 % over the usual Wednesday since 00:00, still going on',
  );
});

t.test('sentences: a date in progress without data after the stretch', async t => {
  const ended = (dataEnd: number, ongoing: boolean) =>
    sentencesOf({ facts: { soFar: { elapsed: 12, ongoing, dataEnd } } });
  t.strictSame(ended(10, true), [
    '62 % over the usual Wednesday from 07:00 to 10:00, no data since',
    '62 % au-dessus du mercredi habituel de 07:00 à 10:00, sans données depuis',
  ]);
  t.strictSame(ended(9, true)[0], '62 % over the usual Wednesday from 07:00 to 10:00, no data since 09:00');
  t.match(ended(11, false)[0], /, normal since$/);
});

t.test('sentences: other stretches of a date in progress, after the main one', async t => {
  const slices: Finding['slices'] = [
    { from: 7, to: 10, direction: 'over', excess: 11 },
    { from: 13, to: 15, direction: 'over', excess: 1 },
  ];
  const others = { deviation: { ...deviation, others: 1 } };
  t.strictSame(sentencesOf({ slices, facts: { ...others, ...soFar(15, true) } }), [
    '62 % over the usual Wednesday from 07:00 to 10:00, and unusual in 1 other stretch, the last one since 13:00, still going on',
    '62 % au-dessus du mercredi habituel de 07:00 à 10:00, et inhabituel dans 1 autre intervalle, le dernier depuis 13:00, toujours en cours',
  ]);
  t.strictSame(sentencesOf({ slices, facts: { ...others, ...soFar(17, false) } }), [
    '62 % over the usual Wednesday from 07:00 to 10:00, and unusual in 1 other stretch, normal since 15:00',
    '62 % au-dessus du mercredi habituel de 07:00 à 10:00, et inhabituel dans 1 autre intervalle, normal depuis 15:00',
  ]);
});

t.test('sentences: a flatline of a date in progress', async t => {
  const frozen = (more: Partial<FindingFacts>) =>
    sentencesOf({ kind: 'frozen', facts: { flatline: { value: 12.5, longest: 2 }, ...more } });
  t.strictSame(frozen(soFar(10, true)), [
    'The same value 12.5 since 07:00, still going on, longer than any value above the lowest on a reference day',
    'La même valeur 12,5 depuis 07:00, toujours en cours, plus longtemps que toute valeur au-dessus de la plus basse un jour de référence',
  ]);
  t.match(
    frozen(soFar(12, false))[0],
    /from 07:00 to 10:00, longer than any value above the lowest on a reference day, normal since$/,
  );
});

const explainedBy = {
  ...{ effect: 0.1, planned: 100, expected: 120, missing: ['Sun', 'Rain'] },
  covariates: [
    { sourceId: 2, name: 'Oslo', value: -3.14 },
    { sourceId: 3, name: 'Wind', value: 12 },
  ],
};
const silence: Silence = {
  ...{ since: '2024-03-03T06:12:30.000Z', deadline: '2024-03-04T18:12:30.000Z', lastDate: '2024-03-02' },
  ...{ intervalMinutes: 2160, origin: 'learned' },
};
const silent = (more: Partial<Silence>) => {
  const { sentence, sentences } = alertDetails(
    {
      ...{ date: '2024-03-03', size: 24, aggregation: 'mean', texts: {} },
      finding: { kind: 'noData', slices: [], silence: { ...silence, ...more } },
    },
    null,
  );
  return [sentence, sentences.fr] as const;
};
const unit = { unit: 'kWh' };
const gap = { from: 8, to: 20, longest: 1 };
/** Sentences of each kind in English and French, with all parts that they may have. */
const ofKinds: Readonly<Record<(typeof alertKinds)[number], readonly (readonly [string, string])[]>> = {
  activity: [
    sentencesOf({ facts: { explainedBy } }, unit),
    sentencesOf({ facts: { deviation: { ...deviation, actual: 12.3456, expected: 0 } } }, unit),
    sentencesOf({ facts: { explainedBy: { ...explainedBy, planned: -5, expected: -3.5 } } }, unit),
    sentencesOf({ facts: { deviation: { ...deviation, others: 3, from: 0, to: 24 } } }),
    sentencesOf({ facts: { deviation: null } }),
  ],
  drift: [sentencesOf({ kind: 'drift' }), sentencesOf({ kind: 'drift', facts: { deviation: null } })],
  gap: [
    sentencesOf({ kind: 'gap', facts: { gap, explainedBy } }),
    sentencesOf({ kind: 'gap', facts: { gap, deviation: null } }),
    sentencesOf({ kind: 'gap', facts: { completeness: { day: 0.37, usual: 0.98 } } }),
    sentencesOf({ kind: 'gap', facts: { completeness: { day: 0, usual: 1 } } }),
    sentencesOf({ kind: 'gap' }),
  ],
  frozen: [
    sentencesOf({ kind: 'frozen', facts: { flatline: { value: 12.5, longest: 2 } } }, unit),
    sentencesOf({ kind: 'frozen', slices: [] }),
  ],
  noData: [
    silent({}),
    silent({ origin: 'given', intervalMinutes: 1, lastDate: null }),
    silent({ intervalMinutes: 90 }),
  ],
};

/** A French sentence with its dates of March as English has them. */
const withIsoDates = (sentence: string): string =>
  sentence.replaceAll(
    /(\d{1,2})(?:er)? mars (\d{4})/g,
    (_, day: string, year: string) => `${year}-03-${day.padStart(2, '0')}`,
  );

/** Numbers, times and dates of a sentence in their order, and the names in it. */
const factsIn = (sentence: string): string[] =>
  (
    sentence.replaceAll(/(\d),(\d)/g, '$1.$2').match(/[+\u2212]?\d[\d.:-]*|kWh|Oslo|Wind|Sun|Rain/g) ?? []
  ).map(fact => fact.replace(/\.$/, ''));

t.test('sentences: each kind says the same in every language', async t => {
  for (const kind of alertKinds)
    for (const [english, french] of ofKinds[kind]) {
      t.strictSame(factsIn(withIsoDates(french)), factsIn(english), `${kind}: ${french}`);
      t.notMatch(french, /\d{4}-\d\d/, 'dates are in words');
      t.not(french, english);
    }
  t.ok(factsIn(ofKinds.activity[0]?.[0] ?? '').length > 8, 'the facts are found');
});

t.test('sentences: the reason of the plan in French', async t => {
  const planned = (plannedAs: Partial<FindingFacts['plannedAs']>) =>
    sentencesOf({ facts: { plannedAs: { ...facts.plannedAs, ...plannedAs } } })[1].slice(15, -17);
  t.equal(planned({ type: 'holiday', name: 'Pfingsten' }), 'du jour férié habituel');
  t.equal(planned({ type: 'bridge' }), 'du jour de pont habituel');
  t.equal(planned({ type: 'christmas' }), 'du jour habituel autour de Noël');
  t.equal(planned({ type: 'special', name: 'Market' }), 'du jour spécial habituel «\u00a0Market\u00a0»');
  t.equal(planned({ origin: 'manual', type: 'holiday' }), 'du modèle prévu à la main');
  const monthDay = { kind: 'monthDay', counts: 'workingDays', place: -1 } as const;
  t.equal(planned({ place: { monthDay } }), 'du dernier jour ouvré habituel du mois');
  t.equal(
    planned({ place: { monthDay: { ...monthDay, place: -2 } } }),
    'de l’avant-dernier jour ouvré habituel du mois',
  );
  t.equal(planned({ place: { phase: 2, length: 8 } }), 'du jour habituel 3 sur 8');
  t.equal(planned({ place: { phase: 12, length: 14 } }), 'du samedi habituel de la semaine 2 sur 2');
  t.equal(
    sentencesOf({
      facts: {
        plannedAs: { ...facts.plannedAs, place: { monthDay: { ...monthDay, place: -2 } } },
        deviation: { ...deviation, actual: 1620 },
      },
    })[1],
    '1620 au lieu de 100 pour l’avant-dernier jour ouvré habituel du mois de 07:00 à 10:00',
  );
  t.equal(
    sentencesOf({ facts: { deviation: { ...deviation, comparedWith: 'daysBefore' } } })[1],
    '62 % au-dessus de ce que les jours précédents annoncent pour ce mercredi de 07:00 à 10:00',
  );
});
