import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../adapters/sqlite/driver.js';
import t from 'tap';
import { canonicalJson, eventHash, exportLine, type Exported } from '../../auditing/eventBytes.js';
import { frontier, leafHash, merkleTree } from '../../auditing/merkle.js';
import { verifier, type LogFinding, type Verifier } from '../../auditing/logVerifier.js';
import { openLog } from '../../adapters/composition/openLog.js';
import { copyLog } from '../../application/logs/copyLog.js';
import { memoryStore } from '../../adapters/memoryStore.js';
import { sqliteStore } from '../../adapters/sqlite/sqliteStore.js';
import { fillByCommands, seeded } from '../helpers/logs/auditLog.js';
import { fakeEventStoreDb } from '../helpers/eventStoreDb/fakeEventStoreDb.js';
import { run } from '../helpers/process.js';
import { id, instant } from '../helpers/data/samples.js';
import { listed, proposed } from '../helpers/logs/storeContract.js';
import { exactList } from '../helpers/exactList.js';

// --- any mutation of a real log ---------------------------------------------------------------------------------

const seed = Number(process.env['SEED'] ?? 20_260_131);
const eventsMin = 10_000;
const triesPerKind = 90;

/** A forged export: lines before `at` (from 0) are unchanged, `tail` replaces the others. */
type Mutation = {
  readonly at: number;
  readonly tail: () => Iterable<string>;
  /** The event that is changed, missing or in the wrong place. */
  readonly victim?: { readonly stream: string; readonly revision: number };
  /** Whether the mutation is found without a checkpoint. */
  readonly alone: boolean;
};

const changedText = (text: string): string =>
  text.endsWith('0') ? `${text.slice(0, -1)}1` : `${text.slice(0, -1)}0`;

/** The value with one nested value changed. */
const changedData = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value}.`;
  if (typeof value !== 'object' || value === null) return 7;
  if (Array.isArray(value)) return value.length === 0 ? [0] : [changedData(value[0]), ...value.slice(1)];
  const [[name, nested] = ['new', 0], ...rest] = Object.entries(value).reverse();
  return Object.fromEntries([...rest, [name, changedData(nested)]]);
};

t.test(`verify: any mutation of ${eventsMin} events is found, with the first bad event`, async t => {
  const store = memoryStore();
  await fillByCommands(store, eventsMin, seed);
  const log = (await listed(store.all(0n))).map(({ position: _, ...event }): Exported => event);
  const lines = log.map(exportLine);
  const size = lines.length;
  const random = seeded(seed + 1);
  const pick = (below: number): number => Math.floor(random() * below);

  const leaves = lines.map(leafHash);
  const tree = frontier();
  for (const leaf of leaves) tree.append(leaf);
  const checkpoint = { origin: log[0]?.id ?? '', size, root: tree.root().toString('hex'), at: instant(0) };
  const leafHashes = leaves.map(leaf => leaf.toString('hex'));

  const lastOf = new Map(log.map(({ stream }, n) => [stream, n]));
  const isLast = (n: number): boolean => lastOf.get(log[n]?.stream ?? '') === n;
  /** Hash of the previous event in the stream of each event. */
  const previousOf = (() => {
    const ends = new Map<string, string>();
    return log.map(({ stream, hash }) => {
      const previous = ends.get(stream) ?? null;
      ends.set(stream, hash ?? '');
      return previous;
    });
  })();
  const eventAt = (n: number): Exported => log[n] as Exported;
  const rest = (n: number) => lines.slice(n);

  /** Lines from `at`, with recomputed hash chains after the changed events. */
  function* rehashed(at: number, change: (event: Exported, n: number) => Exported): Generator<string> {
    const ends = new Map<string, string>();
    for (let n = at; n < size; n += 1) {
      const event = eventAt(n);
      const changed = change(event, n);
      if (changed === event && !ends.has(event.stream)) {
        yield lines[n] ?? '';
        continue;
      }
      const hash = eventHash(changed, ends.get(event.stream) ?? previousOf[n] ?? null);
      ends.set(event.stream, hash);
      yield exportLine({ ...changed, hash });
    }
  }

  const edit =
    (change: (event: Exported) => unknown, text: (value: unknown) => string = canonicalJson) =>
    (): Mutation => {
      const at = pick(size);
      const event = eventAt(at);
      const line = text(change(event));
      return { at, tail: () => [line, ...rest(at + 1)], victim: event, alone: true };
    };
  const metadata = (name: 'by' | 'cause' | 'correlation') => (event: Exported) => ({
    ...event,
    metadata: { ...event.metadata, [name]: changedText(event.metadata[name]) },
  });
  /** Index of an event that is followed by an event of another stream. */
  const borderAt = (): number => {
    for (;;) {
      const at = pick(size - 1);
      if (eventAt(at).stream !== eventAt(at + 1).stream) return at;
    }
  };

  const kinds: Readonly<Record<string, () => Mutation>> = {
    'edit of id': edit(event => ({ ...event, id: changedText(event.id) })),
    'edit of stream': edit(event => ({
      ...event,
      stream: event.stream === 'source-1' ? 'source-2' : 'source-1',
    })),
    'edit of revision': edit(event => ({ ...event, revision: event.revision + (random() < 0.5 ? 1 : -1) })),
    'edit of type': edit(event => ({ ...event, type: `${event.type}s` })),
    'edit of v': edit(event => ({ ...event, v: event.v + 1 })),
    'edit of at': edit(event => ({ ...event, at: event.at.replace('2024', '2025') })),
    'edit of data': edit(event => ({ ...event, data: changedData(event.data) })),
    'edit of by': edit(metadata('by')),
    'edit of cause': edit(metadata('cause')),
    'edit of correlation': edit(metadata('correlation')),
    'edit of hash': edit(event => ({ ...event, hash: changedText(event.hash ?? '') })),
    'hash removed': () => {
      const mutation = edit(({ hash: _, ...event }) => event)();
      // The first events of a log can be older than hashes.
      return mutation.at === 0 ? { ...mutation, alone: false } : mutation;
    },
    'field added': edit(event => ({ ...event, note: 1 })),
    'field removed': edit(({ at: _, ...event }) => event),
    'spaces added': edit(
      event => event,
      value => canonicalJson(value).replace(',', ', '),
    ),
    'other order of names': edit(
      event => event,
      value => JSON.stringify(Object.fromEntries(Object.entries(value as object).reverse())),
    ),
    'invalid JSON': edit(
      event => event,
      value => canonicalJson(value).slice(0, -1),
    ),
    deletion: () => {
      const at = pick(size);
      return { at, tail: () => rest(at + 1), victim: eventAt(at), alone: !isLast(at) };
    },
    'insertion of a foreign event': () => {
      const at = pick(size);
      const foreign = exportLine({ ...eventAt(pick(size)), id: id(900_000), hash: 'ab'.repeat(32) });
      return { at, tail: () => [foreign, ...rest(at)], alone: true };
    },
    'insertion with a valid hash': () => {
      const at = pick(size);
      const event = eventAt(at);
      const forged = { ...event, id: id(900_001) };
      const line = exportLine({ ...forged, hash: eventHash(forged, previousOf[at] ?? null) });
      return { at, tail: () => [line, ...rest(at)], victim: event, alone: true };
    },
    'insertion of a stream': () => {
      const at = pick(size);
      const event = { ...eventAt(at), id: id(900_002), stream: 'source-77', revision: 0 };
      const line = exportLine({ ...event, hash: eventHash(event, null) });
      return { at, tail: () => [line, ...rest(at)], alone: false };
    },
    duplicate: () => {
      const at = pick(size - 1) + 1;
      const again = pick(at);
      return { at, tail: () => [lines[again] ?? '', ...rest(at)], victim: eventAt(again), alone: true };
    },
    'swap in a stream': () => {
      for (;;) {
        const at = pick(size);
        const { stream } = eventAt(at);
        const other = log.findIndex((event, n) => n > at && event.stream === stream);
        if (other < 0) continue;
        const tail = () => [
          lines[other] ?? '',
          ...lines.slice(at + 1, other),
          lines[at] ?? '',
          ...rest(other + 1),
        ];
        return { at, tail, victim: eventAt(at), alone: true };
      }
    },
    'swap of neighbours of two streams': () => {
      const at = borderAt();
      const tail = () => [lines[at + 1] ?? '', lines[at] ?? '', ...rest(at + 2)];
      return { at, tail, alone: false };
    },
    truncation: () => ({ at: pick(size), tail: () => [], alone: false }),
    'hash recomputed for one event': () => {
      const at = pick(size);
      const event = { ...eventAt(at), data: changedData(eventAt(at).data) };
      const line = exportLine({ ...event, hash: eventHash(event, previousOf[at] ?? null) });
      return { at, tail: () => [line, ...rest(at + 1)], victim: event, alone: !isLast(at) };
    },
    'hashes recomputed to the end of streams': () => {
      const at = pick(size);
      const tail = () =>
        rehashed(at, (event, n) => (n === at ? { ...event, data: changedData(event.data) } : event));
      return { at, tail, alone: false };
    },
    'fork: another history from an event on': () => {
      const at = pick(size);
      const tail = () => rehashed(at, event => ({ ...event, metadata: { ...event.metadata, by: 'eve' } }));
      return { at, tail, alone: false };
    },
  };

  const mutations = Object.entries(kinds)
    .flatMap(([kind, make]) => Array.from({ length: triesPerKind }, () => ({ kind, ...make() })))
    .sort((one, other) => one.at - other.at);
  t.ok(
    size >= eventsMin && mutations.length >= 2000,
    `${size} events, ${mutations.length} mutations, seed ${seed}`,
  );

  /** First finding of a mutation, after the unchanged lines. */
  const firstFinding = (
    begun: Verifier,
    { at, tail }: Mutation,
    known?: readonly string[],
  ): LogFinding | undefined => {
    const check = begun.fork();
    let n = at;
    for (const line of tail()) {
      const [finding] = check.take(line, known?.[n]);
      if (finding) return finding;
      n += 1;
    }
    return check.done().findings[0];
  };
  const names = ({ at, victim }: Mutation, { to, orEvent, stream, revision }: LogFinding): boolean =>
    to === at + 1 || orEvent === at + 1 || (victim?.stream === stream && victim?.revision === revision);

  type Count = { tries: number; alone: number; namedAlone: number; found: number; named: number };
  const table = new Map<string, Count & { shown: number }>();
  const [alone, proved] = [verifier(), verifier([checkpoint])];
  let clean = 0;
  for (const mutation of mutations) {
    for (; clean < mutation.at; clean += 1)
      if (
        alone.take(lines[clean] ?? '').length + proved.take(lines[clean] ?? '', leafHashes[clean]).length >
        0
      )
        t.fail(`a finding in unchanged lines, at ${clean}`);
    const counts = table.get(mutation.kind) ?? {
      tries: 0,
      shown: 0,
      alone: 0,
      namedAlone: 0,
      found: 0,
      named: 0,
    };
    table.set(mutation.kind, counts);
    counts.tries += 1;
    if (mutation.alone) {
      counts.shown += 1;
      const finding = firstFinding(alone, mutation);
      if (finding) counts.alone += 1;
      if (finding && names(mutation, finding)) counts.namedAlone += 1;
      else t.fail(`${mutation.kind} at ${mutation.at}: ${JSON.stringify(finding)}`);
    }
    const finding = firstFinding(proved, mutation, leafHashes);
    if (finding) counts.found += 1;
    if (finding?.event === mutation.at + 1) counts.named += 1;
    else t.fail(`${mutation.kind} at ${mutation.at} with a checkpoint: ${JSON.stringify(finding)}`);
  }
  for (const { tries, shown, alone: foundAlone, namedAlone, found, named } of table.values())
    if (foundAlone !== shown || namedAlone !== shown || found !== tries || named !== tries)
      t.fail('not all mutations of a kind are found');

  // A checkpoint without leaf hashes shows it by its root only: the whole log is read for each mutation.
  for (const kind of Object.keys(kinds).filter(name => !kinds[name]?.().alone)) {
    const mutation = mutations.find(one => one.kind === kind && one.at > size / 2);
    if (!mutation) continue;
    const check = verifier([checkpoint]);
    for (const line of lines.slice(0, mutation.at)) check.take(line);
    for (const line of mutation.tail()) check.take(line);
    const { findings } = check.done();
    t.ok(
      findings.some(({ code }) => code === 'checkpoint' || code === 'truncated'),
      `${kind}: found with a checkpoint only`,
    );
  }

  for (; clean < size; clean += 1) {
    alone.take(lines[clean] ?? '');
    proved.take(lines[clean] ?? '', leafHashes[clean]);
  }
  const whole = {
    events: size,
    streams: 31,
    withoutHash: 0,
    root: checkpoint.root,
    findings: [],
    findingCount: 0,
  };
  t.strictSame(
    [alone.done(), proved.done()],
    [
      { ...whole, matched: [] },
      { ...whole, matched: [checkpoint] },
    ],
    'no findings in the unchanged log',
  );

  t.comment(
    'kind                                      tries  shown by the log itself, named   found, named with a checkpoint',
  );
  for (const kind of Object.keys(kinds)) {
    const { tries = 0, shown, namedAlone, found, named } = table.get(kind) ?? {};
    t.comment(
      `${kind.padEnd(42)}${String(tries).padStart(5)}${`${shown}, ${namedAlone}`.padStart(32)}${`${found}, ${named}`.padStart(34)}`,
    );
  }
});

// --- the log of every store -------------------------------------------------------------------------------------

t.test('verify: all stores have the same export and root', async t => {
  const server = await fakeEventStoreDb();
  const eventStoreDb = await openLog({ kind: 'eventstoredb', url: server.url, prefix: 't-' });
  t.teardown(() => eventStoreDb.close().then(server.close));
  const exports: string[][] = [];
  for (const store of [memoryStore(), sqliteStore(':memory:'), eventStoreDb]) {
    await fillByCommands(store, 120, 1);
    exports.push((await listed(store.all(0n))).map(exportLine));
    const check = verifier();
    for (const line of exports.at(-1) ?? []) t.strictSame(check.take(line), []);
  }
  t.strictSame(exports[1], exports[0]);
  t.strictSame(exports[2], exports[0]);
  const target = sqliteStore(':memory:');
  await copyLog({ source: eventStoreDb, target });
  t.strictSame((await listed(target.all(0n))).map(exportLine), exports[0], 'also a copied log');
});

t.test('verify: events older than hashes are reported; later events must have a hash', async t => {
  const store = memoryStore();
  await store.append('catalog', 'absent', [{ ...proposed(0), hash: null }]);
  await store.append('source-1', 'absent', [{ ...proposed(1), hash: null }]);
  await store.append('catalog', 0, [proposed(2)]);
  await store.append('source-1', 0, [proposed(3)]);
  const found = async () => {
    const check = verifier();
    for await (const event of store.all(0n)) check.take(exportLine(event));
    return check.done();
  };
  t.match(await found(), { events: 4, withoutHash: 2, findingCount: 0 });
  await store.append('source-2', 'absent', [{ ...proposed(4), hash: null }]);
  t.match(await found(), {
    withoutHash: 2,
    findings: exactList({ code: 'noHash', event: 5, stream: 'source-2' }),
  });
});

t.test('verify: one event with a hash is enough for the next one to need it', async t => {
  const store = memoryStore();
  await store.append('catalog', 'absent', [proposed(0)]);
  await store.append('source-1', 'absent', [{ ...proposed(1), hash: null }]);
  const check = verifier();
  for await (const event of store.all(0n)) check.take(exportLine(event));
  t.match(check.done(), { withoutHash: 0, findings: exactList({ code: 'noHash', event: 2 }) });
});

t.test('verify: a line is one event in canonical form', async t => {
  const store = memoryStore();
  await store.append('catalog', 'absent', [proposed(0, { text: 'é' })]);
  const [event] = await listed(store.all(0n));
  const line = event ? exportLine(event) : '';
  const found = (text: string | Buffer) =>
    verifier()
      .take(text)
      .map(({ detail }) => detail)
      .join();
  t.equal(found(line), '');
  t.equal(found(Buffer.from(line)), '');
  t.match(found(Buffer.from(line, 'latin1')), /not UTF-8/);
  for (const [text, message] of [
    ['', /not canonical JSON/],
    ['[]', /not an event/],
    ['null', /not an event/],
    [`${line} `, /canonical form/],
    [line.replace('"v":1', '"v":0'), /a field/],
    [line.replace('"v":1', '"v":1,"w":1'), /has the fields .*,w, expected/],
    [line.replace('"text":', '"text":"e","text":'), /canonical form/],
    [line.replace('"by":', '"by":"eve","by":'), /canonical form/],
    [line.replace('"by":"anna",', ''), /metadata that differ/],
    [line.replace('"catalog"', '"orders-1"'), /not written by Daybook/],
    [line.replace('"type":"', '"type":"foreign '), /not written by Daybook/],
    [line.replace('é', '\\ud83d'), /not canonical JSON/],
  ] as const)
    t.match(found(text), message, text);
});

// --- the command line -------------------------------------------------------------------------------------------

t.test('commands export, checkpoint and verify', async t => {
  const dir = t.testdir({ data: {} });
  const path = (name: string): string => join(dir, name);
  const daybook = (...args: readonly string[]) => run(args, { DATA_DIR: path('data') }, { cwd: dir });
  const file = path('data/events.sqlite');
  const store = sqliteStore(file);
  await fillByCommands(store, 200, 2);

  const { stdout: exported, code } = await daybook('export');
  t.equal(code, 0);
  const lines = (await listed(store.all(0n))).map(exportLine);
  t.equal(exported, lines.map(line => `${line}\n`).join(''), 'while the service has the log open');
  writeFileSync(path('events.ndjson'), exported);

  t.equal((await daybook('checkpoint', '--new-key', 'key')).code, 0);
  t.equal(statSync(path('key')).mode & 0o777, 0o600);
  t.equal((await daybook('checkpoint', '--new-key', 'key')).code, 2, 'a key is never overwritten');
  for (const [name, before] of [
    ['next', 'key'],
    ['newer', 'next'],
  ] as const)
    t.equal((await daybook('checkpoint', '--new-key', name, '--succeeds', before)).code, 0);
  await daybook('checkpoint', '--new-key', 'stranger');
  const signed = await daybook(
    'checkpoint',
    '--key',
    'key',
    '--at',
    '2026-01-31T12:00:00Z',
    '--fingerprints',
    'leaves',
  );
  const { size, at, root } = JSON.parse(signed.stdout) as { size: number; at: string; root: string };
  t.strictSame([size, at], [lines.length, '2026-01-31T12:00:00.000Z']);
  writeFileSync(path('checkpoint'), signed.stdout);
  t.equal(
    (await daybook('checkpoint', '--key', 'key', '--at', at, '--log', 'events.ndjson')).stdout,
    signed.stdout,
    'an export gives the same result',
  );
  writeFileSync(path('changed.ndjson'), exported.replace('"n° ', '"N° '));
  const leaves = readFileSync(path('leaves'), 'utf8');
  t.match(
    await daybook('checkpoint', '--key', 'key', '--log', 'changed.ndjson', '--fingerprints', 'leaves'),
    { code: 3, stdout: '', stderr: /the log has problems and was not signed: run daybook verify/ },
    'a changed log is not signed',
  );
  t.equal(readFileSync(path('leaves'), 'utf8'), leaves, 'its leaf hashes do not replace the earlier ones');
  t.strictSame(
    readdirSync(path('')).filter(name => name.startsWith('leaves')),
    ['leaves'],
  );

  await store.append('source-50', 'absent', [proposed(7)]);
  await store.close();
  writeFileSync(path('later'), (await daybook('checkpoint', '--key', 'newer')).stdout);

  const keys = ['--public-key', 'key.pub'];
  const successions = JSON.parse(readFileSync(path('newer.successions'), 'utf8')) as { nextKey: string }[];
  t.equal(successions.length, 2, 'successions of keys connect the newest key with the given first one');
  t.match(
    await daybook('verify', '--log', 'data', '--checkpoint', 'checkpoint', '--public-key', 'newer.pub'),
    { code: 3, stdout: /signed by key [0-9a-f]{16}…, which you did NOT name as trusted \(--public-key\)/ },
    'a new key does not authenticate an older one',
  );
  const both = ['--checkpoint', 'checkpoint', '--checkpoint', 'later', ...keys, '--fingerprints', 'leaves'];
  const [all, after] = [lines.length, lines.length + 1];
  const one = ['--checkpoint', 'checkpoint', ...keys];
  const key = '[0-9a-f]{16}…';
  for (const [code, args, ...sentences] of [
    [
      3,
      ['--log', 'data'],
      `0 of ${after} events are proved\\.`,
      'Verdict: no problem was found, but not proved: no checkpoint was given',
      'To prove more: "daybook checkpoint --new-key audit-key"',
    ],
    [3, ['--log', file], 'no checkpoint was given'],
    [
      0,
      ['--log', 'data', ...both],
      `${after} of ${after} events are proved by the checkpoint of .*, signed by key ${key}, which a key that you trust \\(--public-key\\) named as its successor`,
      'Verdict: proved\\. No problem was found\\.',
    ],
    [
      0,
      ['--log', 'events.ndjson', ...one],
      `${all} of ${all} events are proved by the checkpoint of 2026-01-31T12:00:00.000Z, signed by key ${key}, which you trust`,
    ],
    [
      3,
      ['--log', 'events.ndjson', '--checkpoint', 'checkpoint'],
      `0 of ${all} events are proved`,
      `${all} of ${all} events are as stated in the checkpoint of 2026-01-31T12:00:00.000Z, signed by key ${key}, which you did NOT name as trusted`,
      'To prove more: get the public key',
    ],
    [
      3,
      ['--log', 'data', ...one],
      `${all} of ${after} events are proved`,
      '1 event after it is covered by its hash chain alone',
      'Verdict: no problem was found, but not proved: 1 event is not covered by a checkpoint of a trusted key',
    ],
    [
      0,
      ['--log', 'data', ...one, '--to-checkpoint'],
      '1 event after it is covered by its hash chain alone.*not asked about',
      `Verdict: proved, for the first ${all} events\\.`,
    ],
    [
      3,
      ['--log', 'data', '--checkpoint', 'checkpoint', '--to-checkpoint'],
      'not proved: the checkpoint of .* is signed by key [0-9a-f]{64}, which you did not name as trusted',
    ],
    [
      3,
      ['--log', 'data', ...one, '--checkpoint', 'strange', '--to-checkpoint'],
      `${all} of ${after} events are proved`,
      `${after} of ${after} events are as stated in`,
    ],
  ] as const) {
    if (args.includes('strange' as never))
      writeFileSync(path('strange'), (await daybook('checkpoint', '--key', 'stranger')).stdout);
    const { code: got, stdout } = await daybook('verify', ...args);
    t.equal(got, code, `${args.join(' ')}: ${stdout}`);
    for (const sentence of sentences) t.match(stdout, new RegExp(`^.*${sentence}`, 'm'), args.join(' '));
    t.equal(/Verdict: proved/.test(stdout), code === 0);
  }
  const json = async (...args: readonly string[]) =>
    JSON.parse((await daybook('verify', '--log', ...args, '--json')).stdout) as object;
  t.match(await json('events.ndjson'), {
    ...{ clean: false, verdict: 'unproved', reasons: exactList({ code: 'noCheckpoint' }), root },
    ...{ asked: all, proved: 0, uncovered: all, checkpoints: exactList() },
  });
  t.match(await json('data', ...one), {
    ...{ clean: false, verdict: 'unproved', reasons: exactList({ code: 'eventsUncovered' }) },
    ...{ asked: after, proved: all, uncovered: 1 },
    checkpoints: exactList({ at, size, trust: 'given', trusted: true, matches: true }),
  });
  t.match(await json('data', ...one, '--to-checkpoint'), {
    clean: true,
    asked: all,
    uncovered: 1,
    reasons: exactList(),
  });
  t.match(await json('data', '--checkpoint', 'later', '--public-key', 'stranger.pub'), {
    ...{ clean: false, proved: 0, uncovered: after, reasons: exactList({ code: 'keyNotTrusted' }) },
    checkpoints: exactList({ trust: 'none', trusted: false, matches: true }),
  });

  const found = async (message: RegExp, ...args: readonly string[]) =>
    t.match(await daybook('verify', '--log', ...args), { code: 1, stdout: message }, args.join(' '));
  writeFileSync(path('short.ndjson'), `${lines.slice(0, -3).join('\n')}\n`);
  await found(/ends after \d+ events, but a checkpoint has/, 'short.ndjson', '--checkpoint', 'checkpoint');
  writeFileSync(path('forged'), signed.stdout.replace(root, '0'.repeat(64)));
  await found(/signature that does not match its key/, 'events.ndjson', '--checkpoint', 'forged', ...keys);
  const later = JSON.parse(readFileSync(path('later'), 'utf8')) as object;
  const bent = successions.map((succession, n) =>
    n === 0 ? { ...succession, at: '2020-01-01T00:00:00.000Z' } : succession,
  );
  for (const [name, forged] of Object.entries({ cut: successions.slice(1), bent }))
    writeFileSync(path(name), JSON.stringify({ ...later, successions: forged }));
  for (const name of ['cut', 'bent'])
    t.equal(
      (await daybook('verify', '--log', 'data', '--checkpoint', name, ...keys)).code,
      3,
      'an invalid chain',
    );

  const part = await daybook('export', '--source', '1', '--type', 'DayPlanned', '--since', '2024');
  t.equal(part.code, 2, 'a year is not a date');
  const { stdout: dayPlans } = await daybook('export', '--source', '1', '--type', 'DayPlanned');
  const [head, ...plans] = dayPlans.trimEnd().split('\n');
  t.equal(head, '{"partOfLog":{"sourceId":1,"type":"DayPlanned"}}');
  t.strictSame(
    plans,
    lines.filter(line => line.includes('"stream":"source-1"') && line.includes('"type":"DayPlanned"')),
  );
  for (const [args, message] of [
    [['--type', 'DaysPlanned'], /--type: got "DaysPlanned", expected a type of event, perhaps DayPlanned/],
    [['--stream', 'sources-1'], /--stream: got "sources-1", expected a stream of the log, perhaps source-1/],
    [['--source', '51'], /--source: got "51", expected the id of a source of the log: 1, 2, /],
    [['--since', '2024-02-30'], /--since: got "2024-02-30", expected a date/],
    [['--since', '2024-02-02', '--until', '2024-02-01'], /expected a time that is not before --since/],
  ] as const)
    t.match(await daybook('export', ...args), { code: 2, stdout: '', stderr: message }, args.join(' '));
  t.match(
    await daybook('export', '--source', '1', '--type', 'PersonErased'),
    { code: 0, stdout: '{"partOfLog":{"sourceId":1,"type":"PersonErased"}}\n' },
    'a type without events',
  );
  cpSync(path('data'), path('changed-data'), { recursive: true });
  const changed = new Database(path('changed-data/events.sqlite'));
  changed.exec('drop trigger events_never_updated; pragma ignore_check_constraints = on');
  changed.exec(`update events set data = '{' where position = 2`);
  changed.close();
  const damaged = await daybook('export', '--log', 'changed-data', '--source', '1', '--type', 'DayPlanned');
  t.equal(damaged.stdout.trimEnd().split('\n').length, plans.length + 2, 'a damaged line is not left out');
  writeFileSync(path('part.ndjson'), dayPlans);
  t.match(await daybook('verify', '--log', 'part.ndjson'), { code: 3, stderr: /a part of a log/ });

  const tree = merkleTree();
  for (const line of lines) tree.append(leafHash(line));
  const hexOf = (hashes: readonly Buffer[]) => hashes.map(hash => hash.toString('hex'));
  const inclusion = {
    leaf: lines[7],
    leafIndex: 7,
    treeSize: size,
    inclusionPath: hexOf(tree.inclusion(7)),
  };
  tree.append(leafHash((await daybook('export')).stdout.trimEnd().split('\n').at(-1) ?? ''));
  const consistency = { from: size, to: size + 1, consistencyPath: hexOf(tree.consistency(size)) };
  const prove = async (proof: object, ...args: readonly string[]) => {
    writeFileSync(path('proof'), JSON.stringify(proof));
    return daybook('verify', '--proof', 'proof', ...args);
  };
  const under = ['--checkpoint', 'checkpoint', ...keys];
  t.match(await prove(inclusion, ...under), {
    code: 0,
    stdout: /number 8 of the log of .*\nVerdict: proved\.\n$/,
  });
  t.match(await prove(consistency, ...under, '--checkpoint', 'later'), {
    code: 0,
    stdout: /is the beginning of that of .*\nVerdict: proved/,
  });
  for (const wrong of [
    { ...inclusion, leaf: lines[8] },
    { ...inclusion, leafIndex: 8 },
    { ...inclusion, inclusionPath: inclusion.inclusionPath.slice(1) },
  ])
    t.match(await prove(wrong, ...under), { code: 1, stdout: /The proof does not show that/ });
  t.match(
    await prove(inclusion, '--checkpoint', 'checkpoint'),
    { code: 3, stdout: /which you did NOT name as trusted .*\nNot proved: .*\n$/ },
    'without a key',
  );
  const reversed = { ...consistency, consistencyPath: [...consistency.consistencyPath].reverse() };
  t.equal((await prove(reversed, ...under, '--checkpoint', 'later')).code, 1);
  t.equal((await prove(consistency, ...under)).code, 3, 'without the other checkpoint');
  t.equal((await prove(inclusion, '--checkpoint', 'later')).code, 3);
  t.equal((await prove(inclusion, '--checkpoint', 'checkpoint', '--public-key', 'stranger.pub')).code, 3);
  t.equal((await prove({ ...inclusion, leafIndex: 'x' }, ...under)).code, 2);
  t.equal((await prove(inclusion, '--log', 'data')).code, 2, 'either a proof or a log');

  const db = new Database(file);
  db.exec(`drop trigger events_never_updated; update events set data = '{"n":1}' where position = 100`);
  db.close();
  await found(
    /events_never_updated is missing\nevent 100 \(.*\nVerdict: \d+ problems found\.\n$/s,
    'data',
    ...one,
  );
  await found(
    /^event 100 \(.*the checkpoint had another event here/m,
    'data',
    '--checkpoint',
    'checkpoint',
    '--fingerprints',
    'leaves',
  );

  for (const [code, ...args] of [
    [2, 'data'],
    [2, '--log', 'data', 'data'],
    [2, '--log', 'nowhere'],
    [2, '--log', 'data', '--unknown'],
    [2, '--log', 'data', '--checkpoint', 'key.pub'],
    [2, '--log', 'data', '--checkpoint', 'checkpoint', '--public-key', 'checkpoint'],
    [2, '--log', 'data', '--fingerprints', 'leaves'],
    [2, '--log', 'data', '--checkpoint', 'checkpoint', '--fingerprints', 'key'],
    [2, '--log', 'data', '--checkpoint', 'nowhere'],
    [1, '--log', 'data', '--checkpoint', 'checkpoint', '--public-key', 'stranger.pub'],
    [2, '--log', 'data', '--checkpoint', 'checkpoint', '--proof', 'checkpoint'],
    [2, '--log', 'data', '--to-checkpoint'],
    [2, '--proof', 'proof', '--checkpoint', 'checkpoint', '--to-checkpoint'],
    [3, '--log', 'data', '--checkpoint', 'later', '--fingerprints', 'leaves'],
  ] as const)
    t.equal((await daybook('verify', ...args)).code, code, args.join(' '));
  t.ok(readFileSync(path('key'), 'utf8').startsWith('-----BEGIN PRIVATE KEY-----'));
});
