import fc from '../helpers/property.js';
import t from 'tap';
import { daybookClient } from '../../client/index.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { exactList } from '../helpers/exactList.js';
import { freePort } from '../helpers/freePort.js';
import { idle, startService } from '../helpers/service.js';

// Pages of lists while their records change: a record that fits all the time is on one page, none is on two.

const seed = Number(process.env['SEED'] ?? 20_261_123);
t.comment(`seed ${seed}`);
const service = await startService(t, { PORT: String(await freePort()) });
const { call } = service;
const sourceCount = 8;
const firstDay = dayNumber('2024-01-01');
const dates = 20;

const model = (name: string, level: number) => ({
  ...{ name, color: '#336699', anomaly: false },
  activity: Array<number>(4).fill(level),
  topTolerance: Array<number>(4).fill(level + 5),
  bottomTolerance: Array<number>(4).fill(level - 5),
});
const importDay = (sourceId: number, date: string, level: number) =>
  call('POST', '/v1/import/days', {
    json: { sourceId, days: [{ date, activity: [level, level, level + 1, level] }] },
  });
for (let n = 1; n <= sourceCount; n += 1) {
  const days = Array.from({ length: 14 }, (_, day) => ({
    date: dateOf(dayNumber('2023-01-01') + day),
    activity: [10, 11, 10, 9],
  }));
  const { status, text } = await call('POST', '/v1/import/create-source', {
    json: { name: `Gate ${n}`, referenceYear: 2023, days },
  });
  if (status !== 201) throw new Error(text);
}
await idle(call);
for (let id = 1; id <= sourceCount; id += 1) {
  await call('POST', `/v1/model/bulk-replace/${id}`, { json: { models: [model('A', 10), model('B', 30)] } });
  for (let n = 0; n < 6; n += 1)
    await importDay(id, dateOf(firstDay + ((n * 3 + id) % dates)), 40 + 7 * n + id);
}

/** A list, its field, and the query that gives all its records on one page. */
const lists = [
  ...['date', 'raised', 'criticity', 'severity'].flatMap(sort =>
    [
      { path: '/v1/alert/list', name: 'alerts' },
      { path: '/v1/incident/list', name: 'incidents' },
    ].map(list => ({ ...list, sort, all: 'sort=date' })),
  ),
  ...['id', 'name', 'created', 'lastData', 'openAlerts'].map(sort => ({
    ...{ path: '/v1/source/list', name: 'sources', sort, all: 'sort=id' },
  })),
] as const;
type Page = { readonly nextCursor?: string } & Readonly<Record<string, readonly { readonly id: unknown }[]>>;
const idsOf = ({ body }: { readonly body: Page }, name: string): string[] =>
  (body[name] ?? []).map(({ id }) => String(id));

/** One change by a client; some are refused, as an alert that is resolved cannot be acknowledged. */
type Change = {
  readonly kind: string;
  readonly sourceId: number;
  readonly offset: number;
  readonly level: number;
};
const change = async ({ kind, sourceId, offset, level }: Change): Promise<void> => {
  const date = dateOf(firstDay + offset);
  switch (kind) {
    case 'import':
      return void (await importDay(sourceId, date, level));
    case 'plan':
      return void (await call('PUT', `/v1/planning/${sourceId}/${date}`, {
        json: { modelId: level % 2 === 0 ? 3 : 4 },
      }));
    case 'rename':
      return void (await call('PATCH', `/v1/source/${sourceId}`, {
        json: { name: `Gate ${level} of ${sourceId}` },
      }));
    default: {
      const { body } = await call<Page>('GET', `/v1/alert/list?sourceId=${sourceId}&limit=500`);
      const ids = idsOf({ body }, 'alerts');
      const id = ids[offset % Math.max(1, ids.length)];
      const json = kind === 'resolve' ? { json: { verdict: 'expected' } } : {};
      if (id !== undefined) await call('POST', `/v1/alert/${id}/${kind}`, json);
    }
  }
};
const changes = fc.record({
  kind: fc.constantFrom('import', 'import', 'plan', 'plan', 'rename', 'resolve', 'acknowledge', 'reopen'),
  sourceId: fc.integer({ min: 1, max: sourceCount }),
  offset: fc.nat({ max: dates - 1 }),
  level: fc.constantFrom(10, 11, 30, 31, 45, 60, 75, 88),
});
const walks = fc.record({
  order: fc.constantFrom('asc', 'desc'),
  limit: fc.integer({ min: 1, max: 5 }),
  open: fc.boolean(),
  between: fc.array(fc.array(changes, { maxLength: 3 }), { minLength: 1, maxLength: 12 }),
});

t.test('a record that fits throughout a walk is on one page, and none is on two', async t => {
  for (const { path, name, sort, all } of lists) {
    let pages = 0;
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(walks, async ({ order, limit, open, between }) => {
        const filter = open && name !== 'sources' ? '&state=unprocessed' : '';
        const fitting = async (): Promise<Set<string>> =>
          new Set(idsOf(await call<Page>('GET', `${path}?${all}&limit=500${filter}`), name));
        let throughout = await fitting();
        const seen: string[] = [];
        for (let page = 0, cursor = ''; ; page += 1) {
          const query = `sort=${sort}&order=${order}&limit=${limit}${filter}${cursor}`;
          const answer = await call<Page>('GET', `${path}?${query}`);
          if (answer.status !== 200) throw new Error(answer.text);
          const ids = idsOf(answer, name);
          if (ids.length > limit) throw new Error(`${ids.length} records on a page of ${limit}`);
          seen.push(...ids);
          pages += 1;
          if (answer.body.nextCursor === undefined) break;
          cursor = `&cursor=${encodeURIComponent(answer.body.nextCursor)}`;
          for (const one of between[page % between.length] ?? []) {
            await change(one);
            const now = await fitting();
            moved += [...throughout].filter(id => !now.has(id)).length;
            throughout = new Set([...throughout].filter(id => now.has(id)));
          }
        }
        if (new Set(seen).size < seen.length) throw new Error(`twice: ${seen.join()}`);
        const missed = [...throughout].filter(id => !seen.includes(id));
        if (missed.length > 0) throw new Error(`missed ${missed.join()} in ${seen.join()}`);
      }),
      { seed, numRuns: 6, endOnFailure: true },
    );
    t.ok(pages > 5, `${path} by ${sort}: ${pages} pages, ${moved} records left the list`);
  }
});

/** First page of a list, and the cursor of the next one. */
const begun = async (query: string): Promise<string> => {
  const { body } = await call<Page>('GET', query);
  if (body.nextCursor === undefined) throw new Error(`one page: ${query}`);
  return `${query}&cursor=${encodeURIComponent(body.nextCursor)}`;
};
const byCriticity = '/v1/alert/list?sort=criticity&limit=2';

t.test('a cursor belongs to its tenant and its query', async t => {
  const cursor = (await begun(byCriticity)).slice(byCriticity.length);
  const wrong = { status: 422, body: { errors: exactList({ code: 'cursor', pointer: '/query/cursor' }) } };
  for (const query of [
    '/v1/alert/list?sort=criticity&limit=2&state=open',
    '/v1/alert/list?sort=criticity&limit=2&order=asc',
    '/v1/alert/list?sort=raised&limit=2',
    '/v1/incident/list?sort=criticity&limit=2',
    '/v1/source/list?sort=name&limit=2',
  ])
    t.match(await call('GET', `${query}${cursor}`), wrong, query);
  const token = await service.tokenFor({ tenant: 'other' });
  t.match(await call('GET', `${byCriticity}${cursor}`, { token }), wrong, 'another tenant');
  t.equal((await call('GET', `/v1/alert/list?sort=criticity&limit=5${cursor}`)).status, 200, 'another limit');
});

t.test('a page can be read again, and the same list has the same cursor', async t => {
  const at = service.eventCount();
  for (const query of [byCriticity, '/v1/incident/list?limit=2', '/v1/source/list?sort=lastData&limit=2']) {
    const first = await call('GET', query);
    t.equal((await call('GET', query)).text, first.text);
    // Lists of incidents have no past.
    if (!query.startsWith('/v1/incident'))
      t.equal((await call('GET', `${query}&asOf=${at}`)).text, first.text, 'also as of its position');
  }
  const next = await begun(byCriticity);
  const page = await call<Page>('GET', next);
  t.strictSame((await call('GET', next)).body, page.body);
});

t.test('a restarted service answers 410, and the client begins the list again', async t => {
  const next = await begun(byCriticity);
  const all = idsOf(await call<Page>('GET', '/v1/alert/list?sort=criticity&limit=500'), 'alerts');
  const client = daybookClient({
    url: service.address(),
    token: () => service.tokenFor({}),
    retries: { delayMs: 20, delayMaxMs: 5000 },
  });
  const seen: string[] = [];
  for await (const { id } of client.list.alerts({ sort: 'criticity', limit: 3 })) {
    seen.push(id);
    if (seen.length !== 4) continue;
    await service.restart();
    t.match(await call('GET', next), { status: 410, body: { code: 'cursorExpired' } });
  }
  t.strictSame(seen, all);
  t.equal((await call('GET', next)).status, 200, 'a list that is begun again has the cursors that it had');
});
