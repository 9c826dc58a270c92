import fc from '../helpers/property.js';
import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { fold } from '../../domain/decider.js';
import {
  endsOf,
  lastingDriftSince,
  relearnedDaysMin,
  relearnedYear,
  relearnProposal,
} from '../../domain/source/reference.js';
import { Rejection } from '../../domain/rejection.js';
import { source } from '../../domain/source/source.js';
import type { CommandOf } from '../../domain/source/sourceCommands.js';
import { type SourceEvent, referenceFacts } from '../../domain/source/sourceState.js';
import { given } from '../helpers/decisions/decider.js';
import { dayOf, factsOf, id } from '../helpers/data/samples.js';
import { exactList } from '../helpers/exactList.js';

// The year

/** Recent days from a date on, from all of which models can be learned. */
const daysFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ date: dateOf(dayNumber(first) + index), learnable: true }));

const refusal = (days: Parameters<typeof relearnedYear>[0]): string => {
  try {
    relearnedYear(days, undefined);
    return '';
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== 'recentTooShort') throw error;
    return error.message;
  }
};

t.test('the year is the 365 dates up to the last recent day', t => {
  t.strictSame(relearnedYear(daysFrom('2023-01-01', 365), undefined), {
    from: '2023-01-01',
    to: '2023-12-31',
  });
  t.strictSame(relearnedYear(daysFrom('2023-01-01', 400), undefined), {
    from: '2023-02-05',
    to: '2024-02-04',
  });
  t.equal(refusal([]), 'got no recent days, expected 365 dates of them: import them');
  t.equal(
    refusal(daysFrom('2023-01-01', 364)),
    'got recent days of 364 dates, 2023-01-01 to 2023-12-30, expected 365: the year is full on 2023-12-31',
  );
  t.end();
});

t.test('at least one in two dates has three quarters of its slices', t => {
  const year = daysFrom('2023-01-01', 365);
  const thinned = (count: number) => year.map((day, index) => ({ ...day, learnable: index < count }));
  t.strictSame(relearnedYear(thinned(relearnedDaysMin), undefined), { from: '2023-01-01', to: '2023-12-31' });
  t.match(refusal(thinned(182)), 'got 182 recent days with three quarters of their slices');
  const missing = [year.slice(0, 182), year.slice(-1)].flat();
  t.strictSame(
    relearnedYear(missing, undefined),
    { from: '2023-01-01', to: '2023-12-31' },
    'dates may be missing',
  );
  t.end();
});

t.test('a first or last day years away from the others is of a wrong clock', t => {
  const stray = (date: string) => ({ date, learnable: true });
  const year = daysFrom('2023-01-01', 365);
  const expected = { from: '2023-01-01', to: '2023-12-31' };
  t.strictSame(relearnedYear([stray('1970-01-01'), ...year], undefined), expected);
  t.strictSame(relearnedYear([...year, stray('2026-01-01')], undefined), expected);
  const begun = [stray('1970-01-01'), ...daysFrom('2023-06-01', 214)];
  t.match(refusal(begun), 'got recent days of 214 dates, 2023-06-01 to 2023-12-31, expected 365');
  t.strictSame(relearnedYear(begun, undefined, true), expected, 'events of earlier builds');
  const near = [stray('2022-12-30'), ...daysFrom('2023-12-31', 3)].map(({ date }) => date);
  t.strictSame(endsOf(near), { first: '2022-12-30', last: '2024-01-02' }, 'a year is no distance');
  t.strictSame(endsOf(['1970-01-01', '2023-01-01']), { first: '1970-01-01', last: '2023-01-01' });
  t.strictSame(endsOf(['2023-01-01']), { first: '2023-01-01', last: '2023-01-01' });
  t.end();
});

t.test('any days: the year has 365 dates, ends at the last day, and none is before the first day', t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 19_000, max: 20_000 }), { maxLength: 900 }),
      fc.boolean(),
      (numbers, learnable) => {
        const days = numbers.sort((a, b) => a - b).map(number => ({ date: dateOf(number), learnable }));
        if (refusal(days) !== '') return true;
        const { from, to } = relearnedYear(days, undefined);
        return (
          dayNumber(to) - dayNumber(from) === 364 &&
          to === days.at(-1)?.date &&
          from >= (days[0]?.date ?? '') &&
          days.filter(({ date }) => date >= from).length >= relearnedDaysMin
        );
      },
    ),
  );
  t.end();
});

// The decision

const { name: _, ...facts } = factsOf(7);
const created = {
  ...facts,
  requestId: id(31),
  seed: 1,
  relearnedFrom: 1,
  reference: referenceFacts([dayOf('2024-03-01'), dayOf('2025-02-28')]),
};
const relearn: CommandOf<'RelearnSource'> = { type: 'RelearnSource', requestId: id(30), created };
const lived: readonly SourceEvent[] = [
  { type: 'SourceCreated', data: { ...factsOf(1), requestId: id(1), seed: 1 } },
  {
    type: 'SourceDescribed',
    data: {
      ...{ requestId: id(2), name: 'North gate', labels: { site: 'Lyon' } },
      ...{ place: null, expectedInterval: 'P1D' },
    },
  },
  { type: 'SpecialDayNamed', data: { requestId: id(3), date: '2024-02-29', name: 'Fair' } },
  { type: 'SpecialDayNamed', data: { requestId: id(4), date: '2025-12-24', name: 'Inventory' } },
  { type: 'SpecialDayNamed', data: { requestId: id(5), date: '2024-12-24', name: 'Inventory' } },
];
const relearned: readonly SourceEvent[] = [
  {
    type: 'SourceRelearned',
    data: {
      requestId: id(30),
      created: {
        ...created,
        ...{ name: 'North gate', labels: { site: 'Lyon' }, expectedInterval: 'P1D' },
        specialDays: [
          { date: '2024-12-24', name: 'Inventory' },
          { date: '2025-12-24', name: 'Inventory' },
        ],
      },
    },
  },
  { type: 'SourceArchived', data: { requestId: id(30), relearnedAs: 7 } },
];

t.test('a source is learned again with its present description and the special days from the year on', t => {
  given(t, source, ...lived)
    .when(relearn)
    .then(...relearned);
  given(t, source, ...lived, ...relearned)
    .when(relearn)
    .then();
  given(t, source).when(relearn).rejects('sourceNotFound');
  t.end();
});

t.test('a floor that was proposed is proposed again from the new reference; one of a person stays', t => {
  const floor = (absolute: number, proposed: boolean) => ({ absolute, percent: 2, proposed });
  const floorAfter = (known: { minChange?: ReturnType<typeof floor> }) => {
    const begun = { ...factsOf(1), ...known, requestId: id(1), seed: 1 };
    const state = fold(source, source.initial, [{ type: 'SourceCreated', data: begun }]);
    const command = { ...relearn, created: { ...created, minChange: floor(1, true) } };
    const [event] = source.decide(command, state);
    return event?.type === 'SourceRelearned' ? event.data.created.minChange : null;
  };
  t.strictSame(floorAfter({ minChange: floor(10, true) }), floor(1, true));
  t.strictSame(floorAfter({ minChange: floor(10, false) }), floor(10, false));
  t.equal(floorAfter({}), undefined, 'no floor stays none');
  t.end();
});

t.test('an archived source is not learned again; a restored one is', t => {
  const other = { ...relearn, requestId: id(40), created: { ...created, sourceId: 8 } };
  const refused = given(t, source, ...lived, ...relearned)
    .when(other)
    .rejects('sourceRelearned');
  t.equal(refused?.message, 'source 1 was learned again as source 7');
  const reset = { type: 'RequestModelsReset', requestId: id(41), modelCount: 2, seed: 1 } as const;
  const changed = given(t, source, ...lived, ...relearned)
    .when({ ...reset, keepPlanning: true })
    .rejects('sourceNotFound');
  t.equal(changed?.message, 'the source was learned again as source 7');
  given(t, source, ...lived, { type: 'SourceArchived', data: { requestId: id(6) } })
    .when(other)
    .rejects('sourceNotFound');
  const restored: SourceEvent = { type: 'SourceRestored', data: { requestId: id(7) } };
  const again = source.decide(
    other,
    [...lived, ...relearned, restored].reduce(source.evolve, source.initial),
  );
  t.match(
    again,
    exactList({ type: 'SourceRelearned' }, { type: 'SourceArchived', data: { relearnedAs: 8 } }),
  );
  t.end();
});

t.test('the special days of the new source are those of its creation', t => {
  const [event] = relearned;
  if (event?.type !== 'SourceRelearned') throw new Error('another event');
  const first: SourceEvent = { type: 'SourceCreated', data: event.data.created };
  const state = source.evolve(source.initial, first);
  t.match(state, {
    specials: { named: { '2024-12-24': 'Inventory', '2025-12-24': 'Inventory' }, rules: exactList() },
    relearnedAs: null,
  });
  t.end();
});

t.test('the calendar rules of a source go on in the new one', t => {
  const rule = {
    ...{ ruleId: id(50), name: 'Month end', rule: 'FREQ=MONTHLY;BYMONTHDAY=-1' },
    ...{ from: '2024-01-01', to: '2025-12-31', dates: ['2024-12-31', '2025-01-31'] },
  };
  const ruled: readonly SourceEvent[] = [
    ...lived,
    { type: 'CalendarRuleApplied', data: { requestId: id(51), rule } },
    { type: 'SpecialDayCleared', data: { requestId: id(52), date: '2025-01-31' } },
  ];
  const [event] = source.decide(relearn, ruled.reduce(source.evolve, source.initial));
  if (event?.type !== 'SourceRelearned') throw new Error('another event');
  const calendarRules = { cleared: ['2025-01-31'], rules: [rule], followed: -1 };
  t.strictSame(event.data.created.calendarRules, calendarRules);
  const state = source.evolve(source.initial, { type: 'SourceCreated', data: event.data.created });
  t.match(state, { specials: calendarRules });
  t.end();
});

// The proposal

const dates = (first: string, count: number, step = 1): string[] =>
  Array.from({ length: count }, (_, index) => dateOf(dayNumber(first) + index * step));

t.test('a drift lasts when four weeks of it have no break of more than a week', t => {
  const drift = dates('2024-03-01', 28);
  t.equal(lastingDriftSince([], '2024-03-28'), null);
  t.equal(lastingDriftSince(drift, '2024-03-28'), '2024-03-01');
  t.equal(lastingDriftSince(drift, '2024-04-04'), '2024-03-01', 'a week without it');
  t.equal(lastingDriftSince(drift, '2024-04-05'), null, 'it has ended');
  t.equal(lastingDriftSince(drift.slice(1), '2024-03-28'), null, 'shorter than four weeks');
  t.equal(lastingDriftSince(dates('2024-03-01', 5, 7), '2024-03-29'), '2024-03-01', 'a day a week');
  t.equal(lastingDriftSince(dates('2024-03-01', 5, 8), '2024-04-02'), null, 'single days');
  t.equal(lastingDriftSince(['2023-01-01', ...drift], '2024-03-28'), '2024-03-01', 'an earlier drift');
  t.end();
});

const calm = { first: '2024-01-01', last: '2024-12-29', enoughDays: 0, atMaximumSince: null, drifting: [] };

t.test('the most pressing reason is proposed, in a sentence', t => {
  const full = { ...calm, last: '2024-12-30', enoughDays: 365 };
  const drifting = dates('2024-12-01', 29);
  t.equal(relearnProposal(calm), null);
  t.strictSame(relearnProposal(full), {
    reason: 'yearOfData',
    since: '2024-12-30',
    sentence:
      'A full year of recent days has been there since 2024-12-30; it can be learned again from the last year.',
    possible: true,
  });
  t.strictSame(relearnProposal({ ...calm, drifting }), {
    reason: 'drift',
    since: '2024-12-01',
    sentence:
      'The source has been on another level than its reference since 2024-12-01; ' +
      'it can be learned again when a year of recent days is there, on 2024-12-30.',
    possible: false,
  });
  t.match(relearnProposal({ ...full, drifting, atMaximumSince: '2024-11-05' }), {
    reason: 'limitsAtMaximum',
    since: '2024-11-05',
    sentence: /^The limits have been at their widest since 2024-11-05; .* from the last year\.$/,
    possible: true,
  });
  t.match(relearnProposal({ ...full, drifting, enoughDays: 182 }), {
    reason: 'drift',
    sentence: /its last year has too few complete days to be learned again\.$/,
    possible: false,
  });
  t.equal(relearnProposal({ ...full, enoughDays: 182 }), null, 'no year');
  t.end();
});

t.test('any days: a year is proposed exactly when it can be learned from', t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 19_000, max: 19_900 }), { minLength: 1, maxLength: 600 }),
      fc.boolean(),
      (numbers, learnable) => {
        const days = numbers.sort((a, b) => a - b).map(number => ({ date: dateOf(number), learnable }));
        const [first = '', last = ''] = [days[0]?.date, days.at(-1)?.date];
        const from = dateOf(dayNumber(last) - 364);
        const enoughDays = days.filter(day => day.date >= from && day.learnable).length;
        const proposal = relearnProposal({ ...calm, first, last, enoughDays });
        return (proposal !== null) === (refusal(days) === '');
      },
    ),
  );
  t.end();
});
