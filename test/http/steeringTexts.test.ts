import t from 'tap';
import type { MessageParts } from '../../application/messages/messageContent.js';
import { messagesOf } from '../../application/messages/messages.js';
import { harmlessJson, inOneLine, linesPattern, namePattern, visible } from '../../domain/text.js';
import type { MessageCause } from '../../projections/messageCauses.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import { drivenClock, serviceBy } from '../helpers/clockedService.js';
import { exactList } from '../helpers/exactList.js';
import { analysed, ordinaryDay, ordinaryDays, startService } from '../helpers/service.js';
import { sharedAnalyst } from '../helpers/sharedAnalyst.js';

// Characters that mislead readers: new requests are refused, names of older events are shown without them.

const pool = sharedAnalyst();

const misleading = [
  '\u0007',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u202a',
  '\u2066',
  '\u2069',
  '\u200b',
  '\ufeff',
  '\u061c',
  '\u200f',
  '\u3164',
  '\u{e0041}',
];
/** Characters of one line that are letters of a language or belong to one. */
const accepted = 'É 門 שער بوابة می\u200cخواهم 👩\u200d🔬 ❤\ufe0f 葛\u{e0100} №1\u00a0·';

type Refusal = { readonly errors?: readonly { readonly pointer?: string; readonly detail: string }[] };

t.test('requests with them are refused, whatever the field', async t => {
  const { call } = await startService(t);
  const json = { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 28) };
  const created = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
  const { id } = created.body.source;
  await analysed(call, id);
  const { models } = (await call<{ models: readonly { id: number }[] }>('GET', `/v1/model/list/${id}`)).body;
  const loud = { date: '2023-03-01', activity: ordinaryDay('2023-03-01').activity.map(value => 5 * value) };
  const imported = await call<{ alerts: { raised: readonly { id: string }[] } }>('POST', '/v1/import/days', {
    json: { sourceId: id, days: [loud] },
  });
  const alertId = imported.body.alerts.raised[0]?.id ?? '';
  const source = `/v1/source/${id}`;
  type Field = readonly [pointer: string, method: string, path: string, json: (text: string) => unknown];
  const inLine: readonly Field[] = [
    ['/name', 'POST', '/v1/import/create-source', text => ({ ...json, name: text })],
    ['/name', 'PATCH', source, text => ({ name: text })],
    ['/labels/site', 'PATCH', source, text => ({ labels: { site: text } })],
    ['/place/address', 'PATCH', source, text => ({ place: { address: text } })],
    ['/unit', 'PATCH', source, text => ({ unit: text })],
    [
      '/feed/measurement',
      'PATCH',
      source,
      text => ({ feed: { measurement: text, field: 'value', tags: {} } }),
    ],
    [
      '/feed/tags/room',
      'PATCH',
      source,
      text => ({ feed: { measurement: 'm', field: 'value', tags: { room: text } } }),
    ],
    ['/name', 'PATCH', `/v1/model/${id}/${models[0]?.id}`, text => ({ name: text })],
    [
      '/models/0/name',
      'POST',
      `/v1/model/bulk-replace/${id}`,
      text => ({ models: [{ ...models[0], name: text }] }),
    ],
    ['/name', 'PUT', `/v1/calendar/${id}/2023-05-01`, text => ({ name: text })],
    ['/name', 'POST', '/v1/token/create', text => ({ name: text, scopes: ['read'], expires: 'P1D' })],
    [
      '/name',
      'POST',
      '/v1/calendar-rule/create',
      text => ({ sourceId: id, name: text, rule: 'FREQ=WEEKLY;BYDAY=SU' }),
    ],
    [
      '/labels/site',
      'POST',
      '/v1/webhook/create',
      text => ({ url: 'https://hooks.example.org/', labels: { site: text } }),
    ],
  ];
  const comment = (text: string) => ({ verdict: 'expected', comment: text });
  const resolve: Field = ['/comment', 'POST', `/v1/alert/${alertId}/resolve`, comment];
  const refusal = async ([, method, path, jsonOf]: Field, text: string) =>
    (await call<Refusal>(method, path, { json: jsonOf(text) })).body.errors;
  for (const field of [...inLine, resolve])
    for (const character of misleading) {
      const errors = await refusal(field, `a${character}b`);
      const detail =
        /, expected (one line with more than spaces,|text) without control characters and invisible ones$/;
      t.match(
        errors,
        exactList({ pointer: field[0], detail }),
        `${field[2]}: U+${character.codePointAt(0)?.toString(16)}`,
      );
    }
  for (const field of inLine)
    for (const text of ['a\nb', '  ', '\u00a0'])
      t.match(
        await refusal(field, text),
        exactList({ pointer: field[0] }),
        `${field[2]}: ${JSON.stringify(text)}`,
      );
  t.match(await refusal(resolve, 'a\u202eb'), exactList({ detail: /^got "a<U\+202E>b", expected/ }));
  const queried = await call<Refusal>('DELETE', `/v1/day/${id}/2023-03-01?reason=a%E2%80%AEb`);
  t.match(queried.body.errors, exactList({ pointer: '/query/reason' }));

  t.equal((await call('PATCH', source, { json: { name: accepted } })).status, 200);
  t.match(await call('GET', source), { body: { name: accepted } }, 'other texts stay as they are');
  const said = await call('POST', `/v1/alert/${alertId}/resolve`, {
    json: comment('Noon.\n\tDoors closed.'),
  });
  t.match(said, { status: 200, body: { comment: 'Noon.\n\tDoors closed.' } }, 'a comment may have lines');
});

t.test('names of older events are shown without them; the audit trail has them as they are', async t => {
  const served = await serviceBy(t, drivenClock('2024-03-01T06:00:00.000Z'), pool);
  const id = await served.create('Gate');
  await served.restart(async () => {
    const events = (await served.events()).filter(({ stream }) => stream === `source-${id}`);
    const last = events.at(-1);
    if (!last) throw new Error('no source');
    const data = {
      requestId: 'r',
      name: 'Ga\u202ete\u2028x',
      labels: {},
      place: null,
      expectedInterval: null,
    };
    const described = {
      ...last,
      id: '9f0c2f0e-0000-4000-8000-000000000001',
      type: 'SourceDescribed',
      v: 1,
      data,
    };
    const { position: _, revision, hash: __, stream, ...proposed } = described;
    await served.parts.stores.log.append(stream, revision, [proposed]);
  });
  t.match(await served.ask('GET', `/v1/source/${id}`), { name: 'Ga\ufffdte\ufffdx' });
  t.match(await served.ask('GET', '/v1/overview'), { sources: exactList({ name: 'Ga\ufffdte\ufffdx' }) });
  const trail = await served.ask<object>('GET', '/v1/audit/event?type=SourceDescribed');
  t.match(trail, { events: exactList({ data: { name: 'Ga\u202ete\u2028x' } }) });
});

t.test('messages to receivers name a source without them', t => {
  const models = {
    sources: { setup: () => ({ tenant: 'default', timeZone: 'UTC' }) },
    messageCauses: { describedAt: () => ({ name: 'Ga\u202ete', labels: {} }), isArchivedAt: () => false },
    webhooks: { filterAt: () => ({ events: ['analysis.completed'], labels: {} }) },
  };
  const parts = { models, announcedAt: {} } as unknown as MessageParts;
  const webhook = { id: 'w', tenant: 'default' } as WebhookRecord;
  const cause = { type: 'ModelsReset', eventId: 'e', position: 3n, sourceId: 1, alert: null, detail: {} };
  const [message] = messagesOf(parts, webhook, cause as unknown as MessageCause);
  t.match(JSON.parse(message?.body ?? '{}'), { data: { source: { name: 'Ga\ufffdte' } } });
  t.end();
});

t.test('texts in one line and JSON', t => {
  t.equal(visible('a\u202eb\u{e0041} c\u200dd'), 'a<U+202E>b<U+E0041> c\u200dd');
  t.equal(inOneLine('a\nb\u202ec\u200bd\u200de'), 'a b c d\u200de');
  t.equal(harmlessJson(JSON.stringify({ a: 'x\n\u2028\u2066y' })), '{"a":"x\\n\ufffd\ufffdy"}');
  t.equal(harmlessJson(JSON.stringify(accepted)), JSON.stringify(accepted));
  t.end();
});

t.test('the pattern of names agrees with the properties of Unicode', t => {
  const isInvisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
  const isNeeded = /[\u200c\u200d\p{Variation_Selector}]/u;
  const isControl = /[\p{Cc}\u2028\u2029]/u;
  const [line, lines] = [new RegExp(namePattern, 'u'), new RegExp(linesPattern, 'u')];
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const text = String.fromCodePoint(code);
    const isRefused = isControl.test(text) || (isInvisible.test(text) && !isNeeded.test(text));
    const isLayout = text === '\t' || text === '\n' || text === '\r';
    if (line.test(`a${text}`) === isRefused || lines.test(text) === (isRefused && !isLayout))
      wrong.push(code.toString(16));
  }
  t.strictSame(wrong, []);
  t.end();
});
