import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { replayParked } from '../../../adapters/cli/commands/replayParked.js';
import { connect } from '../../../adapters/eventstoredb/connection.js';
import { groupSubscription } from '../../../adapters/eventstoredb/group.js';
import { openLog } from '../../../adapters/composition/openLog.js';
import { newAddress } from '../../helpers/eventStoreDb/eventStoreDb.js';
import { run } from '../../helpers/process.js';
import { proposed } from '../../helpers/logs/storeContract.js';
import { skip, envOf } from '../../helpers/logs/copiedLogs.js';

t.test('replay-parked: wrong usage, and no server', async t => {
  const cwd = t.testdir();
  const url = 'esdb://127.0.0.1:1?tls=false';
  for (const [env, message] of [
    [{}, /^EVENTSTOREDB_URL: got none/],
    [{ EVENT_STORE: 'sqlite', EVENTSTOREDB_URL: url }, /^EVENT_STORE: got "sqlite"/],
    [{ EVENTSTOREDB_URL: 'paper' }, /^EVENTSTOREDB_URL: /],
  ] as const)
    await t.rejects(
      async () => replayParked.run([], env),
      { name: 'SettingsError', message },
      JSON.stringify(env),
    );
  for (const [env, wanted, message] of [
    [{}, 2, /^EVENTSTOREDB_URL: got none/],
    [{ EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: url }, 3, /cannot be used/],
  ] as const) {
    const { code, stdout, stderr } = await run(['replay-parked'], env, { cwd });
    t.strictSame([code, stdout], [wanted, ''], JSON.stringify(env));
    t.match(stderr, message);
  }
  await t.rejects(async () => replayParked.run(['all'], { EVENTSTOREDB_URL: url }), {
    name: 'WrongArguments',
  });
  t.strictSame(readdirSync(cwd), [], 'no data folder is created');
});

/** Consumes events of the subscription until `enough(count)` returns true. */
const delivered = async (
  t: Test,
  address: ReturnType<typeof newAddress>,
  beginning: bigint,
  answer: 'done' | 'failed',
  enough: (events: number, parked: number) => boolean,
): Promise<void> => {
  const connection = connect(address);
  const log = pino({ level: 'silent' });
  const group = groupSubscription({ connection, beginning, fault: error => t.fail(String(error)), log });
  let events = 0;
  group.start(async batch => {
    for (const one of batch) {
      events += 1;
      if (answer === 'done') one.done();
      else one.failed(new Error('on purpose'));
    }
  });
  while (!enough(events, group.state()?.parked ?? 0)) await sleep(50);
  await group.stop();
  await connection.close();
};

t.test('replay-parked with EventStoreDB: parked events are retried', { skip }, async t => {
  const address = newAddress();
  const env = envOf(address);
  const none = await run(['replay-parked'], env);
  t.strictSame([none.code, none.stdout], [3, '']);
  t.match(none.stderr, /no service has used this log/);
  const store = await openLog(address);
  await store.append('catalog', 'absent', [proposed(0)]);
  await store.append('source-1', 'absent', [proposed(1, {}, 'ModelsResetRequested')]);
  const beginning = store.shared?.beginning ?? 0n;
  await store.close();
  await delivered(t, address, beginning, 'failed', (_, parked) => parked === 1);
  const { code, stdout, stderr } = await run(['replay-parked'], env);
  t.strictSame([code, stdout, stderr], [0, 'retrying 1 parked event\n', '']);
  await delivered(t, address, beginning, 'done', events => events === 1);
  t.pass('the event is delivered again');
});
