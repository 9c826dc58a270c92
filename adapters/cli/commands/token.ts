import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { subjectLengthMax } from '../../../domain/tokens.js';
import { tenantPattern } from '../../../domain/streams.js';
import { mintToken, scopes, type Scope } from '../../http/middleware/tokens.js';
import { readSettings, type Settings } from '../../settings/settings.js';
import { dataDirOf } from '../../settings/logAddress.js';
import { requireSpelling, SettingsError } from '../../settings/values.js';
import { parsedArguments, dataDirOption, envWith, wrongOption, type Command } from '../terminal/arguments.js';
import { plain } from '../terminal/text.js';
import type { TokenSettings } from '../../settings/tokenSettings.js';

/** Lifetime of a token that a command creates: a working day. */
const tokenHours = 12;
export const tokenExpiresInS = tokenHours * 3600;

/** Scopes that the screens use. */
const screenScopes: readonly Scope[] = scopes.filter(scope => !['erase', 'metrics'].includes(scope));

/** A token for the screens, which expires after a working day. */
export const screenToken = (tokens: TokenSettings, subject: string): Promise<string> =>
  mintToken(tokens, { subject, tenant: 'default', scopes: screenScopes }, tokenExpiresInS);

/** How the output of a command is read. */
export type Output = {
  readonly isTTY: boolean;
  readonly isProduction: boolean;
  /** The data folder that was given as an option. */
  readonly dataDir?: string | undefined;
};

export const outputOf = ({ isTTY }: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Output => ({
  isTTY: isTTY === true,
  isProduction: env['NODE_ENV'] === 'production',
});

/** The command that prints such a token. Only the container, which is in production, has the program `daybook`. */
export const screenTokenCommand = ({ isProduction, dataDir }: Omit<Output, 'isTTY'>): string => {
  const program = isProduction ? 'daybook' : 'npx --no -- daybook';
  const folder = dataDir === undefined ? '' : ` --data-dir '${dataDir}'`;
  return `${program} token --scope "${screenScopes.join(' ')}" --expires ${tokenHours}h${folder}`;
};

/** Link to the screens with a token in its fragment, which no browser sends to a server. */
export const signInLinkOf = (address: string, token: string): string => {
  const url = new URL(address);
  // A browser cannot open the address that means all interfaces of this machine.
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = 'localhost';
  return `${url.href}#token=${token}`;
};

/**
 * How people sign in to the screens, as a line for standard output; empty where an identity provider signs them in. The
 * link is a credential, so it is only shown on a terminal: other output is often collected as a log.
 */
export const signInLine = async (
  address: string,
  { tokens, oidc }: Pick<Settings, 'tokens' | 'oidc'>,
  { isTTY, ...output }: Output,
): Promise<string> => {
  if (tokens.key.kind !== 'secret' || oidc) return '';
  if (!isTTY || output.isProduction)
    return `Sign in to its screens with the output of: ${screenTokenCommand(output)}\n`;
  return `Open ${signInLinkOf(address, await screenToken(tokens, 'me'))}\n`;
};

const unitsS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const expiresMaxS = 366 * 86_400;

/** Seconds of a duration such as 90s, 15m, 1h or 7d; `undefined` for other text. */
const secondsOf = (text: string): number | undefined => {
  const parts = /^([1-9]\d{0,8})([smhd])$/.exec(text);
  return parts ? Number(parts[1]) * (unitsS[parts[2] ?? ''] ?? 0) : undefined;
};

/** Subject, tenant, scopes and lifetime that the options ask for. @throws SettingsError */
const claimsOf = (args: readonly string[]) => {
  const { values } = parsedArguments({
    args: [...args],
    options: {
      scope: { type: 'string', default: scopes.join(' ') },
      tenant: { type: 'string', default: 'default' },
      subject: { type: 'string', default: 'me' },
      expires: { type: 'string', default: '1h' },
      ...dataDirOption,
    },
  });
  const { scope, tenant, subject, expires } = values;
  const wanted = scope.split(/[\s,]+/).filter(name => name !== '');
  const unknown = wanted.filter(name => !(scopes as readonly string[]).includes(name));
  if (unknown.length > 0 || wanted.length === 0)
    throw wrongOption('--scope', scope, `one or more of ${scopes.join(' ')}`);
  const expiresInS = secondsOf(expires);
  if (expiresInS === undefined || expiresInS > expiresMaxS)
    throw wrongOption('--expires', expires, 'a duration such as 90s, 15m, 1h or 7d, at most a year');
  if (!tenantPattern.test(tenant))
    throw wrongOption('--tenant', tenant, '1 to 64 letters, digits, "_", "." or "-"');
  if (subject.length < 1 || subject.length > subjectLengthMax)
    throw new SettingsError(
      `--subject: got ${subject.length} characters, expected 1 to ${subjectLengthMax} characters`,
    );
  return { claims: { subject, tenant, scopes: wanted }, expiresInS, values };
};

/** Refuses a folder without a secret: a token of a new secret would be valid in no service. @throws SettingsError */
const requireSecret = (env: NodeJS.ProcessEnv): void => {
  requireSpelling(env);
  const folder = dataDirOf(env);
  const isGiven = env['JWT_SECRET'] !== undefined || env['JWT_JWKS_URL'] !== undefined;
  if (!isGiven && !existsSync(join(folder, 'jwt-secret')))
    throw new SettingsError(
      `DATA_DIR: there is no jwt-secret in ${plain(folder)}, expected the data folder of a service that was started, or JWT_SECRET`,
    );
};

export const token: Command = {
  usage: `usage: daybook token [--scope "read import"] [--tenant default] [--subject me] [--expires 1h] [--data-dir <folder>]

Prints one line on standard output. Without --scope the token has all scopes:
${scopes.join(' ')}.
--expires takes a number with s, m, h or d. The settings are those of the service; --data-dir is in place of
DATA_DIR.

Exit codes: 0 printed; 2 wrong usage or settings; 3 no token can be made with these settings.
`,
  run: async (args, env) => {
    const { claims, expiresInS, values } = claimsOf(args);
    const ofFolder = envWith(env, values);
    requireSecret(ofFolder);
    const { tokens } = readSettings(ofFolder);
    try {
      process.stdout.write(`${await mintToken(tokens, claims, expiresInS)}\n`);
      return 0;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      process.stderr.write(`${error.message}\n`);
      return 3;
    }
  },
};
