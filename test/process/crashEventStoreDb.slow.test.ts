// Kills two services that share an EventStoreDB, singly and together, and the server if EVENTSTOREDB_KILL is a command
// that kills and restarts it; asserts that no work is lost, partial, unfinished or duplicate. CRASH_KILLS: number of
// kills; CRASH_PAUSE_MS: pause between them; CRASH_KINDS: comma-separated processes to kill, in turn; CRASH_REST_MS:
// pause of a client between requests; CRASH_SEED repeats the requests.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { KnownEvent } from '../../domain/events.js';
import { chance } from '../helpers/crash/chance.js';
import { expectAnswers, expectQuiet, expectRebuilt, expectRequests } from '../helpers/crash/expectations.js';
import {
  bigFrom,
  client,
  creation,
  cutOff,
  importation,
  knownSources,
  nextNumber,
} from '../helpers/crash/load.js';
import { makeDays } from '../helpers/crash/requests.js';
import { world, type World } from '../helpers/crash/world.js';
import { newAddress, withoutEventStoreDb } from '../helpers/eventStoreDb/eventStoreDb.js';
import { syncLog } from '../helpers/logs/syncLog.js';

const seed = Number(process.env['CRASH_SEED'] ?? 1);
const kills = Number(process.env['CRASH_KILLS'] ?? 24);
const pauseMs = Number(process.env['CRASH_PAUSE_MS'] ?? 700);
const restMs = Number(process.env['CRASH_REST_MS'] ?? 0);
const clients = 4;
const killServer = process.env['EVENTSTOREDB_KILL'];

const both = [0, 1];
/** Killed processes: one instance, both, the server, or the server and one instance. */
const instancesOf = { first: [0], second: [1], both, server: [], 'server and first': [0] } as const;
type Kind = keyof typeof instancesOf;
const kinds = (process.env['CRASH_KINDS']?.split(',') ??
  (killServer
    ? ['first', 'server', 'second', 'both', 'server and first']
    : ['first', 'second', 'both'])) as readonly Kind[];

/** Resident memory of a process in MB, 0 after its end. */
const residentMb = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

const windowMs = 300_000;

/** Maximum memory of both instances in every five minutes of each run. */
const memory = ({ pid }: World) => {
  const lives = new Map<
    number,
    { readonly index: number; readonly since: number; readonly most: number[] }
  >();
  const timer = setInterval(() => {
    for (const index of both) {
      const id = pid(index);
      const mb = id === 0 ? 0 : residentMb(id);
      if (mb === 0) continue;
      const life = lives.get(id) ?? { index, since: performance.now(), most: [] };
      lives.set(id, life);
      const window = Math.floor((performance.now() - life.since) / windowMs);
      life.most[window] = Math.max(life.most[window] ?? 0, Math.round(mb));
    }
  }, 1000);
  return {
    stop: (): string[] => {
      clearInterval(timer);
      return both.map(index => {
        const own = [...lives.values()].filter(life => life.index === index);
        return `instance ${index}, maximum MB in each 5 minutes of each run: ${own.map(({ most }) => most.join(' ')).join(' | ')}`;
      });
    },
  };
};

const upAll = (place: World, indices: readonly number[]): Promise<unknown> =>
  Promise.all(indices.map(index => place.up(place.launch(index), index)));

const kill = async (place: World, kind: Kind, downMs: number): Promise<void> => {
  const hit = instancesOf[kind];
  const ending = hit.map(index => place.end('SIGKILL', index));
  if (kind.startsWith('server')) {
    place.storeGoes();
    execFileSync('sh', ['-c', killServer ?? 'exit 1'], { stdio: 'ignore' });
  }
  await Promise.all(ending);
  await sleep(downMs);
  await upAll(place, hit);
};

const runRounds = async (t: Test, place: World): Promise<void> => {
  const { all, ledger } = place;
  const left = { imports: new Set<string>(), analyses: new Set<string>(), checks: new Set<string>() };
  let repeats = 0;

  await upAll(place, both);
  const first = chance(seed, 0);
  for (const size of [4, 8, 24])
    await place.send(place.ask(creation(nextNumber(place), size, false, first), false));
  const [big] = knownSources(place);
  if (!big) throw new Error('the first source cannot be created');
  t.same(place.faults(), [], 'the first sources are created');

  const resident = memory(place);
  t.teardown(() => void resident.stop());
  for (let round = 1; round <= kills; round += 1) {
    const random = chance(seed, round);
    const kind = kinds[round % kinds.length] ?? 'first';
    let stopped = false;
    const again = cutOff(place).filter(() => random.happens(0.6));
    repeats += again.length;
    const load = [
      ...again.map(place.send),
      ...Array.from({ length: clients }, (_, index) =>
        client(place, chance(seed, round, index), () => stopped, restMs),
      ),
    ];
    if (round % 4 === 0) {
      const days = makeDays(nextNumber(place), bigFrom, 1500, big.size, random, ['normal']);
      load.push(place.send(place.ask(importation(big, days, false), random.happens(0.5))));
    }
    await sleep(pauseMs * (0.5 + random.next()));
    const { imports, analyses, checks } = (ledger.readOn(), ledger.underWay());
    for (const id of imports) left.imports.add(id);
    for (const id of analyses) left.analyses.add(id);
    for (const id of checks) left.checks.add(id);
    await kill(place, kind, random.below(600));
    await sleep(random.below(400));
    stopped = true;
    await Promise.all(load);
    if (round % 3 === 0) {
      await expectQuiet(place);
      await expectAnswers(place);
    }
    expectRequests(place);
    const faults = place.faults();
    t.same(faults, [], `round ${round}: ${kind}`);
    if (faults.length > 0) return;
  }

  for (const asked of cutOff(place)) {
    repeats += 1;
    await place.send(asked);
  }
  expectRequests(place);
  const unanswered = all.filter(({ key, state }) => key !== undefined && state === 'unknown');
  t.same(unanswered, [], 'every request with a key gets an answer');
  for (const line of resident.stop()) t.comment(line);
  await expectRebuilt(place);
  t.same(place.faults(), [], 'the read models of both instances equal a rebuild');

  const count = (state: (typeof all)[number]['state']) => all.filter(asked => asked.state === state).length;
  t.comment(
    `${kills} kills, ${ledger.count()} events, ${ledger.sources.size} sources; requests: ` +
      `${count('acknowledged')} acknowledged, ${count('refused')} refused, ${count('unknown')} without an answer, ` +
      `${repeats} retried with their key; interrupted by kills: ${left.imports.size} imports, ` +
      `${left.analyses.size} analyses, ${left.checks.size} checks`,
  );
};

// Work that a killed server loses track of is overdue after two minutes.
const longMs = 120_000 + kills * (3 * pauseMs + (killServer ? 45_000 : 15_000));
t.setTimeout(longMs + 60_000);

t.test(
  'crash: two instances killed at random times',
  { skip: withoutEventStoreDb, timeout: longMs },
  async t => {
    const address = newAddress();
    t.comment(`CRASH_SEED=${seed} CRASH_KILLS=${kills} ${address.prefix}`);
    if (!killServer) t.comment('EVENTSTOREDB_KILL is not set: the server itself is not killed');
    const log = syncLog(address, { opened: true });
    t.teardown(log.close);
    const folder = t.testdir({ first: {}, second: {} });
    const place = world({
      folders: [`${folder}/first`, `${folder}/second`],
      env: {
        EVENT_STORE: 'eventstoredb',
        EVENTSTOREDB_URL: address.url,
        EVENTSTOREDB_PREFIX: address.prefix,
      },
      // After two minutes every instance handles overdue events.
      patienceMs: 180_000,
      eventsAfter: position => log.eventsAfter(position) as readonly KnownEvent[],
    });
    await runRounds(t, place);
  },
);
