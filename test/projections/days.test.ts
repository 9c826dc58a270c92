import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { dayOf, draft, id, instant } from '../helpers/data/samples.js';
import { dumpedTables, handWritten } from '../helpers/data/tables.js';
import {
  through,
  holding,
  replaced,
  imported,
  summary,
  lived,
  learnedModels,
} from '../helpers/data/sourceHistory.js';

t.test('days: the present import of a date, and the outcome of its last check', async t => {
  const { events, add, importEvent } = lived();
  const { db, models } = holding(events);
  const take = () =>
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
  const stored = (date: string, level: number, check: unknown) => ({
    ...dayOf(date, level),
    kind: 'recent',
    completeness: 1,
    importId: id(202),
    importedAt: instant(6),
    check,
  });
  const checkedAt = instant(7);
  const monday = stored('2024-03-04', 10, {
    outcome: 'normal',
    plannedModelId: 2,
    modelsVersion: 1,
    checkedAt,
  });
  const tuesday = stored('2024-03-05', 30, {
    outcome: 'abnormal',
    plannedModelId: 1,
    modelsVersion: 1,
    checkedAt,
  });
  t.strictSame(models.days.between(1, 'recent', '2024-03-04', '2024-03-06'), [monday, tuesday]);
  t.strictSame(models.days.between(1, 'recent', '2024-03-04', '2024-03-05'), [monday], 'to is exclusive');
  t.strictSame(models.days.between(1, 'recent', '2024-03-05', '2024-03-06'), [tuesday], 'from is inclusive');
  t.strictSame(models.days.between(1, 'reference', '2024-01-01', '2025-01-01'), []);
  t.strictSame(models.days.between(2, 'recent', '0001-01-01', '9999-12-31'), []);
  t.strictSame(
    models.days.reference(1).map(({ date, check, kind }) => ({ date, check, kind })),
    ['01', '02', '03'].map(day => ({ date: `2023-01-${day}`, check: null, kind: 'reference' })),
  );
  t.strictSame(models.days.recent(1, '2024-03-05'), tuesday);
  t.equal(models.days.recent(1, '2023-01-01'), undefined, 'a reference day is not listed');
  t.strictSame(models.days.recentDates(1), ['2024-03-04', '2024-03-05']);
  t.equal(models.days.lastDate(1, '9999-12-31'), '2024-03-05');
  t.equal(models.days.lastDate(2, '9999-12-31'), undefined);
  t.strictSame(models.days.byImport(id(202)), [
    { date: '2024-03-04', completeness: 1, open: false },
    { date: '2024-03-05', completeness: 1, open: false },
  ]);
  t.strictSame(models.days.import(id(202)), {
    id: id(202),
    sourceId: 1,
    kind: 'recent',
    ...summary,
    days: 2,
    importedAt: instant(6),
    eventId: importEvent,
  });
  t.equal(models.days.import(id(299)), undefined);
  t.strictSame(models.days.check(importEvent), { parts: 1, complete: true });
  t.strictSame(models.days.check(id(999)), { parts: 0, complete: false });
  t.strictSame(models.days.checkedDays(importEvent), [
    { date: '2024-03-04', outcome: 'normal', plannedModelId: 2, standing: [] },
    { date: '2024-03-05', outcome: 'abnormal', plannedModelId: 1, standing: [] },
  ]);

  // A part of another import: no part is visible before the last.
  const gappy: Day = { date: '2024-03-05', activity: [0, 1, 2, 3], gaps: [[0, 1]], filled: [[2, 4]] };
  add('days-1', imported(id(203), 'recent', [gappy], 1, 2));
  take();
  t.strictSame(models.days.recent(1, '2024-03-05'), tuesday, 'an unfinished import is not visible');
  t.equal(models.days.import(id(203)), undefined);
  t.strictSame(models.days.byImport(id(203)), []);
  const last = add('days-1', imported(id(203), 'recent', [dayOf('2024-03-06')], 2, 2));
  take();
  t.strictSame(models.days.recent(1, '2024-03-05'), {
    ...gappy,
    kind: 'recent',
    completeness: 0.25,
    importId: id(203),
    importedAt: instant(10),
    check: null,
  });
  t.strictSame(
    models.days.byImport(id(202)),
    [{ date: '2024-03-04', completeness: 1, open: false }],
    'the other day of the first import is valid',
  );
  t.equal(models.days.import(id(203))?.eventId, last);

  // A late check of the values of the first import.
  const checked = (importId: string, part: number, isLast: boolean) =>
    add('alerts-1', {
      type: 'DaysChecked',
      data: {
        cause: { id: last, type: 'DaysImported' },
        part,
        last: isLast,
        modelsVersion: 1,
        days: [
          {
            date: part === 1 ? '2024-03-05' : '2024-03-06',
            importId,
            dayDigest: 'c',
            plannedModelId: null,
            outcome: 'notCompared',
            standing: ['1-20240305-1'],
          },
        ],
      },
    });
  checked(id(202), 1, false);
  take();
  t.equal(models.days.recent(1, '2024-03-05')?.check, null, 'a check of replaced values is ignored');
  t.strictSame(models.days.check(last), { parts: 1, complete: false });
  checked(id(203), 2, true);
  take();
  t.strictSame(models.days.check(last), { parts: 2, complete: true });
  t.match(models.days.recent(1, '2024-03-06')?.check, { outcome: 'notCompared', plannedModelId: null });
  t.strictSame(
    models.days.checkedDays(last).map(({ date, standing }) => [date, standing]),
    [
      ['2024-03-05', ['1-20240305-1']],
      ['2024-03-06', ['1-20240305-1']],
    ],
  );
  t.strictSame(dumpedTables(db)['staged_days'], [], 'no rows remain');
  db.close();
});

t.test('days: a date can be a reference and a recent day, and in two sources', async t => {
  const { events, add } = handWritten();
  add('days-1', imported(id(301), 'reference', [dayOf('2023-05-01', 1)]));
  add('days-1', imported(id(302), 'recent', [dayOf('2023-05-01', 2)]));
  add('days-2', imported(id(303), 'recent', [dayOf('2023-05-01', 3)], 1, 1, 2));
  const { db, models } = holding(events);
  t.equal(models.days.reference(1)[0]?.activity[0], 1);
  t.equal(models.days.recent(1, '2023-05-01')?.activity[0], 2);
  t.equal(models.days.recent(2, '2023-05-01')?.activity[0], 3);
  t.strictSame(models.days.recentDates(2), ['2023-05-01']);
  const first = models.days.referenceVersion(1);
  add('days-1', imported(id(304), 'recent', [dayOf('2023-05-01', 4)]));
  models.apply(events.slice(-1), through(events));
  t.equal(models.days.referenceVersion(1), first);
  add('days-1', imported(id(305), 'reference', [dayOf('2023-05-01', 5)]));
  models.apply(events.slice(-1), through(events));
  t.not(models.days.referenceVersion(1), first, 'another reference day of the same date');
  db.close();
});

t.test('days: those of a range are read some at a time, each once', async t => {
  const { events, add } = lived();
  const dates = Array.from({ length: 70 }, (_, n) => dateOf(dayNumber('2024-04-01') + n));
  add(
    'days-1',
    imported(
      id(203),
      'recent',
      dates.map(date => dayOf(date)),
    ),
  );
  const { db, models } = holding(events);
  for (const count of [0, 1, 31, 32, 62, 69]) {
    const days = [...models.days.each(1, 'recent', '2024-04-01', dates[count] ?? '')];
    t.strictSame(
      days.map(({ date }) => date),
      dates.slice(0, count),
    );
  }
  db.close();
});

t.test('models: present models by id', async t => {
  const { events, add } = lived();
  const first = holding(events);
  t.strictSame(
    first.models.typicalDays.list(1),
    learnedModels.map((model, index) => ({ ...model, id: index + 1 })),
  );
  t.strictSame(first.models.typicalDays.list(2), []);
  add('source-1', replaced(2, 3));
  const then = holding(events);
  t.strictSame(then.models.typicalDays.list(1), [{ id: 3, ...draft('Montag „früh“', 10), days: 1 }]);
  first.db.close();
  then.db.close();
});
