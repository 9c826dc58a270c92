import { createPublicKey } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isSignedBy, trustedKeys, type SignedCheckpoint } from '../../../auditing/checkpoint.js';
import { makeKey, signerOf } from '../../../adapters/signingKeyFile.js';
import { exportLine } from '../../../auditing/eventBytes.js';
import {
  leafHash,
  merkleTree,
  holds,
  type ConsistencyProof,
  type InclusionProof,
} from '../../../auditing/merkle.js';
import { streams } from '../../../domain/streams.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import { idle, ordinaryDays, startService, type TestService } from '../../helpers/service.js';

const dir = t.testdir();

/** A service with events of two tenants, and an auditor of one. */
const audited = async (service: TestService) => {
  const { call, tokenFor } = service;
  for (const tenant of ['north', 'south', 'north'])
    await call('POST', '/v1/import/create-source', {
      token: await tokenFor({ subject: 'anna', tenant }),
      json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 20) },
    });
  await idle(call);
  const token = await tokenFor({ subject: 'ida', tenant: 'north', scopes: ['audit'] });
  const get = <Body>(path: string) => call<Body>('GET', `/v1/audit/${path}`, { token });
  return { get, token };
};

t.test('a key of which another file exists already is refused, and leaves nothing', t => {
  for (const there of ['pub', 'successions']) {
    const key = join(dir, `with-${there}`);
    writeFileSync(`${key}.${there}`, 'of an earlier key');
    t.throws(() => makeKey(key, '2026-01-01T00:00:00.000Z'), { code: 'EEXIST', message: `.${there}` });
    t.strictSame(
      readdirSync(dir).filter(name => name.startsWith(`with-${there}`)),
      [`with-${there}.${there}`],
    );
  }
  t.end();
});

t.test('checkpoints and proofs of the log, for one tenant of several', async t => {
  const [old, now] = [join(dir, 'old'), join(dir, 'now')];
  makeKey(old, '2026-01-01T00:00:00.000Z');
  makeKey(now, '2026-01-02T00:00:00.000Z', signerOf(old));
  const service = await startService(t, { AUDIT_KEY_FILE: now });
  t.match(await service.call('GET', '/v1/audit/checkpoint'), { status: 409, body: { code: 'logEmpty' } });
  t.match(await service.call('GET', '/v1/audit/proof/consistency?from=1'), { status: 409 });
  const { get } = await audited(service);
  const { body: document } = await service.call<Document>('GET', '/openapi.json');
  const asPromised = answerChecker(document);

  const answer = await get<SignedCheckpoint>('checkpoint');
  t.strictSame(asPromised('GET', '/v1/audit/checkpoint', answer), []);
  const first = answer.body;
  const log = service.events().map(({ position: _, hash, ...event }) =>
    // A column without a value is no field.
    exportLine({ ...event, ...(hash !== undefined && { hash }) }),
  );
  const tree = merkleTree();
  for (const line of log) tree.append(leafHash(line));
  t.match(first, { origin: service.events()[0]?.id, size: log.length, root: tree.root().toString('hex') });
  const key = trustedKeys([createPublicKey(signerOf(old).privateKey)], first.successions ?? []).get(
    first.keyId,
  );
  t.ok(key && isSignedBy(first, key), 'the old key alone proves the new one');

  const before = service.eventCount();
  await get('checkpoint');
  await get('proof/consistency?from=1');
  t.equal(service.eventCount(), before, 'what shows hashes alone is no reading of events');

  const own = service.events().filter(({ stream }) => [1, 3].some(id => stream === streams.days(id)));
  for (const event of own) {
    const proof = await get<InclusionProof>(`proof/inclusion?eventId=${event.id}&treeSize=${first.size}`);
    t.strictSame(asPromised('GET', '/v1/audit/proof/inclusion', proof), []);
    t.ok(holds(proof.body, [first]), 'an own event is in the log');
    t.notOk(holds({ ...proof.body, leafIndex: proof.body.leafIndex + 1 }, [first]));
    t.equal((JSON.parse(proof.body.leaf) as { id: string }).id, event.id);
  }
  t.equal(service.eventCount(), before + own.length, 'each is noted');
  t.match(service.events().at(-1), {
    stream: streams.audit('north'),
    data: { format: 'proof', count: 1, query: { eventId: own.at(-1)?.id } },
  });

  const { body: later } = await get<SignedCheckpoint>('checkpoint');
  t.equal(later.size, before + own.length);
  const grown = await get<ConsistencyProof>(`proof/consistency?from=${first.size}&to=${later.size}`);
  t.strictSame(asPromised('GET', '/v1/audit/proof/consistency', grown), []);
  t.ok(holds(grown.body, [first, later]), 'the log has only grown');
  t.notOk(holds(grown.body, [{ ...first, root: later.root }, later]));
  t.match((await get<ConsistencyProof>('proof/consistency?from=2')).body, { to: later.size });

  const [theirs] = service.events().filter(({ stream }) => stream === streams.source(2));
  const size = service.eventCount();
  for (const [path, status] of [
    [`proof/inclusion?eventId=${theirs?.id}`, 404],
    ['proof/inclusion?eventId=none', 404],
    ['proof/inclusion', 422],
    [`proof/inclusion?eventId=${own[0]?.id}&treeSize=${size + 1}`, 422],
    [`proof/inclusion?eventId=${own[0]?.id}&treeSize=1`, 422],
    ['proof/consistency?from=0', 422],
    ['proof/consistency?from=5&to=4', 422],
    [`proof/consistency?from=1&to=${size + 1}`, 422],
  ] as const)
    t.equal((await get(path)).status, status, path);
  t.equal(service.eventCount(), size, 'what is refused is no reading');
  const reader = await service.tokenFor({ tenant: 'north', scopes: ['read'] });
  for (const path of ['checkpoint', `proof/inclusion?eventId=${own[0]?.id}`, 'proof/consistency?from=1'])
    t.equal((await service.call('GET', `/v1/audit/${path}`, { token: reader })).status, 403);

  await service.stop();
  for (const suffix of ['', '-wal', '-shm']) rmSync(service.readModelsFile + suffix, { force: true });
  await service.restart();
  const { body: rebuilt } = await get<SignedCheckpoint>('checkpoint');
  t.strictSame([rebuilt.size, rebuilt.root], [later.size, later.root], 'the tree comes back from the log');
});

t.test('a service without a key answers proofs, but no checkpoints', async t => {
  const service = await startService(t);
  const { get } = await audited(service);
  t.match(await get('checkpoint'), {
    status: 404,
    body: { code: 'checkpointKeyMissing', detail: /AUDIT_KEY_FILE/ },
  });
  t.equal((await get('proof/consistency?from=1')).status, 200);
});
