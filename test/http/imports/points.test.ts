import t, { type Test } from 'tap';
import { turns } from '../../../application/ports/sharing/turns.js';
import { openTemporaryReadModels } from '../../../adapters/composition/openLog.js';
import { system } from '../../../adapters/environment.js';
import { sourceFacts } from '../../../adapters/cli/auditReport/facts.js';
import { sourceIdOf } from '../../../application/requests/history/auditTrail.js';
import { asOf } from '../../../application/requests/history/asOf.js';
import { explainAlert, type Explanation } from '../../../application/requests/history/explainAlert.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { eventually, ordinaryDay, ordinaryDays } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// Points set slices of recent days; a date is in progress until its midnight and the lateness of the source.

const pool = sharedAnalyst();

type Day = {
  readonly date: string;
  readonly status: string;
  readonly completeness: number;
  readonly inProgress: boolean;
  readonly observedUntil: string | null;
};
type Answer = {
  readonly import: {
    readonly points: number;
    readonly duplicates: number;
    readonly warnings: readonly object[];
  };
  readonly days: readonly Day[];
  readonly alerts: Readonly<Record<'raised' | 'confirmed' | 'invalidated', readonly AlertRecord[]>>;
};
/** Whether a check compared the elapsed slices of a date in progress. */
const isElapsed = (data: unknown): boolean =>
  (data as { readonly days: readonly { readonly elapsed?: number }[] }).days.some(
    ({ elapsed }) => elapsed !== undefined,
  );

type Stored = {
  readonly day: { readonly activity: readonly number[]; readonly gaps: readonly object[] } | null;
  readonly alerts: readonly AlertRecord[];
};

const date = '2024-03-06';
const hourOf = (hour: number, minute = 0): string =>
  `${date}T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00Z`;

/** A service on a morning with one source of hourly means. */
const started = async (test: Test) => {
  const clock = drivenClock(`${date}T00:00:00.000Z`);
  const served = await serviceBy(test, clock, pool);
  const sourceId = await served.create('Gate');
  const send = (...points: readonly (readonly [at: string, value: number])[]) =>
    served.ask<Answer>('POST', '/v1/import/points', {
      sourceId,
      points: points.map(([at, value]) => ({ at, value })),
    });
  const stored = (on = date) => served.ask<Stored>('GET', `/v1/day/${sourceId}/${on}`);
  return { ...served, request: served.send, clock, sourceId, send, stored };
};

t.test('points of a slice are stored when it has elapsed, whatever their order and batch', async t => {
  const { clock, send, stored, events } = await started(t);
  await clock.goTo(`${date}T02:30:00Z`);
  const first = await send([hourOf(0, 40), 12], [hourOf(0, 10), 18]);
  t.match(first.days, exactList({ date, inProgress: true }));
  t.match(await send([hourOf(0, 40), 12]), { import: { points: 1, duplicates: 1 } }, 'a repeat counts once');
  const next = await send([hourOf(1, 5), 20], [hourOf(0, 25), 30]);
  t.match(next.days, exactList({ date, status: 'normal', observedUntil: '02:00', completeness: 1 }));
  t.equal((await stored()).day?.activity[0], 20, 'the mean of 12, 18 and 30');
  await clock.goTo(`${date}T03:40:00Z`);
  await send([hourOf(3, 30), 20]);
  const { day } = await stored();
  t.equal(day?.activity[1], 20);
  t.strictSame(day?.gaps, [[2, 24]], 'an hour without points is a gap, and no alert');
  t.equal((await events()).filter(({ type }) => type === 'PointsImported').length, 2);
});

t.test('the first points of yesterday, while its lateness lasts, are of a date in progress', async t => {
  const { clock, send } = await started(t);
  await clock.goTo('2024-03-07T00:05:00Z');
  t.match(
    (await send([hourOf(23, 58), 20])).days,
    exactList({ date, inProgress: true, observedUntil: null }),
  );
  const closed = await send(['2024-03-05T23:58:00Z', 20]);
  t.match(closed.days, exactList({ date: '2024-03-05', inProgress: false }));
});

t.test('the last data of a source are those of its points', async t => {
  const { clock, ask, sourceId, send } = await started(t);
  const last = async () =>
    (await ask<{ readonly lastData: { readonly date: string } }>('GET', `/v1/source/${sourceId}`)).lastData
      .date;
  const before = await last();
  await clock.goTo(`${date}T02:30:00Z`);
  await send([`2024-03-01T10:05:00Z`, 100]);
  t.equal(await last(), '2024-03-01');
  t.ok(before < '2024-03-01');
  await send([hourOf(0, 40), 12]);
  t.equal(await last(), date);
  await send([`2024-02-20T10:05:00Z`, 100]);
  t.equal(await last(), date, 'older points do not move it back');
});

t.test('a corrected point replaces its value, a point replaces the value that days set', async t => {
  const { clock, sourceId, send, stored, ask } = await started(t);
  await clock.goTo(`${date}T03:00:00Z`);
  await send([hourOf(0, 10), 10], [hourOf(0, 20), 20], [hourOf(1, 0), 20]);
  await send([hourOf(0, 20), 40], [hourOf(2, 0), 20]);
  t.equal((await stored()).day?.activity[0], 25);
  const activity = ordinaryDay(date).activity.map((value, hour) => (hour < 2 ? value : null));
  await ask('POST', '/v1/import/days', { sourceId, days: [{ date, activity }] });
  t.equal((await stored()).day?.activity[0], activity[0], 'days replace the whole day');
  await clock.goTo(`${date}T04:30:00Z`);
  await send([hourOf(0, 20), 40], [hourOf(4, 0), 20]);
  t.equal((await stored()).day?.activity[0], 40, 'and points of the time before are over');
  t.equal((await stored()).day?.activity[1], activity[1]);
});

t.test(
  'an alert of the morning goes on, is confirmed when its stretch ends, and stays when the date closes',
  async t => {
    const { clock, send, stored, events, alerts } = await started(t);
    const usual = ordinaryDay(date).activity;
    for (let hour = 0; hour < 24; hour += 1) {
      await clock.goTo(hourOf(hour, 50));
      await send([hourOf(hour, 45), hour >= 9 && hour < 12 ? 400 : (usual[hour] ?? 0)]);
      const [alert] = await alerts();
      if (hour <= 9) t.equal(alert, undefined, `no alert at ${hour}:50`);
      if (hour === 10) t.match(alert, { date, state: 'open', direction: 'over' });
    }
    const [alert, ...others] = await alerts();
    t.strictSame(others, [], 'one alert');
    await clock.goTo('2024-03-07T00:10:00Z');
    await clock.goTo('2024-03-07T00:20:00Z');
    const last = await eventually('the check of the whole day', async () =>
      (await events()).findLast(({ type, data }) => type === 'DaysChecked' && !isElapsed(data)),
    );
    t.match(last.data, { days: exactList({ date, outcome: 'abnormal' }) });
    const { alerts: kept } = await stored();
    t.match(kept, exactList({ id: alert?.id, state: 'open', slices: exactList({ from: 9, to: 12 }) }));
    const log = await events();
    t.ok(log.filter(({ type }) => type === 'AlertConfirmed').length <= 4, 'news only');
    const verified = await decidedAgain(log);
    t.strictSame(verified.findings, []);
    t.equal(verified.undecided, 0);
    t.ok(verified.proved > 24, 'a check of each slice');
  },
);

t.test('alerts on points are explained, also in the dossier of an audit', async t => {
  const { clock, ask, send, events, alerts, parts, sourceId } = await started(t);
  await ask('PATCH', `/v1/source/${sourceId}`, { expectedInterval: 'PT2H' });
  const usual = ordinaryDay(date).activity;
  for (let hour = 0; hour < 14; hour += 1) {
    await clock.goTo(hourOf(hour, 50));
    await send([hourOf(hour, 45), hour > 8 && hour < 12 ? 400 : (usual[hour] ?? 0)]);
  }
  await clock.goTo(hourOf(20));
  const explained = (id: string) => ask<Explanation>('GET', `/v1/alert/${id}/explanation`);
  const both = await eventually('an alert of each kind', async () => {
    const found = await alerts();
    return found.length === 2 ? found : undefined;
  });
  for (const { id, kind, importId } of both) {
    const { import: brought, reference } = await explained(id);
    const link = { type: 'PointsImported', stream: `days-${sourceId}`, by: 'anna' };
    t.match(brought, { id: importId, part: link, last: link }, kind);
    const types = reference.events.map(({ type }) => type);
    t.strictSame([...new Set(types)], ['DaysImported'], 'points are no reference');
  }
  const log = (await events()).filter(event => sourceIdOf(event) === sourceId);
  const known = asOf({
    ...{ store: parts.stores.log, end: () => log.at(-1)?.position ?? 0n, turns: turns(system) },
    ...{ openTemporary: openTemporaryReadModels, eventsMax: 5 },
  });
  t.teardown(known.close);
  for (const alert of both)
    t.match(
      await explainAlert(parts.stores.log, known, alert, { tenant: 'default' }),
      { raised: { type: 'AlertRaised' } },
      'however many slices the source has',
    );
  const { dossier } = await sourceFacts(log, sourceId, both.find(({ kind }) => kind === 'activity')?.id);
  t.strictSame(dossier?.day?.activity.slice(9, 12), [400, 400, 400]);
});

t.test('a date that days closed stays closed when points change it', async t => {
  const { clock, ask, sourceId, send, stored } = await started(t);
  await ask('PATCH', `/v1/source/${sourceId}`, { lateness: 'P7D' });
  await clock.goTo(`${date}T10:30:00Z`);
  const [before, plan] = ['2024-03-05', '2024-03-07'];
  const days = [ordinaryDay(before), ordinaryDay(date), ordinaryDay(plan)];
  const imported = await ask<Answer>('POST', '/v1/import/days', { sourceId, days });
  t.strictSame([...new Set(imported.days.map(({ inProgress }) => inProgress))], [false]);
  const usual = ordinaryDay(date).activity;
  const today = await send([hourOf(8, 10), usual[8] ?? 0], [hourOf(9, 10), usual[9] ?? 0]);
  t.match(today.days, exactList({ date, inProgress: false, status: 'normal', observedUntil: null }));
  const low = ordinaryDay(before).activity.map(
    (value, hour) => [hourOf(hour, 10).replace(date, before), 0.8 * value] as const,
  );
  const changed = await send(...low);
  t.match(changed.days, exactList({ date: before, inProgress: false, status: 'abnormal' }));
  t.match(changed.alerts.raised, exactList({ date: before }), 'the limits of the whole day');
  // A day that came before its date is a plan of it.
  await clock.goTo(`${plan}T02:30:00Z`);
  const next = await send([`${plan}T01:10:00Z`, 10], [`${plan}T02:10:00Z`, 10]);
  t.match(next.days, exactList({ date: plan, inProgress: true }));
  // A day that was taken back leaves its date in progress.
  await ask('DELETE', `/v1/day/${sourceId}/${before}`, undefined);
  t.match((await send([`${before}T01:10:00Z`, 1])).days, exactList({ date: before, inProgress: true }));
  t.equal((await stored(date)).day?.gaps.length, 0);
});

t.test('a date without further points closes by an event', async t => {
  const { clock, send, events } = await started(t);
  await clock.goTo(`${date}T10:30:00Z`);
  await send([hourOf(8, 5), 100], [hourOf(9, 5), 100], [hourOf(10, 5), 100]);
  await clock.goTo('2024-03-07T00:16:00Z');
  const closed = await eventually('the closed date', async () =>
    (await events()).find(({ type }) => type === 'DateClosed'),
  );
  t.match(closed.data, { date, closesAt: '2024-03-07T00:15:00.000Z' });
  const alert = await eventually('the check', async () =>
    (await events()).find(({ type }) => type === 'AlertRaised'),
  );
  t.match(alert.data, { date, kind: 'gap' }, 'what is missing of a closed date is missing');
  t.strictSame((await decidedAgain(await events())).findings, []);
});

t.test(
  'points that come more than a week after their date closed replace their slices, and say so',
  async t => {
    const { clock, send, stored } = await started(t);
    const old = '2024-02-20';
    await clock.goTo(`${date}T10:30:00Z`);
    await send([`${old}T08:05:00Z`, 100], [`${old}T08:10:00Z`, 300], [`${old}T09:10:00Z`, 100]);
    const { import: imported, days } = await send([`${old}T08:30:00Z`, 50]);
    t.match(imported.warnings, exactList({ code: 'latePoint' }));
    t.match(days, exactList({ date: old, inProgress: false, status: 'gap' }));
    const { day } = await stored(old);
    t.strictSame(day?.activity.slice(8, 10), [50, 100]);
  },
);

t.test('points of the future wait until their time has come, whatever the aggregation', async t => {
  for (const aggregation of ['mean', 'sum', 'counter']) {
    const { clock, ask } = await started(t);
    await clock.goTo(`${date}T01:30:00Z`);
    const json = { name: `New ${aggregation}`, activitySize: 24, aggregation };
    const { id: sourceId } = await ask<{ id: number }>('POST', '/v1/source', json);
    const day = async (on: string) => (await ask<Stored>('GET', `/v1/day/${sourceId}/${on}`)).day;
    const points = ['T00:00', 'T01:00', 'T02:00', 'T03:00'].flatMap((time, index) => [
      { at: `${date}${time}:00Z`, value: 100 + index },
      { at: `2024-03-09${time}:00Z`, value: 200 + index },
    ]);
    const sent = await ask<Answer>('POST', '/v1/import/points?allowFuture=true', { sourceId, points });
    const detail = /^4 points after tomorrow, 2024-03-07, from 2024-03-09 on: kept/;
    t.match(sent.import.warnings, exactList({ code: 'futureDays', detail }));
    const waiting = { date: '2024-03-09', status: 'unchecked', completeness: 0, observedUntil: null };
    t.match(sent.days, exactList({ date, observedUntil: '01:00' }, waiting), aggregation);
    t.equal(await day('2024-03-09'), null);
    await clock.goTo(`${date}T03:30:00Z`);
    await eventually('the slices that have elapsed', async () =>
      (await day(date))?.gaps[0]?.toString() === '3,24' ? true : undefined,
    );
    t.equal(await day('2024-03-09'), null);
    await clock.goTo('2024-03-09T05:30:00Z');
    const later = await eventually('the day that was of the future', async () => {
      const found = await day('2024-03-09');
      return found?.gaps[0]?.toString() === `${aggregation === 'counter' ? 3 : 4},24` ? found : undefined;
    });
    t.strictSame(later.activity.slice(0, 3), aggregation === 'counter' ? [1, 1, 1] : [200, 201, 202]);
  }
});

t.test('wrong points are refused whole, with their places', async t => {
  const { clock, sourceId, send, request, stored } = await started(t);
  await clock.goTo(`${date}T05:30:00Z`);
  await send([hourOf(1), 5], [hourOf(2), 5]);
  const wrong: readonly (readonly [points: unknown, code: string, pointer: string])[] = [
    [
      [
        { at: hourOf(3), value: 1 },
        { at: 'now', value: 1 },
      ],
      'timestampFormat',
      '/points/1/at',
    ],
    [[{ at: '2024-03-06T03:00:00', value: 1 }], 'timestampOffset', '/points/0/at'],
    [[{ at: '2024-03-06T03:00:00+99:00', value: 1 }], 'timestampOffset', '/points/0/at'],
    [[{ at: hourOf(3), value: '1' }], 'pointValue', '/points/0/value'],
    [[{ at: hourOf(3), value: 1, unit: 'm' }], 'unknownField', '/points/0'],
    [[7], 'pointFormat', '/points/0'],
    [[{ at: '2024-03-09T03:00:00Z', value: 1 }], 'futureDate', '/points/0/at'],
    [[], 'pointsEmpty', '/points'],
  ];
  const before = await stored();
  for (const [points, code, pointer] of wrong) {
    const { status, body } = await request<object>('POST', '/v1/import/points', { sourceId, points });
    t.equal(status, 422, code);
    t.match(body, { errors: exactList({ code, pointer }) });
  }
  const { body } = await request<{ errors: readonly { detail: string }[] }>('POST', '/v1/import/points', {
    sourceId,
    points: [{ at: '2024-03-06T03:00:00+99:00', value: 1 }],
  });
  t.match(body.errors[0]?.detail, /expected an offset from -23:59 to \+23:59, or Z$/);
  t.strictSame(await stored(), before);
});

t.test('points in CSV may go to and fro between dates', async t => {
  const { clock, request, sourceId, stored } = await started(t);
  await clock.goTo('2024-03-07T01:00:00Z');
  const at = (on: string, second: number): string =>
    `${on}T${new Date(1000 * second).toISOString().slice(11, 19)}Z`;
  // More often than an import may have days.
  const rows = Array.from({ length: 110_000 }, (_, row) => {
    const second = 30_000 + (row >> 1);
    return row % 2 === 0 ? `${at('2024-03-05', second)};4` : `${at(date, second)};6`;
  });
  const url = `/v1/import-csv/${sourceId}/points`;
  const answer = await request<object>('POST', url, ['date;value', ...rows].join('\n'), 'text/csv');
  t.match(answer, { status: 200 });
  for (const [on, value] of [
    ['2024-03-05', 4],
    [date, 6],
  ] as const)
    t.equal((await stored(on)).day?.activity[10], value);
});

t.test(
  'points of more dates than an import may have are refused whole, also those of a register',
  async t => {
    const { ask, request, sourceId } = await started(t);
    const first = Date.parse('1850-01-01T00:00:00Z');
    const daily = Array.from({ length: 50_001 }, (_, day) =>
      new Date(first + day * 86_400_000).toISOString(),
    );
    const refused = { status: 422, body: { code: 'jsonInvalid', errors: [{ code: 'tooManyDays' }] } };
    const points = daily.map((at, value) => ({ at, value }));
    t.match(await request('POST', '/v1/import/points', { sourceId, points }), refused);
    const meter = await ask<{ id: number }>('POST', '/v1/source', {
      name: 'Meter',
      aggregation: 'counter',
      activitySize: 24,
    });
    // Its amounts lie on all dates between the readings.
    const sparse = [...Array(2000).keys()].map(index => {
      const at = new Date(Date.parse('1825-01-01T12:00:00Z') + index * 30 * 86_400_000).toISOString();
      return { at, value: index };
    });
    t.match(await request('POST', '/v1/import/points', { sourceId: meter.id, points: sparse }), refused);
  },
);

/** A service with a source of a register that has learned from 120 days of hourly readings, up to April 2022. */
const withMeter = async (test: Test, now: string, query: string) => {
  const clock = drivenClock(now);
  const served = await serviceBy(test, clock, pool);
  let register = 0;
  const rows = ordinaryDays('2022-01-01', 120).flatMap(({ date: on, activity }) =>
    activity.map((value, hour) => {
      const row = `${on}T${String(hour).padStart(2, '0')}:00:00Z;${String(register).replace('.', ',')}`;
      register = Math.round((register + value) * 1000) / 1000;
      return row;
    }),
  );
  const created = await served.ask<{ source: { id: number } }>(
    'POST',
    `/v1/import-csv/create-source?name=Meter&aggregation=counter&${query}`,
    ['date;value', ...rows].join('\n'),
    'text/csv',
  );
  return { ...served, clock, sourceId: created.source.id };
};

t.test(
  'slices between readings of a register count on a date in progress, as skipped ones do not',
  async t => {
    const query = 'activitySize=48&interpolationMethod=linear&timeZone=Europe/Paris';
    const { clock, ask, sourceId } = await withMeter(t, '2023-03-25T22:00:00.000Z', query);
    // By the clock of Paris 2023-03-26 has no hour from 02:00 on.
    const on = '2023-03-26';
    const startMs = Date.parse('2023-03-25T23:00:00Z');
    const read = async (hours: number) => {
      const points = Array.from({ length: hours + 1 }, (_, hour) => {
        return { at: new Date(startMs + hour * 3_600_000).toISOString(), value: 1000 + 10 * hour };
      });
      await clock.goTo(new Date(startMs + hours * 3_600_000 + 60_000).toISOString());
      const { days } = await ask<Answer>('POST', '/v1/import/points', { sourceId, points });
      type Shown = {
        readonly plannedModel: { readonly activity: readonly number[] };
        readonly expectedTotal: number;
        readonly expectedRest: number;
      };
      const { plannedModel, ...sums } = await ask<Shown>('GET', `/v1/day/${sourceId}/${on}`);
      return {
        sums,
        expected: plannedModel.activity,
        until: days.find(({ date }) => date === on)?.observedUntil,
      };
    };
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const near = (got: number, expected: number) =>
      t.ok(Math.abs(got - expected) < 1e-6, `${got}, ${expected}`);
    const night = await read(1);
    t.equal(night.until, '01:00');
    const skipsHour = sum([...night.expected.slice(2, 4), ...night.expected.slice(6)]);
    near(night.sums.expectedRest, skipsHour);
    near(night.sums.expectedTotal, 10 + skipsHour);
    const evening = await read(17);
    t.equal(evening.until, '18:00');
    near(evening.sums.expectedRest, sum(evening.expected.slice(36)));
    near(evening.sums.expectedTotal, 170 + sum(evening.expected.slice(36)));
  },
);

t.test('a date between readings whose rise is unknown after a correction has none of it', async t => {
  const query = 'activitySize=24&interpolationMethod=linear';
  const { clock, ask, sourceId } = await withMeter(t, '2023-05-31T08:00:00.000Z', query);
  const read = async (on: string, value: number): Promise<void> => {
    const at = `${on}T07:30:00Z`;
    await clock.goTo(`${on}T08:00:00Z`);
    await ask('POST', '/v1/import/points', { sourceId, points: [{ at, value }] });
  };
  const day = async (on: string) => (await ask<Stored>('GET', `/v1/day/${sourceId}/${on}`)).day;
  await read('2023-05-31', 100_000);
  await read('2023-06-01', 100_240);
  await read('2023-06-03', 100_720);
  t.strictSame((await day('2023-06-02'))?.activity, Array(24).fill(10));
  // The meter was exchanged.
  await read('2023-06-03', 5);
  t.strictSame((await day('2023-06-02'))?.gaps, [[0, 24]]);
  t.strictSame((await day('2023-06-01'))?.gaps, [[7, 24]]);
});

t.test('readings of a register give the slices between them, and a reset gives a warning', async t => {
  const on = '2023-06-01';
  const { clock, ...served } = await withMeter(t, `${on}T00:00:00.000Z`, 'activitySize=24');
  const { sourceId } = served;
  const send = async (hour: number, minute: number, value: number) => {
    const time = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
    await clock.goTo(`${on}T${time}:30Z`);
    return served.ask<Answer>('POST', '/v1/import/points', {
      sourceId,
      points: [{ at: `${on}T${time}:00Z`, value }],
    });
  };
  await send(0, 0, 1000);
  await send(0, 30, 1010);
  await send(1, 0, 1020);
  await send(1, 30, 1035);
  await send(2, 15, 1050);
  const { import: imported } = await send(2, 45, 5);
  t.strictSame(imported.warnings, []);
  const told = await send(3, 30, 20);
  t.match(told.import.warnings, exactList({ code: 'counterReset' }));
  await send(4, 0, 30);
  await send(5, 0, 50);
  const { day } = await served.ask<Stored>('GET', `/v1/day/${sourceId}/${on}`);
  t.strictSame(day?.activity.slice(0, 5), [20, 25, 0, 20, 20]);
  t.strictSame(day?.gaps, [
    [2, 3],
    [5, 24],
  ]);
  // The values are no register: each falls below the one before.
  await send(7, 0, 40);
  const third = await send(8, 30, 30);
  t.match(third.import.warnings, exactList({ code: 'counterReset' }));
  await send(9, 0, 25);
  const fifth = await send(10, 30, 20);
  const detail = '5 of the last 11 changes of the value fall, expected readings of a register';
  const often = { code: 'notCumulative', detail: new RegExp(`^${detail}`) };
  t.match(fifth.import.warnings, exactList({ code: 'counterReset' }, often));
  // A late reading alone knows no slice.
  const old = '2023-05-10';
  const points = [{ at: `${old}T10:00:00Z`, value: 900 }];
  const { days } = await served.ask<Answer>('POST', '/v1/import/points', { sourceId, points });
  t.match(days, exactList({ date: old, inProgress: false, status: 'unchecked' }));
});
