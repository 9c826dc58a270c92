// Claims of identity providers: which scopes and which tenant a token has, and which settings are refused.
import fc from '../helpers/property.js';
import t from 'tap';
import { actorOf, scopes } from '../../adapters/http/middleware/tokens.js';
import { Problem } from '../../adapters/http/problem.js';
import { readSettings } from '../../adapters/settings/settings.js';
import type { ClaimSettings } from '../../adapters/settings/tokenSettings.js';

const seed = Number(process.env['SEED'] ?? 1);
t.comment(`SEED=${seed}`);
const dataDir = t.testdir();

/** Scopes and tenant that a token has by the settings of its claims, or the refusal. */
const read = (claims: object, { scope = 'scope', prefix = '', tenant = 'tenant' } = {}): unknown => {
  const mapped: ClaimSettings = { scopes: scope.split(' '), prefix, tenant };
  try {
    const actor = actorOf({ sub: 'anna', ...claims }, mapped);
    return [[...actor.scopes].join(' '), actor.tenant];
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
};

t.test('claims of providers', async t => {
  const urn = 'urn:zitadel:iam:org:project:roles';
  const ns = 'https://daybook.example.org/tenant';
  for (const [claims, settings, expected] of [
    [{ scope: 'read openid' }, {}, ['read', 'default']],
    [
      { realm_access: { roles: ['daybook:read', 'alert'] } },
      { scope: 'realm_access.roles', prefix: 'daybook:' },
      ['read', 'default'],
    ],
    [
      { resource_access: { 'a.b': { roles: ['read'] } } },
      { scope: 'resource_access.a.b.roles' },
      ['read', 'default'],
    ],
    [
      { permissions: ['read', 'import'], [ns]: 'acme' },
      { scope: 'permissions', tenant: ns },
      ['read import', 'acme'],
    ],
    [{ scp: 'read', roles: ['audit'] }, { scope: 'scp roles' }, ['read audit', 'default']],
    [{ roles: ['audit'] }, { scope: 'scp roles' }, ['audit', 'default']],
    [{ [urn]: { read: { 1: 'acme.example' } } }, { scope: urn }, ['read', 'default']],
    [{ scope: 'read', org: { id: ['acme'] } }, { tenant: 'org.id' }, ['read', 'acme']],
    // The prefix decides: a role of another application with the name of a scope is none.
    [{ scope: 'read api://x/import' }, { prefix: 'api://x/' }, ['import', 'default']],
    // A named tenant must be there.
    [
      { scope: 'read', tenant: 'acme' },
      { tenant: 'org.id' },
      'the claim org.id is missing, expected a tenant of 1 to 64 letters, digits, "_", "." or "-"',
    ],
    [
      { scope: 'read', org: ['a', 'b'] },
      { tenant: 'org' },
      'the claim org is invalid, expected a tenant of 1 to 64 letters, digits, "_", "." or "-"',
    ],
    [
      { roles: [1] },
      { scope: 'roles' },
      'the claim roles is invalid, expected a text of names separated by spaces',
    ],
    [
      { roles: null },
      { scope: 'roles' },
      'the claim roles is invalid, expected a text of names separated by spaces',
    ],
    // Names that every object has are no claims.
    [{}, { scope: 'constructor.name' }, ['', 'default']],
    [{}, { scope: '__proto__.toString' }, ['', 'default']],
    [{}, { scope: '__proto__', tenant: 'tenant' }, ['', 'default']],
    [
      { scope: 'read' },
      { tenant: 'constructor.name' },
      'the claim constructor.name is missing, expected a tenant of 1 to 64 letters, digits, "_", "." or "-"',
    ],
  ] as const)
    t.strictSame(read(claims, settings), expected, JSON.stringify([claims, settings]));
});

t.test('property: a token has a scope only where a named claim says so, with the prefix', async () => {
  const word = fc.constantFrom(...scopes, 'openid', 'x', '', '__proto__', 'toString');
  const prefix = fc.constantFrom('', 'd:', 'api://x/');
  // Also prefixes of other applications, of the same length.
  const name = fc
    .tuple(fc.oneof(prefix, fc.constantFrom('x:', 'api://y/')), word)
    .map(parts => parts.join(''));
  const key = fc.constantFrom('scope', 'scp', 'roles', 'a', 'a.b', 'b', 'tenant', 'constructor');
  const leaf = fc.oneof(
    fc.array(name).map(names => names.join(' ')),
    fc.array(name),
    fc.dictionary(name, fc.constant(1)),
    fc.constantFrom(null, 7, true),
    fc.array(fc.oneof(name, fc.integer())),
  );
  const { tree } = fc.letrec(tie => ({
    tree: fc.oneof({ maxDepth: 2 }, leaf, fc.dictionary(key, tie('tree'), { maxKeys: 3 })),
  }));
  const path = fc.array(key, { minLength: 1, maxLength: 3 }).map(keys => keys.join('.'));
  fc.assert(
    fc.property(
      fc.dictionary(key, tree, { maxKeys: 4 }),
      fc.array(path, { minLength: 1, maxLength: 3 }),
      prefix,
      path,
      (claims, names, beginning, tenant) => {
        const found = read(claims, { scope: names.join(' '), prefix: beginning, tenant });
        if (typeof found === 'string') return found.startsWith('the claim ');
        const text = JSON.stringify(claims);
        const [granted = ''] = found as readonly string[];
        return granted
          .split(' ')
          .filter(scope => scope !== '')
          .every(
            scope =>
              (scopes as readonly string[]).includes(scope) &&
              new RegExp(`["\\s]${beginning}${scope}["\\s]`).test(text) &&
              names.some(one => Object.keys(claims).some(own => one === own || one.startsWith(`${own}.`))),
          );
      },
    ),
    { seed, numRuns: 3000 },
  );
});

t.test('settings that no sign-in could work with end the start', async t => {
  const jwks = { JWT_JWKS_URL: 'https://id.example.org/jwks' };
  const oidc = { ...jwks, OIDC_ISSUER: 'https://id.example.org', OIDC_CLIENT_ID: 'screens' };
  const start = (env: NodeJS.ProcessEnv): unknown => {
    try {
      const { oidc: provider, tokens } = readSettings({ ...env, DATA_DIR: dataDir });
      return { provider, claims: tokens.claims };
    } catch (error) {
      return (error as Error).message;
    }
  };
  t.strictSame(start({}), { provider: undefined, claims: undefined });
  t.strictSame(
    start({
      ...oidc,
      OIDC_SCOPE: ' openid  read',
      OIDC_AUDIENCE: 'daybook',
      OIDC_RESOURCE: 'urn:daybook',
      JWT_SCOPE_CLAIM: 'scp realm_access.roles',
      JWT_SCOPE_PREFIX: 'daybook:',
      JWT_TENANT_CLAIM: 'tid',
    }),
    {
      provider: {
        issuer: 'https://id.example.org',
        clientId: 'screens',
        scope: 'openid read',
        audience: 'daybook',
        resource: 'urn:daybook',
      },
      claims: { scopes: ['scp', 'realm_access.roles'], prefix: 'daybook:', tenant: 'tid' },
    },
  );
  for (const [env, refusal] of [
    [{ OIDC_SCOPE: 'openid' }, /^OIDC_SCOPE: expected OIDC_ISSUER/],
    [{ OIDC_RESOURCE: 'urn:x' }, /^OIDC_RESOURCE: expected OIDC_ISSUER/],
    [{ ...oidc, JWT_JWKS_URL: undefined }, /^OIDC_ISSUER: expected JWT_JWKS_URL, too/],
    [{ ...oidc, OIDC_SCOPE: 'read' }, /^OIDC_SCOPE: got "read", expected names .* openid among them/],
    [{ ...oidc, OIDC_SCOPE: 'openid "x"' }, /^OIDC_SCOPE: got/],
    [{ ...oidc, OIDC_SCOPE: '' }, /^OIDC_SCOPE: got ""/],
    [{ ...oidc, OIDC_AUDIENCE: ' ' }, /^OIDC_AUDIENCE: got an empty value/],
    [{ ...oidc, OIDC_RESOURCE: 'daybook' }, /^OIDC_RESOURCE: got "daybook", expected an absolute URI/],
    [{ ...oidc, OIDC_RESOURCE: 'https://x/#y' }, /^OIDC_RESOURCE: got/],
    [{ JWT_SCOPE_CLAIM: 'roles' }, /^JWT_SCOPE_CLAIM: expected JWT_JWKS_URL, too/],
    [{ ...jwks, JWT_SCOPE_CLAIM: ' ' }, /^JWT_SCOPE_CLAIM: got " ", expected names of claims/],
    [{ ...jwks, JWT_SCOPE_CLAIM: 'a..b' }, /^JWT_SCOPE_CLAIM: got "a\.\.b"/],
    [{ ...jwks, JWT_TENANT_CLAIM: 'a b' }, /^JWT_TENANT_CLAIM: got "a b", expected the name of a claim/],
    [{ ...jwks, JWT_SCOPE_PREFIX: 'a b' }, /^JWT_SCOPE_PREFIX: got "a b"/],
  ] as const)
    t.match(start(env), refusal, JSON.stringify(env));
});
