// All that the service uses of jose. The build replaces this module by a bundle.
export { createLocalJWKSet, errors, SignJWT } from 'jose';
export type { CryptoKey, JSONWebKeySet, JWTHeaderParameters } from 'jose';
