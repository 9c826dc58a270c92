import t from 'tap';
import { learningMinute, lookMinutes } from '../../../application/requests/collector.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { countedDates, learningDate, referenceDates } from '../../../domain/source/reference.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { eventually, ordinaryDays } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// A source without a reference collects recent days and learns by itself.

const pool = sharedAnalyst();

type Source = {
  readonly id: number;
  readonly analysis: {
    readonly status: string;
    readonly usableDays?: number;
    readonly learnsAt?: string | null;
  };
  readonly modelsVersion: number;
  readonly minChange: object | null;
  readonly reference: { readonly from: string; readonly to: string; readonly days: number };
};

t.test(
  'after 56 days a source has models; its days are checked, and it learns again after three months',
  async t => {
    const clock = drivenClock('2024-03-01T09:00:00.000Z');
    const { ask, send, importDays, alerts: alertsOf, events } = await serviceBy(t, clock, pool);
    const created = await send<Source>('POST', '/v1/source', {
      name: 'New meter',
      activitySize: 24,
      unit: 'kWh',
      expectedInterval: 'P2D',
    });
    t.match(created, {
      status: 201,
      body: { analysis: { status: 'collecting', usableDays: 0, learnsAt: null }, modelsVersion: 0 },
    });
    const { id } = created.body;
    const source = () => ask<Source>('GET', `/v1/source/${id}`);
    t.match(await send('POST', `/v1/model/reset/${id}/3`), {
      status: 422,
      body: { code: 'referenceCollecting' },
    });
    await importDays(id, ...ordinaryDays('2024-03-01', 1).map(({ date }) => date));
    t.match(await source(), { analysis: { status: 'collecting', usableDays: 1, learnsAt: '2024-04-26' } });

    await clock.goTo('2024-03-06T23:50:00.000Z');
    const silence = await eventually('the silence', async () => (await alertsOf('&kind=noData'))[0]);
    t.ok(silence.date > '2024-03-01', 'its date has data later');
    await ask('POST', `/v1/alert/${silence.id}/resolve`, { verdict: 'anomaly' });
    await clock.leapTo('2024-04-24T23:50:00Z');
    await importDays(id, ...ordinaryDays('2024-03-02', 54).map(({ date }) => date));
    t.match(await source(), { analysis: { status: 'collecting', usableDays: 55, learnsAt: '2024-04-26' } });
    await clock.leapTo('2024-04-26T23:50:00Z');
    await importDays(id, ...ordinaryDays('2024-04-25', 2).map(({ date }) => date));
    await clock.leapTo('2024-04-27T23:59:00Z');
    const learned = await eventually('the first models', async () => {
      const now = await source();
      return now.analysis.status === 'completed' ? now : undefined;
    });
    t.match(learned, { modelsVersion: 1, reference: { from: '2024-03-01', to: '2024-04-26', days: 57 } });
    const strange = { date: '2024-04-27', activity: Array<number>(24).fill(900) };
    await clock.leapTo('2024-04-28T23:59:00Z');
    const { alerts } = await ask<{ alerts: { raised: readonly { id: string }[] } }>(
      'POST',
      '/v1/import/days',
      {
        sourceId: id,
        days: [strange],
      },
    );
    t.equal(alerts.raised.length, 1);
    await ask('POST', `/v1/alert/${alerts.raised[0]?.id}/resolve`, { verdict: 'anomaly', comment: 'a test' });

    await ask('DELETE', `/v1/day/${id}/2024-03-10`, {});
    const corrected = { date: '2024-03-20', activity: Array.from({ length: 24 }, (_, hour) => 40 + hour) };
    await ask('POST', '/v1/import/days', { sourceId: id, days: [corrected] });
    await clock.leapTo('2024-06-01T23:59:00Z');
    await importDays(id, ...ordinaryDays('2024-04-28', 34).map(({ date }) => date));
    await clock.leapTo('2024-06-02T23:59:00Z');
    const again = await eventually('the second models', async () => {
      const now = await source();
      return now.modelsVersion === 2 ? now : undefined;
    });
    t.match(again.reference, { from: '2024-03-01', to: '2024-05-31', days: 90 });
    const extensions = (await events()).filter(({ type }) => type === 'ReferenceExtended');
    t.equal(extensions.length, 2);
    t.match(again.minChange, { proposed: true }, 'the reference proposes a floor');
    t.match(extensions[1]?.data, { minChange: again.minChange });
    t.strictSame((extensions[1]?.data as { leftOut: unknown }).leftOut, ['2024-03-10', '2024-04-27']);
    const imports = (await events()).flatMap(({ type, data }) =>
      type === 'DaysImported' && (data as { kind: string }).kind === 'reference' ? [data] : [],
    ) as readonly { readonly days: readonly { readonly date: string; readonly activity: unknown }[] }[];
    const learnedDays = imports.flatMap(part => part.days).filter(({ date }) => date === corrected.date);
    t.strictSame(learnedDays.at(-1)?.activity, corrected.activity, 'a correction joins the reference');
    const verified = await decidedAgain(await events());
    t.strictSame(verified.findings, []);
  },
);

t.test('a source that collects has an alert when its values are frozen, from the third day on', async t => {
  const clock = drivenClock('2024-03-01T09:00:00.000Z');
  const { ask, send, importDays, alerts, events } = await serviceBy(t, clock, pool);
  const { body } = await send<Source>('POST', '/v1/source', { name: 'New meter', activitySize: 24 });
  const { id } = body;
  const frozen = { activity: Array<number>(24).fill(31.5) };
  await importDays(id, '2024-03-01');
  await clock.leapTo('2024-03-03T09:00:00Z');
  await ask('POST', '/v1/import/days', { sourceId: id, days: [{ date: '2024-03-02', ...frozen }] });
  t.strictSame(await alerts(), [], 'one day before says nothing');
  await importDays(id, '2024-03-02');
  await clock.leapTo('2024-03-04T09:00:00Z');
  const answer = await ask<{ days: readonly object[] }>('POST', '/v1/import/days', {
    sourceId: id,
    days: [{ date: '2024-03-03', ...frozen }],
  });
  t.match(answer.days, exactList({ date: '2024-03-03', status: 'abnormal', plannedModel: null }));
  const [alert, ...others] = await alerts();
  t.match(alert, { kind: 'frozen', state: 'open', plannedModelId: null });
  t.strictSame(others, []);
  const explained = await ask<{ alert: { sentence: string }; models: unknown }>(
    'GET',
    `/v1/alert/${alert?.id}/explanation`,
  );
  t.match(explained, {
    models: null,
    alert: { sentence: /31\.5 all day, longer than on any day of the four weeks before/ },
  });
  await clock.leapTo('2024-03-05T09:00:00Z');
  await ask('POST', '/v1/import/days', { sourceId: id, days: [{ date: '2024-03-04', ...frozen }] });
  t.equal((await alerts()).length, 2, 'a frozen day does not explain the next one');
  t.equal((await ask<{ incidents: object[] }>('GET', '/v1/incident/list')).incidents.length, 1);
  await importDays(id, '2024-03-03', '2024-03-04');
  t.strictSame(await alerts(), [], 'other data end them');
  t.equal((await alerts('&state=invalidated')).length, 2);
  t.strictSame((await decidedAgain(await events())).findings, []);
});

t.test('a source that collects has no alert when it is constant often', async t => {
  const clock = drivenClock('2024-03-01T09:00:00.000Z');
  const { ask, send, alerts } = await serviceBy(t, clock, pool);
  const { body } = await send<Source>('POST', '/v1/source', { name: 'Set point', activitySize: 24 });
  const days = Array.from({ length: 10 }, (_, index) => ({
    date: dateOf(dayNumber('2024-02-20') + index),
    activity: Array.from({ length: 24 }, (_, hour) => (hour < 4 ? 15 : 20 + (index % 3))),
  }));
  days.push({ date: '2024-03-01', activity: Array<number>(24).fill(25) });
  await clock.leapTo('2024-03-02T09:00:00Z');
  await ask('POST', '/v1/import/days', { sourceId: body.id, days });
  t.strictSame(await alerts(), []);
});

t.test(
  'a source is looked at from its own minute on, with the days that are over by its own clock',
  async t => {
    // The midnight of Kiritimati is 10:00 UTC; source 1 may learn from 10:11 on, and looks come every 15 minutes.
    const clock = drivenClock('2024-04-25T09:05:00.000Z');
    const { ask, send, importDays, events } = await serviceBy(t, clock, pool);
    const { body } = await send<Source>('POST', '/v1/source', {
      ...{ name: 'New meter', activitySize: 24, timeZone: 'Pacific/Kiritimati', lateness: 'PT1M' },
    });
    t.equal(body.id, 1);
    t.equal(learningMinute(1), 10 * 60 + 11);
    await importDays(1, ...ordinaryDays('2024-03-01', 56).map(({ date }) => date));
    const extensions = async () => (await events()).filter(({ type }) => type === 'ReferenceExtended');
    await clock.goTo('2024-04-25T10:09:00Z');
    t.match(await ask('GET', '/v1/source/1'), { analysis: { usableDays: 56 } }, 'all days are over');
    t.strictSame(await extensions(), [], 'but its minute has not come');
    await clock.goTo('2024-04-25T10:24:00Z');
    const [extension] = await eventually('the extension', async () => {
      const found = await extensions();
      return found.length > 0 ? found : undefined;
    });
    t.match(extension?.data, { reference: { from: '2024-03-01', to: '2024-04-25', days: 56 } });
  },
);

t.test('a date in progress is no reference day before it closes', async t => {
  const clock = drivenClock('2024-04-25T23:00:00.000Z');
  const { ask, send, importDays, events } = await serviceBy(t, clock, pool);
  await send('POST', '/v1/source', { name: 'New meter', activitySize: 24, lateness: 'PT12H' });
  await importDays(1, ...ordinaryDays('2024-03-01', 55).map(({ date }) => date));
  const points = Array.from({ length: 23 }, (_, hour) => ({
    at: `2024-04-25T${String(hour).padStart(2, '0')}:00:00Z`,
    value: 100 + hour,
  }));
  await ask('POST', '/v1/import/points', { sourceId: 1, points });
  const extensions = async () =>
    (await events()).flatMap(({ type, at }) => (type === 'ReferenceExtended' ? [at] : []));
  await clock.goTo('2024-04-26T11:55:00Z');
  t.strictSame(await extensions(), [], 'learning minute 10:11 has passed, the lateness has not');
  await clock.goTo('2024-04-26T12:30:00Z');
  await eventually('the extension', async () => (await extensions()).length === 1 || undefined);
});

t.test('minutes of the sources are spread over the day, and a look follows each on its date', async t => {
  const minutes = Array.from({ length: 1425 }, (_, index) => learningMinute(index + 1));
  t.equal(new Set(minutes).size, 1425, 'each minute once');
  t.equal(Math.min(...minutes), 0);
  t.equal(Math.max(...minutes) + lookMinutes, 1439, 'the last look is on the same date');
});

t.test('when the reference is taken: 56 usable days, then 3, 6 and 12 months', async t => {
  const first = dayNumber('2024-01-01');
  const usable = (count: number) => Array.from({ length: count }, (_, index) => dateOf(first + index));
  const none = { days: 0, from: '2024-01-01', to: '2024-01-01' };
  t.strictSame(referenceDates(none, usable(55), '2025-01-01'), []);
  t.equal(referenceDates(none, usable(56), dateOf(first + 56)).length, 56);
  t.strictSame(referenceDates(none, usable(56), dateOf(first + 55)), [], 'the last day is not over');
  const taken: number[] = [];
  let known = none;
  for (let age = 56; age < 800; age += 1) {
    const dates = referenceDates(known, usable(age), dateOf(first + age));
    if (dates.length === 0) continue;
    taken.push(dates.length);
    known = { days: dates.length, from: dates[0]!, to: dates.at(-1)! };
  }
  t.strictSame(taken, [56, 91, 182, 365]);
});

t.test('a day that a wrong clock put years before the others begins no reference', async t => {
  const first = dayNumber('2026-01-01');
  const usable = (count: number) => [
    '2000-01-01',
    ...Array.from({ length: count }, (_, index) => dateOf(first + index)),
  ];
  const none = { days: 0, from: '2026-01-01', to: '2026-01-01' };
  t.strictSame(countedDates(usable(0)), ['2000-01-01']);
  t.strictSame(countedDates(usable(3)), usable(3).slice(1));
  t.strictSame(referenceDates(none, usable(55), '2027-01-01'), []);
  t.strictSame(referenceDates(none, usable(60), '2027-01-01'), usable(60).slice(1));
  const sparse = Array.from({ length: 56 }, (_, index) => dateOf(first + 8 * index));
  t.strictSame(referenceDates(none, sparse, '2028-01-01'), [], 'no year has 56 days');
});

t.test(
  'each stage is learned once, also when data come late or the last dates of the year have none',
  async t => {
    const first = dayNumber('2024-01-01');
    const agesOf = (
      lateDays: number,
      without: (day: number) => boolean,
      kept = (dates: readonly string[]) => dates,
    ): number[] => {
      const ages: number[] = [];
      let known = { days: 0, from: '2024-01-01', to: '2024-01-01' };
      for (let age = 56; age < 800; age += 1) {
        const numbers = Array.from({ length: age - lateDays }, (_, day) => day).filter(day => !without(day));
        const usable = numbers.map(day => dateOf(first + day));
        const dates = referenceDates(known, usable, dateOf(first + age));
        if (dates.length === 0) continue;
        ages.push(age);
        const learned = kept(dates);
        known = { days: learned.length, from: learned[0]!, to: learned.at(-1)! };
      }
      return ages;
    };
    t.strictSame(
      agesOf(1, () => false),
      [57, 92, 183, 366],
    );
    t.strictSame(
      agesOf(5, () => false),
      [61, 96, 187, 370],
    );
    for (const judged of [
      (dates: readonly string[]) => dates.slice(0, -2),
      (dates: readonly string[]) => dates.slice(2),
    ])
      t.equal(agesOf(1, () => false, judged).length, 4, 'without days at an end that people judged');
    t.strictSame(
      agesOf(0, day => day >= 360 && day < 370),
      [56, 91, 182, 371],
    );
  },
);

t.test('when the first models come, if each day has data', async t => {
  const first = dayNumber('2024-01-01');
  const at = (count: number, lastDate: number, today: number) => {
    const usable = Array.from({ length: count }, (_, index) => dateOf(first + index));
    const date = learningDate(usable, dateOf(first + lastDate), dateOf(first + today));
    return date === null ? null : dayNumber(date) - first;
  };
  t.equal(at(0, 3, 4), null);
  t.equal(at(1, 0, 0), 56, 'the day after the 56th');
  t.equal(at(1, 0, 1), 56);
  t.equal(at(1, 3, 4), 59, 'three days without enough data');
  t.equal(at(1, 4, 4), 59, 'the present day may have enough');
  t.equal(at(55, 54, 55), 56);
  t.equal(at(55, 54, 90), 90, 'never before the present date');
  t.equal(at(56, 55, 55), 56);
  t.equal(at(70, 69, 70), 70);
});

t.test('a reset of a source that collects its reference is refused with the time of its models', async t => {
  // Source 1 may learn from 10:11 UTC on.
  const clock = drivenClock('2024-03-01T09:00:00.000Z');
  const { ask, send, importDays } = await serviceBy(t, clock, pool);
  await send('POST', '/v1/source', { name: 'New meter', activitySize: 24 });
  const refused = async (detail: string) => {
    for (const path of ['reset', 'preview'])
      t.match(await send('POST', `/v1/model/${path}/1/3`), {
        status: 422,
        body: { code: 'referenceCollecting', detail: `the source collects its reference: ${detail}` },
      });
  };
  await refused('got 0 days with data, expected 56 before its first models; it learns by itself from them');
  await importDays(1, '2024-02-29');
  await refused(
    'got 1 days with data, expected 56 before its first models; ' +
      'it learns by itself on 2024-04-25, if each day has data',
  );
  await importDays(1, ...ordinaryDays('2024-01-05', 57).map(({ date }) => date));
  await refused(
    'got 57 days with data, which are enough; ' +
      'it learns by itself within 15 minutes after 2024-03-01T10:11:00.000Z, and can be reset then',
  );
  await clock.leapTo('2024-03-01T10:24:00Z');
  const learned = await eventually('the first models', async () => {
    const now = await ask<Source>('GET', '/v1/source/1');
    return now.analysis.status === 'completed' ? now : undefined;
  });
  t.equal(learned.reference.days, 56, 'the present day is not over');
  t.match(await send('POST', '/v1/model/reset/1/2'), { status: 200 });
});

t.test('days beyond tomorrow are not usable', async t => {
  const clock = drivenClock('2024-03-01T09:00:00.000Z');
  const { ask, send } = await serviceBy(t, clock, pool);
  await send('POST', '/v1/source', { name: 'New meter', activitySize: 24 });
  const days = ordinaryDays('2025-01-01', 90);
  await ask('POST', '/v1/import/days?allowFuture=true', { sourceId: 1, days });
  t.match(await ask('GET', '/v1/source/1'), { analysis: { usableDays: 0, learnsAt: null } });
});

t.test('a source learns from interpolated slices, as one that is created with its reference', async t => {
  const clock = drivenClock('2024-06-01T09:00:00.000Z');
  const { ask, send, events } = await serviceBy(t, clock, pool);
  const rows = Array.from({ length: 80 }, (_, index) => {
    const date = dateOf(dayNumber('2024-03-01') + index);
    return `${date}T00:00:00;${1000 + 200 * index + ((index * index * 7) % 90)}`;
  });
  for (const [id, aggregation, usableDays] of [
    [1, 'counter', 79],
    [2, 'mean', 80],
  ] as const) {
    const linear = { name: aggregation, activitySize: 24, interpolationMethod: 'linear', aggregation };
    await send('POST', '/v1/source', linear);
    await ask('POST', `/v1/import-csv/${id}/days`, ['d;v', ...rows, ''].join('\n'), 'text/csv');
    const { analysis } = await ask<Source>('GET', `/v1/source/${id}`);
    t.match(analysis, { status: 'collecting', usableDays, learnsAt: '2024-06-01' }, aggregation);
  }
  await clock.leapTo('2024-06-01T23:59:00Z');
  await eventually('both extensions', async () => {
    const found = (await events()).filter(({ type }) => type === 'ModelsReset');
    return found.length === 2 || undefined;
  });
  t.strictSame((await decidedAgain(await events())).findings, []);
});
