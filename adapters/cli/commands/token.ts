import { parseArgs } from 'node:util';
import { tenantPattern } from '../../../domain/events.js';
import { mintToken, scopes, subjectLengthMax } from '../../http/tokens.js';
import { readSettings } from '../../settings.js';
import type { Command } from '../terminal/command.js';

const unitsS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const expiresMaxS = 366 * 86_400;

/** Seconds of a duration like 90s, 15m, 1h or 7d, or `undefined` when it is none. */
const secondsOf = (text: string): number | undefined => {
  const parts = /^([1-9]\d{0,8})([smhd])$/.exec(text);
  return parts ? Number(parts[1]) * (unitsS[parts[2] ?? ''] ?? 0) : undefined;
};

export const token: Command = {
  summary: 'prints a token for trying things out',
  usage: `usage: daybook token [--scope "read import"] [--tenant default] [--subject me] [--expires 1h]

One line on standard output. All scopes when none is given: ${scopes.join(' ')}.
--expires takes a number with s, m, h or d. Uses the same settings as the service.
`,
  run: async (args, env) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        scope: { type: 'string', default: scopes.join(' ') },
        tenant: { type: 'string', default: 'default' },
        subject: { type: 'string', default: 'me' },
        expires: { type: 'string', default: '1h' },
      },
    });
    const refuse = (message: string): number => {
      process.stderr.write(`${message}\n`);
      return 2;
    };
    const wanted = values.scope.split(/[\s,]+/).filter(name => name !== '');
    const unknown = wanted.filter(name => !(scopes as readonly string[]).includes(name));
    if (unknown.length > 0 || wanted.length === 0)
      return refuse(`--scope: got "${values.scope}", expected names out of ${scopes.join(' ')}`);
    const expiresInS = secondsOf(values.expires);
    if (expiresInS === undefined || expiresInS > expiresMaxS)
      return refuse(`--expires: got "${values.expires}", expected like 90s, 15m, 1h or 7d, at most a year`);
    if (!tenantPattern.test(values.tenant))
      return refuse(`--tenant: got "${values.tenant}", expected 1 to 64 letters, digits, "_", "." or "-"`);
    if (values.subject.length < 1 || values.subject.length > subjectLengthMax)
      return refuse(`--subject: expected 1 to ${subjectLengthMax} characters`);

    const { tokens } = readSettings(env);
    const claims = { subject: values.subject, tenant: values.tenant, scopes: wanted };
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
