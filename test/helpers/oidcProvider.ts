import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Test } from 'tap';
import { scopes } from '../../adapters/http/middleware/tokens.js';

/** An identity provider that signs in every user, and refuses a code without its verifier (RFC 7636). */
export const startProvider = async (t: Test, clientId: string, expiresInS: number) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const asked = new Map<string, URLSearchParams>();
  let exchanged = 0;
  let issuer = '';
  const sign = (claims: Record<string, unknown>, audience: string, typ: string, seconds: number) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ })
      .setIssuer(issuer)
      .setSubject('carla')
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
      .sign(privateKey);

  const tokens = async (form: URLSearchParams): Promise<object | undefined> => {
    const request = asked.get(form.get('code') ?? '');
    asked.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (
      !request ||
      form.get('client_id') !== clientId ||
      request.get('code_challenge_method') !== 'S256' ||
      request.get('code_challenge') !== challenge ||
      request.get('redirect_uri') !== form.get('redirect_uri')
    )
      return undefined;
    exchanged += 1;
    // The first token expires soon, so that the page must request another one.
    const seconds = exchanged === 1 ? expiresInS : 3600;
    return {
      token_type: 'Bearer',
      expires_in: seconds,
      access_token: await sign({ scope: scopes.join(' ') }, 'daybook', 'at+jwt', seconds),
      id_token: await sign({ nonce: request.get('nonce') }, clientId, 'JWT', 3600),
    };
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    const send = (body: object, status = 200): void =>
      void response
        .writeHead(status, { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' })
        .end(JSON.stringify(body));
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return send({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
        });
      case '/jwks':
        return send({ keys: [jwk] });
      case '/authorize': {
        const code = `code-${asked.size}-${exchanged}`;
        asked.set(code, url.searchParams);
        const back = new URL(url.searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', code);
        back.searchParams.set('state', url.searchParams.get('state') ?? '');
        return void response.writeHead(302, { Location: back.href }).end();
      }
      case '/token': {
        let text = '';
        request.on('data', (chunk: Buffer) => (text += chunk.toString()));
        request.on(
          'end',
          () =>
            void tokens(new URLSearchParams(text)).then(body =>
              body ? send(body) : send({ error: 'invalid_grant' }, 400),
            ),
        );
        return undefined;
      }
      default:
        return send({}, 404);
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => server.close());
  return { issuer, jwks: `${issuer}/jwks` };
};
