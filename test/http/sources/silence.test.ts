import t from 'tap';
import { openReadModels, openVerification } from '../../../adapters/composition/openLog.js';
import { startService } from '../../../adapters/composition/startService.js';
import type { Explanation } from '../../../application/requests/history/explainAlert.js';
import { decisionsVerifier } from '../../../application/decisions/decisionsVerifier.js';
import { uptimeInMemory } from '../../../application/followUps/clock.js';
import type { Exported } from '../../../auditing/eventBytes.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import { eventually, ordinaryDays } from '../../helpers/service.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { exactList } from '../../helpers/exactList.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// The service with a clock of the test: data arrive every morning, stop, and arrive again.

const pool = sharedAnalyst();

const yesterdayOf = (date: string): string => dateOf(dayNumber(date) - 1);
const morning = (date: string): string => `${date}T06:00:00.000Z`;

t.test('a source whose daily data stop gets an alert, which ends with new data', async t => {
  const clock = drivenClock('2024-03-01T06:00:00.000Z');
  const { ask, events, create, importDays, alerts } = await serviceBy(t, clock, pool);
  const id = await create('Gate');
  const once = await create('History');
  await importDays(once, ...ordinaryDays('2023-06-01', 60).map(day => day.date));
  for (const date of ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07', '2024-03-08']) {
    await clock.goTo(morning(date));
    await importDays(id, yesterdayOf(date));
  }
  // 36 hours after the last import.
  await clock.goTo('2024-03-09T17:59:00.000Z');
  t.strictSame(await alerts('&kind=noData'), [], 'not yet');
  await clock.goTo('2024-03-09T18:05:00.000Z');
  const silence = await eventually('the alert', async () => (await alerts('&kind=noData'))[0]);
  t.match(silence, {
    ...{ sourceId: id, date: '2024-03-08', kind: 'noData', state: 'open', direction: null, criticity: 1 },
    sentence:
      /^No data since 2024-03-08 06:00 UTC, usually expected within 1 day 12 hours; the last day is 2024-03-07$/,
    silence: { lastDate: '2024-03-07', origin: 'learned' },
    ...{ deviation: null, brokenLimits: exactList(), slices: exactList() },
  });
  t.match(await ask('GET', `/v1/alert/${silence.id}`), { bounds: null });
  type Overview = { readonly sources: readonly { readonly id: number; readonly silence: object | null }[] };
  const marks = async () => (await ask<Overview>('GET', '/v1/overview')).sources.map(one => one.silence);
  t.match(await marks(), exactList({ id: silence.id, date: '2024-03-08', state: 'open' }, null));
  const { rows } = await ask<{ rows: unknown[][] }>('GET', `/v1/table/${id}/alerts`);
  t.strictSame(
    rows.map(([alertId]) => alertId),
    [silence.id],
    'the table without dates has it',
  );
  const explained = await ask<Explanation>('GET', `/v1/alert/${silence.id}/explanation`);
  t.match(explained, { check: { cause: { type: 'ClockTicked' } }, import: { part: null } });

  await clock.goTo('2024-03-20T00:00:00.000Z');
  const ticks = async () => (await events()).filter(({ type }) => type === 'ClockTicked');
  t.equal((await ticks()).length, 1, 'one tick for one deadline, however long it lasts');

  const corrected = await importDays(id, '2024-03-05');
  t.strictSame(corrected.alerts.ended, [], 'a correction is no new data');
  const { alerts: after } = await importDays(id, '2024-03-19');
  t.match(after.ended, exactList({ id: silence.id, state: 'ended' }));
  t.strictSame(await marks(), [null, null]);
  t.strictSame(await alerts('&state=unprocessed'), []);
  t.match(await alerts('&state=ended'), exactList({ id: silence.id }), 'an outage that is over is listed');
  const { events: steps } = await ask<{ events: { type: string }[] }>(
    'GET',
    `/v1/alert/${silence.id}/history`,
  );
  t.match(steps, exactList({ type: 'AlertRaised' }, { type: 'AlertEnded', reason: 'DaysImported' }));
  t.match(await ask('POST', `/v1/alert/${silence.id}/resolve`, { verdict: 'anomaly' }), {
    state: 'resolved',
  });

  await clock.goTo('2024-03-24T18:00:00.000Z');
  const second = await eventually('the next alert', async () => (await alerts('&state=open'))[0]);
  t.match(second, { kind: 'noData', date: '2024-03-20' });
  t.equal((await alerts()).filter(({ sourceId }) => sourceId === once).length, 0, 'imported once, no rhythm');

  const { stores, close } = openVerification();
  const verify = decisionsVerifier(stores, pool);
  const log = (await events()).map(({ position: _, ...event }) => event as Exported);
  for (const [index, event] of log.entries()) await verify.take(event, index + 1);
  const { findings, undecided } = verify.done();
  close();
  t.strictSame([findings, undecided], [[], 0], 'the log is decided again alike');
  const forged = log.map(event =>
    event.type === 'AlertEnded'
      ? { ...event, data: { ...(event.data as object), reason: 'ModelsReset' } }
      : event,
  );
  const other = openVerification();
  const refuse = decisionsVerifier(other.stores, pool);
  for (const [index, event] of forged.entries()) await refuse.take(event, index + 1);
  t.match(refuse.done().findings, exactList({ detail: /AlertEnded does not follow/ }));
  other.close();
});

t.test('an outage of the service is no silence of its sources', async t => {
  const clock = drivenClock('2024-03-01T06:00:00.000Z');
  const { restart, create, importDays, alerts, events } = await serviceBy(t, clock, pool);
  const [gate, door] = [await create('Gate'), await create('Door')];
  for (const date of ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07']) {
    await clock.goTo(morning(date));
    await importDays(gate, yesterdayOf(date));
    await importDays(door, yesterdayOf(date));
  }
  await restart(() => clock.leapTo('2024-03-11T12:00:00.000Z'));
  await clock.goTo('2024-03-12T06:00:00.000Z');
  t.strictSame(await alerts('&kind=noData'), [], 'both have been overdue since 2024-03-08');
  await importDays(gate, '2024-03-11');
  // A suspended machine is an outage too: the expected interval begins again.
  await clock.leapTo('2024-03-12T20:00:00.000Z');
  await clock.goTo('2024-03-14T07:55:00.000Z');
  t.strictSame(await alerts('&kind=noData'), []);
  await clock.goTo('2024-03-14T08:10:00.000Z');
  const silence = await eventually('the alert', async () => (await alerts('&kind=noData'))[0]);
  t.match(silence, { sourceId: door, silence: { deadline: /^2024-03-08T18/ } });
  t.equal((await alerts('&kind=noData')).length, 1, 'the gate has imported since');
  t.equal((await events()).filter(({ type }) => type === 'ClockTicked').length, 1);
  await importDays(door, '2024-03-13');
  t.strictSame(await alerts('&state=unprocessed'), []);
});

t.test('two instances raise the alert once', async t => {
  const clock = drivenClock('2024-03-01T06:00:00.000Z');
  const { parts, create, importDays, alerts, events } = await serviceBy(t, clock, pool);
  const { models, close } = openReadModels('');
  const stores = { ...parts.stores, models, uptime: uptimeInMemory() };
  const other = await startService({ ...parts, stores, environment: clock.environment });
  t.teardown(async () => {
    await other.stop();
    close();
  });
  const id = await create('Gate');
  for (const date of ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07']) {
    await clock.goTo(morning(date));
    await importDays(id, yesterdayOf(date));
  }
  await clock.goTo('2024-03-10T00:00:00.000Z');
  await eventually('the alert', async () => (await alerts('&kind=noData'))[0]);
  await eventually('the alert on the other instance', async () => {
    await other.service.caughtUp();
    return models.rhythms.overdue('2024-03-10T00:00:00.000Z', 1e12, 1).length === 0 ? true : undefined;
  });
  const count = async (type: string) => (await events()).filter(event => event.type === type).length;
  t.strictSame([await count('ClockTicked'), await count('AlertRaised')], [1, 1]);
});

t.test(
  'a given interval takes precedence over the learned one; an archived source raises no alert',
  async t => {
    const clock = drivenClock('2024-03-01T06:00:00.000Z');
    const { ask, events, create, importDays, alerts } = await serviceBy(t, clock, pool);
    const [gate, door] = [await create('Gate'), await create('Door')];
    for (const date of ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07']) {
      await clock.goTo(morning(date));
      await importDays(gate, yesterdayOf(date));
      await importDays(door, yesterdayOf(date));
    }
    const given = (expectedInterval: string | null) =>
      ask('PATCH', `/v1/source/${gate}`, { expectedInterval }, 'application/merge-patch+json');
    await given('P3D');
    await ask('DELETE', `/v1/source/${door}`);
    await clock.goTo('2024-03-10T05:55:00.000Z');
    t.strictSame(await alerts('&kind=noData'), [], 'the learned interval ended on 2024-03-08');
    await clock.goTo('2024-03-10T06:05:00.000Z');
    const silence = await eventually('the alert', async () => (await alerts('&kind=noData'))[0]);
    t.match(silence, {
      ...{ sourceId: gate, silence: { origin: 'given', intervalMinutes: 4320 } },
      sentence: 'No data since 2024-03-07 06:00 UTC, expected within 3 days; the last day is 2024-03-06',
    });
    await given('PT1H');
    await given('P4D');
    await clock.goTo('2024-03-12T06:00:00.000Z');
    const count = async (type: string) => (await events()).filter(event => event.type === type).length;
    t.strictSame(
      [await count('ClockTicked'), await count('AlertRaised')],
      [2, 1],
      'one alert, two deadlines',
    );
    await importDays(gate, '2024-03-11');
    t.strictSame(await alerts('&state=unprocessed'), []);

    // The interval of a restored source starts again.
    await ask('POST', `/v1/source/${door}/restore`);
    await clock.goTo('2024-03-13T17:55:00.000Z');
    t.strictSame(await alerts('&state=unprocessed'), []);
    await clock.goTo('2024-03-13T18:05:00.000Z');
    t.match(await eventually('the alert', async () => (await alerts('&state=open'))[0]), { sourceId: door });

    await given(null);
    const decided = await decidedAgain(await events());
    t.strictSame([decided.findings, decided.undecided], [[], 0]);
  },
);

t.test('a date that is missing inside an import is a gap until its data arrive', async t => {
  const clock = drivenClock('2024-04-20T06:00:00.000Z');
  const { create, importDays, alerts } = await serviceBy(t, clock, pool);
  const id = await create('Gate');
  const dates = ordinaryDays('2024-03-04', 14).map(day => day.date);
  const holes = ['2024-03-07', '2024-03-12', '2024-03-13'];
  const present = dates.filter(date => !holes.includes(date));
  const first = await importDays(id, ...present);
  t.strictSame(
    first.alerts.raised.map(({ date, kind, sentence }) => [date, kind, sentence]),
    holes.map(date => [date, 'gap', 'No data of this day']),
  );
  t.strictSame(
    new Set(first.alerts.raised.map(({ incidentId }) => incidentId)).size,
    1,
    'the same hours again within 28 days: one incident',
  );
  const again = await importDays(id, ...present);
  t.strictSame([again.alerts.raised, again.alerts.invalidated], [[], []], 'the same holes again');
  const filled = await importDays(id, '2024-03-12');
  t.match(filled.alerts.invalidated, exactList({ date: '2024-03-12', kind: 'gap' }));
  t.strictSame(
    (await alerts()).map(({ date }) => date),
    ['2024-03-07', '2024-03-13'],
  );
  t.strictSame(
    (await importDays(id, '2024-04-01', '2024-04-08')).alerts.raised,
    [],
    'single days are no series',
  );
});
