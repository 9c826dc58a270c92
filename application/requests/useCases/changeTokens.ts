import { audit } from '../../../domain/audit.js';
import { Rejection } from '../../../domain/rejection.js';
import { streams } from '../../../domain/streams.js';
import { tokens, type IssuedToken } from '../../../domain/tokens.js';
import type { TokenRecord } from '../../../projections/tokens.js';
import { derivedId, type CommandMetadata } from '../../commands/commandHandler.js';
import type { TokenSigner } from '../../ports/people.js';
import { requireNotParked } from '../../reading/parking.js';
import { notFound, type Requester } from '../access.js';
import { firstEventOf, type Deciding, type Service } from '../service.js';

/** A token that is asked for: who will use it, its scopes, and its end. */
export type NewToken = {
  readonly name: string;
  readonly scopes: readonly string[];
  /** An instant, or seconds from now. */
  readonly expires: { readonly at: string } | { readonly inS: number };
};

/** A token with its text, which only the answer to its creation has. */
export type TokenWithText = { readonly token: TokenRecord; readonly text: string };

/** @throws Rejection `tokensOfProvider` */
export const requireSigner = ({ signToken }: Pick<Service, 'signToken'>): TokenSigner => {
  if (signToken) return signToken;
  throw new Rejection(
    'tokensOfProvider',
    'JWT_JWKS_URL is set, so the identity provider signs and ends tokens: ask there',
  );
};

/** Token of the actor's tenant. @throws Rejection `tokenNotFound` */
const ownToken = ({ models }: Pick<Service, 'models'>, { actor }: Requester, jti: string): TokenRecord => {
  requireNotParked(models, streams.tokens(actor.tenant));
  const token = models.tokens.one(actor.tenant, jti);
  if (!token) throw notFound('tokenNotFound', 'token', jti);
  return token;
};

const inWholeSeconds = (ms: number): string => new Date(Math.floor(ms / 1000) * 1000).toISOString();
const secondsOf = (instant: string): number => Date.parse(instant) / 1000;

/** The times of a token that is issued at an instant, in whole seconds, as its claims have them. */
const timesOf = (at: string, expires: NewToken['expires']): Pick<IssuedToken, 'issuedAt' | 'expiresAt'> => {
  const issuedMs = Date.parse(at);
  const expiresMs = 'at' in expires ? Date.parse(expires.at) : issuedMs + 1000 * expires.inS;
  return { issuedAt: inWholeSeconds(issuedMs), expiresAt: inWholeSeconds(expiresMs) };
};

/**
 * Issues a token of the actor's tenant and signs it. A retry signs the same token again, so nothing of it is stored.
 * @param granted scopes of the actor; the token has at most these
 * @param first   `isFirst` for the first sign-in
 * @throws Rejection `tokensOfProvider`, `tokenRequestInvalid`, `tooManyTokens`, `tokenRevoked`, `firstStartOver`
 */
export const issueToken = async (
  service: Deciding & Pick<Service, 'signToken' | 'people'>,
  requester: Requester & { readonly granted: readonly string[] },
  { name, scopes, expires }: NewToken,
  first: Pick<IssuedToken, 'isFirst'> = {},
): Promise<TokenWithText> => {
  const sign = requireSigner(service);
  const { granted, actor } = requester;
  const { tenant } = actor;
  const metadata = await requester.begin();
  const jti = derivedId('token', tenant, metadata.id);
  const times = timesOf(metadata.at, expires);
  const sealed = await service.people.sealed({ tenant, subject: name }, name);
  const issued = { jti, name: sealed, scopes, ...times, ...first };
  const command = { type: 'IssueToken', token: issued, granted } as const;
  await service.handle(tokens, streams.tokens(tenant), command, metadata);
  await service.caughtUp();
  const token = ownToken(service, requester, jti);
  if (token.revokedAt !== null)
    throw new Rejection('tokenRevoked', `the token of this request was revoked at ${token.revokedAt}`);
  const [issuedS, expiresS] = [secondsOf(token.issuedAt), secondsOf(token.expiresAt)];
  const text = await sign({ subject: name, tenant, scopes: token.scopes, jti, issuedS, expiresS });
  return { token, text };
};

/**
 * Revokes a token of the actor's tenant. The reason is encrypted before it is stored.
 * @throws Rejection `tokensOfProvider`, `tokenNotFound`
 */
export const revokeToken = async (
  service: Deciding & Pick<Service, 'signToken' | 'people'>,
  requester: Requester,
  jti: string,
  reason: string | null,
): Promise<void> => {
  requireSigner(service);
  if (!requester.hasKey) ownToken(service, requester, jti);
  const metadata = await requester.begin();
  ownToken(service, requester, jti);
  const sealed = reason === null ? null : await service.people.sealed(requester.actor, reason);
  const command = { type: 'RevokeToken', jti, reason: sealed } as const;
  await service.handle(tokens, streams.tokens(requester.actor.tenant), command, metadata);
  await service.caughtUp();
};

/** The id of the person whom an earlier attempt of a request erased. */
const erasedBy = async (
  service: Pick<Service, 'log'>,
  { tenant }: Requester['actor'],
  { id, isRetry }: CommandMetadata,
): Promise<string | undefined> => {
  const event = isRetry ? await firstEventOf(service, streams.audit(tenant), id) : undefined;
  return event?.type === 'PersonErased' ? event.data.personId : undefined;
};

/**
 * Destroys the key of a person of the actor's tenant: their encrypted texts become unreadable.
 * @returns id of the person's key, which stays in events
 * @throws Rejection `personNotFound`
 */
export const erasePerson = async (
  service: Deciding & Pick<Service, 'people' | 'log' | 'requireWhole'>,
  requester: Requester,
  subject: string,
): Promise<string> => {
  const { tenant } = requester.actor;
  const metadata = await requester.begin();
  // The key may be destroyed already.
  const earlier = await erasedBy(service, requester.actor, metadata);
  const personId = earlier ?? (await service.people.keyIdOf({ tenant, subject }));
  service.requireWhole();
  // The first event of a log belongs to the catalog, so an empty log gets no event, and has none of the person.
  const isEmpty = service.models.tree.size() === 0;
  if (isEmpty && personId !== undefined) await service.people.destroy(personId);
  if (isEmpty || personId === undefined)
    throw new Rejection('personNotFound', 'unknown subject: no event was written for it');
  await service.handle(audit, streams.audit(tenant), { type: 'ErasePerson', personId } as const, metadata);
  await service.caughtUp();
  return personId;
};
