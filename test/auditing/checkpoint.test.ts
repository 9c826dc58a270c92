import { sign } from 'node:crypto';
import t from 'tap';
import { canonicalJson } from '../../auditing/eventBytes.js';
import {
  isSignedBy,
  keyIdOf,
  newKey,
  NotUsable,
  privateKeyOf,
  publicKeyOf,
  readCheckpoint,
  signedCheckpoint,
} from '../../auditing/checkpoint.js';
import { id, instant } from '../helpers/data/samples.js';

const [own, other] = [newKey(), newKey()];
const [privateKey, publicKey] = [privateKeyOf(own.privatePem), publicKeyOf(own.publicPem)];
const state = { origin: id(1), size: 3, root: 'ab'.repeat(32), at: instant(1) };
const signed = signedCheckpoint(state, { privateKey, successions: [] });

t.test('checkpoint: only the signing key verifies it, and only as it was signed', async t => {
  t.equal(isSignedBy(signed, publicKey), true);
  t.equal(isSignedBy(signed, publicKeyOf(other.publicPem)), false);
  const changes = { origin: id(2), size: 4, root: 'cd'.repeat(32), at: instant(2), keyId: 'ef'.repeat(32) };
  for (const [name, value] of Object.entries(changes))
    t.equal(isSignedBy({ ...signed, [name]: value }, publicKey), false, name);
});

t.test('checkpoint: a signature under the id of another key is not one of this key', async t => {
  const named = { ...state, keyId: keyIdOf(publicKeyOf(other.publicPem)) };
  const signature = sign(null, Buffer.from(canonicalJson(named)), privateKey).toString('base64');
  t.equal(isSignedBy({ ...named, signature }, publicKey), false);
});

t.test('checkpoint: a text without its fields is refused', async t => {
  const { successions: _, ...fields } = readCheckpoint(JSON.stringify(signed));
  t.strictSame(fields, signed);
  for (const wrong of [
    ...[0, -1, 1.5, '3', 2 ** 53].map(size => ({ size })),
    ...[
      { root: 'AB'.repeat(32) },
      { root: 'ab' },
      { keyId: 7 },
      { origin: null },
      { at: 1 },
      { signature: 1 },
    ],
    ...[{ successions: {} }, { successions: [null] }, { successions: [{ keyId: 'a' }] }],
  ])
    t.throws(() => readCheckpoint(JSON.stringify({ ...signed, ...wrong })), NotUsable, JSON.stringify(wrong));
  for (const text of ['', 'null', '[]', '{']) t.throws(() => readCheckpoint(text), NotUsable, `got ${text}`);
});
