import fc from '../helpers/property.js';
import t from 'tap';
import {
  catalog,
  claimMs,
  type CatalogCommand,
  type CatalogEvent,
  type NameClaim,
} from '../../domain/catalog.js';
import { dateOf, durationMinutes } from '../../domain/dates.js';
import {
  days,
  daysPerPart,
  type ClockTicked,
  type PointsImported,
  type DaysCommand,
  type DaysEvent,
  type DaysImported,
} from '../../domain/days.js';
import { lookUp } from '../../domain/keyed.js';
import { withIds } from '../../domain/planning/models.js';
import { keptByRestoring, modelsAfter, type SetModels } from '../../domain/planning/editedModels.js';
import type { RejectionCode } from '../../domain/rejection.js';
import { referenceFacts, type SourceState, type SourceEvent } from '../../domain/source/sourceState.js';
import { source, specialDaysMax } from '../../domain/source/source.js';
import type { SourceCommand } from '../../domain/source/sourceCommands.js';
import { feedTagsMax } from '../../domain/source/feed.js';
import {
  labelsMax,
  type DescriptionPatch,
  type DescribedFacts,
} from '../../domain/source/sourceDescription.js';
import { foldFrozen, foldsInHalves, given, play } from '../helpers/decisions/decider.js';
import { dayOf, draft, factsOf, id, instant, learnedOf } from '../helpers/data/samples.js';

// Floor

t.test('a source that collects its reference has no analysis before its first extension', async t => {
  const facts = { ...factsOf(1), requestId: id(1), seed: 1 } as const;
  const collecting: SourceEvent = { type: 'SourceCreated', data: { ...facts, collects: true } };
  const reset = { type: 'RequestModelsReset', requestId: id(2), modelCount: 2, seed: 1 } as const;
  given(t, source, collecting).when(reset).rejects('referenceCollecting');
  const { type: _, ...data } = reset;
  const asked: SourceEvent = { type: 'ModelsResetRequested', data };
  given(t, source, { type: 'SourceCreated', data: facts }).when(reset).then(asked);
  const { reference, referenceYear } = factsOf(1);
  const extended = { requestId: id(3), reference, referenceYear, leftOut: [], seed: 1 };
  given(t, source, collecting, { type: 'ReferenceExtended', data: extended }).when(reset).then(asked);
});

t.test('an extension of the reference proposes a floor, unless a person gave one', async t => {
  const proposed = { absolute: 4, percent: 3, proposed: true } as const;
  const extend = {
    type: 'ExtendReference',
    requestId: id(2),
    referenceYear: 2023,
    reference: factsOf(1).reference,
    leftOut: [],
    minChange: proposed,
    seed: 1,
  } as const;
  const collecting = (minChange: object): SourceEvent => ({
    type: 'SourceCreated',
    data: { ...factsOf(1), requestId: id(1), seed: 1, collects: true, ...minChange },
  });
  const { type, ...asked } = extend;
  const data = { ...asked, keepsModels: false };
  given(t, source, collecting({})).when(extend).then({ type: 'ReferenceExtended', data });
  const older = { minChange: { ...proposed, absolute: 9 } };
  given(t, source, collecting(older)).when(extend).then({ type: 'ReferenceExtended', data });
  const { minChange: _, ...rest } = data;
  const own = { minChange: { absolute: 0, percent: null, proposed: false } };
  given(t, source, collecting(own)).when(extend).then({ type: 'ReferenceExtended', data: rest });
});

t.test('models of people stay when the reference grows; those of an older event are learned', async t => {
  const reference = { ...factsOf(1).reference, days: 60 };
  const command = (request: number) =>
    ({
      type: 'ExtendReference',
      requestId: id(request),
      referenceYear: 2023,
      reference,
      leftOut: [],
      seed: 1,
      covariates: [],
    }) as const;
  const extended = (request: number, keepsModels?: boolean): SourceEvent => {
    const { type, covariates, ...data } = command(request);
    const learning = keepsModels ? {} : { covariates };
    const said = keepsModels === undefined ? {} : { keepsModels };
    return { type: 'ReferenceExtended', data: { ...data, ...learning, ...said } };
  };
  const facts = { ...factsOf(1), requestId: id(1), seed: 1, collects: true } as const;
  const created: SourceEvent = { type: 'SourceCreated', data: facts };
  const learned = withIds(learnedOf(2), 1);
  const reset = (requestId: string, more: object): SourceEvent => ({
    type: 'ModelsReset',
    data: { ...learnedOf(2), ...learned, requestId, modelsVersion: 1, ...more },
  });
  const asked: SourceEvent = {
    type: 'ModelsResetRequested',
    data: { requestId: id(4), modelCount: 2, seed: 1 },
  };
  const replaced: SourceEvent = {
    type: 'ModelsReplaced',
    data: { requestId: id(3), modelsVersion: 1, models: learned.models, assignments: [] },
  };
  const marked: SourceEvent = {
    type: 'ModelAnomalyChanged',
    data: { requestId: id(5), engine: 'test 1', modelId: 1, anomaly: true, modelsVersion: 2 },
  };
  const automatic = [created, extended(2, false), reset(id(2), {})] as const;
  const extendAfter = (...events: readonly SourceEvent[]) => given(t, source, ...events).when(command(9));
  extendAfter(created).then(extended(9, false));
  extendAfter(...automatic).then(extended(9, false));
  extendAfter(created, replaced).then(extended(9, true));
  extendAfter(...automatic, marked).then(extended(9, true));
  const edited = { edited: { modelsVersion: 1, from: [1, 2] }, modelsVersion: 2 };
  extendAfter(...automatic, reset(id(3), edited)).then(extended(9, true));
  extendAfter(...automatic, reset(id(3), { restoredFrom: 1, modelsVersion: 2 })).then(extended(9, true));
  extendAfter(created, extended(2, true), replaced, asked).then(extended(9, false));
  extendAfter(created, extended(2, true), replaced, asked, reset(id(4), {})).then(extended(9, false));

  const pending = (event: SourceEvent) => {
    const state = foldFrozen(source, source.initial, [created, replaced, event]);
    return state.status !== 'absent' && [state.pendingRequestId, state.collected];
  };
  t.strictSame(pending(extended(9, true)), [null, 60]);
  t.strictSame(pending(extended(9)), [id(9), 60], 'an older event asked for an analysis');
});

// Reference days that are left out

t.test('a reference day is left out once, and 14 remain', async t => {
  const facts = { ...factsOf(1), reference: { ...factsOf(1).reference, days: 16 } };
  const created: SourceEvent = { type: 'SourceCreated', data: { ...facts, requestId: id(1), seed: 1 } };
  const out = (request: number, date: string): SourceEvent => ({
    type: 'ReferenceDayLeftOut',
    data: { requestId: id(request), date, reason: 'a fair' },
  });
  const back: SourceEvent = {
    type: 'LeavingOutTakenBack',
    data: { requestId: id(9), date: '2023-02-01' },
  };
  const leaveOut = (request: number, date: string, reason = 'a fair') =>
    ({ type: 'LeaveOutReferenceDay', requestId: id(request), date, reason }) as const;
  const takeBack = { type: 'TakeBackLeavingOut', requestId: id(9), date: '2023-02-01' } as const;
  const [first, second] = [out(2, '2023-02-01'), out(3, '2023-01-01')];
  given(t, source, created).when(leaveOut(2, '2023-02-01')).then(first);
  given(t, source, created, first)
    .when(leaveOut(3, '2023-02-01', 'other'))
    .then();
  given(t, source, created, first).when(leaveOut(2, '2023-03-01')).then();
  given(t, source, created, first).when(leaveOut(3, '2023-01-01')).then(second);
  given(t, source, created, first, second).when(leaveOut(4, '2023-03-01')).rejects('tooFewReferenceDays');
  given(t, source, created, first, second).when(takeBack).then(back);
  given(t, source, created).when(takeBack).then();
  given(t, source, created, first, back).when(takeBack).then();

  const reset = { type: 'RequestModelsReset', requestId: id(5), modelCount: 2, seed: 1 } as const;
  const { type, ...data } = reset;
  const requested = (more: object): SourceEvent => ({
    type: 'ModelsResetRequested',
    data: { ...data, ...more },
  });
  given(t, source, created, first, second)
    .when(reset)
    .then(requested({ withoutDates: ['2023-01-01', '2023-02-01'] }));
  given(t, source, created, first, back).when(reset).then(requested({}));
});

// Ids

t.test('models and their references get consecutive ids', async t => {
  const models = [draft('a', 1), draft('b', 2)];
  const assignments = [
    { date: '2023-01-01', model: 1, planned: 0 },
    { date: '2023-01-02', model: 0 },
  ];
  const identified = withIds({ models, assignments }, 7);
  t.strictSame(
    identified.models.map(({ id, name }) => [id, name]),
    [
      [7, 'a'],
      [8, 'b'],
    ],
  );
  t.strictSame(identified.assignments, [
    { date: '2023-01-01', modelId: 8, plannedId: 7 },
    { date: '2023-01-02', modelId: 7 },
  ]);
});

// Catalog

const reserved = (sourceId: number, request: number): CatalogEvent => ({
  type: 'SourceIdReserved',
  data: { sourceId, requestId: id(request) },
});

t.test('catalog: ids count from 1, one for each request', async t => {
  const reserve = (request: number) => ({ type: 'ReserveSourceId', requestId: id(request) }) as const;
  given(t, catalog).when(reserve(1)).then(reserved(1, 1));
  given(t, catalog, reserved(1, 1)).when(reserve(2)).then(reserved(2, 2));
  given(t, catalog, reserved(1, 1), reserved(2, 2)).when(reserve(1)).then();
  given(t, catalog, reserved(1, 1), reserved(7, 2)).when(reserve(3)).then(reserved(8, 3));
});

t.test('catalog: a log begins once, with whatever event', async t => {
  const begin = { type: 'BeginLog', requestId: id(1) } as const;
  const begun = { type: 'LogBegun', data: { requestId: id(1) } } as const;
  given(t, catalog).when(begin).then(begun);
  given(t, catalog, begun).when(begin).then();
  given(t, catalog, reserved(1, 1)).when(begin).then();
  given(t, catalog, begun)
    .when({ type: 'ReserveSourceId', requestId: id(2) })
    .then(reserved(1, 2));
});

t.test('catalog: any requests get distinct ids, and each request finds its id', async t => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 60 }), fc.nat(), (requests, cut) => {
      const { events, state } = play(
        catalog,
        requests.map(n => ({ type: 'ReserveSourceId', requestId: id(n) }) as const),
      );
      const given = events.flatMap(event => (event.type === 'SourceIdReserved' ? [event.data] : []));
      const ids = given.map(({ sourceId }) => sourceId);
      if (ids.join() !== [...new Set(requests)].map((_, index) => index + 1).join()) return false;
      foldsInHalves(catalog, events, cut);
      return given.every(({ requestId, sourceId }) => lookUp(state.reserved, requestId) === sourceId);
    }),
  );
  t.pass('held');
});

// Days

const claimed = (request: number, sourceId: number, name: string, second: number): CatalogEvent => ({
  type: 'SourceNameClaimed',
  data: {
    requestId: id(request),
    sourceId,
    tenant: 'default',
    name,
    at: instant(second),
    until: instant(second + claimMs / 1000),
  },
});
const claiming = (event: CatalogEvent, ...finished: readonly number[]): CatalogCommand => {
  if (event.type !== 'SourceNameClaimed') throw new Error('no claim');
  return { type: 'ClaimSourceName', claim: event.data, finished: finished.map(id) };
};

t.test('catalog: of two requests for one name the first has it, until its claim is over', async t => {
  const first = claimed(1, 1, 'East', 0);
  const second = (at: number, name = 'East') => claimed(2, 2, name, at);
  given(t, catalog).when(claiming(first)).then(first);
  given(t, catalog, first).when(claiming(first)).then();
  const refusal = given(t, catalog, first)
    .when(claiming(second(119)))
    .rejects('sourceNameTaken');
  t.match(refusal?.message, /got the name "East", .*source 1 now; retry later$/);
  given(t, catalog, first)
    .when(claiming(second(120)))
    .then(second(120));
  given(t, catalog, first)
    .when(claiming(second(1, 'West')))
    .then(second(1, 'West'));
  given(t, catalog, first)
    .when(claiming(second(1), 1))
    .then(second(1));
  const theirs = { ...second(1).data, tenant: 'north' } as NameClaim;
  given(t, catalog, first)
    .when({ type: 'ClaimSourceName', claim: theirs, finished: [] })
    .then({ type: 'SourceNameClaimed', data: theirs });
  given(t, catalog, first, second(130), claimed(3, 3, 'East', 131))
    .when(claiming(claimed(4, 4, 'East', 140), 2))
    .rejects('sourceNameTaken');
});

t.test('durations are read in minutes, from one to 366 days', async t => {
  const known = { PT1M: 1, PT90M: 90, PT6H: 360, P1D: 1440, P1DT12H: 2160, P2W: 20_160, P366D: 527_040 };
  for (const [text, minutes] of Object.entries(known)) t.equal(durationMinutes(text), minutes, text);
  for (const text of [
    '',
    'P',
    'PT',
    'P1',
    '1D',
    'P0D',
    'PT0M',
    'P1M',
    'P1Y',
    'PT1S',
    'P1.5D',
    'P-1D',
    'P367D',
    'P1DT',
    'p1d',
  ])
    t.equal(durationMinutes(text), undefined, text);
});

const part = (request: number, part: number, parts: number): DaysImported => ({
  type: 'DaysImported',
  data: {
    sourceId: 1,
    importId: id(request),
    kind: 'recent',
    part,
    parts,
    days: [dayOf(`2024-01-0${part}`)],
    ...(part === parts
      ? {
          summary: {
            lines: 5,
            days: parts,
            missingSamples: 0,
            filledSamples: 0,
            duplicates: 0,
            warnings: [],
          },
        }
      : {}),
  },
});
const importing = ({ data }: DaysImported): DaysCommand => ({ type: 'ImportDays', ...data });

t.test('days: the parts of an import are in order and unique', async t => {
  const [first, second, third] = [part(1, 1, 3), part(1, 2, 3), part(1, 3, 3)];
  given(t, days).when(importing(first)).then(first);
  given(t, days, first).when(importing(second)).then(second);
  given(t, days, first, second).when(importing(third)).then(third);
  given(t, days, first).when(importing(first)).then();
  given(t, days, first, second, third).when(importing(second)).then();
  given(t, days).when(importing(second)).rejects('importOutOfOrder');
  const refusal = given(t, days, first).when(importing(third)).rejects('importOutOfOrder');
  t.equal(refusal?.message, 'got part 3, expected part 2');
});

t.test('days: imports are independent', async t => {
  given(t, days, part(1, 1, 2))
    .when(importing(part(2, 1, 1)))
    .then(part(2, 1, 1));
  given(t, days, part(1, 1, 2), part(2, 1, 1))
    .when(importing(part(1, 2, 2)))
    .then(part(1, 2, 2));
  given(t, days, part(1, 1, 2))
    .when(importing(part(2, 2, 2)))
    .rejects('importOutOfOrder');
  t.equal(daysPerPart, 31, 'an event contains at most 31 days');
});

const ticked = (deadline: string): ClockTicked => ({
  type: 'ClockTicked',
  data: { sourceId: 1, deadline },
});
const tick = (deadline: string): DaysCommand => ({ type: 'TickClock', sourceId: 1, deadline });
const deadlines = ['2024-01-02T06:00:00.000Z', '2024-01-03T06:00:00.000Z'] as const;

/** Points of a date in progress, or of one that is over. */
const points = (n: number, isOpen = true): PointsImported['data'] => ({
  sourceId: 1,
  importId: id(n),
  rule: { activitySize: 24, interpolates: false },
  days: [
    {
      date: '2024-01-02',
      observed: [[0, [n]]],
      ...(isOpen && { inProgress: { elapsed: 1, closesAt: '2024-01-03T00:15:00.000Z' } }),
    },
  ],
  points: n,
});
const stored = (n: number, isOpen = true): DaysEvent => ({
  type: 'PointsImported',
  data: points(n, isOpen),
});
const store = (n: number, changes?: number): DaysCommand => ({
  type: 'ImportPoints',
  ...points(n),
  ...(changes !== undefined && { changes }),
});
const closed: DaysEvent = {
  type: 'DateClosed',
  data: {
    ...{ sourceId: 1, date: '2024-01-02', importId: id(2), closesAt: '2024-01-03T00:15:00.000Z' },
    rule: points(2).rule,
  },
};

t.test('days: values of points are stored only if the days have not changed since', async t => {
  const [tick] = deadlines;
  given(t, days).when(store(2, 0)).then(stored(2));
  given(t, days, ticked(tick)).when(store(2, 0)).then(stored(2));
  given(t, days, stored(2)).when(store(1, 0)).then();
  given(t, days, stored(2)).when(store(2, 0)).then();
  given(t, days, stored(2)).when(store(1, 1)).then(stored(1));
  given(t, days, stored(2)).when(store(1)).then(stored(1));
  given(t, days, part(1, 1, 1))
    .when(store(2, 0))
    .then();
  given(t, days, stored(2), closed).when(store(3, 1)).then();
  given(t, days, stored(2), closed).when(store(3, 2)).then(stored(3, false));
});

t.test('days: a date that has closed is never in progress again', async t => {
  const close: DaysCommand = { type: 'CloseDate', sourceId: 1, date: '2024-01-02', rule: points(2).rule };
  given(t, days, stored(2)).when(close).then(closed);
  given(t, days, stored(2), closed).when(close).then();
  // The clock of another instance is slow.
  given(t, days, stored(2), closed).when(store(3)).then(stored(3, false));
  given(t, days, stored(2), closed, stored(3, false)).when(store(4)).then(stored(4, false));
  // Points that came after the end closed the date; without an earlier part of it they do not.
  given(t, days, stored(2), stored(3, false)).when(store(4)).then(stored(4, false));
  given(t, days, stored(2), stored(3, false)).when(close).then();
  given(t, days, stored(3, false)).when(store(4)).then(stored(4));
  const back: DaysEvent = {
    type: 'DayTakenBack',
    data: { sourceId: 1, date: '2024-01-02', importId: id(2), reason: null },
  };
  given(t, days, stored(2), closed, back).when(store(4)).then(stored(4, false));
  given(t, days, stored(2), back).when(store(4)).then(stored(4));
});

t.test('days: an import that was read before the end of a date does not open it again', async t => {
  const openOn = (date: string) => ({ date, elapsed: 1, closesAt: '2024-01-04T00:15:00.000Z' });
  const [open, later] = [openOn('2024-01-02'), openOn('2024-01-03')] as const;
  const { data } = part(7, 1, 1);
  const withOpen = (...inProgress: readonly (typeof open)[]): DaysImported => ({
    type: 'DaysImported',
    data: { ...data, summary: { ...data.summary!, ...(inProgress.length > 0 && { inProgress }) } },
  });
  given(t, days, stored(2))
    .when(importing(withOpen(open)))
    .then(withOpen(open));
  given(t, days, stored(2), closed)
    .when(importing(withOpen(open)))
    .then(withOpen());
  given(t, days, stored(2), closed)
    .when(importing(withOpen(open, later)))
    .then(withOpen(later));
});

t.test('days: an import of a covariate is noted once, and only for dates that it changes', async t => {
  const noted = (n: number, dates: readonly string[]) =>
    ({ sourceId: 1, covariateId: 2, importId: id(n), revision: 7, dates }) as const;
  const note = (n: number, dates: readonly string[]): DaysCommand => ({
    type: 'NoteCovariateDays',
    ...noted(n, dates),
  });
  const event = (n: number, dates: readonly string[]): DaysEvent => ({
    type: 'CovariateDaysImported',
    data: noted(n, dates),
  });
  const dates = ['2024-01-02', '2024-01-03'];
  given(t, days).when(note(1, dates)).then(event(1, dates));
  given(t, days, event(1, dates))
    .when(note(1, ['2024-01-02']))
    .then();
  given(t, days, event(1, dates)).when(note(2, dates)).then(event(2, dates));
  given(t, days).when(note(1, [])).then();
});

t.test('days: a deadline is passed once, also by several instances', async t => {
  const [first, second] = deadlines;
  given(t, days).when(tick(first)).then(ticked(first));
  given(t, days, ticked(first)).when(tick(first)).then();
  given(t, days, ticked(first)).when(tick(second)).then(ticked(second));
  given(t, days, ticked(second)).when(tick(first)).then();
  given(t, days, part(1, 1, 2), ticked(first))
    .when(importing(part(1, 2, 2)))
    .then(part(1, 2, 2));
});

t.test('days: any sequence of commands records the parts of an import in order from 1', async t => {
  const command = fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 }))
    .map(([request, n]) => importing(part(request, n, 4)));
  const ticking = fc.constantFrom(...deadlines).map(tick);
  fc.assert(
    fc.property(fc.array(fc.oneof(command, ticking), { maxLength: 40 }), fc.nat(), (commands, cut) => {
      const { events } = play(days, commands);
      foldsInHalves(days, events, cut);
      return [1, 2, 3].every(request =>
        events
          .flatMap(({ data }) => ('part' in data && data.importId === id(request) ? [data] : []))
          .every((data, index) => data.part === index + 1),
      );
    }),
  );
  t.pass('held');
});

// Source

const facts = factsOf(1);
const learned = learnedOf(2);
const { models: learnedModels, assignments: learnedAssignments, ...learnedRest } = learned;

const created: SourceEvent = { type: 'SourceCreated', data: { ...facts, requestId: id(1), seed: 1 } };
const requested = (request: number, modelCount = 3): SourceEvent => ({
  type: 'ModelsResetRequested',
  data: { requestId: id(request), modelCount, seed: 5 },
});
const failed = (request: number): SourceEvent => ({
  type: 'AnalysisFailed',
  data: { requestId: id(request), code: 'analysisFailed', detail: 'no complete day' },
});
/** Event with the two learned models; their ids count from `firstId`. */
const reset = (request: number, modelsVersion: number, firstId: number): SourceEvent => ({
  type: 'ModelsReset',
  data: {
    ...learnedRest,
    requestId: id(request),
    modelsVersion,
    models: learnedModels.map((model, index) => ({ ...model, id: firstId + index })),
    assignments: learnedAssignments.map(({ date, model }) => ({ date, modelId: firstId + model })),
  },
});
const drafts = [draft('A'), draft('B', 20, true), draft('C', 30)];
const nearest = [
  { date: '2023-01-01', model: 0 },
  { date: '2023-01-02', model: 2 },
  { date: '2023-01-03', model: 2 },
];
const replaced = (request: number, modelsVersion: number, firstId: number): SourceEvent => ({
  type: 'ModelsReplaced',
  data: {
    requestId: id(request),
    engine: 'test 2',
    modelsVersion,
    models: drafts.map((model, index) => ({ ...model, id: firstId + index, days: [1, 0, 2][index] ?? -1 })),
    assignments: nearest.map(({ date, model }) => ({ date, modelId: firstId + model })),
  },
});
const planned = (request: number, date: string, modelId: number): SourceEvent => ({
  type: 'DayPlanned',
  data: { requestId: id(request), date, modelId },
});
const cleared = (request: number, date: string): SourceEvent => ({
  type: 'DayPlanCleared',
  data: { requestId: id(request), date },
});

const named = (request: number, on: string, name: string): SourceEvent => ({
  type: 'SpecialDayNamed',
  data: { requestId: id(request), date: on, name },
});
const unnamed = (request: number, on: string): SourceEvent => ({
  type: 'SpecialDayCleared',
  data: { requestId: id(request), date: on },
});

const create = (request: number): SourceCommand => ({
  type: 'CreateSource',
  requestId: id(request),
  facts,
  seed: 1,
});
const requestReset = (request: number): SourceCommand => ({
  type: 'RequestModelsReset',
  requestId: id(request),
  modelCount: 3,
  seed: 5,
});
const resetModels = (request: number): SourceCommand => ({
  type: 'ResetModels',
  requestId: id(request),
  learned,
});
const fail = (request: number): SourceCommand => ({
  type: 'FailAnalysis',
  requestId: id(request),
  code: 'analysisFailed',
  detail: 'no complete day',
});
const replace = (request: number): SourceCommand => ({
  type: 'ReplaceModels',
  requestId: id(request),
  models: drafts,
  engine: 'test 2',
  assignments: nearest,
});
const plan = (request: number, date: string, modelId: number): SourceCommand => ({
  type: 'PlanDay',
  requestId: id(request),
  date,
  modelId,
});
const clear = (request: number, date: string): SourceCommand => ({
  type: 'ClearDayPlan',
  requestId: id(request),
  date,
});

const nameDay = (request: number, on: string, name: string): SourceCommand => ({
  type: 'NameSpecialDay',
  requestId: id(request),
  date: on,
  name,
});
const unnameDay = (request: number, on: string): SourceCommand => ({
  type: 'ClearSpecialDay',
  requestId: id(request),
  date: on,
});

const describeSource = (request: number, patch: DescriptionPatch): SourceCommand => ({
  type: 'DescribeSource',
  requestId: id(request),
  patch,
});
const described = (request: number, changed: Partial<DescribedFacts>): SourceEvent => ({
  type: 'SourceDescribed',
  data: {
    ...{ name: facts.name, labels: {}, place: null, expectedInterval: null },
    ...changed,
    requestId: id(request),
  },
});
const archive = (request: number): SourceCommand => ({ type: 'ArchiveSource', requestId: id(request) });
const restore = (request: number): SourceCommand => ({ type: 'RestoreSource', requestId: id(request) });
const archived = (request: number): SourceEvent => ({
  type: 'SourceArchived',
  data: { requestId: id(request) },
});
const restored = (request: number): SourceEvent => ({
  type: 'SourceRestored',
  data: { requestId: id(request) },
});

const date = '2024-03-04';

/** Events that lead to each state, and the result of every command in that state. */
const manyTags = Object.fromEntries(
  Array.from({ length: feedTagsMax + 1 }, (_, index) => [`t${index}`, 'v']),
);

const sourceTable: readonly {
  readonly state: string;
  readonly events: readonly SourceEvent[];
  readonly expected: readonly (readonly [SourceCommand, readonly SourceEvent[] | RejectionCode])[];
}[] = [
  {
    state: 'absent',
    events: [],
    expected: [
      [create(1), [created]],
      [requestReset(2), 'sourceNotFound'],
      [resetModels(1), 'sourceNotFound'],
      [fail(1), 'sourceNotFound'],
      [replace(2), 'sourceNotFound'],
      [plan(2, date, 1), 'sourceNotFound'],
      [clear(2, date), 'sourceNotFound'],
      [nameDay(2, date, 'Fair'), 'sourceNotFound'],
      [unnameDay(2, date), 'sourceNotFound'],
      [describeSource(2, { name: 'East' }), 'sourceNotFound'],
      [archive(2), 'sourceNotFound'],
      [restore(2), 'sourceNotFound'],
    ],
  },
  {
    state: 'described, field by field',
    events: [created, described(2, { labels: { floor: '1', site: 'A' }, expectedInterval: 'P1D' })],
    expected: [
      [describeSource(3, {}), []],
      [describeSource(3, { name: facts.name, labels: { site: 'A' } }), []],
      [
        describeSource(3, { name: 'East', labels: { site: null, gate: '7' } }),
        [described(3, { name: 'East', labels: { floor: '1', gate: '7' }, expectedInterval: 'P1D' })],
      ],
      [
        describeSource(3, { place: { latitude: 50.94, longitude: 6.96 }, expectedInterval: null }),
        [
          described(3, {
            labels: { floor: '1', site: 'A' },
            place: { latitude: 50.94, longitude: 6.96, address: null },
          }),
        ],
      ],
      [describeSource(3, { labels: null }), [described(3, { expectedInterval: 'P1D' })]],
      [describeSource(3, { place: { latitude: 1 } }), 'descriptionInvalid'],
      [describeSource(3, { expectedInterval: 'daily' }), 'descriptionInvalid'],
    ],
  },
  {
    state: 'explained by other sources',
    events: [created, described(2, { explainedBy: [3, 4] })],
    expected: [
      [describeSource(3, { explainedBy: [3, 4] }), []],
      [describeSource(3, { name: 'East' }), [described(3, { name: 'East', explainedBy: [3, 4] })]],
      [describeSource(3, { explainedBy: [4, 3] }), [described(3, { explainedBy: [4, 3] })]],
      [describeSource(3, { explainedBy: null }), [described(3, {})]],
      [describeSource(3, { explainedBy: [] }), [described(3, {})]],
      [describeSource(3, { explainedBy: [3, 3] }), 'descriptionInvalid'],
      [describeSource(3, { explainedBy: [3, 4, 5, 6] }), 'descriptionInvalid'],
    ],
  },
  {
    state: 'with a unit',
    events: [created, described(2, { unit: 'kWh' })],
    expected: [
      [describeSource(3, { unit: 'kWh' }), []],
      [describeSource(3, { name: 'East' }), [described(3, { name: 'East', unit: 'kWh' })]],
      [describeSource(3, { unit: 'm³' }), [described(3, { unit: 'm³' })]],
      [describeSource(3, { unit: null }), [described(3, {})]],
      [describeSource(3, { unit: null, lateness: 'P1D' }), [described(3, { lateness: 'P1D' })]],
    ],
  },
  {
    state: 'with a proposed floor',
    events: [created, described(2, { minChange: { absolute: 3, percent: 2, proposed: true } })],
    expected: [
      [
        describeSource(3, { minChange: { absolute: 5 } }),
        [described(3, { minChange: { absolute: 5, percent: 2, proposed: false } })],
      ],
      [
        describeSource(3, { minChange: { absolute: 0, percent: 0 } }),
        [described(3, { minChange: { absolute: 0, percent: 0, proposed: false } })],
      ],
      [
        describeSource(3, { minChange: { absolute: null } }),
        [described(3, { minChange: { absolute: null, percent: 2, proposed: false } })],
      ],
      [describeSource(3, { minChange: { absolute: null, percent: null } }), [described(3, {})]],
      [describeSource(3, { minChange: null }), [described(3, {})]],
      [describeSource(3, { minChange: { absolute: -1 } }), 'descriptionInvalid'],
      [describeSource(3, { minChange: { percent: 1001 } }), 'descriptionInvalid'],
    ],
  },
  {
    state: 'with a feed',
    events: [created, described(2, { feed: { measurement: 'm', field: 'f', tags: { a: '1', b: '2' } } })],
    expected: [
      [describeSource(3, { feed: { measurement: 'm', field: 'f', tags: { b: '2', a: '1' } } }), []],
      [
        describeSource(3, { feed: { measurement: 'm', field: 'g', tags: { z: '1', b: null } } }),
        [described(3, { feed: { measurement: 'm', field: 'g', tags: { a: '1', z: '1' } } })],
      ],
      [
        describeSource(3, { feed: { tags: { c: '3' } } }),
        [described(3, { feed: { measurement: 'm', field: 'f', tags: { a: '1', b: '2', c: '3' } } })],
      ],
      [
        describeSource(3, { feed: { measurement: 'n', tags: null } }),
        [described(3, { feed: { measurement: 'n', field: 'f', tags: {} } })],
      ],
      [describeSource(3, { feed: null }), [described(3, {})]],
      [describeSource(3, { feed: { measurement: '', field: 'f', tags: {} } }), 'descriptionInvalid'],
      [describeSource(3, { feed: { measurement: 'm', field: 'f', tags: manyTags } }), 'descriptionInvalid'],
    ],
  },
  {
    state: 'a place is patched, too',
    events: [created, described(2, { place: { latitude: 1, longitude: 2, address: 'Quay 3' } })],
    expected: [
      [
        describeSource(3, { place: { address: null } }),
        [described(3, { place: { latitude: 1, longitude: 2, address: null } })],
      ],
      [
        describeSource(3, { place: { latitude: null, longitude: null } }),
        [described(3, { place: { latitude: null, longitude: null, address: 'Quay 3' } })],
      ],
      [describeSource(3, { place: null }), [described(3, {})]],
      [describeSource(3, { place: { latitude: null, longitude: null, address: null } }), [described(3, {})]],
    ],
  },
  {
    state: 'archived while an analysis is awaited',
    events: [created, archived(2)],
    expected: [
      [create(1), []],
      [create(3), 'sourceExists'],
      [archive(3), []],
      [restore(3), [restored(3)]],
      [describeSource(3, { name: 'East' }), 'sourceNotFound'],
      [requestReset(3), 'sourceNotFound'],
      [replace(3), 'sourceNotFound'],
      [plan(3, date, 1), 'sourceNotFound'],
      [clear(3, date), 'sourceNotFound'],
      [nameDay(3, date, 'Fair'), 'sourceNotFound'],
      [unnameDay(3, date), 'sourceNotFound'],
      [resetModels(1), [reset(1, 1, 1)]],
      [fail(1), [failed(1)]],
    ],
  },
  {
    state: 'restored with all that it had',
    events: [created, reset(1, 1, 1), planned(2, date, 2), archived(3), restored(4)],
    expected: [
      [restore(5), []],
      [archive(5), [archived(5)]],
      [plan(5, date, 2), []],
      [requestReset(5), [requested(5)]],
    ],
  },
  {
    state: 'created, analysis awaited',
    events: [created],
    expected: [
      [create(1), []],
      [create(2), 'sourceExists'],
      [requestReset(1), []],
      [requestReset(2), [requested(2)]],
      [resetModels(1), [reset(1, 1, 1)]],
      [resetModels(2), []],
      [fail(1), [failed(1)]],
      [fail(2), []],
      [replace(2), [replaced(2, 1, 1)]],
      [plan(2, date, 1), 'modelNotFound'],
      [clear(2, date), []],
    ],
  },
  {
    state: 'special days without models',
    events: [created, named(2, date, 'Fair')],
    expected: [
      [nameDay(3, date, 'Fair'), []],
      [nameDay(3, date, 'Market'), [named(3, date, 'Market')]],
      [nameDay(3, '2023-03-04', 'Fair'), [named(3, '2023-03-04', 'Fair')]],
      [unnameDay(3, date), [unnamed(3, date)]],
      [unnameDay(3, '2023-03-04'), []],
      [clear(3, date), []],
    ],
  },
  {
    state: 'a cleared special day',
    events: [created, named(2, date, 'Fair'), unnamed(3, date)],
    expected: [
      [unnameDay(4, date), []],
      [nameDay(4, date, 'Fair'), [named(4, date, 'Fair')]],
    ],
  },
  {
    state: 'new models keep special days',
    events: [created, named(2, date, 'Fair'), reset(1, 1, 1), replaced(3, 2, 3)],
    expected: [
      [nameDay(4, date, 'Fair'), []],
      [unnameDay(4, date), [unnamed(4, date)]],
    ],
  },
  {
    state: 'analysis failed',
    events: [created, failed(1)],
    expected: [
      [create(1), []],
      [resetModels(1), []],
      [fail(1), []],
      [requestReset(2), [requested(2)]],
      [replace(2), [replaced(2, 1, 1)]],
      [plan(2, date, 1), 'modelNotFound'],
    ],
  },
  {
    state: 'with models',
    events: [created, reset(1, 1, 1)],
    expected: [
      [create(1), []],
      [create(2), 'sourceExists'],
      [resetModels(1), []],
      [fail(1), []],
      [requestReset(2), [requested(2)]],
      [replace(2), [replaced(2, 2, 3)]],
      [plan(2, date, 1), [planned(2, date, 1)]],
      [plan(2, date, 2), [planned(2, date, 2)]],
      [plan(2, date, 3), 'modelNotFound'],
      [plan(2, date, 0), 'modelNotFound'],
      [clear(2, date), []],
    ],
  },
  {
    state: 'with models, another reset awaited',
    events: [created, reset(1, 1, 1), requested(2)],
    expected: [
      [requestReset(2), []],
      [requestReset(3), [requested(3)]],
      [resetModels(1), []],
      [resetModels(2), [reset(2, 2, 3)]],
      [fail(1), []],
      [fail(2), [failed(2)]],
      [replace(3), [replaced(3, 2, 3)]],
      [plan(3, date, 1), [planned(3, date, 1)]],
    ],
  },
  {
    state: 'a newer request replaced the first',
    events: [created, requested(2)],
    expected: [
      [resetModels(1), []],
      [fail(1), []],
      [resetModels(2), [reset(2, 1, 1)]],
    ],
  },
  {
    state: 'a failed reset keeps the models',
    events: [created, reset(1, 1, 1), requested(2), failed(2)],
    expected: [
      [resetModels(2), []],
      [plan(3, date, 2), [planned(3, date, 2)]],
      [replace(3), [replaced(3, 2, 3)]],
    ],
  },
  {
    state: 'replaced models cancel an awaited analysis',
    events: [created, replaced(2, 1, 1)],
    expected: [
      [resetModels(1), []],
      [fail(1), []],
      [replace(2), []],
      [replace(3), [replaced(3, 2, 4)]],
      [requestReset(3), [requested(3)]],
      [plan(3, date, 2), [planned(3, date, 2)]],
    ],
  },
  {
    state: 'reset after a replacement',
    events: [created, replaced(2, 1, 1), requested(3)],
    expected: [[resetModels(3), [reset(3, 2, 4)]]],
  },
  {
    state: 'with a day planned by hand',
    events: [created, reset(1, 1, 1), planned(2, date, 2)],
    expected: [
      [plan(3, date, 2), []],
      [plan(3, date, 1), [planned(3, date, 1)]],
      [plan(3, '2024-03-05', 2), [planned(3, '2024-03-05', 2)]],
      [clear(3, date), [cleared(3, date)]],
      [clear(3, '2024-03-05'), []],
    ],
  },
  {
    state: 'a cleared plan',
    events: [created, reset(1, 1, 1), planned(2, date, 2), cleared(3, date)],
    expected: [
      [clear(4, date), []],
      [plan(4, date, 2), [planned(4, date, 2)]],
    ],
  },
  {
    state: 'new models remove plans made by hand',
    events: [created, reset(1, 1, 1), planned(2, date, 2), replaced(3, 2, 3)],
    expected: [
      [clear(4, date), []],
      [plan(4, date, 2), 'modelNotFound'],
      [plan(4, date, 5), [planned(4, date, 5)]],
    ],
  },
];

t.test('source: result of every command in every state', async t => {
  for (const { state, events, expected } of sourceTable)
    await t.test(state, async t => {
      for (const [command, outcome] of expected) {
        const decision = given(t, source, ...events).when(command);
        if (typeof outcome === 'string') decision.rejects(outcome);
        else decision.then(...outcome);
      }
    });
});

t.test('source: a description has at most 32 labels', async t => {
  const labels = Object.fromEntries(Array.from({ length: labelsMax }, (_, n) => [`l${n}`, 'x']));
  const refusal = given(t, source, created, described(2, { labels }))
    .when(describeSource(3, { labels: { more: 'x' } }))
    .rejects('descriptionInvalid');
  t.strictSame(
    refusal?.faults.map(({ code, pointer }) => [code, pointer]),
    [['labels', '/labels']],
  );
  const changed = Object.fromEntries(
    Object.entries({ ...labels, more: 'x' })
      .filter(([key]) => key !== 'l0')
      .sort(),
  );
  const outcome = given(t, source, created, described(2, { labels }));
  outcome
    .when(describeSource(3, { labels: { more: 'x', l0: null } }))
    .then(described(3, { labels: changed }));
});

t.test('source: events that request an analysis contain the target coverage', async t => {
  given(t, source)
    .when({ ...create(1), coverage: 0.95 } as SourceCommand)
    .then({ type: 'SourceCreated', data: { ...facts, requestId: id(1), seed: 1, coverage: 0.95 } });
  given(t, source, created)
    .when({ ...requestReset(2), coverage: 0.9 } as SourceCommand)
    .then({
      type: 'ModelsResetRequested',
      data: { requestId: id(2), modelCount: 3, seed: 5, coverage: 0.9 },
    });
});

t.test('source: at most 1000 special days', async t => {
  const dates = Array.from({ length: specialDaysMax }, (_, n) => dateOf(n));
  const full = dates.map((on, n) => named(n + 10, on, 'Fair'));
  const refusal = given(t, source, created, ...full)
    .when(nameDay(2, date, 'Fair'))
    .rejects('tooManySpecialDays');
  t.match(refusal?.message, /got special day 1001, expected at most 1000/);
  given(t, source, created, ...full)
    .when(nameDay(2, dates[0] ?? '', 'Market'))
    .then(named(2, dates[0] ?? '', 'Market'));
  given(t, source, created, ...full.slice(1))
    .when(nameDay(2, date, 'Fair'))
    .then(named(2, date, 'Fair'));
});

t.test('source: faulty models are refused with all their faults', async t => {
  const wrong: SourceCommand = {
    type: 'ReplaceModels',
    requestId: id(2),
    models: [draft('A'), { ...draft('A'), topTolerance: [9, 11, 11, 11] }],
    engine: 'test 2',
    assignments: [],
  };
  const refusal = given(t, source, created).when(wrong).rejects('modelsInvalid');
  t.equal(refusal?.message, 'the models are not valid');
  t.strictSame(
    refusal?.faults.map(({ code, pointer }) => [code, pointer]),
    [
      ['nameTaken', '/models/1/name'],
      ['bounds', '/models/1/topTolerance/0'],
    ],
  );
});

t.test('source: an unknown model is refused with the list of known models', async t => {
  const none = given(t, source, created)
    .when(plan(2, date, 1))
    .rejects('modelNotFound');
  t.match(none?.message, /none yet/);
  const some = given(t, source, created, reset(1, 1, 4))
    .when(plan(2, date, 1))
    .rejects('modelNotFound');
  t.match(some?.message, /got model 1, expected .*4, 5/);
});

t.test('source: events before the creation change nothing', async t => {
  t.strictSame(foldFrozen(source, source.initial, [requested(2), reset(2, 1, 1)]), { status: 'absent' });
});

t.test('source: facts about the reference days', async t => {
  const gappy = { ...dayOf('2023-01-02'), gaps: [[0, 1]] as const };
  const filled = { ...dayOf('2023-01-03'), filled: [[0, 2]] as const };
  t.strictSame(referenceFacts([dayOf('2023-01-01'), gappy, filled]), {
    from: '2023-01-01',
    to: '2023-01-03',
    days: 3,
    completeDays: 1,
    completeness: 0.75,
  });
  t.strictSame(referenceFacts([gappy]), {
    from: '2023-01-02',
    to: '2023-01-02',
    days: 1,
    completeDays: 0,
    completeness: 0.75,
  });
});

const anyPatch: fc.Arbitrary<DescriptionPatch> = fc.record(
  {
    name: fc.constantFrom('East', 'West'),
    labels: fc.option(
      fc.dictionary(fc.constantFrom('site', 'floor', 'constructor'), fc.option(fc.constantFrom('A', 'B'))),
    ),
    place: fc.option(
      fc.record(
        {
          latitude: fc.option(fc.constantFrom(0, 50.5)),
          longitude: fc.option(fc.constantFrom(0, 7.25)),
          address: fc.option(fc.constant('Quay 3')),
        },
        { requiredKeys: [] },
      ),
    ),
    expectedInterval: fc.option(fc.constantFrom('P1D', 'PT6H', 'P0D')),
    unit: fc.option(fc.constantFrom('kWh', 'visitors')),
    lateness: fc.option(fc.constantFrom('PT1M', 'P7D')),
    minChange: fc.option(
      fc.record(
        { absolute: fc.option(fc.constantFrom(0, 5)), percent: fc.option(fc.constantFrom(0, 2)) },
        { requiredKeys: [] },
      ),
    ),
    feed: fc.option(
      fc.record({
        measurement: fc.constantFrom('energy', ''),
        field: fc.constant('value'),
        tags: fc.dictionary(fc.constantFrom('room', 'site'), fc.constantFrom('hall', 'yard')),
      }),
    ),
  },
  { requiredKeys: [] },
);

const anySourceCommand: fc.Arbitrary<SourceCommand> = (() => {
  const request = fc.integer({ min: 1, max: 25 });
  const dates = fc.constantFrom('2024-01-01', '2024-02-29', '2024-12-31');
  return fc.oneof(
    { weight: 1, arbitrary: request.map(create) },
    { weight: 3, arbitrary: request.map(requestReset) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(request, fc.integer({ min: 0, max: 4 }))
        .map(([n, count]) => ({ type: 'ResetModels', requestId: id(n), learned: learnedOf(count) }) as const),
    },
    { weight: 2, arbitrary: request.map(fail) },
    { weight: 3, arbitrary: request.map(replace) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(request, dates, fc.integer({ min: 1, max: 12 }))
        .map(([n, on, modelId]) => plan(n, on, modelId)),
    },
    { weight: 2, arbitrary: fc.tuple(request, dates).map(([n, on]) => clear(n, on)) },
    { weight: 2, arbitrary: fc.tuple(request, dates).map(([n, on]) => nameDay(n, on, `day ${n % 2}`)) },
    { weight: 1, arbitrary: fc.tuple(request, dates).map(([n, on]) => unnameDay(n, on)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(request, dates)
        .map(
          ([n, date]) =>
            ({ type: 'LeaveOutReferenceDay', requestId: id(n), date, reason: 'a fair' }) as const,
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(request, dates)
        .map(([n, date]) => ({ type: 'TakeBackLeavingOut', requestId: id(n), date }) as const),
    },
    { weight: 2, arbitrary: fc.tuple(request, anyPatch).map(([n, patch]) => describeSource(n, patch)) },
    { weight: 1, arbitrary: request.map(archive) },
    { weight: 3, arbitrary: request.map(restore) },
  );
})();

t.test('source: any commands keep models and plans consistent', async t => {
  let longest = 0;
  fc.assert(
    fc.property(fc.array(anySourceCommand, { maxLength: 120, size: 'max' }), fc.nat(), (commands, cut) => {
      let highestId = 0;
      let version = 0;
      const { events } = play(source, [create(1), ...commands], (state, decided) => {
        for (const event of decided)
          if (event.type === 'ModelsReset' || event.type === 'ModelsReplaced') {
            for (const model of event.data.models) {
              if (model.id <= highestId) throw new Error(`model id ${model.id} is used again`);
              highestId = model.id;
            }
            const ids = new Set(event.data.models.map(model => model.id));
            if (!event.data.assignments.every(({ modelId }) => ids.has(modelId)))
              throw new Error('an assignment to an unknown model');
            version += 1;
            if (event.data.modelsVersion !== version) throw new Error('a models version is skipped');
          }
        plansAreSound(state);
      });
      longest = Math.max(longest, events.length);
      foldsInHalves(source, events, cut);
    }),
  );
  t.ok(longest > 10, 'some histories are longer than 10 events');
});

const plansAreSound = (state: SourceState): void => {
  if (state.status === 'absent') throw new Error('the source is absent');
  for (const [on, modelId] of Object.entries(state.overrides))
    if (!state.models.some(({ id }) => id === modelId))
      throw new Error(`${on} is planned as unknown model ${modelId}`);
};

t.test('earlier models are set again under new ids, and end a running analysis', async t => {
  const first = reset(1, 1, 1);
  if (first.type !== 'ModelsReset') throw new Error('no models');
  const later = [created, first, replaced(2, 2, 3)];
  const restore = (request: number, earlier: SetModels, keepPlanning = true) =>
    ({ type: 'RestoreModels', requestId: id(request), earlier, keepPlanning }) as const;
  const again = reset(3, 3, 6);
  if (again.type !== 'ModelsReset') throw new Error('no models');
  const none = { carried: [], dropped: [] };
  const event: SourceEvent = {
    type: 'ModelsReset',
    data: { ...again.data, restoredFrom: 1, overrides: none },
  };
  given(t, source, ...later)
    .when(restore(3, first))
    .then(event);
  given(t, source, ...later, event)
    .when(restore(3, first))
    .then();
  given(t, source, ...later, requested(4), event)
    .when(resetModels(4))
    .then();
  given(t, source, created, first).when(restore(3, first)).rejects('modelsCurrent');
  const edit = {
    ...replace(4),
    edited: { present: first.data, from: [null], countsPlanned: true },
  } as SourceCommand;
  given(t, source, ...later)
    .when(edit)
    .rejects('modelsOutdated');
  given(t, source, ...later, archived(5))
    .when(restore(3, first))
    .rejects('sourceNotFound');
  const custom = modelsAfter(modelsAfter(undefined, first), replaced(2, 2, 3) as SetModels);
  t.equal(custom?.type, 'ModelsReplaced');
  const described = modelsAfter(first, {
    type: 'ModelDescribed',
    data: { requestId: id(9), modelId: 2, name: 'new', color: '#010203' },
  });
  t.match(described?.data.models[1], { name: 'new', color: '#010203' });
  t.strictSame(keptByRestoring(first), keptByRestoring(event as SetModels));
  t.notSame(keptByRestoring(first), keptByRestoring(described as SetModels));
});
