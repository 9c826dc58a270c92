// Tokens signed by an identity provider, checked with the public keys of its address.
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { startService } from '../helpers/service.js';
import { good, signed, secret, part } from '../helpers/signedTokens.js';

/** Public keys at an address of this machine; `answerWith` sets another answer. */
const keyServer = async (t: Test, keys: Readonly<Record<string, KeyObject>>) => {
  let instead: { readonly status: number; readonly text: string } | undefined;
  let asked = 0;
  const jwks = {
    keys: await Promise.all(
      Object.entries(keys).map(async ([kid, key]) => ({ ...(await exportJWK(key)), kid, use: 'sig' })),
    ),
  };
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(instead?.status ?? 200, { 'Content-Type': 'application/json' });
    response.end(instead?.text ?? JSON.stringify(jwks));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.teardown(stop);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    answerWith: (answer: typeof instead) => {
      instead = answer;
    },
    asked: () => asked,
    stop,
  };
};

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const asymmetric = (alg: string, kid: string | undefined, key: KeyObject): Promise<string> =>
  new SignJWT(good).setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) }).sign(key);

t.test('tokens are checked with the public keys of JWT_JWKS_URL', async t => {
  const keys = await keyServer(t, { r: rsa.publicKey, e: ec.publicKey });
  const { call } = await startService(t, { JWT_JWKS_URL: keys.url });
  const status = async (token: string) => (await call('GET', '/v1/source/list', { token })).status;
  t.equal(await status(await asymmetric('RS256', 'r', rsa.privateKey)), 200, 'RS256');
  t.equal(await status(await asymmetric('ES256', 'e', ec.privateKey)), 200, 'ES256');
  t.equal(
    await status(await asymmetric('RS256', undefined, rsa.privateKey)),
    200,
    'without kid, there is only one',
  );
  t.equal(keys.asked(), 1, 'the keys are fetched once');

  const token = await asymmetric('RS256', 'r', rsa.privateKey);
  const json = { name: 'Gateway', scopes: ['read'], expires: 'P1D' };
  for (const [method, path, sent] of [
    ['POST', '/v1/token/create', { json }],
    ['GET', '/v1/token/list', {}],
    ['DELETE', '/v1/token/none', {}],
  ] as const) {
    const { status, body } = await call<{ code: string; detail: string }>(method, path, { ...sent, token });
    t.strictSame([status, body.code], [409, 'tokensOfProvider'], `${method} ${path}`);
    t.match(body.detail, /JWT_JWKS_URL is set, so the identity provider/);
  }

  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' });
  const der = rsa.publicKey.export({ type: 'spki', format: 'der' });
  t.equal(await status(await asymmetric('RS256', 'x', rsa.privateKey)), 401, 'an unknown kid');
  t.equal(await status(await asymmetric('RS256', 'r', stranger.privateKey)), 401, 'the key of a stranger');
  t.equal(await status(await asymmetric('RS256', 'e', rsa.privateKey)), 401, 'the kid of another key');
  t.equal(await status(await asymmetric('RS512', 'r', rsa.privateKey)), 401, 'RS512');
  t.equal(await status(await asymmetric('PS256', 'r', rsa.privateKey)), 401, 'PS256');
  t.equal(
    await status(signed(good, { key: pem, header: { kid: 'r' } })),
    401,
    'HS256 with the public key, PEM',
  );
  t.equal(
    await status(signed(good, { key: der, header: { kid: 'r' } })),
    401,
    'HS256 with the public key, DER',
  );
  t.equal(await status(signed(good, { key: pem })), 401, 'HS256 with the public key, without kid');
  t.equal(await status(signed(good, { alg: 'none', header: { kid: 'r' } })), 401, 'none');
  const jwk = { ...(await exportJWK(stranger.publicKey)), kid: 'r' };
  t.equal(
    await status(
      await new SignJWT(good).setProtectedHeader({ alg: 'RS256', kid: 'r', jwk }).sign(stranger.privateKey),
    ),
    401,
    'a key that the token brings along',
  );
  await keys.stop();
  t.equal(
    await status(await asymmetric('RS256', 'r', rsa.privateKey)),
    200,
    'known keys outlive their address',
  );
});

t.test('unsuitable keys and algorithms are refused', async t => {
  const keys = await keyServer(t, {});
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const jwks = [
    { ...(await exportJWK(rsa.publicKey)), kid: 'r' },
    { ...(await exportJWK(weak.publicKey)), kid: 'weak' },
    { ...(await exportJWK(rsa.publicKey)), kid: 'enc', use: 'enc' },
    { ...(await exportJWK(rsa.publicKey)), kid: 'ops', key_ops: ['encrypt'] },
    { ...(await exportJWK(curve.publicKey)), kid: 'curve' },
    { kty: 'oct', k: Buffer.from(secret).toString('base64url'), kid: 'oct' },
  ];
  keys.answerWith({ status: 200, text: JSON.stringify({ keys: jwks }) });
  const { call } = await startService(t, { JWT_JWKS_URL: keys.url });
  // From raw parts, because libraries refuse to sign such tokens.
  const status = async (header: object, key: KeyObject, hash = 'sha256') => {
    const text = `${part({ typ: 'JWT', alg: 'RS256', ...header })}.${part(good)}`;
    const signature = sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    return (await call('GET', '/v1/source/list', { token: `${text}.${signature}` })).status;
  };
  t.equal(await status({ kid: 'r' }, rsa.privateKey), 200, 'a suitable key is accepted');
  t.equal(await status({ kid: 'r', crit: ['x'], x: 1 }, rsa.privateKey), 401, 'crit');
  t.equal(await status({ kid: 'weak' }, weak.privateKey), 401, 'RSA of 1024 bits');
  t.equal(await status({ kid: 'enc' }, rsa.privateKey), 401, 'a key to encrypt with');
  t.equal(await status({ kid: 'ops' }, rsa.privateKey), 401, 'a key whose operations are others');
  t.equal(await status({ kid: 'curve', alg: 'ES256' }, curve.privateKey), 401, 'ES256 on another curve');
  t.equal(await status({ kid: 'curve', alg: 'ES384' }, curve.privateKey, 'sha384'), 401, 'ES384');
  t.equal(
    (await call('GET', '/v1/source/list', { token: signed(good, { header: { kid: 'oct' } }) })).status,
    401,
    'a secret in public',
  );
});

t.test('unreachable keys answer 503', async t => {
  const keys = await keyServer(t, { r: rsa.publicKey });
  const { call } = await startService(t, { JWT_JWKS_URL: keys.url });
  const token = await asymmetric('RS256', 'r', rsa.privateKey);
  const { now } = performance;
  t.teardown(() => void (performance.now = now));
  let aheadMs = 0;
  performance.now = () => now.call(performance) + aheadMs;
  const ask = async () => {
    // A fetch that failed is repeated after ten seconds.
    aheadMs += 10_000;
    const answer = await call<{ code: string }>('GET', '/v1/source/list', { token });
    return { status: answer.status, code: answer.body.code, after: answer.headers.get('retry-after') };
  };
  const unavailable = { status: 503, code: 'keysUnavailable', after: /^[1-9]\d*$/ };
  keys.answerWith({ status: 500, text: 'broken' });
  t.match(await ask(), unavailable, 'the address answers 500');
  const health = async () => (await call('GET', '/health', { token: null })).body;
  const { status, causes } = (await health()) as { status: string; causes: { code: string }[] };
  t.strictSame([status, causes.map(({ code }) => code)], ['degraded', ['keysUnavailable']]);
  keys.answerWith({ status: 200, text: '<html>' });
  t.match(await ask(), unavailable, 'it answers something else');
  keys.answerWith({ status: 200, text: '{"keys":7}' });
  t.match(await ask(), unavailable, 'it answers no keys');
  keys.answerWith({ status: 200, text: '{"keys":[{"kty":"XX","kid":"r"}]}' });
  t.match(await ask(), unavailable, 'it answers keys of an unknown type');
  keys.answerWith(undefined);
  t.match(await ask(), { status: 200 }, 'and once it works, so do we');
  t.match(await health(), { status: 'ok', causes: undefined });
});

t.test('an address without a server answers 503', async t => {
  const keys = await keyServer(t, { r: rsa.publicKey });
  await keys.stop();
  const { call } = await startService(t, { JWT_JWKS_URL: keys.url });
  const token = await asymmetric('RS256', 'r', rsa.privateKey);
  const answer = await call<{ code: string }>('GET', '/v1/source/list', { token });
  t.equal(answer.status, 503);
  t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/);
  t.equal((await call('GET', '/v1/source/list', { token: null })).status, 401, 'no token is still no token');
  t.equal((await call('GET', '/health', { token: null })).status, 200);
});
