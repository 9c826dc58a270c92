/** Claims of a token; times in seconds since 1970. A token without `jti` cannot be revoked. */
export type SignedClaims = {
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly jti?: string;
  readonly issuedS: number;
  readonly expiresS: number;
};

/** Signs a token that the service accepts; the same claims give the same token. */
export type TokenSigner = (claims: SignedClaims) => Promise<string>;
