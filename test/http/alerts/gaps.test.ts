import t from 'tap';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, ordinaryDay, startService } from '../../helpers/service.js';

// The reference lacks the hours from 1 to 5 on Sundays, a nightly maintenance; other days are complete.

const service = await startService(t);
const { call, events } = service;
const lacking = (date: string, from: number, to: number) => {
  const { activity } = ordinaryDay(date);
  const perHour = activity.length / 24;
  return {
    date,
    activity: activity.map((value, slice) =>
      slice >= from * perHour && slice < to * perHour ? null : value,
    ),
  };
};
const first = dayNumber('2025-01-01');
const days = Array.from({ length: 364 }, (_, index) => {
  const date = dateOf(first + index);
  return weekday(first + index) === 6 ? lacking(date, 1, 5) : ordinaryDay(date);
});
const json = { name: 'Gate', referenceYear: 2025, days };
const created = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
const sourceId = created.body.source.id;
await analysed(call, sourceId);

type Imported = { readonly alerts: { readonly raised: readonly AlertRecord[] } };
const raisedBy = async (...days: readonly object[]) =>
  (await call<Imported>('POST', '/v1/import/days', { json: { sourceId, days } })).body.alerts.raised;

const sunday = '2026-03-01';
const monday = '2026-03-02';

t.test('twelve hours without data are a gap of those hours', async t => {
  const [alert, ...others] = await raisedBy(lacking(monday, 8, 20));
  t.equal(others.length, 0);
  t.match(alert, {
    kind: 'gap',
    sentence: /^No data from 08:00 to 20:00, longer than on any comparable day/,
    slices: exactList({ fromTime: '08:00', toTime: '20:00' }),
    gap: { fromTime: '08:00', toTime: '20:00', longest: 0 },
    completeness: { day: 0.5, usual: 1 },
  });
});

t.test('a stretch as long as on reference days of the kind is none', async t => {
  t.strictSame(await raisedBy(lacking(sunday, 1, 5)), []);
  t.strictSame(await raisedBy(lacking('2026-03-08', 10, 14)), [], 'at another time of day');
  t.match(await raisedBy(lacking('2026-03-15', 1, 6)), exactList({ kind: 'gap', gap: { toTime: '06:00' } }));
  t.match(await raisedBy(lacking('2026-03-03', 1, 5)), exactList({ kind: 'gap' }), 'a Tuesday');
});

t.test('a single lost slice, and two hours, are none', async t => {
  t.strictSame(await raisedBy(lacking('2026-03-04', 9, 10), lacking('2026-03-05', 9, 11)), []);
});

t.test('the decisions of the log are repeated', async t => {
  const { findings, undecided, awaited } = await decidedAgain(events());
  t.strictSame({ findings, undecided, awaited }, { findings: [], undecided: 0, awaited: 0 });
});
