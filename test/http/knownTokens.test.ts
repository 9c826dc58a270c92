import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { knownForMs, knownTokens } from '../../adapters/http/middleware/tokenChecks.js';
import type { Actor } from '../../adapters/http/middleware/tokens.js';
import { good, secret, signed } from '../helpers/signedTokens.js';
import { startService } from '../helpers/service.js';

const actor: Actor = { subject: 'ana', tenant: 'default', scopes: new Set(['read']), exp: 3600 };

t.test('a valid token is known for a minute, and never after its expiry', t => {
  let nowMs = 1_000_000_000_000;
  let setBackMs = 0;
  const known = knownTokens<Actor>({ nowMs: () => nowMs, elapsedMs: () => nowMs + setBackMs });
  const exp = (seconds: number): number => nowMs / 1000 + seconds;
  known.keep('Bearer long', actor, exp(3600));
  known.keep('Bearer short', actor, exp(10));
  t.equal(known.actorOf('Bearer long'), actor);
  t.equal(known.actorOf('Bearer short'), actor);
  for (const other of ['', 'Bearer', 'Bearer shor', 'Bearer short ', 'bearer short', 'Bearer SHORT'])
    t.equal(known.actorOf(other), undefined, `not the text "${other}"`);

  nowMs += 9999;
  t.equal(known.actorOf('Bearer short'), actor, 'just before its expiry');
  nowMs += 1;
  t.equal(known.actorOf('Bearer short'), undefined, 'at its expiry');
  nowMs += knownForMs - 10_001;
  t.equal(known.actorOf('Bearer long'), actor, 'just before the minute is over');
  nowMs += 1;
  t.equal(known.actorOf('Bearer long'), undefined, 'after a minute');

  known.keep('Bearer long', actor, exp(3600));
  [nowMs, setBackMs] = [nowMs - 86_400_000, 86_400_000];
  t.equal(known.actorOf('Bearer long'), actor, 'the clock is set back by a day');
  nowMs += knownForMs;
  t.equal(known.actorOf('Bearer long'), undefined, 'a minute later');
  t.end();
});

t.test('a token that was accepted is refused from its expiry on', async t => {
  const { call } = await startService(t, { JWT_SECRET: secret });
  const expiry = Math.ceil(Date.now() / 1000) + 3;
  const token = signed({ ...good, exp: expiry });
  const status = async () => (await call('GET', '/v1/source/list', { token })).status;
  t.equal(await status(), 200);
  t.equal(await status(), 200, 'again');
  await sleep(1000 * expiry - Date.now() + 20);
  t.equal(await status(), 401);
});
