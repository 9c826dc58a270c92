// Tokens of a tenant: at most the scopes of who issues them, an end for each, and a limit on their number.
import t from 'tap';
import { fold } from '../../domain/decider.js';
import { tokenDaysMax, tokens, tokensMax, type IssuedToken, type TokenCommand } from '../../domain/tokens.js';
import { id } from '../helpers/data/samples.js';
import { given } from '../helpers/decisions/decider.js';

const at = '2026-03-02T09:00:00.000Z';
const tokenOf = (n: number, change: Partial<IssuedToken> = {}): IssuedToken => ({
  jti: id(n),
  name: 'sealed',
  scopes: ['read'],
  issuedAt: at,
  expiresAt: '2026-04-01T09:00:00.000Z',
  ...change,
});
const issue = (
  token: IssuedToken,
  granted: readonly string[] = ['read', 'import', 'token'],
): TokenCommand => ({
  type: 'IssueToken',
  token,
  granted,
});
const issued = (token: IssuedToken) => ({ type: 'TokenIssued', data: token }) as const;
const revoke = (n: number, reason: string | null = 'sealed reason'): TokenCommand => ({
  type: 'RevokeToken',
  jti: id(n),
  reason,
});
const revoked = (n: number, reason: string | null = 'sealed reason') =>
  ({ type: 'TokenRevoked', data: { jti: id(n), reason } }) as const;

t.test('a token has at most the scopes of who issues it', async t => {
  const token = tokenOf(1, { scopes: ['import', 'read'] });
  given(t, tokens).when(issue(token)).then(issued(token));
  const refusal = given(t, tokens)
    .when(issue(tokenOf(1, { scopes: ['read', 'erase'] }), ['read', 'token']))
    .rejects('tokenRequestInvalid');
  t.strictSame(refusal?.faults, [
    {
      code: 'scopeNotOwn',
      pointer: '/scopes/1',
      detail: 'got erase, expected a scope of your own token: read, token',
    },
  ]);
});

t.test('a token ends after its beginning, and at most 400 days later', async t => {
  const codeOf = (expiresAt: string) =>
    given(t, tokens)
      .when(issue(tokenOf(1, { expiresAt })))
      .rejects('tokenRequestInvalid')?.faults[0]?.code;
  t.equal(tokenDaysMax, 400);
  t.equal(codeOf(at), 'expiresOver');
  t.equal(codeOf('2027-04-06T09:00:01.000Z'), 'expiresTooLate');
  const last = tokenOf(1, { expiresAt: '2027-04-06T09:00:00.000Z' });
  given(t, tokens).when(issue(last)).then(issued(last));
});

t.test('a repeat issues nothing, also after the token was revoked', async t => {
  const token = tokenOf(1);
  given(t, tokens, issued(token)).when(issue(token)).then();
  given(t, tokens, issued(token), revoked(1)).when(issue(token)).then();
});

t.test('a token is revoked once; an unknown one is refused', async t => {
  given(t, tokens, issued(tokenOf(1)))
    .when(revoke(1))
    .then(revoked(1));
  given(t, tokens, issued(tokenOf(1)))
    .when(revoke(1, null))
    .then(revoked(1, null));
  given(t, tokens, issued(tokenOf(1)), revoked(1))
    .when(revoke(1, 'another reason'))
    .then();
  given(t, tokens, issued(tokenOf(1)))
    .when(revoke(2))
    .rejects('tokenNotFound');
});

t.test('200 tokens are in force: revoked and expired ones make room', async t => {
  const full = Array.from({ length: tokensMax }, (_, n) => issued(tokenOf(n + 1)));
  const next = tokenOf(900);
  t.equal(tokensMax, 200);
  const refused = given(t, tokens, ...full)
    .when(issue(next))
    .rejects('tooManyTokens');
  t.equal(refused?.message, 'got token 201 of the tenant, expected at most 200: revoke one');
  given(t, tokens, ...full, revoked(7))
    .when(issue(next))
    .then(issued(next));
  const later = tokenOf(900, {
    issuedAt: '2026-04-01T09:00:00.000Z',
    expiresAt: '2026-04-02T09:00:00.000Z',
  });
  given(t, tokens, ...full)
    .when(issue(later))
    .then(issued(later));
  const { live, count } = fold(tokens, tokens.initial, [...full, issued(later)]);
  t.strictSame([live.length, count], [1, 201], 'the state does not grow with expired tokens');
});

t.test('the token of the first sign-in is the first one', async t => {
  const first = tokenOf(1, { isFirst: true });
  given(t, tokens).when(issue(first)).then(issued(first));
  given(t, tokens, issued(first)).when(issue(first)).then();
  given(t, tokens, issued(tokenOf(2)), revoked(2))
    .when(issue(first))
    .rejects('firstStartOver');
});
