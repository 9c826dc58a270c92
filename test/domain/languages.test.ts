// A language is one file: a made-up one has all sentences, titles, names of models and messages in its own words.
import t from 'tap';
import { alertDetails, lossText } from '../../domain/alerts/alertDetails.js';
import { alertSentence } from '../../domain/alerts/alertSentence.js';
import { en, type SentenceTexts } from '../../domain/words/en.js';
import { languages } from '../../domain/words/languages.js';
import {
  changeSentence,
  changeSummary,
  withChangeSentence,
  incidentSentence,
  incidentTitle,
} from '../../domain/incidents/incidentSentence.js';
import { inWords, modelNameIn, shownModel } from '../../domain/planning/planTexts.js';

type Texts = string | readonly Texts[] | ((...parts: never[]) => string) | { readonly [name: string]: Texts };

/** The words of a language in capitals, between brackets; the parts that come from outside are small and stay. */
const madeUp = (texts: Texts): Texts => {
  if (typeof texts === 'string') return `⟦${texts.toUpperCase()}⟧`;
  if (typeof texts === 'function')
    return (...parts: never[]) => `⟦${(texts as (...parts: never[]) => string)(...parts).toUpperCase()}⟧`;
  if (Array.isArray(texts)) return texts.map(madeUp);
  return Object.fromEntries(Object.entries(texts).map(([name, part]) => [name, madeUp(part)]));
};
const { locale, ...words } = en;
const pseudo = { locale, ...(madeUp(words as unknown as Texts) as object) } as SentenceTexts;

const isMadeUp = (text: string): boolean => text.includes('⟦') && !/[a-z]/.test(text);

const facts = (more: object = {}) => ({
  plannedAs: { origin: 'automatic', type: 'ordinary', name: null },
  limits: [],
  widening: 1,
  ...more,
});
const dated = (finding: object) =>
  ({ date: '2026-03-02', size: 24, aggregation: 'mean', texts: {}, finding }) as unknown as Parameters<
    typeof alertDetails
  >[0];
const slices = [{ from: 8, to: 10, direction: 'under', excess: 5 }];
const deviation = {
  from: 8,
  to: 10,
  slices: 2,
  actual: 5,
  expected: 10,
  others: 2,
  comparedWith: 'daysBefore',
};

t.test('sentences of alerts', async t => {
  const findings = [
    { kind: 'activity', slices, facts: facts({ deviation }) },
    { kind: 'activity', slices, facts: facts({ deviation, soFar: { elapsed: 12, ongoing: false } }) },
    {
      kind: 'activity',
      slices,
      facts: facts({ shape: { type: 'clock', minutes: 120 }, limits: [{ limit: 'shape' }] }),
    },
    { kind: 'drift', slices, facts: facts({ deviation }) },
    { kind: 'frozen', slices, facts: facts({ flatline: { value: 3, longest: 2 } }) },
    { kind: 'gap', slices: [], facts: facts({ completeness: { day: 0.1, usual: 0.9 } }) },
    {
      kind: 'noData',
      slices: [],
      silence: {
        since: '2026-03-02T08:00:00Z',
        deadline: '',
        intervalMinutes: 90,
        origin: 'given',
        lastDate: null,
      },
    },
  ];
  for (const finding of findings) {
    const one = dated(finding);
    const shown = alertDetails(one, null);
    const sentence = alertSentence(one, shown.deviation, pseudo);
    t.ok(isMadeUp(sentence), sentence);
    t.strictSame(Object.keys(shown.sentences), ['fr'], 'the API has the languages that exist');
  }
});

t.test('sentences and titles of incidents, and of changes', async t => {
  const span = { since: '2026-03-02', until: '2026-03-09', alerts: 3, sources: ['A'], sourceCount: 3 };
  const alert = '⟦…⟧';
  for (const text of [
    incidentTitle(span, pseudo),
    incidentSentence(alert, span, pseudo),
    incidentSentence(alert, { ...span, alerts: 1 }, pseudo),
  ])
    t.ok(isMadeUp(text), text);
  for (const change of [
    { type: 'level', size: -0.25 },
    { type: 'clock', size: 60 },
    { type: 'opening', size: -1, minutes: [420, 480] },
    { type: 'shape', size: 0, daylightSaving: true },
  ] as const) {
    const whole = { ...change, from: '2026-03-02' } as unknown as Parameters<typeof changeSentence>[0];
    for (const text of [
      changeSentence(whole, pseudo),
      changeSummary(whole, pseudo),
      withChangeSentence(alert, whole, pseudo),
    ])
      t.ok(isMadeUp(text), text);
  }
});

t.test('losses', async t => {
  for (const severity of [0.2, 0.5, 0.9]) t.ok(isMadeUp(lossText(severity, pseudo)), String(severity));
});

t.test('names of models: those of learning in other words, those of people as they are', async t => {
  for (const [name, french] of [
    ['Monday–Friday', 'lundi–vendredi'],
    ['Monday, Wednesday and Friday', 'lundi, mercredi et vendredi'],
    ['Monday–Friday, Jul–Aug', 'lundi–vendredi, juil.–août'],
    ['Monday, Wednesday and Friday, Nov–Feb and Jun', 'lundi, mercredi et vendredi, nov.–févr. et juin'],
    ['every day except Tuesday', 'tous les jours sauf le mardi'],
    ['Monday–Friday except Wednesday, Jul–Aug', 'lundi–vendredi sauf le mercredi, juil.–août'],
    ['only 1 Jan 2023 and 1 Jan 2024', 'seulement 1er janv. 2023 et 1er janv. 2024'],
    ['every day, except Aug', 'tous les jours, sauf août'],
    ['public holidays', 'jours fériés'],
    ['only 25 Dec and 26 Dec', 'seulement 25 déc. et 26 déc.'],
    ['only 30 Apr and 1 May', 'seulement 30 avr. et 1er mai'],
    ['Saturday, lower', 'samedi, plus bas'],
    ['Saturday–Sunday, Jan, level 2 of 4', 'samedi–dimanche, janv., niveau 2 sur 4'],
    ['Sunday, pattern 2', 'dimanche, profil 2'],
    ['day 3 of 8', 'jour 3 sur 8'],
    ['days 1–4 and 6 of 8, Jul–Aug', 'jours 1–4 et 6 sur 8, juil.–août'],
    ['12 days of a cycle of 28, lower', '12 jours d’un cycle de 28, plus bas'],
    [
      'Monday and Friday of week 1 and every day except Sunday of week 2 of 2',
      'lundi et vendredi de la semaine 1 et tous les jours sauf le dimanche de la semaine 2 sur 2',
    ],
    [
      'every day of week 1 and Monday–Saturday of week 2 of 2',
      'tous les jours de la semaine 1 et lundi–samedi de la semaine 2 sur 2',
    ],
    ['last working day of the month', 'dernier jour ouvré du mois'],
    ['second last Monday of the month', 'avant-dernier lundi du mois'],
    ['day 15 of the month, higher', 'jour 15 du mois, plus haut'],
  ] as const) {
    t.equal(modelNameIn(name, languages.fr), french);
    t.equal(modelNameIn(name, languages.en), name, 'English is as it is stored');
    t.ok(isMadeUp(modelNameIn(name, pseudo)), name);
  }
  for (const name of [
    'Open days',
    'Monday at noon',
    'Mon',
    'only 25 December',
    'days of 8',
    'Someday of the month',
    'Monday of week 1',
    '',
    'Friday,',
    'constructor',
  ])
    t.equal(modelNameIn(name, languages.fr), name);
  t.equal(modelNameIn('Inventory, lower', languages.fr), 'Inventory, plus bas', 'one of a special day');
});

t.test('reasons of plans and sentences of cycles', async t => {
  const evidence = { errorReduction: 0.4, better: 10, of: 12 };
  for (const cycle of [
    { kind: 'days', length: 8, first: '2026-01-01', evidence },
    { kind: 'monthDay', counts: 'workingDays', place: -1, evidence },
  ] as const)
    t.ok(isMadeUp(pseudo.reason.cycle(cycle)));
  t.ok(isMadeUp(pseudo.reason.noModel));
  const { reason, reasons } = inWords(({ setBy }, nameOf) =>
    setBy(nameOf(shownModel({ name: 'Saturday, lower' })), 'anna', null),
  );
  t.strictSame(
    [reason, reasons],
    ['set to "Saturday, lower" by anna', { fr: 'fixé à «\u00a0samedi, plus bas\u00a0» par anna' }],
  );
});

t.test('messages', async t => {
  const { message } = pseudo;
  for (const text of [
    message.alert('a', 'b', 'raised'),
    message.detail('c', '50 %'),
    message.lossDetail('c', '50 %', { loss: 'all', isWorst: true }),
    message.titleWithLoss('a', 'all'),
    message.lossKey,
    message.newModels('a'),
    message.digest(2, 'a'),
    message.footer('1'),
    message.open,
  ])
    t.ok(isMadeUp(text), text);
});
