// Two instances import while leaders of their cluster are killed; acknowledged imports must not be lost. Runs on a
// fake, and on a real cluster if EVENTSTOREDB_CLUSTER is its connection string, with TLS or without.
// EVENTSTOREDB_KILL_LEADER: a command that kills the leader and starts it again; default: an operator kills it by
// hand. CLUSTER_KILLS: number of kills (4). CLUSTER_PAUSE_MS: pause between them (15,000).
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { fakeEventStoreDb } from '../helpers/eventStoreDb/fakeEventStoreDb.js';
import { expectKeptOverKills } from '../helpers/eventStoreDb/leaderKills.js';

const url = process.env['EVENTSTOREDB_CLUSTER'];
const command = process.env['EVENTSTOREDB_KILL_LEADER'];
const count = Number(process.env['CLUSTER_KILLS'] ?? 4);
const pauseMs = Number(process.env['CLUSTER_PAUSE_MS'] ?? 15_000);
const longMs = 300_000 + count * (pauseMs + 60_000);
t.setTimeout(longMs + 120_000);

void t.test('cluster: leaders of a fake are killed', async t => {
  const cluster = await fakeEventStoreDb(3);
  t.teardown(cluster.close);
  const hosts = cluster.ports.map(port => `127.0.0.1:${port}`).join(',');
  let leader = 0;
  await expectKeptOverKills(t, {
    address: {
      kind: 'eventstoredb',
      url: `esdb://${hosts}?tls=false&discoveryInterval=50&maxDiscoverAttempts=3&gossipTimeout=30`,
      prefix: '',
    },
    kill: async () => {
      const gone = leader;
      cluster.lead(undefined);
      await cluster.away(gone);
      await sleep(500);
      leader = (gone + 1) % cluster.ports.length;
      cluster.lead(leader);
      await sleep(500);
      await cluster.back(gone);
    },
    count: 3,
    pauseMs: 2000,
  });
});

const skip = url === undefined && 'EVENTSTOREDB_CLUSTER is not set: no cluster to test with';
void t.test('cluster: leaders of a real cluster are killed', { skip, timeout: longMs }, async t => {
  if (command === undefined)
    t.comment(`EVENTSTOREDB_KILL_LEADER is not set: kill ${count} leaders by hand, ${pauseMs} ms apart`);
  const prefix = `t${randomBytes(8).toString('hex')}-`;
  await expectKeptOverKills(t, {
    address: { kind: 'eventstoredb', url: url ?? '', prefix },
    kill: async () => void (command !== undefined && (await promisify(execFile)('sh', ['-c', command]))),
    count,
    pauseMs,
  });
});
