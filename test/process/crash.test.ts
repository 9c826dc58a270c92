// Kills the service at random times under load, and asserts that no work is lost, partial or unfinished.
// CRASH_SEED repeats the requests and the times of kills, but not the scheduling of the operating system.
// CRASH_KILLS: number of kills.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../adapters/sqlite/driver.js';
import t, { type Test } from 'tap';
import { chance, type Chance } from '../helpers/crash/chance.js';
import {
  expectAnswers,
  expectQuiet,
  expectRebuilt,
  expectRequests,
  expectSeenAgain,
  expectSoundFile,
} from '../helpers/crash/expectations.js';
import { eventsInFile } from '../helpers/crash/ledger.js';
import {
  bigFrom,
  client,
  creation,
  cutOff,
  importation,
  knownSources,
  nextNumber,
  replacement,
  reset,
} from '../helpers/crash/load.js';
import { makeDays, type TrackedRequest, type RequestSpec } from '../helpers/crash/requests.js';
import { world, type World } from '../helpers/crash/world.js';
import { amount } from '../helpers/amount.js';

const seed = Number(process.env['CRASH_SEED'] ?? 1);
const kills = Number(process.env['CRASH_KILLS'] ?? amount({ quick: 3, slow: 25 }));
const clients = 4;

/** One service on an embedded log. */
const embedded = (dataDir: string) => {
  const logFile = join(dataDir, 'events.sqlite');
  return {
    ...world({
      folders: [dataDir],
      env: {},
      patienceMs: 90_000,
      eventsAfter: position => eventsInFile(logFile, position),
    }),
    logFile,
  };
};

// --- kills ----------------------------------------------------------------------------------------------------

/** When the service is killed: after some time of load, during its start, or when its log has certain events. */
type Mode = 'time' | 'startup' | 'parts' | 'analysis' | 'check';
const modes: readonly Mode[] = ['time', 'startup', 'time', 'parts', 'analysis', 'time', 'check'];

/** A large request that a kill interrupts; undefined if the load of the clients is enough. */
const provocation = (place: World, mode: Mode, random: Chance): RequestSpec | undefined => {
  const [big, ...small] = knownSources(place);
  const n = nextNumber(place);
  if (!big || mode === 'time' || mode === 'startup') return undefined;
  if (mode === 'parts' && random.happens(0.3)) return creation(n, 24, true, random);
  if (mode === 'parts')
    return importation(big, makeDays(n, bigFrom, 3000, big.size, random, ['normal']), false);
  if (mode === 'check') return replacement(n, big, random);
  return small.length > 0 && random.happens(0.7)
    ? reset(random.one(small), random)
    : creation(n, 24, false, random);
};

/** Resolves when the log has the events of the request that the mode waits for, or the request is answered. */
const signOf = async ({ ledger, until }: World, mode: Mode, asked: TrackedRequest): Promise<boolean> =>
  until(`events of mode ${mode}`, () => {
    ledger.readOn();
    if (asked.state !== 'sent') return true;
    if (mode === 'check') return ledger.underWay().checks.length > 0;
    const types = ledger.eventsOf(asked.n).map(({ type }) => type);
    return mode === 'parts'
      ? types.length > 0
      : types.includes('SourceCreated') || types.includes('ModelsResetRequested');
  });

const runRounds = async (t: Test, place: ReturnType<typeof embedded>): Promise<void> => {
  const { ledger, all } = place;
  const [readFile = ''] = place.readFiles;
  /** Work that kills interrupted. */
  const left = {
    imports: new Set<string>(),
    sources: new Set<number>(),
    analyses: new Set<string>(),
    checks: new Set<string>(),
  };
  const done = { repeats: 0, rebuilds: 1, comparisons: 0 };
  const starts = { ms: 0, count: 0 };

  const up = async (): Promise<void> => {
    const at = new Date().toISOString();
    const since = performance.now();
    await place.up(place.launch());
    starts.ms += performance.now() - since;
    starts.count += 1;
    // State before this start: its process manager is already running.
    ledger.readOn(at);
    const { imports, sources, analyses, checks } = ledger.underWay();
    for (const id of imports) left.imports.add(id);
    for (const id of sources) left.sources.add(id);
    for (const id of analyses) left.analyses.add(id);
    for (const id of checks) left.checks.add(id);
    expectRequests(place);
  };

  await up();
  const first = chance(seed, 0);
  for (const size of [4, 8, 24])
    await place.send(place.ask(creation(nextNumber(place), size, false, first), false));
  const [big] = knownSources(place);
  if (!big) throw new Error('the first source cannot be created');
  const many = makeDays(nextNumber(place), bigFrom, 2000, big.size, first, ['normal']);
  await place.send(place.ask(importation(big, many, false), false));
  await place.end('SIGKILL');
  t.same(place.faults(), [], 'the first sources are created');

  for (let round = 1; round <= kills; round += 1) {
    const random = chance(seed, round);
    const inOrder = round % 15 === 10;
    const mode = inOrder ? 'analysis' : (modes[round % modes.length] ?? 'time');
    const story: string[] = [];

    if (mode === 'startup') {
      if (random.happens(0.5)) {
        story.push('without read models');
        for (const suffix of ['', '-wal', '-shm']) rmSync(readFile + suffix, { force: true });
      }
      place.launch();
      const ms = random.next() * 1.2 * (starts.ms / starts.count);
      await sleep(ms);
      story.push(`killed ${ms.toFixed()} ms after the start`);
    } else {
      await up();
      if (random.happens(0.3)) {
        story.push('quiet');
        done.comparisons += 1;
        await expectQuiet(place);
        await expectAnswers(place);
      }
      if (round % 20 === 0) {
        story.push('rebuilt');
        done.rebuilds += 1;
        await expectRebuilt(place);
        await up();
        await expectSeenAgain(place);
      }
      const again = cutOff(place).filter(() => random.happens(0.6));
      done.repeats += again.length;
      let stopped = false;
      const load = [
        ...again.map(place.send),
        ...Array.from({ length: clients }, (_, index) =>
          client(place, chance(seed, round, index), () => stopped),
        ),
      ];
      // A creation is answered before its analysis; a graceful stop leaves the analysis to the next start.
      const spec = inOrder
        ? creation(nextNumber(place), 24, false, random)
        : provocation(place, mode, random);
      if (spec) {
        const asked = place.ask(spec, random.happens(0.5));
        load.push(place.send(asked));
        await signOf(place, mode, asked);
      }
      const ms = random.below(mode === 'time' ? 400 : 20);
      await sleep(ms);
      story.push(`killed ${ms} ms after ${mode === 'time' ? 'load began' : `events of mode ${mode}`}`);
      if (inOrder) {
        // A graceful stop answers all received requests, so that a request without an answer was not received.
        stopped = true;
        const underWay = all.filter(({ state }) => state === 'sent');
        await place.end('SIGTERM');
        await Promise.all(load);
        await up();
        const answered = underWay.filter(({ state }) => state !== 'unknown').length;
        story.push(
          `after a graceful stop, which answered ${answered} of ${underWay.length} running requests`,
        );
        for (const { n, kind, state, tries } of underWay)
          if (state === 'unknown' && tries === 1 && ledger.eventsOf(n).length > 0)
            place.note(
              `request ${n} (${kind}) was received, but not answered, by a service that stopped gracefully`,
            );
      }
      const killed = place.end('SIGKILL');
      await Promise.all([...load, killed]);
    }
    if (mode === 'startup') await place.end('SIGKILL');
    const faults = place.faults();
    t.same(faults, [], `round ${round}: ${story.join(', ')}`);
    if (faults.length > 0) return;
  }

  await up();
  for (const asked of cutOff(place)) {
    done.repeats += 1;
    await place.send(asked);
  }
  expectRequests(place);
  const unanswered = all.filter(({ key, state }) => key !== undefined && state === 'unknown');
  t.same(unanswered, [], 'every request with a key gets an answer');
  await expectRebuilt(place);
  expectSoundFile(place, place.logFile);
  t.same(place.faults(), [], 'after a graceful stop, the read models equal a rebuild');

  await up();
  const n = nextNumber(place);
  const news = place.ask(
    importation(big, makeDays(n, bigFrom, 3, big.size, first, ['normal']), false),
    false,
  );
  await place.send(news);
  const putOff = news.answer.code === 'queueFull';
  t.ok(
    news.status === 200 || putOff,
    `after a rebuild, it accepts requests, or answers queueFull (${news.status})`,
  );
  await expectRebuilt(place);
  t.same(place.faults(), [], 'after a rebuild, it continues normally');

  const before = ledger.position();
  await up();
  await expectSeenAgain(place);
  await place.end('SIGTERM');
  expectRequests(place);
  t.same(place.faults(), [], 'no work is left in the log');
  t.equal(ledger.position(), before, 'handled events cause no new events');

  const count = (state: TrackedRequest['state']) => all.filter(asked => asked.state === state).length;
  t.comment(
    `${kills} kills, ${starts.count} starts of ${(starts.ms / starts.count).toFixed()} ms, ${before} events, ` +
      `${ledger.sources.size} sources; requests: ${count('acknowledged')} acknowledged, ${count('refused')} refused, ` +
      `${all.filter(({ answer }) => answer.code === 'queueFull').length} of them queueFull, ` +
      `${count('unknown')} without an answer, ${done.repeats} retried with their key; interrupted by kills: ` +
      `${left.imports.size} imports, ${left.sources.size} sources, ${left.analyses.size} analyses, ` +
      `${left.checks.size} checks; ${done.comparisons} comparisons, ${done.rebuilds} rebuilds`,
  );
  for (const kind of ['imports', 'analyses', 'checks'] as const)
    t.ok(left[kind].size > 0 || kills < 50, `kills interrupted ${kind}`);
  t.ok(done.repeats > 0 || kills < 50, 'kills interrupted requests with a key');
};

t.test('crash: killed at random times', async t => {
  t.comment(`CRASH_SEED=${seed} CRASH_KILLS=${kills}`);
  await runRounds(t, embedded(process.env['CRASH_DIR'] ?? t.testdir()));
});

t.test('crash: a retried request whose answer was lost', async t => {
  const dataDir = t.testdir();
  const place = embedded(dataDir);
  const { ledger } = place;
  const random = chance(seed);
  await place.up(place.launch());
  const ask = async (spec: RequestSpec): Promise<TrackedRequest> => {
    const asked = place.ask(spec, true);
    await place.send(asked);
    return asked;
  };

  const created = await ask(creation(nextNumber(place), 24, true, random));
  const [source] = knownSources(place);
  if (!source) throw new Error(`the source cannot be created: ${JSON.stringify(created.answer)}`);
  await expectQuiet(place);
  const asked = [created, await ask(reset(source, random))];
  asked.push(await ask(replacement(nextNumber(place), source, random)));
  const days = makeDays(nextNumber(place), '2025-01-01', 40, 24, random, ['spike']);
  const imported = await ask(importation(source, days, false));
  const alertId = imported.answer.alerts?.raised[0]?.id ?? '';
  const move = (kind: 'acknowledge' | 'reopen'): RequestSpec => ({
    kind,
    method: 'POST',
    path: `/v1/alert/${alertId}/${kind}`,
  });
  const resolve: RequestSpec = {
    kind: 'resolve',
    method: 'POST',
    path: `/v1/alert/${alertId}/resolve`,
    media: 'application/json',
    body: JSON.stringify({ verdict: 'expected', comment: null }),
  };
  // Each transition would be allowed again, but a retry must not repeat it.
  asked.push(imported);
  for (const spec of [move('acknowledge'), resolve, move('reopen')]) asked.push(await ask(spec));
  expectRequests(place);
  t.same(place.faults(), [], 'each request ran once');
  await expectQuiet(place);
  const before = ledger.position();

  // The state after a kill between the last append and the answer.
  await place.end('SIGKILL');
  const answers = new Database(join(dataDir, 'answers.sqlite'));
  t.equal(answers.prepare('update answers set answer = null').run().changes, asked.length);
  answers.close();
  await place.up(place.launch());
  for (const one of asked) {
    await place.send(one);
    t.equal(
      one.state,
      'acknowledged',
      `${one.kind} is acknowledged again, ${one.status} ${one.answer.code ?? ''}`,
    );
  }
  ledger.readOn();
  t.equal(ledger.position(), before, 'no request ran twice');
  await place.end('SIGTERM');
  t.same(place.faults(), []);
});
