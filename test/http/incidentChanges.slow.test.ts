import t from 'tap';
import type { ShownIncident } from '../../application/requests/incidents.js';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import { checkedAsk } from '../helpers/documents/checkedAsk.js';
import { exactList } from '../helpers/exactList.js';
import { decidedAgain } from '../helpers/decisions/decided.js';
import { analysed, ordinaryDay, ordinaryDays, startService } from '../helpers/service.js';

// Changes that stay, over HTTP: incidents name them.

const { call, events } = await startService(t);
const ask = await checkedAsk(call);

const create = async (name: string, timeZone = 'Europe/Paris'): Promise<number> => {
  const { source } = await ask<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, timeZone, days: ordinaryDays('2023-01-01', 364) },
  });
  await analysed(call, source.id);
  return source.id;
};

type Raised = { readonly alerts: { readonly raised: readonly { readonly sentence: string }[] } };
type Change = (values: readonly number[]) => readonly number[];

/** The working days from a date on, each changed in the same way. */
const workingDays = (first: string, count: number, change: Change) =>
  Array.from({ length: count }, (_, index) => dateOf(dayNumber(first) + index))
    .filter(date => weekday(dayNumber(date)) < 5)
    .map(date => ({ date, activity: change(ordinaryDay(date).activity) }));

const importDays = (sourceId: number, days: ReturnType<typeof workingDays>) =>
  ask<Raised>('POST', '/v1/import/days', { json: { sourceId, days } });

const incidentsOf = async (sourceId: number): Promise<readonly ShownIncident[]> =>
  (await ask<{ incidents: ShownIncident[] }>('GET', `/v1/incident/list?sourceId=${sourceId}`)).incidents;

/** Opening an hour later: the first hour is as at night. */
const opensLater: Change = values => values.with(8, 20);
const quarterMore: Change = values => values.map(value => value * 1.25);
const hourLater: Change = values => [values[23]!, ...values.slice(0, 23)];

t.test('from the third like day on the incident says what has changed', async t => {
  const id = await create('Gym');
  await importDays(id, workingDays('2024-03-04', 2, opensLater));
  const [before] = await incidentsOf(id);
  t.equal(before?.change, null);
  await importDays(id, workingDays('2024-03-06', 1, opensLater));
  const [after] = await incidentsOf(id);
  t.equal(after?.id, before?.id);
  t.match(after?.change, {
    type: 'opening',
    size: -60,
    from: '2024-03-04',
    minutes: exactList(480, 540),
    sourceId: id,
    sentence: 'closed 08–09 since 4 Mar 2024',
    sentences: { fr: 'fermé 08–09 depuis le 4 mars 2024' },
  });
  t.match(after?.sentence, /; closed 08–09 since 4 Mar 2024$/);
  t.strictSame(after?.changes, [after?.change]);
});

t.test(
  'a change of the level and one of the clock get their own names, and so does a slip of the clock',
  async t => {
    const pool = await create('Pool');
    await importDays(pool, workingDays('2024-03-04', 4, quarterMore));
    t.match((await incidentsOf(pool))[0]?.change, {
      type: 'level',
      sentence: 'a quarter more since 4 Mar 2024',
      daylightSaving: false,
    });
    const hall = await create('Hall');
    await importDays(hall, workingDays('2024-05-06', 4, hourLater));
    t.match((await incidentsOf(hall))[0]?.change, {
      type: 'clock',
      size: 60,
      daylightSaving: false,
      sentence: 'everything an hour later since 6 May 2024',
    });
    const mall = await create('Mall');
    await importDays(mall, workingDays('2024-04-01', 5, hourLater));
    t.match((await incidentsOf(mall))[0]?.change, {
      type: 'clock',
      daylightSaving: true,
      sentence: /^everything an hour later since \d Apr 2024, as after a change of the clock/,
    });
  },
);

/** An incident of a new source whose first three days are changed, accepted. */
const accepted = async (name: string, change: Change) => {
  const id = await create(name);
  await importDays(id, workingDays('2024-03-04', 3, change));
  const [incident] = await incidentsOf(id);
  const path = `/v1/incident/${incident?.id}`;
  return { id, path, after: await ask<ShownIncident>('POST', `${path}/accept`) };
};

t.test('an accepted change is the new normal, until it is withdrawn', async t => {
  for (const [name, change] of [
    ['Gym 2', opensLater],
    ['Pool 2', quarterMore],
    ['Hall 2', hourLater],
  ] as const) {
    const { id, path, after } = await accepted(name, change);
    t.match(after.accepted, exactList({ sourceId: id, from: '2024-03-04', byKind: 'person' }), name);
    t.strictSame(await incidentsOf(id), [], 'its alerts are no longer needed');
    const later = await importDays(id, workingDays('2024-03-07', 28, change));
    t.ok(later.alerts.raised.length <= 2, `${later.alerts.raised.length} alerts in four weeks`);
    const day = await ask<{ plannedModel: { activity: number[] } }>('GET', `/v1/day/${id}/2024-03-12`);
    const before = await ask<{ plannedModel: { activity: number[] } }>('GET', `/v1/day/${id}/2024-02-27`);
    t.not(day.plannedModel.activity[8], before.plannedModel.activity[8]);
    const back = await ask<ShownIncident>('POST', `${path}/withdraw-acceptance`);
    t.strictSame(back.accepted, []);
    const [again] = await incidentsOf(id);
    t.ok((again?.alertIds.length ?? 0) > 3, 'as before');
  }
});

t.test('with an accepted change other deviations are alerts, and say so', async t => {
  const { id } = await accepted('Gym 3', opensLater);
  const halved: Change = values => opensLater(values).map((value, hour) => (hour > 12 ? value / 2 : value));
  const [alert] = (await importDays(id, workingDays('2024-03-11', 1, halved))).alerts.raised;
  t.match(alert?.sentence, /under the usual Monday from 13:00.*, closed 08–09 since 4 Mar 2024$/);
});

t.test(
  'an alert that stays when a change is accepted or withdrawn says what the new check found',
  async t => {
    type Day = { readonly alerts: readonly { readonly state: string; readonly sentence: string }[] };
    const id = await create('Gym with an outage');
    const halved: Change = values => opensLater(values).map((value, hour) => (hour > 12 ? value / 2 : value));
    await importDays(id, workingDays('2024-03-04', 2, opensLater));
    await importDays(id, workingDays('2024-03-06', 1, halved));
    await importDays(id, workingDays('2024-03-07', 5, opensLater));
    const [incident] = await incidentsOf(id);
    const sentences = async () =>
      (await ask<Day>('GET', `/v1/day/${id}/2024-03-06`)).alerts
        .filter(({ state }) => state !== 'invalidated')
        .map(({ sentence }) => sentence);
    const before = await sentences();
    t.match(before, exactList(/^[^;]*under the usual Wednesday/));
    await ask('POST', `/v1/incident/${incident?.id}/accept`, { json: { from: '2024-03-04' } });
    t.match(await sentences(), exactList(/ from 13:00.*, closed 08–09 since \d Mar 2024$/));
    await ask('POST', `/v1/incident/${incident?.id}/withdraw-acceptance`);
    t.strictSame(await sentences(), before);
  },
);

t.test('what cannot be accepted is refused', async t => {
  const id = await create('Gym 4');
  await importDays(id, workingDays('2024-03-04', 2, opensLater));
  const [incident] = await incidentsOf(id);
  const path = `/v1/incident/${incident?.id}`;
  const refusal = async (json: object) => (await call('POST', `${path}/accept`, { json })).body;
  t.match(await refusal({}), { code: 'incidentTransition', detail: /has no change, expected one/ });
  t.match((await call('POST', `${path}/withdraw-acceptance`)).body, {
    ...{ code: 'incidentTransition', detail: /was never accepted/ },
  });
  await importDays(id, workingDays('2024-03-06', 1, opensLater));
  t.match(await refusal({ sourceIds: [999] }), { detail: /got source 999, expected sources of incident/ });
  for (const from of ['0001-01-01', '2024-02-04', '9998-12-31'])
    t.match(await refusal({ from }), {
      code: 'bodyInvalid',
      errors: exactList({
        ...{ code: 'acceptedFrom', pointer: '/from' },
        detail:
          /^got \d{4}-\d\d-\d\d, expected a date from 2024-02-05, 28 days before the first alert, to 20/,
      }),
    });
  const after = await ask<ShownIncident>('POST', `${path}/accept`, { json: { from: '2024-03-05' } });
  t.match(after.accepted, exactList({ from: '2024-03-05' }));
  t.strictSame((await incidentsOf(id))[0]?.alertIds.length, 1, 'the day before stays as it was');
  t.match(await refusal({}), { code: 'incidentTransition' });
  t.match(await ask('POST', `${path}/withdraw-acceptance`), { state: 'open' });
  t.match(await ask('POST', `${path}/withdraw-acceptance`), { state: 'open' }, 'again');
});

type History = {
  readonly events: readonly { readonly type: string; readonly change?: { readonly summary: string } }[];
};

t.test('the history of the incident says what was accepted and withdrawn', async t => {
  const { id, path, after } = await accepted('Gym 5', opensLater);
  t.match(after.accepted[0]?.change, { summary: 'closed 08–09', summaries: { fr: 'fermé 08–09' } });
  await ask('POST', `${path}/withdraw-acceptance`);
  const { events: steps } = await ask<History>('GET', `${path}/history`);
  const types = steps.map(({ type }) => type).filter(type => type.startsWith('Change'));
  t.strictSame(types, ['ChangeAccepted', 'ChangeWithdrawn']);
  for (const step of steps.filter(({ change }) => change))
    t.match(step, {
      by: 'tester',
      sourceId: id,
      change: { type: 'opening', from: '2024-03-04', summary: 'closed 08–09' },
    });
});

t.test('an alert of a day with an accepted change is explained with it', async t => {
  const { id } = await accepted('Gym 6', opensLater);
  const halved: Change = values => opensLater(values).map((value, hour) => (hour > 12 ? value / 2 : value));
  await importDays(id, workingDays('2024-03-11', 1, halved));
  type Explained = {
    readonly accepted: readonly object[];
    readonly plannedModel: { readonly id: number; readonly activity: readonly number[] };
  };
  const { alerts } = await ask<{ alerts: { id: string }[] }>('GET', `/v1/alert/list?sourceId=${id}`);
  const explained = await ask<Explained>('GET', `/v1/alert/${alerts.at(-1)?.id}/explanation`);
  t.match(explained.accepted, exactList({ type: 'ChangeAccepted', by: 'tester' }));
  const { models } = await ask<{ models: { id: number; activity: number[] }[] }>(
    'GET',
    `/v1/model/list/${id}`,
  );
  const learned = models.find(model => model.id === explained.plannedModel.id);
  t.ok((learned?.activity[8] ?? 0) > 90);
  t.ok((explained.plannedModel.activity[8] ?? 100) < 50, 'as expected on the day');
});

t.test('of several sources, the ones that are named are accepted', async t => {
  await ask('PATCH', '/v1/settings', { json: { incidentLabels: ['site'] } });
  const ids = [await create('Wing 1'), await create('Wing 2')];
  for (const id of ids) await ask('PATCH', `/v1/source/${id}`, { json: { labels: { site: 'north' } } });
  for (const id of ids) await importDays(id, workingDays('2024-03-04', 3, opensLater));
  const [incident] = await incidentsOf(ids[0]!);
  t.equal(incident?.changes.length, 2);
  const path = `/v1/incident/${incident?.id}`;
  t.match((await call('POST', `${path}/accept`, { json: {} })).body, {
    code: 'incidentTransition',
    detail: /has changes of 2 sources, expected sourceIds/,
  });
  const one = await ask<ShownIncident>('POST', `${path}/accept`, { json: { sourceIds: [ids[1]] } });
  t.match(one.accepted, exactList({ sourceId: ids[1] }));
  t.match(one.changes, exactList({ sourceId: ids[0] }), 'the other one still waits');
  const both = await ask<ShownIncident>('POST', `${path}/accept`, { json: { sourceIds: [ids[0]] } });
  t.match(both.accepted, exactList({ sourceId: ids[0] }, { sourceId: ids[1] }));
  await ask('PATCH', '/v1/settings', { json: { incidentLabels: [] } });
  t.strictSame((await ask<ShownIncident>('POST', `${path}/withdraw-acceptance`)).accepted, []);
});

/** Fewer in the middle of the day, more at its ends. */
const hollow: Change = values =>
  values.map((value, hour) => (hour >= 11 && hour < 15 ? 30 : hour >= 8 && hour < 18 ? value * 1.4 : value));

t.test('another course of the day is accepted for its model', async t => {
  const { id, after } = await accepted('Club', hollow);
  t.match(after.accepted, exactList({ change: { type: 'shape', summary: 'another course of the day' } }));
  const previewed = await ask('POST', `/v1/model/preview/${id}/2`);
  t.match(previewed, { endedChanges: exactList({ incidentId: after.id, change: { type: 'shape' } }) });
  const later = await importDays(id, workingDays('2024-03-07', 14, hollow));
  t.ok(later.alerts.raised.length <= 2, `${later.alerts.raised.length} alerts in two weeks`);
});

t.test('past states know the acceptances of then', async t => {
  const { id, path } = await accepted('Gym 7', opensLater);
  const position = String(events().at(-1)?.position);
  await ask('POST', `${path}/withdraw-acceptance`);
  type Day = { readonly plannedModel: { readonly activity: readonly number[] } };
  const then = await ask<Day>('GET', `/v1/day/${id}/2024-03-05?asOf=${position}`);
  const now = await ask<Day>('GET', `/v1/day/${id}/2024-03-05`);
  t.ok((then.plannedModel.activity[8] ?? 100) < 50, 'then the change was expected');
  t.ok((now.plannedModel.activity[8] ?? 0) > 90, 'now it is not');
});

t.test('checks with accepted and withdrawn changes can be repeated', async t => {
  const { findings, undecided, proved } = await decidedAgain(events());
  t.strictSame([findings, undecided], [[], 0]);
  t.ok(proved > 20);
});
