import t from 'tap';
import type { Explanation, Link } from '../../../application/requests/history/explainAlert.js';
import type { Model } from '../../../domain/planning/models.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService, type Sent } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// One source that several people change: each explanation of an alert names the authors of its decisions.

const service = await startService(t);
const { call, tokenFor } = service;
const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
const as = async <Body>(subject: string, method: string, path: string, sent: Sent = {}): Promise<Body> => {
  const answer = await call<Body>(method, path, { ...sent, token: await tokenFor({ subject }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
};
type Created = { readonly source: { readonly id: number } };
const { id } = (
  await as<Created>('anna', 'POST', '/v1/import/create-source', {
    json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 70), calendar: 'FR' },
  })
).source;
await analysed(call, id);

const broken = (date: string, times: number) => {
  const { activity } = ordinaryDay(date);
  return { date, activity: activity.map((value, hour) => (hour > 9 && hour < 14 ? value * times : value)) };
};
const importBy = (subject: string, dates: readonly string[], times = 3) =>
  as(subject, 'POST', '/v1/import/days', {
    json: { sourceId: id, days: dates.map(date => broken(date, times)) },
  });
const alertsOf = async (date: string, state = 'unprocessed'): Promise<readonly { readonly id: string }[]> => {
  await idle(call);
  const path = `/v1/alert/list?sourceId=${id}&from=${date}&state=${state}`;
  const { body } = await call<{ alerts: { id: string; date: string }[] }>('GET', path);
  return body.alerts.filter(alert => alert.date === date);
};
const alertOf = async (date: string): Promise<string> => (await alertsOf(date))[0]?.id ?? 'none';
const explained = async (alertId: string): Promise<Explanation> => {
  const path = `/v1/alert/${alertId}/explanation`;
  const answer = await call<Explanation>('GET', path);
  if (answer.status !== 200) throw new Error(answer.text);
  t.strictSame(check('GET', path, answer), [], 'as /openapi.json says');
  return { ...answer.body, people: [...answer.body.people].sort() };
};
const linksOf = (value: unknown): Link[] => {
  if (typeof value !== 'object' || value === null) return [];
  if ('eventId' in value) return [value as Link];
  return Object.values(value).flatMap(linksOf);
};
const presentModels = async (): Promise<readonly Model[]> =>
  (await call<{ models: Model[] }>('GET', `/v1/model/list/${id}`)).body.models;
const presentPlan = async (date: string): Promise<DayPlan | undefined> =>
  (await call<{ days: DayPlan[] }>('GET', `/v1/planning/list/${id}/2024`)).body.days.find(
    day => day.date === date,
  );
const typesOf = (links: readonly Link[]): string[] => links.map(({ type }) => type);

await importBy('ivan', ['2024-01-10', '2024-01-11']);
const first = await alertOf('2024-01-10');
const firstModels = await presentModels();
const firstPlan = await presentPlan('2024-01-10');
const firstExplained = await explained(first);

t.test('an alert of automatic models and planning is explained', async t => {
  const { alert, raised, check: checked, import: brought, planning, plannedModel } = firstExplained;
  const { models, reference, since, people } = firstExplained;
  const { bounds: _, ...read } = (await call<{ bounds: object[] }>('GET', `/v1/alert/${first}`)).body;
  t.strictSame(alert, read);
  t.match(raised, { type: 'AlertRaised', stream: `alerts-${id}`, by: 'reactor' });
  t.match(checked, { event: { type: 'DaysChecked' }, cause: { type: 'DaysImported', by: 'ivan' } });
  t.equal(checked.cause.eventId, brought?.last.eventId);
  t.match(brought, { id: alert.importId, part: { by: 'ivan', stream: `days-${id}` } });
  const { event, specialDay, ...plan } = planning;
  t.strictSame(plan, firstPlan);
  t.match(event, { type: 'ModelsReset', eventId: models?.event.eventId });
  t.equal(specialDay, null);
  t.strictSame(
    plannedModel,
    firstModels.find(model => model.id === alert.plannedModelId),
  );
  t.match(models, {
    version: 1,
    origin: 'automatic',
    request: { type: 'SourceCreated', by: 'anna' },
    parameters: {
      engine: /\/\d+$/,
      seed: 1,
      modelCount: firstModels.length,
      bounds: { targetCoverage: null },
      calendar: { code: 'FR', origin: 'given' },
    },
  });
  t.strictSame(typesOf(reference.events), ['DaysImported', 'DaysImported', 'DaysImported'], '70 days');
  t.ok(reference.plannedModelDates.length > 20 && reference.plannedModelDates.includes('2023-01-03'));
  t.notOk(reference.plannedModelDates.includes('2023-01-01'), 'a holiday that was a Sunday');
  t.strictSame(since, []);
  t.strictSame(people, ['anna', 'ivan']);
});

t.test('every link leads to its event', async t => {
  const byId = new Map(service.events().map(event => [event.id, event]));
  const links = linksOf(firstExplained);
  t.equal(links.length, 11);
  for (const { eventId, by: _, byKind: __, cause, position, ...link } of links) {
    const event = byId.get(eventId);
    t.match(event, { ...link, metadata: { cause } }, link.type);
    t.equal(String(event?.position), position);
    t.match(link.hash, /^[0-9a-f]{64}$/);
  }
});

t.test('a read as of knownTo shows what the check saw', async t => {
  const at = `asOf=${firstExplained.check.knownTo}`;
  const days = (path: string) => call<{ days: { date: string }[] }>('GET', `${path}?${at}`);
  const planned = (await days(`/v1/planning/list/${id}/2024`)).body.days.find(
    ({ date }) => date === '2024-01-10',
  );
  t.strictSame(planned, firstPlan);
  const seen = (await days(`/v1/day/list/${id}/2024`)).body.days.find(({ date }) => date === '2024-01-10');
  t.match(seen, { importId: firstExplained.import?.id, check: null }, 'the day, not checked yet');
  t.equal((await call('GET', `/v1/alert/${first}?${at}`)).status, 404, 'and no alert');
});

let resolvedExplained: unknown;
t.test('an explanation names the person who planned, who named the day and who resolved', async t => {
  const other = firstModels.find(model => model.id !== firstPlan?.modelId)?.id;
  await as('paul', 'PUT', `/v1/planning/${id}/2024-01-10`, { json: { modelId: other } });
  await as('nina', 'PUT', `/v1/calendar/${id}/2024-01-10`, { json: { name: 'fair' } });
  const second = await alertOf('2024-01-10');
  t.equal(second, first, 'an alert that another planning raises again stays the same one');
  const before = await explained(second);
  t.match(before, {
    check: { cause: { type: 'DayPlanned', by: 'paul' } },
    planning: {
      modelId: other,
      origin: 'manual',
      reason: /by paul$/,
      event: { type: 'DayPlanned', by: 'paul' },
    },
    people: exactList('anna', 'ivan', 'paul'),
  });
  t.equal(before.planning.specialDay, null, 'named after the check');
  t.equal(before.plannedModel?.id, other);
  t.strictSame(typesOf(before.since), ['AlertConfirmed']);

  await as('rosa', 'POST', `/v1/alert/${second}/acknowledge`);
  await as('rosa', 'POST', `/v1/alert/${second}/resolve`, { json: { verdict: 'anomaly' } });
  const after = await explained(second);
  t.strictSame(typesOf(after.since), ['AlertConfirmed', 'AlertAcknowledged', 'AlertResolved']);
  t.match(after, { alert: { state: 'resolved' }, people: exactList('anna', 'ivan', 'paul', 'rosa') });
  resolvedExplained = after;

  await importBy('ivo', ['2024-01-10'], 4);
  const third = await explained(await alertOf('2024-01-10'));
  t.match(third, {
    planning: { origin: 'manual', specialDay: { type: 'SpecialDayNamed', by: 'nina' } },
    import: { last: { by: 'ivo' } },
    people: exactList('anna', 'ivo', 'nina', 'paul'),
  });
});

t.test('an explanation has the request of a reset, and the person of custom models', async t => {
  await as('mia', 'POST', `/v1/model/reset/${id}/3?coverage=0.95`);
  const reset = await explained(await alertOf('2024-01-11'));
  t.match(reset, {
    check: { cause: { type: 'ModelsReset' } },
    import: { last: { by: 'ivan' } },
    models: {
      version: 2,
      request: { type: 'ModelsResetRequested', by: 'mia' },
      parameters: { modelCount: 3, bounds: { targetCoverage: 0.95 } },
    },
    people: exactList('anna', 'ivan', 'mia'),
  });
  const flat = (level: number) => Array<number>(24).fill(level);
  const model = {
    name: 'flat',
    color: '#0072B2',
    activity: flat(60),
    topTolerance: flat(150),
    bottomTolerance: flat(0),
  };
  await as('olaf', 'POST', `/v1/model/bulk-replace/${id}`, { json: { models: [model] } });
  const custom = await explained(await alertOf('2024-01-11'));
  t.match(custom, {
    check: { cause: { type: 'ModelsReplaced', by: 'olaf' } },
    models: { version: 3, origin: 'custom', request: null, parameters: null, event: { by: 'olaf' } },
    plannedModel: { name: 'flat', topTolerance: flat(150) },
    reference: { leftOut: exactList() },
    people: exactList('anna', 'ivan', 'olaf'),
  });
  t.equal(custom.reference.plannedModelDates.length, 70);

  t.strictSame(await explained(first), resolvedExplained, 'what a resolved alert rests on is what it was');
});

t.test('explanations of unknown alerts and of alerts of other tenants answer 404', async t => {
  const token = await tokenFor({ subject: 'eve', tenant: 'other' });
  for (const [alertId, sent] of [
    [first, { token }],
    [`${id}-20240110-99`, {}],
    ['9-20240110-1', {}],
    ['nonsense', {}],
  ] as const)
    t.match(await call('GET', `/v1/alert/${alertId}/explanation`, sent), {
      status: 404,
      body: { code: 'alertNotFound' },
    });
  const auditor = await tokenFor({ scopes: ['audit'] });
  t.equal((await call('GET', `/v1/alert/${first}/explanation`, { token: auditor })).status, 403);
});
