import { generateKeyPairSync } from 'node:crypto';
import fc from '../helpers/property.js';
import { exportJWK } from 'jose';
import { errors } from '../../adapters/network/jose.js';
import t from 'tap';
import { KeysUnavailable, keptKeysMs, remoteKeys } from '../../adapters/network/remoteKeys.js';

const jwkOf = async (kid: string) => ({
  ...(await exportJWK(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)),
  kid,
});
const old = await jwkOf('old');
const fresh = await jwkOf('new');
const minute = 60_000;

/** Keys with a clock and an address that a test controls. */
const world = (keys: readonly object[]) => {
  const state = { nowMs: 0, keys: keys as readonly object[] | undefined, fetches: 0, faults: 0 };
  const remote = remoteKeys(
    async () => {
      state.fetches += 1;
      if (!state.keys) throw new Error('unreachable');
      return JSON.stringify({ keys: state.keys });
    },
    ['ES256'],
    () => (state.faults += 1),
    { elapsedMs: () => state.nowMs },
  );
  /** Whether a token with a key is checked, refused, or cannot be judged. */
  const ask = async (kid: string): Promise<'checked' | 'refused' | 'unavailable'> => {
    try {
      await remote.keyOf({ alg: 'ES256', kid });
      return 'checked';
    } catch (error) {
      if (error instanceof KeysUnavailable) return 'unavailable';
      if (error instanceof errors.JWKSNoMatchingKey) return 'refused';
      throw error;
    }
  };
  return { state, ask, isFailing: remote.isFailing };
};

t.test('the last good keys are used for an hour while fetching fails', async t => {
  const { state, ask, isFailing } = world([old]);
  t.equal(await ask('old'), 'checked');
  t.equal(isFailing(), false);
  state.keys = undefined;
  for (const minutes of [1, 9, 11, 30, 59]) {
    state.nowMs = minutes * minute;
    t.equal(await ask('old'), 'checked', `after ${minutes} minutes`);
  }
  t.equal(isFailing(), true);
  t.equal(await ask('new'), 'unavailable', 'a key that may be new cannot be judged');
  state.nowMs = keptKeysMs;
  t.equal(await ask('old'), 'unavailable', 'after an hour');
  state.keys = [fresh];
  state.nowMs += 10_000;
  t.equal(await ask('new'), 'checked', 'the next request after the cool-down finds the keys');
  t.equal(await ask('old'), 'refused', 'a withdrawn key');
  t.equal(isFailing(), false);
});

const rsa = await exportJWK(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey);

t.test('a key set without a usable key does not replace the last good keys', async t => {
  const { x: _, ...half } = old;
  for (const [name, keys] of Object.entries({
    'no keys': [],
    'an unknown type': [{ kty: 'XX', kid: 'old' }],
    'a type of other algorithms': [{ ...rsa, kid: 'old' }],
    'a key to encrypt with': [{ ...fresh, kid: 'old', use: 'enc' }],
    'a key without a coordinate': [half],
    'a secret': [{ kty: 'oct', k: 'c2VjcmV0', kid: 'old' }],
  })) {
    const { state, ask, isFailing } = world([old]);
    await ask('old');
    state.keys = keys;
    state.nowMs = 11 * minute;
    t.equal(await ask('old'), 'checked', name);
    t.equal(isFailing(), true, name);
    state.nowMs = keptKeysMs;
    t.equal(await ask('old'), 'unavailable', `${name}: after an hour`);
    t.equal(await world(keys).ask('old'), 'unavailable', `${name}: at the first fetch`);
  }
});

t.test('unusable keys next to a usable one are left out', async t => {
  const { ask, isFailing } = world([{ kty: 'XX', kid: 'x' }, { ...rsa, kid: 'r' }, old]);
  t.equal(await ask('old'), 'checked');
  t.equal(await ask('x'), 'refused');
  t.equal(isFailing(), false);
});

t.test('a failing address is asked rarely, and requests do not wait for it', async t => {
  const { state, ask } = world([old]);
  await ask('old');
  state.keys = undefined;
  state.nowMs = 20 * minute;
  for (let i = 0; i < 100; i += 1) await ask('old');
  t.equal(state.fetches, 2);
  state.nowMs += 10_000;
  for (let i = 0; i < 100; i += 1) await ask('unknown');
  t.equal(state.fetches, 3, 'also for unknown keys');
  t.equal(state.faults, 2);
});

t.test('an address that never had keys is asked rarely, too', async t => {
  const { state, ask } = world([old]);
  state.keys = undefined;
  for (let i = 0; i < 100; i += 1) t.equal(await ask('old'), 'unavailable');
  t.equal(state.fetches, 1);
  state.keys = [old];
  state.nowMs += 10_000;
  t.strictSame(
    await Promise.all([ask('old'), ask('old')]),
    ['checked', 'checked'],
    'both wait for one fetch',
  );
  t.equal(state.fetches, 2);
});

t.test('requests that come while a new key is fetched wait for it', async t => {
  const { state, ask } = world([old]);
  await ask('old');
  state.keys = [old, fresh];
  state.nowMs = minute;
  t.strictSame(await Promise.all([ask('new'), ask('new'), ask('new')]), ['checked', 'checked', 'checked']);
  t.equal(state.fetches, 2);
});

t.test('over random histories no key is used longer than an hour after it was last published', async () => {
  const step = fc.record({
    waitMs: fc.integer({ min: 0, max: 40 * minute }),
    keys: fc.constantFrom([old], [fresh], [old, fresh], undefined),
    kid: fc.constantFrom('old', 'new'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async steps => {
      const { state, ask } = world([old, fresh]);
      await ask('old');
      const published: Record<string, number> = { old: 0, new: 0 };
      const setKeys = (keys: typeof state.keys): void => {
        for (const name of ['old', 'new'])
          if (state.keys?.some(key => (key as { kid: string }).kid === name)) published[name] = state.nowMs;
        state.keys = keys;
      };
      for (const { waitMs, keys, kid } of steps) {
        state.nowMs += waitMs;
        setKeys(keys);
        const result = await ask(kid);
        const isPublished = state.keys?.some(key => (key as { kid: string }).kid === kid) === true;
        if (result === 'checked' && !isPublished && state.nowMs - (published[kid] ?? 0) >= keptKeysMs)
          return false;
        // A key that is published and was not withdrawn is never refused for good.
        if (isPublished && result !== 'checked') {
          state.nowMs += 10_000;
          if ((await ask(kid)) !== 'checked') return false;
        }
      }
      return true;
    }),
    { numRuns: 300 },
  );
});
