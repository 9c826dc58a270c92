import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Environment } from '../../../application/environment.js';

/** Time until a valid token is checked again, in milliseconds: a key that was withdrawn ends its tokens. */
export const knownForMs = 60_000;
const knownMax = 10_000;

/** Actors of tokens that were found valid a short time ago. */
export type KnownTokens<Actor> = {
  /** The actor of an Authorization header; undefined when its token has to be checked. */
  readonly actorOf: (header: string) => Actor | undefined;
  /** Keeps the actor of a valid token that expires at `exp`, in seconds since 1970. */
  readonly keep: (header: string, actor: Actor, exp: number) => void;
};

/** Empty list of known tokens. It has the SHA-256 of each header instead of the token. */
export const knownTokens = <Actor>({ nowMs }: Pick<Environment, 'nowMs'>): KnownTokens<Actor> => {
  const known = new LRUCache<string, { readonly actor: Actor; readonly untilMs: number }>({ max: knownMax });
  const digestOf = (header: string): string => hash('sha256', header, 'base64');
  return {
    actorOf: header => {
      const found = known.get(digestOf(header));
      return found && nowMs() < found.untilMs ? found.actor : undefined;
    },
    keep: (header, actor, exp) =>
      void known.set(digestOf(header), { actor, untilMs: Math.min(nowMs() + knownForMs, 1000 * exp) }),
  };
};
