import { Database } from '../../../adapters/sqlite/driver.js';
import t from 'tap';
import { streams } from '../../../domain/streams.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import { analysed, idle, ordinaryDays, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

type Shown = {
  readonly position: string;
  readonly id: string;
  readonly stream: string;
  readonly type: string;
  readonly at: string;
  readonly metadata: { readonly by: string };
  readonly hash?: string;
};
type Problem = { readonly errors: readonly { readonly code: string; readonly detail: string }[] };
type Page = { readonly events: readonly Shown[]; readonly nextCursor?: string };

t.test('a text with half of a surrogate pair is refused, since it cannot be hashed', async t => {
  const { call, tokenFor, eventCount } = await startService(t);
  const json = { name: 'Gate \ud83d', referenceYear: 2023, days: ordinaryDays('2023-01-01', 20) };
  t.match(await call('POST', '/v1/import/create-source', { json }), {
    status: 422,
    body: { errors: exactList({ code: 'textEncoding', pointer: '/name' }) },
  });
  const token = await tokenFor({ subject: 'anna \udead' });
  t.equal((await call('GET', '/v1/source/list', { token })).status, 401);
  t.equal(eventCount(), 0);
});

t.test('an auditor reads all events of the tenant, and no others', async t => {
  const service = await startService(t);
  const { call, tokenFor } = service;
  const create = (token: string) =>
    call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
      token,
      json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 45) },
    });
  const writer = await tokenFor({ subject: 'anna', scopes: ['import', 'read'] });
  const other = await tokenFor({ subject: 'eve', tenant: 'other', scopes: ['import', 'read'] });
  const mine = (await create(writer)).body.source.id;
  const theirs = (await create(other)).body.source.id;
  await analysed(call, mine);
  await idle(call);
  const auditor = await tokenFor({ subject: 'ida', scopes: ['audit'] });
  const read = (query: string, headers = {}) =>
    call<Page>('GET', `/v1/audit/event${query}`, { token: auditor, headers });
  const ids = ({ body }: { readonly body: Page }) => body.events.map(event => event.id);

  const all = await read('?limit=500');
  t.equal(all.status, 200);
  const { body: document } = await call<Document>('GET', '/openapi.json');
  t.strictSame(answerChecker(document)('GET', '/v1/audit/event', all), [], 'as /openapi.json says');
  const expected = service
    .events()
    .filter(
      ({ stream, data }) =>
        [streams.source(mine), streams.days(mine), streams.alerts(mine)].includes(stream) ||
        (stream === 'catalog' && (data as { sourceId: number }).sourceId === mine),
    );
  t.ok(expected.length >= 4);
  t.strictSame(
    ids(all).slice(0, expected.length),
    expected.map(event => event.id),
    'of this tenant alone, from its first reserved id on',
  );
  t.notOk(all.body.events.some(({ stream }) => stream === streams.source(theirs)));
  t.ok(all.body.events.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash ?? '')));

  /** All pages of one event each. */
  const pagesOf = async (query: string): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const page = await read(`?limit=1&${query}${cursor}`);
      found.push(...ids(page));
      if (page.body.nextCursor === undefined) return found;
      cursor = `&cursor=${page.body.nextCursor}`;
    }
  };
  const paged = await pagesOf('type=DaysImported');
  t.strictSame(
    paged,
    all.body.events.filter(({ type }) => type === 'DaysImported').map(({ id }) => id),
    'page by page, of one type',
  );
  t.strictSame(ids(await read(`?stream=${streams.days(mine)}&limit=500`)), paged, 'of one stream');
  const there = ids(await read(`?sourceId=${mine}&limit=500`));
  t.strictSame(
    there,
    expected.map(event => event.id),
    'of one source: its streams and its reserved id, in the order of the log',
  );
  t.strictSame(await pagesOf(`sourceId=${mine}`), there, 'page by page');
  t.strictSame(await pagesOf(`sourceId=${mine}&order=newest`), there.toReversed(), 'newest first');
  t.strictSame(ids(await read(`?sourceId=${mine}&order=newest&limit=2`)), there.toReversed().slice(0, 2));
  t.strictSame(
    ids(await read(`?stream=catalog`)),
    expected.filter(({ stream }) => stream === 'catalog').map(event => event.id),
    'of the catalog what is its own',
  );
  t.strictSame(ids(await read('?type=AlertRaised')), [], 'a type that has no event yet');
  const unknown = async (query: string, code: string, detail: RegExp) => {
    const { status, body } = await call<Problem>('GET', `/v1/audit/event?${query}`, { token: auditor });
    t.match({ status, errors: body.errors }, { status: 422, errors: exactList({ code, detail }) }, query);
  };
  const nameless = (text: string, sourceId: number): string =>
    text.replaceAll(RegExp(`${sourceId}(?=\\\\?")`, 'g'), 'N');
  for (const [query, code] of [
    [(id: number) => `stream=${streams.days(id)}`, 'streamUnknown'],
    [(id: number) => `stream=${streams.source(id)}&format=ndjson`, 'streamUnknown'],
  ] as const) {
    await unknown(query(theirs), code, /expected/);
    const [foreign, absent] = await Promise.all([theirs, 7].map(id => read(`?${query(id)}`)));
    t.equal(
      nameless(foreign?.text ?? '', theirs),
      nameless(absent?.text ?? '', 7),
      'a source of another tenant is as unknown as one that is not there',
    );
  }
  await unknown('type=AlertRaise', 'typeUnknown', /^got "AlertRaise", .*perhaps AlertRaised$/);
  await unknown('type=alertraised', 'typeUnknown', /perhaps AlertRaised/);
  await unknown('type=Nothing', 'typeUnknown', /expected a type of event: .*SourceCreated, .*DaysImported/);
  await unknown('type=', 'typeUnknown', /expected a type of event: /);
  await unknown('type=toString', 'typeUnknown', /expected/);
  await unknown('stream=day-1', 'streamUnknown', /perhaps days-1$/);
  await unknown('stream=calender-default', 'streamUnknown', /perhaps calendar-default$/);
  await unknown('stream=audit-other', 'streamUnknown', /expected/);
  await unknown('stream=answers-1', 'streamUnknown', /expected/);
  await unknown(
    `stream=audit-default&sourceId=${mine}`,
    'streamUnknown',
    /a stream of source 1, as sourceId/,
  );
  const annas = (await read('?actor=anna')).body.events;
  t.ok(annas.length > 0 && annas.every(({ metadata }) => metadata.by === 'anna'));
  t.strictSame(ids(await read('?actor=nobody')), []);
  const [first] = all.body.events;
  t.strictSame(ids(await read(`?to=${first?.at}`)), [], '"to" is exclusive');
  t.ok(ids(await read(`?from=${first?.at}`)).includes(first?.id ?? ''), '"from" is inclusive');
  t.strictSame(ids(await read('?from=9000-01-01')), []);
  const minute = first?.at.slice(0, 16) ?? '';
  const lately = await read(`?from=${minute}Z&to=${minute}:59.9Z`);
  t.ok(ids(lately).includes(first?.id ?? ''), 'of a minute, of a part of a second');
  t.ok(ids(await read(`?from=${minute}&to=9000-01-01T00:00Z`)).includes(first?.id ?? ''));
  t.strictSame(ids(await read(`?to=${minute}:00Z`)), []);

  for (const [query, headers] of [
    ['?format=ndjson', {}],
    ['', { Accept: 'application/x-ndjson' }],
  ] as const) {
    const { headers: got, text } = await read(query, headers);
    t.match(got.get('content-type'), /^application\/x-ndjson/);
    const lines = text.trimEnd().split('\n');
    t.strictSame(
      lines.slice(0, expected.length).map(line => (JSON.parse(line) as Shown).id),
      expected.map(event => event.id),
      'streamed, a line each',
    );
  }

  const { headers: type, text: csv } = await read(`?format=csv&stream=${streams.source(mine)}`);
  t.match(type.get('content-type'), /^text\/csv/);
  const [head, row] = csv.split('\r\n');
  t.equal(head, 'position,id,stream,revision,type,v,at,by,cause,correlation,hash,data,byKind');
  t.match(row, /^\d+,[0-9a-f-]{36},source-1,0,SourceCreated,2,[^,]*,anna,.*,[0-9a-f]{64},"\{""/);

  t.equal((await call('GET', '/v1/audit/event', { token: writer })).status, 403, 'without the scope');
  for (const [method, path] of [
    ['GET', '/v1/source/list'],
    ['POST', `/v1/model/reset/${mine}/2`],
    ['POST', '/v1/import/days'],
  ] as const)
    t.equal((await call(method, path, { token: auditor })).status, 403, `${method} ${path} by an auditor`);
  for (const query of [
    '?from=yesterday',
    '?cursor=x',
    '?cursor=1.',
    '?limit=0',
    '?format=xml',
    '?from=2024-01-02&to=2024-01-01',
    '?what=1',
  ])
    t.equal((await read(query)).status, 422, query);
});

t.test('each reading of the audit trail is recorded as an event', async t => {
  const service = await startService(t);
  const { call, tokenFor, events } = service;
  const token = await tokenFor({ subject: 'ida', tenant: 'north', scopes: ['audit'] });
  const read = (query = '') => call<Page>('GET', `/v1/audit/event${query}`, { token });
  t.match(await read(), { status: 200, body: { events: exactList() } });
  t.equal(service.eventCount(), 0, 'a log without events has nothing to show');

  for (const tenant of ['north', 'south'])
    await call('POST', '/v1/import/create-source', {
      token: await tokenFor({ subject: 'anna', tenant }),
      json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 20) },
    });
  await idle(call);
  const logSize = service.eventCount();
  const readings = () => events().filter(({ stream }) => stream === streams.audit('north'));
  await read('?type=SourceCreated&limit=5');
  await read('?format=csv');
  t.match(
    readings(),
    exactList(
      {
        type: 'AuditTrailRead',
        metadata: { by: /^sealed:1:/ },
        data: { query: { type: 'SourceCreated', limit: 5 }, format: 'json', logSize, count: 1 },
      },
      { revision: 1, data: { format: 'csv', logSize: logSize + 1, count: null } },
    ),
  );
  t.strictSame((readings()[1]?.data as { query?: unknown } | undefined)?.query, { format: 'csv' });
  t.ok(
    readings().every(({ hash }) => /^[0-9a-f]{64}$/.test(hash ?? '')),
    'in the chain like all others',
  );
  t.strictSame(
    (await read('?stream=audit-north')).body.events.map(({ id }) => id),
    readings()
      .map(({ id }) => id)
      .slice(0, 2),
    'and may be read, without the reading that shows them',
  );

  let [pages, cursor] = [0, ''];
  for (let end = false; !end && pages < 100; pages += 1) {
    const { nextCursor } = (await read(`?limit=1${cursor}`)).body;
    end = nextCursor === undefined;
    cursor = `&cursor=${nextCursor}`;
  }
  t.equal(pages, logSize / 2 + 3, 'paging ends, although each page adds an event');
  t.equal((await read('?stream=audit-south')).status, 422, 'readings are of their tenant');

  const before = service.eventCount();
  t.equal((await read('?limit=0')).status, 422);
  t.equal(service.eventCount(), before, 'what shows nothing is no reading');
  const [mine] = (await read('?type=SourceCreated')).body.events;
  await service.restart();
  t.strictSame((await read('?type=SourceCreated')).body.events, [mine], 'read models pass readings by');
});

const otherStore =
  process.env['TEST_STORE'] === 'eventstoredb' && 'it is about a file that cannot be written';

t.test('the audit trail has exactly the fields that the hash covers', { skip: otherStore }, async t => {
  const service = await startService(t);
  const { call, settings } = service;
  await call('POST', '/v1/import/create-source', {
    json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 20) },
  });
  await idle(call);
  if (settings.log.kind !== 'sqlite') throw new Error('expected a file');
  const db = new Database(settings.log.file);
  t.teardown(() => db.close());
  db.exec(`drop trigger events_never_updated;
    update events set metadata = replace(metadata, '{', '{"approved":"yes",') where type = 'SourceCreated'`);
  const created = '/v1/audit/event?type=SourceCreated';
  const { events } = (await call<Page>('GET', created)).body;
  t.strictSame(
    events.map(({ metadata }) => Object.keys(metadata)),
    [['by', 'cause', 'correlation']],
  );
  for (const format of ['ndjson', 'csv'])
    t.notMatch((await call('GET', `${created}&format=${format}`)).text, /approved/, format);
});

t.test('a reading that cannot be recorded is refused', { skip: otherStore }, async t => {
  const service = await startService(t);
  const { call } = service;
  await call('POST', '/v1/import/create-source', {
    json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 20) },
  });
  await idle(call);
  const { log } = service.settings;
  if (log.kind !== 'sqlite') throw new Error('expected a file');
  const db = new Database(log.file);
  t.teardown(() => db.close());
  db.exec(`create trigger full before insert on events begin select raise(abort, 'no room'); end`);
  for (const query of ['', '?format=ndjson']) {
    const { status, text } = await call('GET', `/v1/audit/event${query}`);
    t.equal(status, 500);
    t.notMatch(text, /SourceCreated/, 'nothing is shown');
  }
  db.exec('drop trigger full');
  t.equal((await call('GET', '/v1/audit/event')).status, 200);
});
