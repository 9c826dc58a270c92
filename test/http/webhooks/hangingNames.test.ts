// Receivers whose names no server answers: tokens, and the webhooks of others, do not wait for them.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { nameServer } from '../../helpers/nameServer.js';
import { startService } from '../../helpers/service.js';
import { good } from '../../helpers/signedTokens.js';

const serving = async (t: Test, listener: RequestListener): Promise<number> => {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

t.test('50 receivers whose names are not answered', async t => {
  const { address, asked } = await nameServer(t, name =>
    name.startsWith('hang') ? 'silent' : name === 'good.example' ? ['127.0.0.1'] : undefined,
  );
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'r' }] });
  const keysPort = await serving(t, (_, response) => response.end(jwks));
  let received = 0;
  const goodPort = await serving(t, (request, response) => {
    received += 1;
    request.resume();
    response.writeHead(204).end();
  });
  const { call } = await startService(
    t,
    { JWT_JWKS_URL: `http://localhost:${keysPort}/keys`, WEBHOOK_ALLOW_PRIVATE: 'true' },
    { servers: [address] },
  );
  const tokenOf = (tenant: string): Promise<string> =>
    new SignJWT({ ...good, tenant, scope: 'read webhook' })
      .setProtectedHeader({ alg: 'RS256', kid: 'r' })
      .sign(privateKey);
  const mallory = await tokenOf('mallory');
  const create = async (url: string, token: string): Promise<string> => {
    const { body } = await call<{ id: string }>('POST', '/v1/webhook/create', {
      json: { url },
      token,
    });
    return body.id;
  };
  const hanging: string[] = [];
  // The limit of a tenant is smaller.
  for (let i = 0; i < 20; i += 1) hanging.push(await create(`http://hang-${i}.example/`, mallory));
  const tests = Array.from({ length: 50 }, (_, index) =>
    call<{ failure?: string; code?: string }>('POST', `/v1/webhook/${hanging[index % 20]}/test`, {
      token: mallory,
    }),
  );

  for (const tenant of ['anna', 'ben', 'carl']) {
    const token = await tokenOf(tenant);
    t.equal((await call('GET', '/v1/source/list', { token })).status, 200, 'a new token is checked');
    const id = await create(`http://good.example:${goodPort}/${tenant}`, token);
    const { status, body } = await call('POST', `/v1/webhook/${id}/test`, { token });
    t.match({ status, body }, { status: 200, body: { status: 204, outcome: 'delivered' } });
  }
  t.equal(received, 3);
  const names = new Set(asked.filter(one => one.startsWith('hang')).map(one => one.split(' ')[0]));
  t.ok(names.size > 0 && names.size <= 20);

  const answers = await Promise.all(tests);
  for (const { status, body } of answers)
    if (status === 503) t.equal(body.code, 'queueFull');
    else t.match({ status, body }, { status: 200, body: { failure: 'timeout', outcome: 'failed' } });
  t.ok(
    answers.some(({ status }) => status === 503),
    'few tests run at once, and they wait for a limited time',
  );
});
