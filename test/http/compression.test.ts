import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from '../helpers/property.js';
import t from 'tap';
import { unpacked } from '../../adapters/http/body.js';
import { analysed, csvOf, ordinaryDays, startService } from '../helpers/service.js';
import { exactList } from '../helpers/exactList.js';

// Bodies of requests and answers packed with gzip.

const seed = Number(process.env['SEED'] ?? 1);
t.comment(`seed ${seed}`);

/** Chunks of bytes that end at these places, and how many of them were read. */
const chunked = (bytes: Buffer, cuts: readonly number[]) => {
  const ends = [...new Set([...cuts.map(cut => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  const state = { read: 0 };
  const chunks = async function* (): AsyncGenerator<Buffer> {
    let from = 0;
    for (const end of ends) {
      state.read += end - from;
      yield bytes.subarray(from, end);
      from = end;
    }
  };
  return { state, chunks: chunks() };
};
const limit = 1_000_000;
const all = async (chunks: AsyncIterable<Buffer>, bytesMax = limit): Promise<Buffer> => {
  const found: Buffer[] = [];
  for await (const chunk of unpacked(chunks, bytesMax)) found.push(chunk);
  return Buffer.concat(found);
};
const cuts = fc.array(fc.nat(10_000), { maxLength: 8 });
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }).map(array => Buffer.from(array)),
  fc.string({ maxLength: 40 }).map(text => Buffer.from(text.repeat(3000))),
);

t.test('packed bytes are unpacked, in whatever chunks and members they come', async t => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 3 }), cuts, async (parts, places) => {
      runs += 1;
      const { chunks } = chunked(Buffer.concat(parts.map(part => gzipSync(part))), places);
      if (!(await all(chunks)).equals(Buffer.concat(parts))) throw new Error('other bytes');
    }),
    { seed, numRuns: 200 },
  );
  t.equal(runs, 200);
});

t.test('packed bytes that end too early, or go on, or are others, are refused', async t => {
  const isRefused = async (packed: Buffer, places: readonly number[]): Promise<void> => {
    const error = await all(chunked(packed, places).chunks).then(
      () => undefined,
      (thrown: unknown) => thrown as { readonly code?: string },
    );
    if (error?.code !== 'gzipInvalid') throw new Error(`got ${String(error)}`);
  };
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      bytes,
      cuts,
      fc.nat(),
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      async (...one) => {
        const [part, places, place, more] = one;
        const packed = gzipSync(part);
        runs += 1;
        await isRefused(packed.subarray(0, place % packed.length), places);
        // A gzip header would begin another member, which is not whole either.
        await isRefused(Buffer.concat([packed, more]), [...places, packed.length]);
        await isRefused(Buffer.concat([packed, more]), places);
        const damaged = Buffer.from(packed);
        damaged[packed.length - 8] = (damaged[packed.length - 8] ?? 0) ^ 1;
        await isRefused(damaged, places);
      },
    ),
    { seed, numRuns: 150 },
  );
  t.equal(runs, 150);
});

t.test('a reader that stops unpacks no more, and members without bytes count packed', async t => {
  const bomb = gzipSync(Buffer.alloc(100_000_000));
  const { state, chunks } = chunked(
    bomb,
    Array.from({ length: 100 }, (_, n) => n * 1000),
  );
  let got = 0;
  for await (const chunk of unpacked(chunks, limit)) if ((got += chunk.length) > limit) break;
  t.ok(got <= limit + 65_536, `${got} bytes were unpacked`);
  t.ok(state.read < bomb.length / 2, `${state.read} of ${bomb.length} packed bytes were read`);
  const empty = gzipSync(Buffer.alloc(0));
  const endless = async function* (): AsyncGenerator<Buffer> {
    for (;;) yield empty;
  };
  await t.rejects(all(endless(), 10_000), { name: 'TooLarge' });
});

const service = await startService(t);
const { call, eventCount } = service;
const token = await service.tokenFor({});

type Raw = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };
/** A request without the decoding of `fetch`. */
const raw = (method: string, path: string, headers: object = {}, body?: Buffer): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(
      `${service.address()}${path}`,
      { method, headers: { Authorization: `Bearer ${token}`, ...headers } },
      response => {
        const chunks: Buffer[] = [];
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
const packed = (path: string, type: string, content: Buffer | string, headers: object = {}): Promise<Raw> =>
  raw('POST', path, { 'Content-Type': type, 'Content-Encoding': 'gzip', ...headers }, gzipSync(content));
const codeOf = ({ body }: Raw): unknown => (JSON.parse(body.toString()) as { readonly code?: string }).code;

const days = ordinaryDays('2023-01-01', 120);

t.test('CSV, JSON and small bodies may be packed', async t => {
  const created = await packed('/v1/import-csv/create-source?name=packed', 'text/csv', csvOf(days));
  t.equal(created.status, 201, created.body.toString().slice(0, 200));
  await analysed(call, 1);
  const recent = ordinaryDays('2024-01-01', 5);
  const json = JSON.stringify({ sourceId: 1, days: recent });
  const first = await packed('/v1/import/days', 'application/json', json, { 'Idempotency-Key': 'one' });
  t.match(JSON.parse(first.body.toString()), { import: { days: 5 } });
  const plain = await call('POST', '/v1/import/days', {
    json: { sourceId: 1, days: recent },
    headers: { 'Idempotency-Key': 'one' },
  });
  t.equal(plain.text, first.body.toString(), 'the same request under its key, packed or not');
  const upper = await raw(
    'POST',
    '/v1/import-csv/1/days',
    { 'Content-Type': 'text/csv', 'Content-Encoding': 'X-GZIP' },
    gzipSync(csvOf(recent)),
  );
  t.equal(upper.status, 200);
  const hook = JSON.stringify({ url: 'https://receiver.example/hook' });
  t.equal((await packed('/v1/webhook/create', 'application/json', hook)).status, 201);
});

t.test('a body that is not whole gzip stores nothing', async t => {
  const csv = gzipSync(csvOf(ordinaryDays('2024-02-01', 20)));
  const before = eventCount();
  const type = { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' };
  const bad: readonly (readonly [string, Buffer, RegExp])[] = [
    ['truncated', csv.subarray(0, csv.length - 1), /ends after \d+ packed bytes, before its end mark/],
    ['with other bytes after it', Buffer.concat([csv, Buffer.from('\0')]), /other bytes after its end mark/],
    ['with the letter x after it', Buffer.concat([csv, Buffer.from('x')]), /or has other bytes after it$/],
    ['plain', Buffer.from(csvOf(ordinaryDays('2024-02-01', 1))), /incorrect header check/],
  ];
  for (const [name, body, detail] of bad) {
    const refused = await raw('POST', '/v1/import-csv/1/days', type, body);
    t.match([refused.status, codeOf(refused)], exactList(400, 'gzipInvalid'), name);
    t.match((JSON.parse(refused.body.toString()) as { detail: string }).detail, detail, name);
  }
  const none = await raw('POST', '/v1/import-csv/1/days', { ...type, 'Transfer-Encoding': 'chunked' });
  t.equal(none.status, 400);
  t.equal(eventCount(), before);
});

t.test('a packed body is counted unpacked, and other encodings are refused', async t => {
  const big = gzipSync(Buffer.alloc(30_000_000, ' '));
  const json = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  const bomb = await raw('POST', '/v1/alert/acknowledge', json, big);
  t.match([bomb.status, codeOf(bomb)], exactList(413, 'tooLarge'));
  for (const encoding of ['br', 'deflate', 'gzip, gzip', 'zstd']) {
    const refused = await raw(
      'POST',
      '/v1/alert/acknowledge',
      { ...json, 'Content-Encoding': encoding },
      big,
    );
    t.match([refused.status, codeOf(refused)], exactList(415, 'contentEncoding'), encoding);
    t.equal(refused.headers['accept-encoding'], 'gzip');
  }
});

t.test('large answers are packed for those who accept it', async t => {
  const large = ['json', 'csv', 'ndjson', 'arrow'].map(format => `/v1/table/1/days?format=${format}`);
  for (const path of ['/v1/day/list/1/2023', '/openapi.json', '/v1/audit/event?format=ndjson', ...large]) {
    const plain = await raw('GET', path);
    const small = await raw('GET', path, { 'Accept-Encoding': 'br, gzip;q=0.5' });
    t.equal(small.status, 200, path);
    t.match(small.headers['vary'], /Accept-Encoding/, path);
    t.equal(plain.headers['content-encoding'], undefined);
    t.match(plain.headers['vary'], /Accept-Encoding/);
    t.equal(small.headers['content-encoding'], 'gzip', path);
    const content = gunzipSync(small.body);
    // Each reading of the audit trail is an event, and Arrow is compared by its length.
    if (path.includes('/audit/')) t.ok(content.length > plain.body.length);
    else t.ok(content.equals(plain.body), `${path}: the same bytes`);
    t.ok(small.body.length < content.length / 2, `${path}: ${small.body.length} of ${content.length}`);
  }
});

t.test('small answers, heads, event streams and secrets are not', async t => {
  const accepts = { 'Accept-Encoding': 'gzip' };
  t.equal((await raw('GET', '/v1/source/1', accepts)).headers['content-encoding'], undefined);
  t.equal((await raw('HEAD', '/v1/day/list/1/2023', accepts)).headers['content-encoding'], undefined);
  const none = await raw('GET', '/v1/day/list/1/2023', { 'Accept-Encoding': 'gzip;q=0' });
  t.equal(none.headers['content-encoding'], undefined);
  const stream = await call('GET', '/v1/events', { headers: accepts });
  t.equal(stream.headers.get('content-encoding'), null);
  const labels = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`label${n}`, `${n}`.repeat(50).slice(0, 100)]),
  );
  const hook = Buffer.from(JSON.stringify({ url: `https://receiver.example/${'a'.repeat(1900)}`, labels }));
  const secret = await raw(
    'POST',
    '/v1/webhook/create',
    { 'Content-Type': 'application/json', ...accepts },
    hook,
  );
  t.equal(secret.status, 201, secret.body.toString().slice(0, 300));
  t.ok(secret.body.length > 4096, `${secret.body.length} bytes`);
  t.equal(secret.headers['content-encoding'], undefined);
});
