import type { Context, Next } from 'koa';
import { type SignIn, ownClaims, type TokenSettings } from '../settings/tokenSettings.js';
import { nameRoute } from './middleware/requestMonitoring.js';
import type { Actor } from './middleware/tokens.js';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** A built file in memory, as it is and compressed. */
type ScreenFile = {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
};

/** The built files by their path, which begins with `/`. */
export type ScreenFiles = ReadonlyMap<string, ScreenFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.csv': 'text/csv; charset=utf-8',
};

const compressedCopy = (path: string): Buffer | undefined =>
  existsSync(path) ? readFileSync(path) : undefined;

/**
 * Reads the files of a build. Requests look paths up in this map, so no path reaches the disk.
 * @returns an empty map for a folder that does not exist: the screens were not built
 */
export const readScreenFiles = (folder: string): ScreenFiles => {
  if (!existsSync(folder)) return new Map();
  const files = new Map<string, ScreenFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const br = compressedCopy(`${path}.br`);
    const gzip = compressedCopy(`${path}.gz`);
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const file = { type, etag, bytes, ...(br && { br }), ...(gzip && { gzip }) };
    files.set(`/${relative(folder, path).split(sep).join('/')}`, file);
  }
  return files;
};

/** Settings of the screens for people who have not signed in. */
export type ScreenSettings = SignIn & {
  /** Whether the code of a first start signs in. */
  readonly isFirstStart?: () => boolean;
};

/** Scripts, styles and fonts come from here alone; requests go here and to the issuer of the tokens. */
const policyOf = ({ oidc }: ScreenSettings, images: string): string =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `font-src 'self'`,
    `img-src ${images}`,
    `connect-src 'self'${oidc ? ` ${new URL(oidc.issuer).origin}` : ''}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');

const isApi = (path: string): boolean =>
  /^\/(v1|health|metrics|openapi\.json|session\.json)(\/|$)/.test(path);
/** Names of built assets hold a hash of their content. */
const isHashed = (path: string): boolean => path.startsWith('/assets/');

const send = (ctx: Context, file: ScreenFile): void => {
  // Browsers list gzip first; the smaller encoding that they accept is sent.
  const encoding = (['br', 'gzip'] as const).find(
    name => file[name] !== undefined && ctx.acceptsEncodings(name) === name,
  );
  ctx.vary('Accept-Encoding');
  ctx.type = file.type;
  ctx.set('ETag', file.etag);
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding) ctx.set('Content-Encoding', encoding);
  ctx.body = (encoding && file[encoding]) ?? file.bytes;
};

/** A page of the documentation: `/docs` is the reference of the API, `/docs/{page}` a page of `docs`. */
const docsPage = (files: ScreenFiles, path: string): ScreenFile | undefined =>
  /^\/docs(\/|$)/.test(path) ? files.get(`${path}.html`) : undefined;

/** Address of a page of the documentation that is asked for by the name of its file. */
const docsAddress = (files: ScreenFiles, path: string): string | undefined =>
  files.has(path) ? /^(\/docs(?:\/.+)?)\.html$/.exec(path)?.[1] : undefined;

/**
 * Middleware that serves the screens: built files by their exact path, pages of the documentation, `/config.json`, and
 * the application's page for every other address outside the API that a browser opens. Other requests go to the API.
 */
export const screens = (files: ScreenFiles, settings: ScreenSettings) => {
  const page = files.get('/index.html');
  const policy = policyOf(settings, `'self'`);
  // Icons of the reference of the API are data: addresses in its style sheet.
  const referencePolicy = policyOf(settings, `'self' data:`);
  return async (ctx: Context, next: Next): Promise<void> => {
    if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || !page || isApi(ctx.path)) return next();
    const address = docsAddress(files, ctx.path);
    if (address !== undefined) {
      nameRoute(ctx, 'screens');
      ctx.status = 308;
      ctx.redirect(address);
      return;
    }
    const file = ctx.path === '/index.html' ? undefined : (files.get(ctx.path) ?? docsPage(files, ctx.path));
    const isConfig = ctx.path === '/config.json';
    // A client that accepts anything, as curl does, is not a browser.
    const wantsPage = !isHashed(ctx.path) && ctx.accepts('json', 'html') === 'html';
    if (!file && !isConfig && !wantsPage) return next();
    nameRoute(ctx, 'screens');
    ctx.set({
      'Content-Security-Policy': ctx.path === '/docs' ? referencePolicy : policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': settings.oidc ? 'same-origin-allow-popups' : 'same-origin',
      'Cache-Control': file && isHashed(ctx.path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    if (isConfig) ctx.body = { oidc: settings.oidc ?? null, firstStart: settings.isFirstStart?.() ?? false };
    else {
      if (!file) ctx.vary('Accept');
      send(ctx, file ?? page);
    }
  };
};

const sessionPath = '/session.json';

/**
 * Middleware of `GET /session.json`, after the check of tokens: whom the token signs in to the screens, as the service
 * reads its claims, which claims those were, and without any scope what they had.
 */
export const screenSession =
  ({ claims: { scopes: scopeClaims, prefix } = ownClaims }: Pick<TokenSettings, 'claims'>) =>
  async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== sessionPath || ctx.method !== 'GET') return next();
    nameRoute(ctx, 'screens');
    const { subject, tenant, scopes, foundInstead } = ctx.state['actor'] as Actor;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = {
      subject,
      tenant,
      scopes: [...scopes],
      scopeClaims,
      prefix,
      ...(foundInstead && { foundInstead }),
    };
  };
