import {
  createLocalJWKSet,
  errors,
  type CryptoKey,
  type JSONWebKeySet,
  type JWTHeaderParameters,
} from './jose.js';
import type { Environment } from '../../application/ports/environment.js';
import { bodyText, boundedRequest } from './boundedRequest.js';
import type { NameResolver } from './nameResolver.js';

/** The keys cannot be fetched, and the last good ones are absent or too old. */
export class KeysUnavailable extends Error {
  readonly name = 'KeysUnavailable';
}

/** Public keys at an address. */
export type RemoteKeys = {
  /**
   * The key of a token.
   * @throws KeysUnavailable, or an error of jose about the header of the token
   */
  readonly keyOf: (header: JWTHeaderParameters) => Promise<CryptoKey>;
  /** Whether the last fetch failed. */
  readonly isFailing: () => boolean;
};

/** Age at which keys are fetched again, and up to which they are used while that fails, in ms. */
const freshMs = 600_000;
export const keptKeysMs = 3_600_000;
/** Time between two fetches after a failure, or for the sake of a token whose key is unknown, in ms. */
const cooldownMs = 10_000;

/** Whether a key set has a key that checks tokens of one of the algorithms. */
const hasUsableKey = async (set: JSONWebKeySet, algorithms: readonly string[]): Promise<boolean> => {
  for (const key of set.keys)
    for (const alg of algorithms)
      try {
        await createLocalJWKSet({ keys: [key] })({ alg });
        return true;
      } catch {
        // Another key or another algorithm may be usable.
      }
  return false;
};

type Known = { readonly keys: ReturnType<typeof createLocalJWKSet>; readonly atMs: number };

/**
 * Keys that are fetched when a token needs them. While fetching fails the last good ones are used, at most one hour
 * after they were fetched: a key that was withdrawn in that time is accepted so long.
 * @param fetchText  fetches the key set (RFC 7517 §5) as JSON
 * @param algorithms names of the accepted algorithms (RFC 7518 §3.1)
 * @param failed     called after each fetch that failed
 */
export const remoteKeys = (
  fetchText: () => Promise<string>,
  algorithms: readonly string[],
  failed: (error: KeysUnavailable) => void,
  { elapsedMs }: Pick<Environment, 'elapsedMs'>,
): RemoteKeys => {
  let known: Known | undefined;
  let fault: KeysUnavailable | undefined;
  let triedAtMs = -Infinity;
  let underWay: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    triedAtMs = elapsedMs();
    try {
      const set = JSON.parse(await fetchText()) as JSONWebKeySet;
      const keys = createLocalJWKSet(set);
      // An issuer without usable keys is not ready: it cannot sign the tokens that people have.
      if (!(await hasUsableKey(set, algorithms)))
        throw new Error(`the key set has no usable key, expected one for ${algorithms.join(' or ')}`);
      known = { keys, atMs: triedAtMs };
      fault = undefined;
    } catch (error) {
      fault = new KeysUnavailable('the keys that check tokens cannot be fetched', { cause: error });
      failed(fault);
    } finally {
      underWay = undefined;
    }
  };
  const fetchOnce = (): Promise<void> => (underWay ??= load());
  const isCool = (): boolean => elapsedMs() - triedAtMs >= cooldownMs;
  const usable = (maxMs: number): Known | undefined =>
    known && elapsedMs() - known.atMs < maxMs ? known : undefined;

  /** Keys that may be used now. A fetch that is known to fail is repeated rarely, and only waited for without keys. */
  const current = async (): Promise<Known> => {
    const fresh = usable(freshMs);
    if (fresh) return fresh;
    if (!fault || underWay || isCool()) {
      const fetched = fetchOnce();
      if (!fault || !usable(keptKeysMs)) await fetched;
    }
    const found = usable(keptKeysMs);
    if (!found) throw fault ?? new KeysUnavailable('the keys that check tokens are too old');
    return found;
  };

  return {
    keyOf: async header => {
      const used = await current();
      try {
        return await used.keys(header);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // The issuer may have a new key.
        if (underWay || isCool()) await fetchOnce();
        if (fault) throw fault;
        return (known ?? used).keys(header);
      }
    },
    isFailing: () => fault !== undefined,
  };
};

const fetchTimeoutMs = 5000;
const answerBytesMax = 1_000_000;

/** Fetches the text of a key set; redirects are not followed. @throws Error when that fails */
export const fetchKeys = async (url: URL, names: NameResolver): Promise<string> => {
  const answer = await boundedRequest(url, {
    method: 'GET',
    headers: {
      Accept: 'application/json, application/jwk-set+json',
      'Accept-Encoding': 'identity',
      'User-Agent': 'daybook',
    },
    lookup: names.lookupFor({ asksSystem: true }),
    bytesMax: answerBytesMax,
    signal: AbortSignal.timeout(fetchTimeoutMs),
  });
  if (answer.statusCode !== 200) {
    answer.destroy();
    throw new Error(`the address answered ${answer.statusCode}, expected 200`);
  }
  return bodyText(answer, answerBytesMax);
};
