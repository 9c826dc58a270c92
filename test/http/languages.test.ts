// The language of answers: Accept-Language chooses it, English without; answers say which, and that it was chosen.
import t from 'tap';
import type { Model } from '../../domain/planning/models.js';
import { analysed, ordinaryDay, ordinaryDays, startService } from '../helpers/service.js';

const service = await startService(t);
const { call, events } = service;
const create = async (name: string) => {
  const days = ordinaryDays('2023-01-01', 120);
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, days },
  });
  await analysed(call, body.source.id);
  return body.source.id;
};
const id = await create('Gate');
const loud = { date: '2024-01-16', activity: ordinaryDay('2024-01-16').activity.map(v => 3 * v) };
await call('POST', '/v1/import/days', { json: { sourceId: id, days: [ordinaryDay('2024-01-15'), loud] } });

type Worded = {
  readonly sentence: string;
  readonly sentences: { readonly fr: string };
  readonly loss: string;
  readonly losses: { readonly fr: string };
};
/** A text with its words in French in the place of the English ones. */
const inFrench = <Words extends Worded>(words: Words): Words => ({
  ...words,
  sentence: words.sentences.fr,
  loss: words.losses.fr,
});
const get = <Body>(path: string, language?: string) =>
  call<Body>('GET', path, language === undefined ? {} : { headers: { 'Accept-Language': language } });

t.test('alerts, incidents and models have the language that a client prefers', async t => {
  const alerts = async (language?: string) =>
    (await get<{ alerts: readonly Worded[] }>(`/v1/alert/list?sourceId=${id}`, language)).body.alerts[0];
  const english = await alerts();
  t.match(english, {
    sentence: / times the usual Tuesday /,
    sentences: { fr: / fois le mardi habituel / },
    loss: /^[\d.]+ times its allowance$/,
    losses: { fr: /^[\d,]+ fois sa marge$/ },
  });
  for (const language of ['fr', 'fr-CA', 'de, fr;q=0.5', 'FR', 'en;q=0.5, fr'])
    t.strictSame(await alerts(language), english && inFrench(english), language);
  for (const language of ['en', '*', 'de', 'en-US, fr;q=0.9', '', ';;q=,', 'x'.repeat(2000)])
    t.strictSame(await alerts(language), english, language);

  const incidents = async (language?: string) =>
    (
      await get<{
        incidents: readonly (Worded & { title: string; titles: { fr: string }; alert: Worded })[];
      }>('/v1/incident/list', language)
    ).body.incidents[0];
  const incident = await incidents();
  t.match(incident, { title: 'Gate', sentence: /, on 16 Jan 2024$/ });
  t.equal(incident?.loss, incident?.alert.loss, 'its only day');
  const french = incident && {
    ...inFrench(incident),
    alert: inFrench(incident.alert),
    title: incident.titles.fr,
  };
  t.strictSame(await incidents('fr'), french);

  const models = async (language?: string) =>
    (await get<{ models: readonly Model[] }>(`/v1/model/list/${id}`, language)).body.models;
  t.strictSame(
    (await models()).map(({ name }) => name),
    ['Monday–Friday', 'Saturday–Sunday'],
  );
  t.strictSame(
    (await models('fr')).map(({ name }) => name),
    ['lundi–vendredi', 'samedi–dimanche'],
  );
});

t.test('answers name their language, and caches keep them apart', async t => {
  const list = '/v1/alert/list';
  const [english, french] = [await get(list), await get(list, 'fr')];
  t.equal(english.headers.get('Content-Language'), 'en');
  t.equal(french.headers.get('Content-Language'), 'fr');
  for (const { headers } of [english, french]) {
    t.match(headers.get('Vary'), /\bAccept-Language\b/);
    t.match(headers.get('Vary'), /\bAccept-Encoding\b/);
    t.equal(headers.get('ETag'), null, 'no answer is taken for another one by its tag');
  }
  const problem = await get<{ detail: string }>('/v1/source/999', 'fr');
  t.match(problem, { status: 404, body: { detail: 'no source 999' } }, 'problems are in English');
  const audit = await get('/v1/audit/event', 'fr');
  t.equal(audit.headers.get('Content-Language'), null, 'events are as they are');
});

t.test('a repeat has the language of its own request, and one effect', async t => {
  const [alert] = (await get<{ alerts: readonly { id: string }[] }>('/v1/alert/list')).body.alerts;
  const acknowledge = (language: string) =>
    call<Worded>('POST', `/v1/alert/${alert?.id}/acknowledge`, {
      headers: { 'Accept-Language': language, 'Idempotency-Key': 'once' },
    });
  const french = await acknowledge('fr');
  const english = await acknowledge('en');
  t.equal(french.body.sentence, french.body.sentences.fr);
  t.match(english.body.sentence, / times the usual Tuesday /);
  t.equal(events().filter(({ type }) => type === 'AlertAcknowledged').length, 1);
});

t.test('stored names stay as they are', async t => {
  const french = await get<{ models: readonly Model[] }>(`/v1/model/list/${id}`, 'fr');
  const [model] = french.body.models;
  const changed = await call<Model>('PATCH', `/v1/model/${id}/${model?.id}`, {
    headers: { 'Accept-Language': 'fr' },
    json: { color: '#112233' },
  });
  t.equal(changed.body.name, 'lundi–vendredi');
  t.match((await get(`/v1/model/list/${id}`)).body, { models: { 0: { name: 'Monday–Friday' } } });
  await call('PATCH', `/v1/model/${id}/${model?.id}`, { json: { name: 'Open days' } });
  t.match((await get(`/v1/model/list/${id}`, 'fr')).body, { models: { 0: { name: 'Open days' } } });
});
