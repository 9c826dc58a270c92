import { Readable } from 'node:stream';
import t from 'tap';
import { system } from '../../../adapters/environment.js';
import { calendarRuleRoutes } from '../../../adapters/http/routes/calendarRules.js';
import { lineWrites } from '../../../adapters/http/routes/imports/lines.js';
import { noMetrics } from '../../../application/ports/monitoring.js';
import { turns } from '../../../application/ports/sharing/turns.js';
import { memoryService } from '../../helpers/memoryService.js';
import { bodiesMemory, bodyPlaces, jsonInTurn, jsonReader } from '../../../adapters/http/body.js';
import { schemaChecker } from '../../../adapters/http/schemaChecker.js';
import Type from '../../../adapters/http/typebox.js';
import { QueueFull } from '../../../application/ports/analyst.js';
import { faultsMax } from '../../../domain/rejection.js';
import { modelCountMax } from '../../../domain/planning/models.js';
import { exactList } from '../../helpers/exactList.js';

/** Bytes of a body of 100 MB. */
async function* bytes(): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(10_000_000);
  for (let count = 0; count < 10; count += 1) yield chunk;
}

const drained = async (stream: AsyncIterable<Buffer>): Promise<number> => {
  let length = 0;
  for await (const chunk of stream) length += chunk.length;
  return length;
};

t.test('a body counts with its memory until its content has been used', async t => {
  const read = bodyPlaces({ watchQueue: () => {} });
  const from = { actor: { tenant: 'one' }, stream: bytes(), signal: undefined } as never;
  const memory = { ofByte: 4, most: 300_000_000 };
  let stop = (): void => {};
  const used = new Promise<void>(resolve => (stop = resolve));
  let begin = (): void => {};
  const begun = new Promise<void>(resolve => (begin = resolve));
  const first = read(from, drained, async length => (begin(), await used, length), memory);
  await begun;
  const again = () =>
    read({ ...(from as object), stream: bytes() } as never, drained, async length => length, memory);
  await t.rejects(again(), QueueFull, 'two bodies of 300 MB are more than half of 1 GB');
  t.equal(
    await read({ ...(from as object), stream: bytes() } as never, drained, async length => length),
    100_000_000,
    'days need less',
  );
  stop();
  t.equal(await first, 100_000_000);
  t.equal(await again(), 100_000_000, 'its memory is free again');
});

t.test('bodies of all kinds share one memory: a file of a calendar and lines count like days', async t => {
  const { service } = await memoryService();
  const memory = bodiesMemory();
  const bodies = bodyPlaces({ watchQueue: () => {} }, memory);
  const parts = { ...service, now: () => '2024-02-10T00:00:00.000Z', turns: turns(system) };
  const route = calendarRuleRoutes(parts as never, bodies).find(
    ({ operationId }) => operationId === 'importCalendarRule',
  );
  const event = 'BEGIN:VEVENT\r\nUID:a\r\nDTSTART;VALUE=DATE:20240401\r\nEND:VEVENT\r\n';
  const calendar = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${event}END:VCALENDAR\r\n`;
  const imported = async () =>
    await route?.run({
      ...{ actor: { tenant: 'default', subject: 'anna' }, signal: undefined },
      ...{ query: { sourceId: 1, name: 'Fair', preview: true }, stream: bodyOf(calendar) },
    } as never);
  t.match(await imported(), { status: 200 });
  t.equal(memory.usedBy('default'), 0, 'its memory is free again');
  memory.take('default', 500_000_000);
  await t.rejects(async () => void (await imported()), QueueFull);
  const lines = lineWrites(
    {
      ...{ ...parts, metrics: noMetrics, requireRoom: () => {}, freshness: { forWrite: async () => {} } },
      ...{ backlog: () => 0, backlogOf: () => 0 },
    } as never,
    { bytesPerSecondMin: 0, overMs: 1, graceMs: 1 },
    memory,
  );
  const req = Object.assign(Readable.from([Buffer.from('a value=1 1\n')]), { headers: {} });
  const state = { actor: { tenant: 'default', subject: 'anna', scopes: new Set(['import']) }, client: {} };
  const ctx = { ...{ method: 'POST', path: '/api/v2/write', querystring: '', req, state }, get: () => '' };
  await t.rejects(
    lines(ctx as never, async () => {}),
    QueueFull,
  );
});

const listSchema = Type.Object({ list: Type.Array(Type.Unknown()) });
async function* bodyOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

t.test('JSON that may be large is read in the places of bodies', async t => {
  const read = bodyPlaces({ watchQueue: () => {} });
  const actor = { tenant: 'one' };
  let stop = (): void => {};
  const used = new Promise<void>(resolve => (stop = resolve));
  const begun: Promise<void>[] = [];
  const send = (bytesMax: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const text = `{"list":["${'x'.repeat(60_000)}"]}`;
      const from = { actor, stream: bodyOf(text), signal: undefined } as never;
      const use = async (): Promise<void> => (resolve(), used);
      const ended = jsonInTurn(listSchema, bytesMax, read)(from, use);
      begun.push(ended);
      ended.catch(reject);
    });
  for (let count = 0; count < 1000; count += 1) await send(8_000_000);
  await t.rejects(
    (async () => {
      for (let count = 0; count < 1000; count += 1) await send(8_000_000);
    })(),
    QueueFull,
    'half of 1 GB is in use',
  );
  await send(65_536);
  stop();
  await Promise.allSettled(begun);
  await send(8_000_000);
});

t.test('JSON with very many values is refused before it is parsed', async t => {
  const ask = (text: string): Promise<unknown> => jsonReader(listSchema, 8_000_000)(bodyOf(text));
  const fault = { code: 'maxItems', detail: /^got more than 500000 values, of which an object/ };
  const refused = { code: 'bodyInvalid', faults: exactList(fault) };
  for (const entry of ['{}', '[]', '0,1,2,3,4,5,6,7,8,9,10', '{"a":0}'])
    await t.rejects(ask(`{"list":[${Array<string>(60_000).fill(entry).join(',')}]}`), refused, entry);
  const profiles = Array<string>(3 * modelCountMax).fill(`[${Array(1440).fill(0).join(',')}]`);
  const found = (await ask(`{"list":[${profiles.join(',')}]}`)) as { readonly list: readonly unknown[] };
  t.equal(found.list.length, profiles.length, 'as many values as models have');
  const text = '{,'.repeat(100_000);
  t.strictSame(
    await ask(JSON.stringify({ list: [text] })),
    { list: [text] },
    'signs in a text are no values',
  );
});

t.test('faults of a list that is too long are looked for in few of its entries', t => {
  const check = schemaChecker(
    Type.Object({
      lists: Type.Array(Type.Object({ list: Type.Array(Type.Integer(), { maxItems: 10 }) })),
      name: Type.String(),
    }),
  );
  let looks = 0;
  const list = new Proxy(Array<number>(100_000).fill(0.5), {
    get: (target, name) => {
      if (typeof name === 'string' && /^\d/.test(name)) looks += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  const faults = check({ lists: [{ list: [] }, { list }], name: 7 });
  t.match(
    faults.find(({ code }) => code === 'maxItems'),
    { pointer: '/lists/1/list', detail: 'got 100000 entries, expected at most 10' },
  );
  t.match(
    faults.find(({ pointer }) => pointer === '/name'),
    { code: 'type' },
    'other faults are said, too',
  );
  t.ok(looks < 1000, `${looks} looks`);
  t.end();
});

t.test('no more halves of surrogate pairs are looked for than faults are said', t => {
  const check = schemaChecker(Type.Object({ ignored: Type.Unknown() }));
  t.strictSame(check({ ignored: [[1, 'x'], { a: '\u{1f600}' }] }), []);
  t.match(
    check({ ignored: [1, 'x', { a: ['\ud800'] }] }),
    exactList({ code: 'textEncoding', pointer: '/ignored/2/a/0' }),
  );
  t.equal(check({ ignored: Array(1000).fill('\udc00') }).length, faultsMax);
  t.equal(check({ ignored: Array(1000).fill(['\udc00']) }).length, faultsMax);
  t.end();
});
