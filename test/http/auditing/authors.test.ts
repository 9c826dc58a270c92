// The author of an event is a person, the service or an erased person, whatever the person is called.
import { parse } from 'csv-parse/sync';
import fc from '../../helpers/property.js';
import t from 'tap';
import { harmlessJson } from '../../../domain/text.js';
import { authorOf } from '../../../application/ports/people.js';
import { authorNames, openedAuthors } from '../../../adapters/cli/auditReport/facts.js';
import { openedJson, seal } from '../../../adapters/privacy/people.js';
import { apiExportVerifier } from '../../../auditing/apiExport.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { signed, good, secret } from '../../helpers/signedTokens.js';
import { analysed, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

const seed = Number(process.env['SEED'] ?? 1);
t.comment(`SEED=${seed}`);

type Author = { readonly by: string; readonly byKind: string };
type Event = { readonly type: string; readonly metadata: { readonly by: string }; readonly byKind: string };
type Explanation = { readonly raised: Author; readonly since: readonly Author[] };

const sealedLike = `sealed:1:${'0'.repeat(32)}:${'A'.repeat(60)}`;
/** Names of people that read like something else. */
const reserved = [
  'reactor',
  'erased',
  'service',
  'person',
  'the service',
  'Daybook',
  '"',
  '\\',
  ' ',
  '","byKind":"service',
  sealedLike,
  `kind-of-${sealedLike}`,
  '__proto__',
  'a'.repeat(200),
  '😀'.repeat(100),
];
/** Names that no token may have. */
const refused = ['', 'a'.repeat(201), '\ud83d', 'half \udc00'];

const anyName = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 90 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.string({ minLength: 1, maxLength: 200 }),
);

/** A name without characters that answers replace. */
const harmlessName = anyName.filter(name => harmlessJson(JSON.stringify(name)) === JSON.stringify(name));

t.test('any subject reads as a person in every answer, never as the service or erased', async t => {
  const { call, tokenFor } = await startService(t, { JWT_SECRET: secret });
  const admin = { token: await tokenFor({ subject: 'admin' }) };
  const days = ordinaryDays('2023-01-01', 60);
  await call('POST', '/v1/import/create-source', {
    ...admin,
    json: { name: 'Gate', referenceYear: 2023, days },
  });
  await analysed(call, 1);
  const bad = { date: '2023-04-04', activity: ordinaryDay('2023-04-04').activity.map(value => value + 999) };
  const imported = await call<{ alerts: { raised: readonly AlertRecord[] } }>('POST', '/v1/import/days', {
    ...admin,
    json: { sourceId: 1, days: [bad] },
  });
  const id = imported.body.alerts.raised[0]?.id ?? '';

  const asSubject = (sub: string) => ({ token: signed({ ...good, sub, scope: 'alert' }) });
  const resolve = { json: { verdict: 'expected', comment: null } };
  for (const sub of refused)
    t.equal((await call('POST', `/v1/alert/${id}/reopen`, asSubject(sub))).status, 401);
  const people: string[] = [];
  for (const sub of [...reserved, ...fc.sample(harmlessName, { seed, numRuns: 60 })]) {
    const [verb, sent] = people.length % 2 === 0 ? ['resolve', resolve] : ['reopen', {}];
    const { status } = await call('POST', `/v1/alert/${id}/${verb}`, { ...asSubject(sub), ...sent });
    if (status === 200) people.push(sub);
    else t.equal(status, 401, JSON.stringify(sub));
  }
  t.ok(people.length >= reserved.length, 'the reserved words are names as good as others');
  const expected = [{ by: 'reactor', byKind: 'service' }, ...people.map(by => ({ by, byKind: 'person' }))];
  const only = ({ by, byKind }: Author): Author => ({ by, byKind });
  const author = ({ metadata: { by }, byKind }: Event): Author => ({ by, byKind });

  const history = await call<{ events: Author[] }>('GET', `/v1/alert/${id}/history`, admin);
  t.strictSame(history.body.events.map(only), expected, 'history of the alert');
  const { raised, since } = (await call<Explanation>('GET', `/v1/alert/${id}/explanation`, admin)).body;
  t.strictSame([raised, ...since].map(only), expected, 'its explanation');

  const stream = `/v1/audit/event?stream=alerts-1`;
  const ofAlert = ({ type }: { readonly type: string }) => /^Alert(Raised|Resolved|Reopened)/.test(type);
  const page = await call<{ events: Event[] }>('GET', `${stream}&limit=500`, admin);
  t.strictSame(page.body.events.filter(ofAlert).map(author), expected, 'pages');
  const lines = (await call('GET', `${stream}&format=ndjson`, admin)).text.trim().split('\n');
  const exported = lines.map(line => JSON.parse(line) as Event);
  t.strictSame(exported.filter(ofAlert).map(author), expected, 'NDJSON');
  const csv = (await call('GET', `${stream}&format=csv`, admin)).text;
  const rows: Readonly<Record<string, string>>[] = parse(csv, { columns: true });
  t.strictSame(
    rows.filter(row => ofAlert({ type: row['type'] ?? '' })).map(({ by, byKind }) => ({ by, byKind })),
    // An apostrophe keeps spreadsheets from running a name as a formula.
    expected.map(({ by, byKind }) => ({ by: by.replace(/^(?=[=+\-@\t\r\n＝＋－＠])/, "'"), byKind })),
    'CSV',
  );

  const verifier = apiExportVerifier();
  for (const line of exported) verifier.take(line);
  t.match(verifier.done(), { named: people.length, findingCount: 0 }, 'an export with these names verifies');

  for (const name of ['reactor', sealedLike]) {
    const found = await call<{ events: Event[] }>('GET', `${stream}&actor=${name}`, admin);
    t.strictSame(found.body.events.map(author), [{ by: name, byKind: 'person' }]);
  }
  const counts = await Promise.all(
    ['person', 'service'].map(async kind => {
      const { events } = (await call<{ events: Event[] }>('GET', `${stream}&limit=500&byKind=${kind}`, admin))
        .body;
      t.ok(events.every(({ byKind }) => byKind === kind));
      return events.length;
    }),
  );
  t.same(counts, [people.length, page.body.events.length - people.length]);

  // An erased person and people who are called so, side by side.
  t.equal((await call('POST', '/v1/person/erase', { ...admin, json: { subject: 'reactor' } })).status, 200);
  const after = await call<{ events: Author[] }>('GET', `/v1/alert/${id}/history`, admin);
  t.strictSame(
    after.body.events.map(only),
    expected.map(one =>
      one.byKind === 'person' && one.by === 'reactor' ? { by: 'erased', byKind: 'erased' } : one,
    ),
  );
});

t.test('authors of stored events, sealed or from before names were sealed', async t => {
  const key = { id: 'ab'.repeat(16), secret: Buffer.alloc(64, 7), tenant: 'default' };
  const opened = (by: string, keys: readonly (typeof key)[]): Author =>
    JSON.parse(openedJson(JSON.stringify(authorOf(by)), new Map(keys.map(one => [one.id, one])))) as Author;
  t.strictSame(opened('reactor', [key]), { by: 'reactor', byKind: 'service' });
  t.strictSame(opened('anna', [key]), { by: 'anna', byKind: 'person' }, 'plain in old events');
  t.strictSame(opened('erased', [key]), { by: 'erased', byKind: 'person' }, 'plain in old events');
  fc.assert(
    fc.property(fc.oneof(anyName, fc.constantFrom(...reserved, '')), name => {
      t.strictSame(opened(seal(name, key), [key]), { by: name, byKind: 'person' });
      t.strictSame(opened(seal(name, key), []), { by: 'erased', byKind: 'erased' });
    }),
    { seed, numRuns: 300 },
  );

  const stored = ['reactor', ...['reactor', 'the service', 'erased'].map(name => seal(name, key)), 'anna'];
  const other = seal('bo', { ...key, id: 'cd'.repeat(16) });
  const keys = new Map([[key.id, key]]);
  const authors = openedAuthors([...stored, other], json => openedJson(json, keys));
  t.strictSame(
    [...stored, other].map(authorNames([...stored, other], authors)),
    ['the service', '“reactor”', '“the service”', '“erased”', '“anna”', 'erased person 2 (key cdcdcdcd…)'],
    'names in a report',
  );
  t.strictSame(
    [...stored, other].map(authorNames([...stored, other])),
    [
      'the service',
      ...Array<string>(3).fill('person 1 (key abababab…)'),
      '“anna”',
      'person 2 (key cdcdcdcd…)',
    ],
    'and with sealed names',
  );
});
