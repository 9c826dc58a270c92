import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import Koa from 'koa';
import t, { type Test } from 'tap';
import { readScreenFiles, screens, type ScreenSettings } from '../../adapters/http/screens.js';

const script = 'console.log("a script that is long enough to be compressed");\n'.repeat(20);

type Got = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
};

/** A server of a small build; requests that it does not serve get 418. */
const serve = async (t: Test, settings: ScreenSettings = {}, folder = t.testdir()) => {
  const build = join(folder, 'web');
  mkdirSync(join(build, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.js'), 'secret');
  writeFileSync(join(build, 'index.html'), '<!doctype html><title>Daybook</title>');
  writeFileSync(join(build, 'notes.txt'), 'not served');
  mkdirSync(join(build, 'docs'));
  writeFileSync(join(build, 'docs.html'), '<!doctype html><title>Reference</title>');
  writeFileSync(join(build, 'docs', 'api.html'), '<!doctype html><title>HTTP API</title>');
  writeFileSync(join(build, 'assets', 'main-1a2b.js'), script);
  writeFileSync(join(build, 'assets', 'main-1a2b.js.br'), brotliCompressSync(script));
  writeFileSync(join(build, 'assets', 'main-1a2b.js.gz'), gzipSync(script));
  const koa = new Koa();
  koa.use(screens(readScreenFiles(build), settings));
  koa.use(ctx => {
    ctx.status = 418;
  });
  const answer = koa.callback();
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  // Unlike fetch, this sends paths with dots unchanged.
  return (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> =>
    new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path, headers, method }, response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes: Buffer.concat(chunks),
          }),
        );
      })
        .on('error', reject)
        .end();
    });
};

const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

t.test('a browser gets the page of the screens at every address outside the API', async t => {
  const get = await serve(t);
  for (const path of ['/', '/alerts', '/sources/1/calendar/2024', '/nothing/here', '/index.html']) {
    const { status, headers, bytes } = await get(path, browser);
    t.equal(status, 200, path);
    t.match(headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'content-security-policy': /default-src 'none'; script-src 'self'; style-src 'self'/,
    });
    t.notMatch(String(headers['content-security-policy']), /unsafe|\*|data:/);
    t.match(bytes.toString(), /<!doctype html>/);
  }
});

/** The content security policy of a page, by the images that it may have. */
const policyWith = (images: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src ${images}; ` +
  `connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

t.test(
  'pages of the documentation need no token and no browser, and load nothing from elsewhere',
  async t => {
    const get = await serve(t);
    for (const [path, title, images] of [
      ['/docs', 'Reference', `'self' data:`],
      ['/docs/api', 'HTTP API', `'self'`],
    ] as const)
      for (const accept of [{}, { Accept: '*/*' }, { Accept: 'application/json' }, browser]) {
        const { status, headers, bytes } = await get(path, accept);
        t.equal(status, 200, `${path} for ${JSON.stringify(accept)}`);
        t.match(bytes.toString(), `<title>${title}</title>`);
        t.match(headers, {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          etag: /^".{22}"$/,
        });
        t.equal(headers['content-security-policy'], policyWith(images), path);
      }
    t.equal((await get('/', browser)).headers['content-security-policy'], policyWith(`'self'`));
    for (const path of [
      '/docs/none',
      '/docs/',
      '/docsapi',
      '/docs/api/',
      '/docs/../docs/api',
      '/docs/%61pi',
    ]) {
      t.equal((await get(path)).status, 418, path);
      t.match((await get(path, browser)).bytes.toString(), '<title>Daybook</title>', path);
    }
    t.equal((await get('/docs/api', browser, 'POST')).status, 418);
    for (const path of ['/docs', '/docs/api']) {
      const { status, headers } = await get(`${path}.html`, browser);
      t.strictSame([status, headers['location']], [308, path], 'each page has one address');
    }
    t.match((await get('/docs/none.html', browser)).bytes.toString(), '<title>Daybook</title>');
  },
);

t.test('paths of the API, and requests of other clients than browsers, reach the API', async t => {
  const get = await serve(t);
  for (const path of ['/v1/source/list', '/v1', '/health', '/openapi.json'])
    t.equal((await get(path, browser)).status, 418, path);
  t.equal((await get('/', { Accept: 'application/json' })).status, 418);
  t.equal((await get('/', {})).status, 418);
  t.equal((await get('/', browser, 'POST')).status, 418);
});

t.test('assets are compressed, immutable and cached by browsers', async t => {
  const get = await serve(t);
  const path = '/assets/main-1a2b.js';
  const plain = await get(path);
  t.equal(plain.bytes.toString(), script);
  t.match(plain.headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: /Accept-Encoding/,
  });
  const packed = await get(path, { 'Accept-Encoding': 'gzip, br' });
  t.equal(packed.headers['content-encoding'], 'br');
  t.equal(brotliDecompressSync(packed.bytes).toString(), script);
  t.equal((await get(path, { 'Accept-Encoding': 'gzip' })).headers['content-encoding'], 'gzip');
  const again = await get(path, { 'If-None-Match': String(plain.headers['etag']) });
  t.equal(again.status, 304);
  t.equal(again.bytes.length, 0);
  const head = await get(path, {}, 'HEAD');
  t.equal(head.headers['content-length'], String(script.length));
  t.equal(head.bytes.length, 0);
});

t.test('no path leads out of the build', async t => {
  const get = await serve(t);
  for (const path of [
    '/../secret.js',
    '/assets/../../secret.js',
    '/%2e%2e/secret.js',
    '/..%2fsecret.js',
    '/assets/..%5c..%5csecret.js',
    '//secret.js',
    '/notes.txt',
    '/assets/main-1a2b.js.br',
    '/assets/none.js',
  ])
    t.equal((await get(path)).status, 418, path);
  t.equal((await get('/assets/none.js', browser)).status, 418, 'a missing asset is no page');
});

t.test('the page has the issuer of tokens, and may send requests to it', async t => {
  const oidc = { issuer: 'https://id.example/realm', clientId: 'daybook-screens', scope: 'openid' };
  const get = await serve(t, { oidc });
  const { headers, bytes } = await get('/config.json');
  t.strictSame(JSON.parse(bytes.toString()), { oidc, firstStart: false });
  t.match(headers['content-security-policy'], /connect-src 'self' https:\/\/id\.example;/);
  const plain = await (await serve(t, { isFirstStart: () => true }))('/config.json');
  t.strictSame(JSON.parse(plain.bytes.toString()), { oidc: null, firstStart: true });
});

t.test('a service whose screens were not built serves its API', async t => {
  t.equal(readScreenFiles(join(t.testdir(), 'none')).size, 0);
});
