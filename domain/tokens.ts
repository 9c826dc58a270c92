import { dayMs } from './dates.js';
import type { Decider } from './decider.js';
import { emptyKeyed, lookUp, put, type Keyed } from './keyed.js';
import { Rejection } from './rejection.js';

/** A token that the service signed for a person or a device. Instants are ISO 8601 UTC, in whole seconds. */
export type IssuedToken = {
  readonly jti: string;
  /** Subject of the token: who uses it. Sealed. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** Present for the token of the first sign-in, which needed no other token. */
  readonly isFirst?: true;
};

/** Events of `tokens-{tenant}`. The token itself is in no event. */
export type TokenEvent =
  | { readonly type: 'TokenIssued'; readonly data: IssuedToken }
  | {
      readonly type: 'TokenRevoked';
      readonly data: {
        readonly jti: string;
        /** Sealed; null when none was given. */
        readonly reason: string | null;
      };
    };

/** Commands of `tokens-{tenant}`. */
export type TokenCommand =
  | {
      readonly type: 'IssueToken';
      readonly token: IssuedToken;
      /** Scopes of who issues it. */
      readonly granted: readonly string[];
    }
  | { readonly type: 'RevokeToken'; readonly jti: string; readonly reason: string | null };

/** Longest subject of a token, in characters. */
export const subjectLengthMax = 200;

/** Longest lifetime of a token, in days. */
export const tokenDaysMax = 400;

/** Largest number of tokens of a tenant that are neither revoked nor expired. */
export const tokensMax = 200;

type Live = Pick<IssuedToken, 'jti' | 'expiresAt'>;

/** Number of all tokens, those in force when the last one was issued, and for each token whether it was revoked. */
type TokensState = {
  readonly count: number;
  readonly live: readonly Live[];
  readonly revoked: Keyed<boolean>;
};

/** @throws Rejection `tokenRequestInvalid` */
const requireValid = ({ scopes, issuedAt, expiresAt }: IssuedToken, granted: readonly string[]): void => {
  const refusal = (code: string, pointer: string, detail: string): Rejection =>
    new Rejection('tokenRequestInvalid', 'the token that is asked for is not valid', [
      { code, pointer, detail },
    ]);
  const foreign = scopes.findIndex(scope => !granted.includes(scope));
  if (foreign >= 0)
    throw refusal(
      'scopeNotOwn',
      `/scopes/${foreign}`,
      `got ${scopes[foreign]}, expected a scope of your own token: ${granted.join(', ')}`,
    );
  if (expiresAt <= issuedAt)
    throw refusal('expiresOver', '/expires', `got ${expiresAt}, expected an instant after ${issuedAt}`);
  const latest = new Date(Date.parse(issuedAt) + tokenDaysMax * dayMs).toISOString();
  if (expiresAt > latest)
    throw refusal(
      'expiresTooLate',
      '/expires',
      `got ${expiresAt}, expected at most ${tokenDaysMax} days away: ${latest}`,
    );
};

const decideIssue = (
  { token, granted }: Extract<TokenCommand, { type: 'IssueToken' }>,
  { count, live, revoked }: TokensState,
): readonly TokenEvent[] => {
  if (lookUp(revoked, token.jti) !== undefined) return [];
  requireValid(token, granted);
  if (token.isFirst && count > 0)
    throw new Rejection('firstStartOver', 'got a first token, expected no token to be issued before it');
  const inForce = live.filter(({ expiresAt }) => expiresAt > token.issuedAt).length;
  if (inForce >= tokensMax)
    throw new Rejection(
      'tooManyTokens',
      `got token ${inForce + 1} of the tenant, expected at most ${tokensMax}: revoke one`,
    );
  return [{ type: 'TokenIssued', data: token }];
};

/** Rules of `tokens-{tenant}`: a token has at most the scopes of who issues it, and always expires. */
export const tokens: Decider<TokenCommand, TokenEvent, TokensState> = {
  initial: { count: 0, live: [], revoked: emptyKeyed },
  decide: (command, state) => {
    switch (command.type) {
      case 'IssueToken':
        return decideIssue(command, state);
      case 'RevokeToken': {
        const { jti, reason } = command;
        const isRevoked = lookUp(state.revoked, jti);
        if (isRevoked === undefined) throw new Rejection('tokenNotFound', `no token ${jti}`);
        return isRevoked ? [] : [{ type: 'TokenRevoked', data: { jti, reason } }];
      }
    }
  },
  evolve: ({ count, live, revoked }, { type, data }) => {
    const { jti } = data;
    if (type === 'TokenRevoked')
      return { count, live: live.filter(one => one.jti !== jti), revoked: put(revoked, jti, true) };
    const { issuedAt, expiresAt } = data;
    const others = live.filter(one => one.expiresAt > issuedAt);
    return { count: count + 1, live: [...others, { jti, expiresAt }], revoked: put(revoked, jti, false) };
  },
};
