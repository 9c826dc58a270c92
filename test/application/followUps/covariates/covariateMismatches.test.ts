import t from 'tap';
import { Database } from '../../../../adapters/sqlite/driver.js';
import {
  covariatesMismatch,
  noteMismatch,
  readingMismatch,
  seriesMismatch,
} from '../../../../application/decisions/mismatches.js';
import { covariateValueAt } from '../../../../application/decisions/sourceHistory.js';
import { logHistory } from '../../../../application/decisions/logHistory.js';
import type { DomainEvent } from '../../../../domain/events.js';
import type { CovariateReading, CovariateSeries } from '../../../../domain/source/covariates.js';
import { dayHistory } from '../../../../projections/dayHistory.js';
import { dayOf, factsOf, id, instant } from '../../../helpers/data/samples.js';
import { imported } from '../../../helpers/data/sourceHistory.js';
import { handWritten } from '../../../helpers/data/tables.js';

// Facts of the temperature, source 2, that events of the office recorded, source 1.

const date = '2024-03-04';

const creation = (sourceId: number, more: object = {}): DomainEvent => ({
  type: 'SourceCreated',
  data: { ...factsOf(sourceId), requestId: id(100 + sourceId), seed: 1, ...more },
});

/** The history of a log, and the means to add events to it; each returns its place. */
const begun = (more: object = {}) => {
  const { events, add } = handWritten();
  const history = logHistory(dayHistory(new Database(':memory:')));
  const append = (stream: string, event: DomainEvent): number => {
    add(stream, event);
    history.take({ event: events.at(-1)!, n: events.length });
    return events.length;
  };
  let imports = 0;
  append('source-1', creation(1));
  append('source-2', creation(2, more));
  return {
    ...{ history, events, append },
    /** Imports days of one level. */
    days: (
      sourceId: number,
      kind: 'reference' | 'recent',
      level: number,
      ...dates: readonly string[]
    ): number =>
      append(
        `days-${sourceId}`,
        imported(
          id(200 + (imports += 1)),
          kind,
          dates.map(one => dayOf(one, level)),
          1,
          1,
          sourceId,
        ),
      ),
  };
};

const reading = (value: number | null, revision: number, more: object = {}): CovariateReading => ({
  ...{ sourceId: 2, value, revision },
  ...more,
});
const detailOf = (fault: ReturnType<typeof readingMismatch>): string | undefined =>
  typeof fault === 'object' ? fault.detail : fault;

t.test('a value is that of the recent day up to its revision, else of the reference day', async t => {
  const { history, days } = begun();
  const at = days(2, 'reference', 7, date);
  t.equal(readingMismatch(history, reading(7, 0), date, { from: at, to: at }), undefined);
  const later = days(2, 'recent', 5, date);
  t.equal(readingMismatch(history, reading(5, 1), date, { from: at, to: later }), undefined);
  t.equal(readingMismatch(history, reading(7, 0), date, { from: at, to: later }), undefined, 'not known yet');
  const last = days(2, 'reference', 9, date);
  t.equal(
    readingMismatch(history, reading(5, 2), date, { from: last, to: last }),
    undefined,
    'recent days win',
  );
  t.match(
    detailOf(readingMismatch(history, reading(9, 2), date, { from: last, to: last })),
    /of source 2 on 2024-03-04 is not .* up to revision 2 of days-2: at \/value got 9, expected 5/,
  );
  t.equal(readingMismatch(history, reading(null, 2), '2024-03-05', { from: last, to: last }), undefined);
});

t.test('a value of a summed source is the total of the day', async t => {
  const { history, days } = begun({ aggregation: 'sum' });
  const at = days(2, 'recent', 5, date);
  t.equal(readingMismatch(history, reading(20, 0), date, { from: at, to: at }), undefined);
  t.match(
    detailOf(readingMismatch(history, reading(5, 0), date, { from: at, to: at })),
    /got 5, expected 20/,
  );
});

t.test('a revision is one between the cause of the check and the check', async t => {
  const { history, days } = begun();
  const first = days(2, 'recent', 5, date);
  const second = days(2, 'recent', 5, date);
  for (const [revision, from] of [
    [0, second],
    [2, first],
  ] as const)
    t.match(
      detailOf(readingMismatch(history, reading(5, revision), date, { from, to: second })),
      new RegExp(`at revision ${revision} for 2024-03-04, expected ${from === first ? 0 : 1} to 1 of days-2`),
    );
});

t.test('an archived source has no value, and one that was learned again that of its successor', async t => {
  const { history, days, append } = begun();
  const at = days(2, 'recent', 5, date);
  const data = { requestId: id(80), relearnedAs: 3 };
  const to = append('source-2', { type: 'SourceArchived', data });
  const archived = { archived: true };
  t.equal(readingMismatch(history, reading(null, 0, archived), date, { from: at, to }), undefined);
  t.equal(readingMismatch(history, reading(5, 0), date, { from: at, to }), undefined, 'not known yet');
  t.ok(readingMismatch(history, reading(5, 0), date, { from: to, to }));
  append('source-3', creation(3, { relearnedFrom: 2 }));
  const present = days(3, 'recent', 6, '2024-03-05');
  const window = { from: present, to: present };
  t.equal(readingMismatch(history, reading(6, 0), '2024-03-05', window), undefined);
  t.equal(readingMismatch(history, reading(5, 0), date, window), undefined, 'the day of the old source');
});

t.test(
  'a restored source has its value although its successor is archived; earlier builds had none',
  async t => {
    const { history, days, append } = begun();
    days(2, 'recent', 5, date);
    append('source-2', { type: 'SourceArchived', data: { requestId: id(80), relearnedAs: 3 } });
    append('source-3', creation(3, { relearnedFrom: 2 }));
    append('source-3', { type: 'SourceArchived', data: { requestId: id(81) } });
    const at = append('source-2', { type: 'SourceRestored', data: { requestId: id(82) } });
    const mismatch = (reading: CovariateReading) =>
      readingMismatch(history, reading, date, { from: at, to: at });
    t.equal(mismatch({ sourceId: 2, value: 5, revision: 0 }), undefined);
    t.equal(mismatch({ sourceId: 2, value: null, revision: -1, archived: true }), undefined);
    t.ok(mismatch({ sourceId: 2, value: 6, revision: 0 }));
    t.equal(covariateValueAt(history, 2, date, at), 5);
  },
);

t.test('a series has the values of the range, both ends included, of a source in use', async t => {
  const { history, days, append, events } = begun({ name: 'Oslo' });
  days(2, 'reference', 7, '2024-03-02', '2024-03-03', date, '2024-03-05');
  const to = days(2, 'recent', 5, date);
  const series = (more: Partial<CovariateSeries> = {}): CovariateSeries => ({
    ...{ sourceId: 2, name: 'Oslo', revision: 1 },
    values: [
      { date: '2024-03-03', value: 7 },
      { date, value: 5 },
    ],
    ...more,
  });
  const range = { from: '2024-03-03', to: date };
  t.equal(seriesMismatch(history, series(), range, to), undefined);
  t.match(
    detailOf(seriesMismatch(history, series(), { ...range, to: '2024-03-05' }, to)),
    /at \/values\/2 got nothing/,
  );
  t.match(
    detailOf(seriesMismatch(history, series({ revision: 0 }), range, to)),
    /at \/values\/1\/value got 5/,
  );
  t.match(detailOf(seriesMismatch(history, series({ name: 'Rome' }), range, to)), /never named Rome/);
  const none = series({ archived: true, values: [] });
  t.match(detailOf(seriesMismatch(history, none, range, to)), /never archived with revision 1/);
  append('source-2', { type: 'SourceArchived', data: { requestId: id(80) } });
  t.equal(seriesMismatch(history, none, range, events.length), undefined);
  const withValues = series({ archived: true });
  t.match(detailOf(seriesMismatch(history, withValues, range, events.length)), /at \/values\/0 got/);
});

t.test('a note has ascending dates of its import that have recent days', async t => {
  const { history, days, events } = begun();
  const dates = ['2024-03-03', date, '2024-03-05'];
  days(1, 'recent', 10, '2024-03-03', date);
  days(1, 'reference', 10, '2024-03-05');
  const at = days(2, 'recent', 5, ...dates);
  const cause = history.days.importOf(events[at - 1]!.id);
  const fault = (...noted: readonly string[]): string | undefined => {
    const data = { sourceId: 1, covariateId: 2, importId: cause!.importId, revision: 0, dates: noted };
    const note = { ...events[at - 1]!, stream: 'days-1', type: 'CovariateDaysImported', v: 1, data } as const;
    return detailOf(noteMismatch(history, { event: note as never, n: at + 1 }, cause));
  };
  t.match(fault(date, '2024-03-03'), /^got 2024-03-03, expected dates of import/);
  t.match(fault(date, date), /^got 2024-03-04, expected dates/);
  t.match(fault('2024-03-05'), /^got 2024-03-05, expected dates .* with recent days of source 1/);
  t.match(fault('2024-03-06'), /^got 2024-03-06/);
  t.match(fault('2024-03-03', date), /source 1 did not require a note of import/, 'it has no models');
});

t.test('covariates of an analysis are those that the source had in the last hour', async t => {
  const { history, append } = begun();
  const described = { name: 'Gate 1', labels: {}, place: null, expectedInterval: null, requestId: id(81) };
  append('source-1', { type: 'SourceDescribed', data: { ...described, explainedBy: [2] } });
  append('source-1', { type: 'SourceDescribed', data: { ...described, name: 'Gate', explainedBy: [2] } });
  const series = [{ sourceId: 2, name: 'Oslo', revision: 0, values: [] }];
  t.equal(covariatesMismatch(history, 1, series, instant(90)), undefined);
  t.equal(covariatesMismatch(history, 1, [], instant(90)), undefined, 'the change was seconds ago');
  t.match(
    detailOf(covariatesMismatch(history, 1, undefined, instant(3700))),
    /its covariates are \[\], expected those of the source 1/,
  );
  t.equal(covariatesMismatch(history, 1, series, instant(99_999)), undefined);
});
