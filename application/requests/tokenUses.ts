import { LRUCache } from 'lru-cache';

/** Tokens whose last use is known: those that were used most recently. */
const usesMax = 10_000;
/** Longer ids are of no token that the service issued. */
const jtiLengthMax = 100;

/** When requests last used the tokens that the service issued, in the memory of this process. */
export type TokenUses = {
  /** The start of this process, ISO 8601 UTC: earlier uses are not known. */
  readonly since: string;
  readonly note: (jti: string) => void;
  /** Instant of the last use, ISO 8601 UTC; undefined for none that is known. */
  readonly lastOf: (jti: string) => string | undefined;
};

/** No uses yet. @param now the present instant, ISO 8601 UTC */
export const tokenUses = (now: () => string): TokenUses => {
  const last = new LRUCache<string, string>({ max: usesMax });
  return {
    since: now(),
    note: jti => {
      if (jti.length <= jtiLengthMax) last.set(jti, now());
    },
    // A look is no use: it must not keep a token in place of another one.
    lastOf: jti => last.peek(jti),
  };
};
