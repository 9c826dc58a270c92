import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { signedHeaders } from '../../../adapters/webhooks/sender.js';
import { run } from '../../helpers/process.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const body = '{"specversion":"1.0"}';

/** Options of a message that was signed at a time. */
const signedAt = (nowMs: number, secrets: readonly string[] = [secret]): string[] => {
  const headers = signedHeaders({ id: 'message-1', body, secrets }, nowMs);
  return [
    ...['--id', headers['webhook-id'], '--timestamp', headers['webhook-timestamp']],
    ...['--signature', headers['webhook-signature']],
  ];
};

t.test('webhook verify', async t => {
  const file = join(t.testdir(), 'body.json');
  writeFileSync(file, body);
  const verify = (
    args: readonly string[],
    env: Readonly<Record<string, string>> = { WEBHOOK_SECRET: secret },
  ) => run(['webhook', 'verify', ...args, file], env);
  const now = Date.now();
  t.match(await verify(signedAt(now)), { code: 0, stdout: 'valid: message-1\n' });
  t.match(await verify(signedAt(now, [other, secret])), { code: 0 }, 'one of two signatures');
  t.match(await verify(signedAt(now, [other])), { code: 1, stdout: /^not valid: no signature/ });
  t.match(await verify(signedAt(now - 600_000)), { code: 1, stdout: /expected at most 5 minutes away/ });
  t.match(await verify([...signedAt(now - 600_000), '--any-time']), { code: 0 });
  writeFileSync(file, `${body} `);
  t.match(await verify(signedAt(now)), { code: 1 }, 'another body');
  const missing = await run(['webhook', 'verify', ...signedAt(now), 'none.json'], { WEBHOOK_SECRET: secret });
  t.match(missing, { code: 2, stderr: 'file: none.json cannot be read: no such file\n' });
  t.match(await verify([]), { code: 2, stderr: /--id: got none/ });
  const wrong = await verify(signedAt(now), { WEBHOOK_SECRET: 'whsec_hunter2' });
  t.match(wrong, { code: 2, stderr: /^WEBHOOK_SECRET: expected/ });
  t.notMatch(wrong.stderr, /hunter2/, 'a secret is not repeated');
  t.match(await run(['webhook', 'sign'], { WEBHOOK_SECRET: secret }), { code: 2, stderr: /got "sign"/ });
});
