import t from 'tap';
import { engine, rulesToUse } from '../../analysis/engine.js';
import { checkedSilence } from '../../application/followUps/checks/decideCheck.js';
import type { DomainEvent, EventOf } from '../../domain/events.js';
import { created, holding, imported, through } from '../helpers/data/sourceHistory.js';
import { dayOf, id, instant } from '../helpers/data/samples.js';
import { handWritten } from '../helpers/data/tables.js';

const later = (at: string, hours: number): string =>
  new Date(Date.parse(at) + hours * 3_600_000).toISOString();

/** Source 1 with an expected interval of six hours, and its deadline after each added event. */
const waiting = () => {
  const { events, add } = handWritten();
  const source = created(1);
  if (source.type !== 'SourceCreated') throw new Error('expected the creation of a source');
  add('source-1', { ...source, data: { ...source.data, expectedInterval: 'PT6H' } });
  const { db, models } = holding(events);
  const deadline = (): string | undefined => {
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
    return models.rhythms.nextDeadline('');
  };
  const after = (stream: string, event: DomainEvent): string | undefined => {
    add(stream, event);
    return deadline();
  };
  return { db, models, deadline, after };
};

const described = (expectedInterval: string | null): DomainEvent => ({
  type: 'SourceDescribed',
  data: { requestId: id(300), name: 'Gate', labels: {}, place: null, expectedInterval },
});

t.test('rhythms: the given interval of a source determines its deadline', t => {
  const { db, models, deadline, after } = waiting();
  t.equal(deadline(), later(instant(1), 6));
  t.equal(after('source-1', described('P1D')), later(instant(1), 24), 'a longer interval');
  t.equal(after('source-1', described(null)), undefined, 'without imports there is no learned interval');
  t.equal(after('source-1', described('PT6H')), later(instant(1), 6), 'given again');
  t.strictSame(models.rhythms.overdue(later(instant(1), 6), 6 * 3_600_000, 9), [
    { sourceId: 1, deadline: later(instant(1), 6) },
  ]);
  t.strictSame(
    models.rhythms.overdue(later(instant(1), 6), 6 * 3_600_000 - 1, 9),
    [],
    'a longer interval waits',
  );
  db.close();
  t.end();
});

t.test('rhythms: an import moves the deadline, its first part and a reference import do not', t => {
  const { db, deadline, after } = waiting();
  const first = deadline();
  t.equal(after('days-1', imported(id(201), 'reference', [dayOf('2024-01-30')])), first);
  t.equal(after('days-1', imported(id(202), 'recent', [dayOf('2024-01-30')], 1, 2)), first);
  t.equal(after('days-1', imported(id(202), 'recent', [dayOf('2024-01-31')], 2, 2)), later(instant(4), 6));
  t.equal(
    after('days-1', imported(id(203), 'recent', [dayOf('2024-01-30')])),
    later(instant(4), 6),
    'a correction of an older day',
  );
  db.close();
  t.end();
});

t.test('rhythms: a passed deadline and an archived source are not overdue', t => {
  const { db, models, deadline, after } = waiting();
  const passed = deadline() ?? '';
  t.equal(after('days-1', { type: 'ClockTicked', data: { sourceId: 1, deadline: passed } }), undefined);
  t.strictSame(models.rhythms.overdue(later(passed, 1), Infinity, 9), [], 'reported once');
  t.equal(
    after('source-1', { type: 'SourceArchived', data: { requestId: id(301) } }),
    undefined,
    'an archived source waits for nothing',
  );
  t.equal(
    after('source-1', { type: 'SourceRestored', data: { requestId: id(302) } }),
    later(instant(4), 6),
    'its interval begins again',
  );
  db.close();
  t.end();
});

t.test('rhythms: days after tomorrow do not count, except for engines up to 6', t => {
  const { db, models, after } = waiting();
  const lastDates = () => {
    const known = models.rhythms.ofSource(1);
    return [known?.rhythm.lastDate, known?.withFuture.lastDate];
  };
  const silenceBy = (engine: string) => {
    const deadline = later(instant(4), 6);
    const event = { type: 'ClockTicked', data: { sourceId: 1, deadline } } as EventOf<'ClockTicked'>;
    return checkedSilence(event, models.rhythms.ofSource(1), rulesToUse(engine)).silence;
  };
  // The imports come on 2024-01-31: a log of an earlier build does not say which of their days are in the future.
  after('days-1', imported(id(201), 'recent', [dayOf('2024-01-30'), dayOf('2099-01-01')]));
  t.strictSame(lastDates(), ['2024-01-30', '2099-01-01']);
  after('days-1', imported(id(202), 'recent', [dayOf('2024-01-31')]));
  t.strictSame(lastDates(), ['2024-01-31', '2099-01-01'], 'the later import counts again');
  const deadline = after('days-1', imported(id(203), 'recent', [dayOf('2099-01-01')]));
  t.equal(deadline, later(instant(3), 6), 'a future day alone moves no deadline');
  t.equal(silenceBy(engine)?.key, instant(3));
  t.equal(
    silenceBy('daybook-calendar/6')?.key,
    instant(4),
    'decisions of earlier builds are repeated as they were made',
  );
  db.close();
  t.end();
});

/** Points of some dates: of each the observed slices. */
const points = (n: number, ...days: readonly (readonly [date: string, observed: number])[]): DomainEvent => ({
  type: 'PointsImported',
  data: {
    ...{ sourceId: 1, importId: id(n), points: 1 },
    rule: { activitySize: 24, interpolates: true },
    days: days.map(([date, count]) => ({
      date,
      observed: count === 0 ? [] : ([[0, Array<number>(count).fill(1)]] as const),
    })),
  },
});

t.test('rhythms: points are waited for as long as their slices last, with the lateness', t => {
  const { db, models, after } = waiting();
  after('source-1', described('PT15M'));
  const deadline = after('days-1', points(201, ['2024-01-31', 9]));
  t.equal(deadline, later(instant(3), 1.25), 'an hour and the lateness of PT15M');
  const silenceBy = (by: string, hours: number) => {
    const data = { sourceId: 1, deadline: later(instant(3), hours) };
    const event = { type: 'ClockTicked', data } as EventOf<'ClockTicked'>;
    return checkedSilence(event, models.rhythms.ofSource(1), rulesToUse(by)).silence;
  };
  t.equal(silenceBy(engine, 0.25), null, 'a deadline of an earlier build is not overdue');
  t.match(silenceBy(engine, 1.25), { key: instant(3), finding: { silence: { intervalMinutes: 75 } } });
  t.match(silenceBy('daybook-calendar/13', 0.25), { finding: { silence: { intervalMinutes: 15 } } });
  t.equal(after('source-1', described('PT6H')), later(instant(3), 6), 'a longer interval stays');
  db.close();
  t.end();
});

t.test('rhythms: the first points of a feed are waited for up to the end of a slice', t => {
  const firstDeadline = (aggregation: 'mean' | 'counter', hasFeed: boolean) => {
    const { events, add } = handWritten();
    const source = created(1);
    if (source.type !== 'SourceCreated') throw new Error('expected the creation of a source');
    const feed = { measurement: 'energy', field: 'value', tags: {} };
    const given = { activitySize: 24, aggregation, expectedInterval: 'PT30M' } as const;
    add('source-1', { ...source, data: { ...source.data, ...given, ...(hasFeed && { feed }) } });
    const { db, models } = holding(events);
    const deadline = models.rhythms.nextDeadline('') ?? '';
    const event = { type: 'ClockTicked', data: { sourceId: 1, deadline } } as EventOf<'ClockTicked'>;
    const { silence } = checkedSilence(event, models.rhythms.ofSource(1), rulesToUse(engine));
    db.close();
    return { deadline, since: silence?.key };
  };
  const since = instant(1);
  t.strictSame(
    firstDeadline('mean', true),
    { deadline: later(since, 1.25), since },
    'a slice and its lateness',
  );
  t.strictSame(
    firstDeadline('counter', true),
    { deadline: later(since, 2.25), since },
    'the first is not whole',
  );
  t.strictSame(firstDeadline('mean', false), { deadline: later(since, 0.5), since }, 'days come whole');
  const { db, after } = waiting();
  const fed = { type: 'SourceDescribed', data: { ...described('PT15M').data } } as EventOf<'SourceDescribed'>;
  const feed = { measurement: 'energy', field: 'value', tags: {} };
  t.equal(
    after('source-1', { ...fed, data: { ...fed.data, feed } }),
    later(instant(1), 24 / 4 + 0.25),
    'a feed that is given later',
  );
  t.equal(after('source-1', described('PT15M')), later(instant(1), 0.25), 'and taken away');
  db.close();
  t.end();
});

t.test('rhythms: dates whose slices follow from points of others are no new data', t => {
  const { db, models, after } = waiting();
  const newest = after('days-1', points(201, ['2024-01-31', 9]));
  const corrected = points(202, ['2024-01-30', 24], ['2024-01-31', 0]);
  t.equal(after('days-1', corrected), newest, 'a correction of yesterday');
  const silenceBy = (by: string) => {
    const data = { sourceId: 1, deadline: later(instant(3), 12) };
    const event = { type: 'ClockTicked', data } as EventOf<'ClockTicked'>;
    return checkedSilence(event, models.rhythms.ofSource(1), rulesToUse(by)).silence?.key;
  };
  t.equal(silenceBy(engine), instant(2));
  t.equal(silenceBy('daybook-calendar/13'), instant(3), 'as earlier builds decided');
  t.equal(silenceBy('daybook-calendar/6'), instant(3));
  t.equal(after('days-1', points(203, ['2024-01-30', 0], ['2024-01-31', 10])), later(instant(4), 6));
  db.close();
  t.end();
});

t.test('rhythms: data of today are new after data of tomorrow', t => {
  const { db, models, after } = waiting();
  const { type, data } = imported(id(201), 'recent', [dayOf('2024-01-31'), dayOf('2024-02-01')]);
  after('days-1', { type, data: { ...data, summary: { ...data.summary!, today: '2024-01-31' } } });
  t.equal(models.rhythms.ofSource(1)?.rhythm.lastDate, '2024-01-31');
  const deadline = after('days-1', imported(id(202), 'recent', [dayOf('2024-01-31')]));
  t.equal(deadline, later(instant(3), 6), 'the later import moves the deadline');
  db.close();
  t.end();
});

t.test('rhythms: an import names its last date up to tomorrow', t => {
  const { db, models, after } = waiting();
  const add = (n: number, countedTo: string | null, ...dates: readonly string[]) => {
    const { type, data } = imported(id(n), 'recent', dates.map(dayOf), 2, 2);
    const { summary } = data;
    after('days-1', { type, data: { ...data, ...(summary && { summary: { ...summary, countedTo } }) } });
    return models.rhythms.ofSource(1)?.rhythm.lastDate;
  };
  t.equal(add(201, null, '2024-02-01'), null, 'a day that is not in the future of all clocks');
  t.equal(add(202, '2024-01-29', '2024-03-01'), '2024-01-29', 'an earlier part has it');
  t.equal(models.sources.one(1, '9999-12-31')?.lastData.date, '2024-01-29');
  t.equal(add(203, '2024-01-31', '2024-03-01'), '2024-01-31');
  t.equal(models.sources.one(1, '9999-12-31')?.lastData.date, '2024-01-31');
  db.close();
  t.end();
});
