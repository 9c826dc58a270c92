import { readFileSync } from 'node:fs';
import { messageFault } from '../../webhooks/sender.js';
import { SettingsError } from '../../settings/values.js';
import { fromFile } from '../audit/coverage.js';
import { parsedArguments, type Command } from '../terminal/arguments.js';

const secretForm = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;

const usage = `usage: daybook webhook verify --id <id> --timestamp <seconds> --signature <text> [--any-time] [file]

Checks the signature of a message (Standard Webhooks) with the secret in WEBHOOK_SECRET (whsec_…). --id, --timestamp
and --signature are the headers webhook-id, webhook-timestamp and webhook-signature. The body is read from the file,
else from standard input, byte for byte: one more space is another body. The timestamp must be at most 5 minutes
away; --any-time accepts older messages.

Exit codes: 0 the signature is valid, 1 it is not, 2 wrong usage.
`;

const required = (name: string, value: string | undefined): string => {
  if (value === undefined) throw new SettingsError(`${name}: got none; see daybook webhook verify --help`);
  return value;
};

/** Options of the command. @throws SettingsError */
const optionsOf = (args: readonly string[], env: NodeJS.ProcessEnv) => {
  const { values, positionals } = parsedArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      id: { type: 'string' },
      timestamp: { type: 'string' },
      signature: { type: 'string' },
      'any-time': { type: 'boolean', default: false },
    },
  });
  const [verb, file, ...more] = positionals;
  if (verb !== 'verify' || more.length > 0)
    throw new SettingsError(`got "${positionals.join(' ')}", expected: daybook webhook verify [file]`);
  // The message does not repeat a value that may be a secret with a typing error.
  if (!secretForm.test(env['WEBHOOK_SECRET'] ?? ''))
    throw new SettingsError('WEBHOOK_SECRET: expected the secret of the webhook, whsec_ and base64');
  const headers = {
    id: required('--id', values.id),
    timestamp: required('--timestamp', values.timestamp),
    signature: required('--signature', values.signature),
  };
  return { file, headers, secret: env['WEBHOOK_SECRET'] ?? '', isAnyTime: values['any-time'] };
};

export const webhook: Command = {
  usage,
  run: async (args, env) => {
    const { file, headers, secret, isAnyTime } = optionsOf(args, env);
    const body = file === undefined ? readFileSync(0, 'utf8') : fromFile('file', file, text => text);
    const fault = messageFault(secret, body, headers, isAnyTime ? undefined : Date.now());
    process.stdout.write(fault === undefined ? `valid: ${headers.id}\n` : `not valid: ${fault}\n`);
    return fault === undefined ? 0 : 1;
  },
};
