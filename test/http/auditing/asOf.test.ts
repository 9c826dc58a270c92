import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService, type Call } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// A read as of a moment gives the answer that the service gave at that moment.

type Listed = { readonly alerts: readonly { readonly id: string }[] };
type Moment = {
  readonly position: string;
  readonly instant: string;
  readonly answers: ReadonlyMap<string, string>;
};

const service = await startService(t);
const { call, tokenFor } = service;
const stranger = await tokenFor({ subject: 'eve', tenant: 'other' });
const referenceDays = ordinaryDays('2023-01-01', 60);

const createSource = async (name: string): Promise<number> => {
  const json = { name, referenceYear: 2023, days: referenceDays };
  const { body } = await call<{ source: { id: number } }>(
    'POST',
    '/v1/import/create-source?allowDuplicate=true',
    { json },
  );
  await analysed(call, body.source.id);
  return body.source.id;
};
const dateOf = (day: number): string => `2024-01-${String(day).padStart(2, '0')}`;
const models = (level: number) => ({
  models: [0, 1].map(n => ({
    name: `level ${level + 50 * n}`,
    color: '#0072B2',
    activity: Array<number>(24).fill(level + 50 * n),
    topTolerance: Array<number>(24).fill(level + 50 * n + 30),
    bottomTolerance: Array<number>(24).fill(level + 50 * n - 30),
  })),
});

/** One step of a history; `pick` chooses among existing items. Refused steps are part of a history as well. */
const step = fc.record({
  kind: fc.constantFrom(
    ...(['create', 'import', 'import', 'import', 'replace', 'reset', 'plan', 'clear'] as const),
    ...(['name', 'unname', 'acknowledge', 'resolve', 'resolve', 'reopen', 'others'] as const),
  ),
  day: fc.integer({ min: 1, max: 12 }),
  pick: fc.integer({ min: 0, max: 99 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const take = async ({ kind, day, pick }: Step, sources: number[]): Promise<void> => {
  const id = sources[pick % sources.length] ?? 0;
  const date = dateOf(day);
  const alerts = (await call<Listed>('GET', `/v1/alert/list?sourceId=${id}`)).body.alerts;
  const alert = alerts[pick % alerts.length]?.id ?? `${id}-20240101-1`;
  switch (kind) {
    case 'create':
      sources.push(await createSource(`Gate ${pick}`));
      return;
    case 'import': {
      const days = [day, day + 1, day + 2].map(dateOf).map(ordinaryDay);
      const broken = days.map((one, n) => ({
        ...one,
        activity: one.activity.map(v => v * (n === 1 ? 3 : 1)),
      }));
      await call('POST', '/v1/import/days', { json: { sourceId: id, days: pick % 2 ? broken : days } });
      return;
    }
    case 'replace':
      await call('POST', `/v1/model/bulk-replace/${id}`, { json: models(pick) });
      return;
    case 'reset':
      await call('POST', `/v1/model/reset/${id}/${1 + (pick % 4)}`);
      return;
    case 'plan':
      await call('PUT', `/v1/planning/${id}/${date}`, { json: { modelId: 1 + (pick % 5) } });
      return;
    case 'clear':
      await call('DELETE', `/v1/planning/${id}/${date}`);
      return;
    case 'name':
      await call('PUT', `/v1/calendar/${id}/${date}`, { json: { name: `fair ${pick % 2}` } });
      return;
    case 'unname':
      await call('DELETE', `/v1/calendar/${id}/${date}`);
      return;
    case 'resolve':
      await call('POST', `/v1/alert/${alert}/resolve`, { json: { verdict: 'expected', comment: `${pick}` } });
      return;
    case 'acknowledge':
    case 'reopen':
      await call('POST', `/v1/alert/${alert}/${kind}`);
      return;
    case 'others': {
      const json = { name: 'theirs', referenceYear: 2023, days: ordinaryDays('2023-01-01', 14) };
      await call('POST', '/v1/import/create-source', { json, token: stranger });
      return;
    }
  }
};

/** All reads of sources, also of one that does not exist yet, and of alerts. */
const pathsOf = (sources: readonly number[], alerts: readonly string[]): string[] => [
  '/v1/source/list',
  '/v1/source/list?limit=1&cursor=1',
  '/v1/alert/list?limit=500',
  '/v1/alert/list?state=unprocessed&limit=2',
  ...sources.flatMap(id => [
    `/v1/source/${id}`,
    `/v1/model/list/${id}`,
    `/v1/planning/list/${id}/2024`,
    `/v1/calendar/list/${id}/2024`,
    `/v1/day/list/${id}/2023`,
    `/v1/day/list/${id}/2024`,
    `/v1/alert/list?sourceId=${id}&from=2024-01-02`,
  ]),
  ...alerts.flatMap(id => [`/v1/alert/${id}`, `/v1/alert/${id}/history`]),
];

const at = (path: string, moment: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}asOf=${encodeURIComponent(moment)}`;

const ask = async (path: string): Promise<string> => {
  const { status, text } = await call('GET', path);
  return `${status} ${text}`;
};

/** All answers at present, when every follow-up command is done. */
const present = async (sources: readonly number[]): Promise<Moment> => {
  await idle(call);
  const { body } = await call<{ readModels: { position: string } }>('GET', '/health');
  const alerts = (await call<Listed>('GET', '/v1/alert/list?limit=500')).body.alerts.map(({ id }) => id);
  const answers = new Map<string, string>();
  const next = Math.max(0, ...sources) + 1;
  for (const path of pathsOf([...sources, next], alerts)) answers.set(path, await ask(path));
  const instant = new Date().toISOString();
  await sleep(3);
  return { position: body.readModels.position, instant, answers };
};

t.setTimeout(240_000);
t.test(
  'a read as of a moment repeats the answer of that moment, over random histories',
  { timeout: 200_000 },
  async t => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
    t.comment(`seed ${seed}`);
    let compared = 0;
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 6, maxLength: 12 }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, every) => {
        const sources = [await createSource('Gate')];
        const moments = [await present(sources)];
        for (const [n, one] of steps.entries()) {
          await take(one, sources);
          if (n % every === 0) moments.push(await present(sources));
        }
        for (const { position, instant, answers } of moments)
          for (const moment of [position, instant])
            for (const [path, answer] of answers) {
              const then = await ask(at(path, moment));
              compared += 1;
              if (then !== answer) throw new Error(`${at(path, moment)}\nthen ${answer}\nnow  ${then}`);
            }
      },
    );
    await fc.assert(property, { numRuns: 3, seed, endOnFailure: true });
    t.ok(compared > 300, `${compared} answers compared`);
  },
);

t.test('an invalid or future moment is refused', async t => {
  const { body } = await call<{ readModels: { position: string } }>('GET', '/health');
  const id = (await call<{ sources: { id: number }[] }>('GET', '/v1/source/list')).body.sources[0]?.id;
  const path = `/v1/source/${id}`;
  const refused: readonly (readonly [string, string])[] = [
    ['', 'asOf'],
    ['yesterday', 'asOf'],
    ['-1', 'asOf'],
    ['2024-02-30', 'asOf'],
    ['2024-1-1', 'asOf'],
    ['9998-12-31', 'asOfFuture'],
    [new Date().toISOString().slice(0, 10), 'asOfFuture'],
    ['2024-01-01T00:00:00', 'asOf'],
    ['2024-02-30T00:00:00Z', 'asOf'],
    ['2024-01-01T24:00:00Z', 'asOf'],
    ['9999-01-01T00:00:00Z', 'asOf'],
    ['9998-12-31T23:59:59Z', 'asOfFuture'],
    ['9998-01-01T00:00:00+01:00', 'asOfFuture'],
    [String(BigInt(body.readModels.position) + 1n), 'asOfPosition'],
    ['9999999999999999999', 'asOfPosition'],
  ];
  for (const [asOf, code] of refused)
    t.match(
      await call('GET', at(path, asOf)),
      {
        status: 422,
        body: { code: 'parametersInvalid', errors: exactList({ code, pointer: '/query/asOf' }) },
      },
      asOf,
    );
  t.equal((await call('GET', at(path, '2024-01-01'))).status, 404, 'the source was not there on that day');
  t.equal((await call('GET', at(path, `1${'0'.repeat(40)}`))).status, 422, 'and one that is too long');
  t.equal((await call('GET', at(path, body.readModels.position))).status, 200, 'the present is none of them');
  const zoned = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '+01:00');
  t.equal((await call('GET', at(path, zoned))).status, 200, 'an instant with an offset');
  t.equal(
    (await call('PUT', at(`/v1/planning/${id}/2024-01-01`, '1'))).status,
    422,
    'nothing else takes one',
  );
});

t.test('a source is unknown as of a moment before its creation, and to other tenants', async t => {
  const before = new Date().toISOString();
  await sleep(3);
  const id = await createSource('Late');
  for (const moment of ['0', '1', before, '1970-01-01T00:00:00Z'])
    for (const path of [`/v1/source/${id}`, `/v1/planning/list/${id}/2024`, `/v1/alert/list?sourceId=${id}`])
      t.match(await call('GET', at(path, moment)), { status: 404, body: { code: 'sourceNotFound' } });
  t.strictSame((await call('GET', at('/v1/source/list', '0'))).body, { sources: [] });
  const now = new Date().toISOString();
  for (const path of [`/v1/source/${id}`, `/v1/model/list/${id}`])
    t.equal((await call('GET', at(path, now), { token: stranger })).status, 404, `${path} of another tenant`);
  const listed = await call<{ sources: { id: number }[] }>('GET', at('/v1/source/list', now), {
    token: stranger,
  });
  t.notOk(listed.body.sources.some(source => source.id === id));
  const alert = await call('GET', at(`/v1/alert/${id}-20240101-1`, now), { token: stranger });
  t.match(alert, { status: 404, body: { code: 'alertNotFound' } });
});

t.test('concurrent reads as of many moments match the API description', async t => {
  const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
  const { body } = await call<{ readModels: { position: string } }>('GET', '/health');
  const ids = (await call<{ sources: { id: number }[] }>('GET', '/v1/source/list')).body.sources;
  const last = Number(body.readModels.position);
  const asked = Array.from({ length: 10 }, (_, n) => `/v1/source/${ids[0]?.id}?asOf=${last - n}`);
  const answers = await Promise.all(asked.map(path => (call as Call)('GET', path)));
  for (const [n, answer] of answers.entries()) {
    t.equal(answer.status, 200);
    t.strictSame(check('GET', asked[n] ?? '', answer), []);
  }
});
