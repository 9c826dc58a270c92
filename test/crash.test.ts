// Kills the real service at random moments under load and looks whether anything was lost, halved or left undone.
// CRASH_SEED repeats what the clients ask for and when they are cut off; what the operating system makes of the
// moments is its own. CRASH_KILLS says how often.
import { createHash, randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { dateOf, dayNumber, weekday } from '../domain/dates.js';
import type { KnownEvent } from '../domain/events.js';
import { launchService, run, tokenFor, type Launched } from './helpers/process.js';

const seed = Number(process.env['CRASH_SEED'] ?? randomInt(1_000_000));
const kills = Number(process.env['CRASH_KILLS'] ?? 60);
const clients = 4;
const secret = 'a secret of the crash test, long enough';
/** Bound of every wait for something that must come; it comes in milliseconds. */
const patienceMs = 30_000;

// --- chance ---------------------------------------------------------------------------------------------------

type Chance = {
  /** From 0 to below 1. */
  readonly next: () => number;
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly one: <Value>(of: readonly Value[]) => Value;
  readonly happens: (share: number) => boolean;
};

/** Mulberry32, from numbers that name a place in the test. */
const chance = (...place: readonly number[]): Chance => {
  let state = createHash('sha256').update(place.join()).digest().readUInt32LE();
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    one: of => {
      const value = of[below(of.length)];
      if (value === undefined) throw new RangeError('nothing to choose from');
      return value;
    },
    happens: share => next() < share,
  };
};

// --- data -----------------------------------------------------------------------------------------------------

type Day = {
  readonly date: string;
  readonly activity: readonly number[];
  readonly gaps: readonly (readonly [number, number])[];
};

const referenceDays = 60;
const daysPerPart = 31;

/**
 * A day that follows the week's pattern, breaks it, or lacks most of its slices. The fraction of its first value is
 * the number of the request that sends it, so that no two requests ever send the same day.
 */
const makeDay = (
  n: number,
  date: string,
  size: number,
  kind: 'normal' | 'spike' | 'gap',
  { below }: Chance,
): Day => {
  const height = weekday(dayNumber(date)) < 5 ? 100 : 40;
  const seen = kind === 'gap' ? Math.floor(size / 8) : size;
  const activity = Array.from({ length: size }, (_, slice) => {
    if (slice >= seen) return 0;
    const usual = Math.round(height * (1 - Math.abs(2 * (slice / size) - 1))) + below(6);
    return usual + (kind === 'spike' && slice > 0 && slice < 3 ? 900 : 0) + (slice === 0 ? n / 65_536 : 0);
  });
  return { date, activity, gaps: seen < size ? [[seen, size]] : [] };
};

const makeDays = (
  n: number,
  from: string,
  count: number,
  size: number,
  random: Chance,
  kinds: readonly ('normal' | 'spike' | 'gap')[],
): Day[] =>
  Array.from({ length: count }, (_, index) =>
    makeDay(n, dateOf(dayNumber(from) + index), size, random.one(kinds), random),
  );

const csvOf = (days: readonly Day[]): string =>
  [
    'date;value',
    ...days.flatMap(({ date, activity, gaps }) =>
      activity.slice(0, gaps[0]?.[0]).map((value, slice) => {
        const minutes = (slice * 1440) / activity.length;
        const time = new Date((dayNumber(date) * 1440 + minutes) * 60_000).toISOString().slice(0, 19);
        return `"${time}";"${String(value).replace('.', ',')}"`;
      }),
    ),
    '',
  ].join('\n');

const jsonOf = (days: readonly Day[]) => days.map(({ date, activity }) => ({ date, activity }));

/** Custom models that the usual pattern fits more or less. */
const makeModels = (n: number, size: number, random: Chance) =>
  ['weekdays', 'weekends', 'off'].map((name, index) => {
    const height = [100, 40, 0][index] ?? 0;
    const activity = Array.from(
      { length: size },
      (_, slice) => Math.round(height * (1 - Math.abs(2 * (slice / size) - 1))) + 3,
    );
    const width = 4 + random.below(60);
    return {
      name: `${name} ${n}`,
      color: '#0072B2',
      anomaly: name === 'off',
      activity,
      topTolerance: activity.map(value => value + width),
      bottomTolerance: activity.map(value => value - width),
    };
  });

// --- requests -------------------------------------------------------------------------------------------------

const kinds = {
  create: ['SourceIdReserved', 'DaysImported', 'DaysImported', 'SourceCreated'],
  import: ['DaysImported'],
  bad: [],
  reset: ['ModelsResetRequested'],
  replace: ['ModelsReplaced'],
  plan: ['DayPlanned'],
  clear: ['DayPlanCleared'],
  acknowledge: ['AlertAcknowledged'],
  resolve: ['AlertResolved'],
  reopen: ['AlertReopened'],
} as const;

/** What a request asks for. */
type Wish = {
  readonly kind: keyof typeof kinds;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly media?: 'text/csv' | 'application/json';
  readonly body?: string;
  readonly days?: readonly Day[];
  readonly size?: number;
  /** What its event must hold. */
  readonly about?: Readonly<Record<string, unknown>>;
};

/** A request and what came of it. Its number is in the token's subject, so every event tells which request made it. */
type Asked = Wish & {
  readonly n: number;
  readonly key: string | undefined;
  tries: number;
  state: 'sent' | 'acknowledged' | 'refused' | 'unknown';
  /** Logical times, which order all sendings and answers. */
  sentAt: number;
  answeredAt: number;
  status: number;
  answer: Answer;
  /** Events that it had when it was given up or answered: no more may ever come. */
  frozen: number | undefined;
};

type Answer = {
  readonly code?: string;
  readonly source?: { readonly id: number };
  readonly import?: { readonly id: string };
  readonly alerts?: { readonly raised: readonly { readonly id: string }[] };
};

/** The events that a request must have when it took effect. */
const effectOf = ({ kind, days = [] }: Asked): readonly string[] =>
  kind === 'import' ? Array<string>(Math.ceil(days.length / daysPerPart)).fill('DaysImported') : kinds[kind];

/** What is wrong with the events that the log has of a request, in words. */
const judge = (asked: Asked, events: readonly KnownEvent[]): string[] => {
  const types = events.map(({ type }) => type);
  const effect = effectOf(asked);
  const full = types.join() === effect.join();
  const { kind, state, status } = asked;
  const wrong = (what: string) => [
    `request ${asked.n} (${kind}, ${state} ${status}, ${asked.tries} tries) ${what}: ${types.join() || 'no event'}`,
  ];
  if (asked.frozen !== undefined && asked.frozen !== types.length)
    return wrong('has other events than before');
  if (state === 'acknowledged') {
    // What a plan says already is not said again.
    if (!full && !(types.length === 0 && (kind === 'plan' || kind === 'clear')))
      return wrong('is acknowledged and not there');
  } else if (state === 'refused') {
    const overtaken = kind === 'reset' && status === 409 && full;
    if (types.length > 0 && !overtaken) return wrong('is refused and there');
    // More work than the service lets wait: nothing is stored, and the client may come again.
    if (status === 503 && asked.answer.code === 'queueFull') return [];
    const expected =
      kind === 'bad' ? [422] : kind === 'plan' ? [422] : kind === 'reset' || isMove(kind) ? [409] : [];
    if (!expected.includes(status))
      return wrong(`is refused without a reason (${JSON.stringify(asked.answer)})`);
  } else if (
    !effect.slice(0, types.length).every((type, index) => type === types[index]) ||
    types.length > effect.length
  )
    return wrong('is there in another way than it should');
  const [first, last] = [events[0], events.at(-1)];
  if (!first || !last) return [];
  const data = last.data as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(asked.about ?? {}))
    if (full && !isDeepStrictEqual(data[name], value)) return wrong(`has another ${name}`);
  const { source, import: imported } = asked.answer;
  if (source && last.stream !== `source-${source.id}`) return wrong(`was answered as source ${source.id}`);
  if (imported && kind === 'import' && data['importId'] !== imported.id)
    return wrong(`was answered as import ${imported.id}`);
  return [];
};

const isMove = (kind: Wish['kind']): boolean =>
  kind === 'acknowledge' || kind === 'resolve' || kind === 'reopen';

// --- the log, read with the test's own eyes -------------------------------------------------------------------

type AlertView = { readonly date: string; readonly digest: string; state: string };
type SourceView = {
  readonly id: number;
  created: boolean;
  models: readonly { readonly id: number; readonly name: string }[];
  modelsVersion: number;
  lastModelId: number;
  /** The request whose analysis is awaited. */
  pending: string | undefined;
  readonly overrides: Map<string, number>;
  readonly days: Map<string, { readonly importId: string; readonly day: Day }>;
  readonly reference: Map<string, { readonly importId: string; readonly day: Day }>;
  readonly alerts: Map<string, AlertView>;
};
type ImportView = {
  readonly asked: Asked;
  readonly stream: string;
  readonly reference: boolean;
  readonly parts: number;
  seen: number;
};

const isUnprocessed = ({ state }: AlertView): boolean => state === 'open' || state === 'acknowledged';

/** Folds the log into what all answers must be, and notes every breach of what an event may follow on. */
const readLedger = (askedBy: (n: number) => Asked | undefined) => {
  const faults: string[] = [];
  const eventsOf = new Map<number, KnownEvent[]>();
  const sources = new Map<number, SourceView>();
  const imports = new Map<string, ImportView>();
  const causes = new Map<string, { readonly event: KnownEvent; parts: number; done: boolean }>();
  const revisions = new Map<string, number>();
  const ids = new Set<string>();
  const reserved = new Set<number>();
  let position = 0;
  let lastDue = 0;

  const due = (event: KnownEvent): void => {
    lastDue = Number(event.position);
    if (event.type !== 'SourceCreated' && event.type !== 'ModelsResetRequested')
      causes.set(event.id, { event, parts: 0, done: false });
  };

  const sourceOf = (stream: string): SourceView => {
    const id = Number(stream.split('-')[1]);
    const known = sources.get(id) ?? {
      id,
      created: false,
      models: [],
      modelsVersion: 0,
      lastModelId: 0,
      pending: undefined,
      overrides: new Map(),
      days: new Map(),
      reference: new Map(),
      alerts: new Map(),
    };
    sources.set(id, known);
    return known;
  };

  const takeImport = (
    event: Extract<KnownEvent, { type: 'DaysImported' }>,
    asked: Asked,
  ): string | undefined => {
    const { importId, part, parts, days, kind } = event.data;
    const source = sourceOf(event.stream);
    const known = imports.get(importId) ?? {
      asked,
      stream: event.stream,
      reference: kind === 'reference',
      parts,
      seen: 0,
    };
    imports.set(importId, known);
    if (known.asked !== asked || known.stream !== event.stream) return 'an import of two requests';
    if (part !== known.seen + 1 || parts !== known.parts)
      return `part ${part} of ${parts} after ${known.seen}`;
    known.seen = part;
    const sent = (asked.days ?? []).slice((part - 1) * daysPerPart, part * daysPerPart);
    const there = days.map(({ date, activity, gaps }) => ({ date, activity, gaps }));
    if (JSON.stringify(there) !== JSON.stringify(sent)) return 'other days than were sent';
    if (part < parts) return undefined;
    if ((kind === 'reference') === source.created)
      return 'reference days later or recent days sooner than the source';
    const target = kind === 'reference' ? source.reference : source.days;
    for (const day of asked.days ?? []) target.set(day.date, { importId, day });
    if (kind === 'recent') due(event);
    return undefined;
  };

  const takeModels = (
    event: Extract<KnownEvent, { type: 'ModelsReset' | 'ModelsReplaced' }>,
  ): string | undefined => {
    const source = sourceOf(event.stream);
    const { models, modelsVersion, requestId } = event.data;
    const stale = event.type === 'ModelsReset' && source.pending !== requestId;
    const reused = models.some(({ id }) => id <= source.lastModelId);
    const skipped = modelsVersion !== source.modelsVersion + 1;
    source.pending = undefined;
    source.models = models;
    source.modelsVersion = modelsVersion;
    source.lastModelId = Math.max(...models.map(({ id }) => id));
    source.overrides.clear();
    due(event);
    if (stale) return 'an analysis that nobody awaits any more took effect';
    return reused ? 'a model id again' : skipped ? 'a version of models left out' : undefined;
  };

  const takeCheck = (event: Extract<KnownEvent, { type: 'DaysChecked' }>): string | undefined => {
    const { cause, part, last } = event.data;
    const known = causes.get(cause.id);
    if (!known) return 'a check without a cause';
    if (known.done || part !== known.parts + 1) return `part ${part} of a check after ${known.parts}`;
    known.parts = part;
    known.done = last;
    return undefined;
  };

  const takeAlert = (
    event: Extract<KnownEvent, { type: `Alert${string}` }>,
    alerts: Map<string, AlertView>,
  ): string | undefined => {
    const { alertId, date } = event.data;
    const alert = alerts.get(alertId);
    const other = [...alerts].some(
      ([id, view]) => id !== alertId && view.date === date && isUnprocessed(view),
    );
    const move = (state: string, ...from: readonly string[]): string | undefined => {
      if (!alert || !from.includes(alert.state)) return `${event.type} of an alert that is ${alert?.state}`;
      alert.state = state;
      return undefined;
    };
    switch (event.type) {
      case 'AlertRaised':
        alerts.set(alertId, { date, digest: event.data.dayDigest, state: 'open' });
        return alert ? 'an alert id again' : other ? 'two unprocessed alerts of a date' : undefined;
      case 'AlertInvalidated':
        return move('invalidated', 'open', 'acknowledged');
      case 'AlertAcknowledged':
        return move('acknowledged', 'open');
      case 'AlertResolved':
        return move('resolved', 'open', 'acknowledged');
      case 'AlertReopened':
        return other ? 'two unprocessed alerts of a date' : move('open', 'resolved');
    }
  };

  const take = (event: KnownEvent): string | undefined => {
    const n = Number(/^op-(\d+)$/.exec(event.metadata.by)?.[1] ?? 0);
    const asked = askedBy(n);
    if (asked) eventsOf.set(n, [...(eventsOf.get(n) ?? []), event]);
    else if (event.metadata.by !== 'reactor') return `an event of nobody, ${event.metadata.by}`;
    if (ids.has(event.id)) return 'an event id again';
    ids.add(event.id);
    if (event.revision !== (revisions.get(event.stream) ?? -1) + 1) return 'a hole in the revisions';
    revisions.set(event.stream, event.revision);
    if (event.type === 'SourceIdReserved') {
      const again = reserved.has(event.data.sourceId);
      reserved.add(event.data.sourceId);
      return again ? 'a source id again' : undefined;
    }
    const source = sourceOf(event.stream);
    switch (event.type) {
      case 'DaysImported':
        return asked ? takeImport(event, asked) : 'an import of nobody';
      case 'SourceCreated':
        source.pending = event.data.requestId;
        due(event);
        if (source.created || source.reference.size !== referenceDays)
          return 'a source without its reference days';
        source.created = true;
        return undefined;
      case 'ModelsResetRequested':
        source.pending = event.data.requestId;
        due(event);
        return undefined;
      case 'ModelsReset':
      case 'ModelsReplaced':
        return takeModels(event);
      case 'AnalysisFailed':
        return 'an analysis of good data failed';
      case 'DayPlanned':
        source.overrides.set(event.data.date, event.data.modelId);
        due(event);
        return source.models.some(({ id }) => id === event.data.modelId) ? undefined : 'a plan of no model';
      case 'DayPlanCleared':
        due(event);
        return source.overrides.delete(event.data.date) ? undefined : 'a plan cleared that is none';
      case 'DaysChecked':
        return takeCheck(event);
      case 'AlertRaised':
      case 'AlertInvalidated':
      case 'AlertAcknowledged':
      case 'AlertResolved':
      case 'AlertReopened':
        return takeAlert(event, source.alerts);
    }
  };

  return {
    position: () => position,
    /** Position of the last event that the reactor has to do something about. */
    lastDue: () => lastDue,
    sources,
    imports,
    eventsOf: (n: number): readonly KnownEvent[] => eventsOf.get(n) ?? [],
    /** Reads on in the log from where it was, to its end or to what was decided at `end`. */
    readOn: (file: string, end?: string): void => {
      for (const event of eventsAfter(file, position)) {
        if (end !== undefined && event.at >= end) return;
        position = Number(event.position);
        const fault = take(event);
        if (fault !== undefined) faults.push(`event ${position}, ${event.type} in ${event.stream}: ${fault}`);
      }
    },
    /** What is asked for and not done: analyses and checks. */
    undone: (): string[] => [
      ...[...sources.values()]
        .filter(({ pending }) => pending !== undefined)
        .map(({ id }) => `analysis of ${id}`),
      ...[...causes.values()]
        .filter(({ done }) => !done)
        .map(({ event, parts }) => `check for ${event.type} in ${event.stream} after ${parts} parts`),
    ],
    /** What is begun and not at its end: imports without their last part, reference days without their source, … */
    underWay: () => ({
      imports: [...imports].flatMap(([id, { seen, parts }]) => (seen < parts ? [id] : [])),
      sources: [...sources.values()].flatMap(({ id, created }) => (created ? [] : [id])),
      analyses: [...sources.values()].flatMap(({ pending }) => pending ?? []),
      checks: [...causes].flatMap(([id, { parts, done }]) => (parts > 0 && !done ? [id] : [])),
    }),
    faults: (): string[] => faults.splice(0),
  };
};

const withDatabase = <Result>(file: string, use: (db: Database.Database) => Result): Result => {
  const db = new Database(file, { readonly: true });
  try {
    return use(db);
  } finally {
    db.close();
  }
};

const eventsAfter = (file: string, position: number): readonly KnownEvent[] =>
  withDatabase(file, db =>
    db
      .prepare<[number], Record<string, unknown>>('select * from events where position > ? order by position')
      .all(position)
      .map(row => ({
        ...row,
        data: JSON.parse(String(row['data'])) as unknown,
        metadata: JSON.parse(String(row['metadata'])) as unknown,
      })),
  ) as unknown as readonly KnownEvent[];

/** Every row of the read models, by table, in the order of its primary key; of the checkpoints only their own. */
const dumpOf = (file: string): ReadonlyMap<string, readonly string[]> =>
  withDatabase(file, db => {
    const tables = db
      .prepare<[], string>(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
      .pluck()
      .all();
    return new Map(
      tables.sort().map(table => {
        const columns = db.prepare<[], { name: string; pk: number }>(`pragma table_info("${table}")`).all();
        const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
        const order = (keys.length > 0 ? keys : columns).map(({ name }) => `"${name}"`).join(', ');
        const where = table === 'checkpoints' ? `where name = 'readModels'` : '';
        const rows = db.prepare(`select * from "${table}" ${where} order by ${order}`).raw().all();
        return [table, rows.map(row => JSON.stringify(row))];
      }),
    );
  });

/** Where two dumps differ, in words. */
const differences = (
  a: ReadonlyMap<string, readonly string[]>,
  b: ReadonlyMap<string, readonly string[]>,
): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].flatMap(table => {
    const [one = [], other = []] = [a.get(table), b.get(table)];
    const at = one.findIndex((row, index) => row !== other[index]);
    if (at < 0 && one.length === other.length) return [];
    return [
      `${table}: ${one.length} and ${other.length} rows; ${one[at]?.slice(0, 300)} | ${other[at]?.slice(0, 300)}`,
    ];
  });

// --- the service and its clients ------------------------------------------------------------------------------

const world = (dataDir: string) => {
  const logFile = join(dataDir, 'events.sqlite');
  const readFile = join(dataDir, 'read-models.sqlite');
  const env = { DATA_DIR: dataDir, JWT_SECRET: secret, LOG_LEVEL: 'error' };
  const all: Asked[] = [];
  const ledger = readLedger(n => all[n - 1]);
  const faults: string[] = [];
  let clock = 0;
  let address = '';
  let service: Launched | undefined;
  /** Whether an answer may fail to come. */
  let down = true;

  const fetchJson = async (subject: string, path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${tokenFor(secret, subject)}`, ...init.headers };
    const response = await fetch(address + path, { ...init, headers });
    const text = await response.text();
    return { status: response.status, answer: JSON.parse(text) as unknown };
  };

  return {
    all,
    ledger,
    logFile,
    readFile,
    isDown: () => down,
    note: (fault: string): void => void faults.push(fault),
    /** All that was found wrong since the last call. */
    faults: (): string[] => [...ledger.faults(), ...faults.splice(0)].slice(0, 20),

    /** Starts the process without waiting for it. */
    launch: (): Launched => (service = launchService(env, { bare: true })),
    up: async (launched: Launched): Promise<void> => {
      address = await launched.ready;
      down = false;
    },
    /** Ends the process; it must not have complained. */
    end: async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
      down = true;
      const exit = await service?.end(signal);
      if (signal === 'SIGTERM' && exit?.code !== 0) faults.push(`SIGTERM ended with ${JSON.stringify(exit)}`);
      for (const line of (service?.stderr() ?? '').split('\n'))
        if (line !== '' && !line.includes('"type":"QueueFull"'))
          faults.push(`the service complains: ${line.slice(0, 1000)}`);
    },
    rebuild: async (): Promise<void> => {
      const { code, stderr } = await run(['rebuild'], env, { bare: true });
      if (code !== 0) faults.push(`rebuild ended with ${code}: ${stderr}`);
    },

    ask: (wish: Wish, keyed: boolean): Asked => {
      const n = all.length + 1;
      const asked: Asked = {
        ...wish,
        n,
        key: keyed && wish.method === 'POST' ? `key-${n}` : undefined,
        tries: 0,
        state: 'sent',
        sentAt: 0,
        answeredAt: Infinity,
        status: 0,
        answer: {},
        frozen: undefined,
      };
      all.push(asked);
      return asked;
    },
    /** Sends a request, for the first time or, under its key, again. */
    send: async (asked: Asked): Promise<void> => {
      asked.tries += 1;
      if (asked.tries === 1) asked.sentAt = clock += 1;
      asked.state = 'sent';
      try {
        const { status, answer } = await fetchJson(`op-${asked.n}`, asked.path, {
          method: asked.method,
          headers: {
            ...(asked.media ? { 'Content-Type': asked.media } : {}),
            ...(asked.key === undefined ? {} : { 'Idempotency-Key': asked.key }),
          },
          ...(asked.body === undefined ? {} : { body: asked.body }),
        });
        asked.answeredAt = clock += 1;
        asked.status = status;
        asked.answer = answer as Answer;
        asked.state = status < 300 ? 'acknowledged' : 'refused';
      } catch (error) {
        asked.state = 'unknown';
        if (!down) faults.push(`request ${asked.n} (${asked.kind}) got no answer: ${reasonOf(error)}`);
      }
    },
    /** The same request under the same key once more: it must get its first answer. */
    sendAgain: async (asked: Asked): Promise<void> => {
      const first = { status: asked.status, answer: asked.answer };
      try {
        const again = await fetchJson(`op-${asked.n}`, asked.path, {
          method: asked.method,
          headers: {
            ...(asked.media ? { 'Content-Type': asked.media } : {}),
            'Idempotency-Key': asked.key ?? '',
          },
          ...(asked.body === undefined ? {} : { body: asked.body }),
        });
        if (!isDeepStrictEqual(again, first))
          faults.push(`request ${asked.n} (${asked.kind}) was answered in another way when it was repeated`);
      } catch {
        if (!down) faults.push(`request ${asked.n} got no answer when it was repeated`);
      }
    },
    /** A read; undefined when the service goes away meanwhile. */
    get: async <Body>(path: string): Promise<Body | undefined> => {
      try {
        const { status, answer } = await fetchJson('reader', path);
        if (status === 200) return answer as Body;
        faults.push(`GET ${path} answers ${status}`);
      } catch (error) {
        if (!down) faults.push(`GET ${path} fails: ${reasonOf(error)}`);
      }
      return undefined;
    },
    /** Looks until `look` says yes. */
    until: async (what: string, look: () => boolean): Promise<boolean> => {
      for (const since = performance.now(); performance.now() - since < patienceMs; await sleep(4))
        if (look()) return true;
      faults.push(`${what} did not come in ${patienceMs} ms`);
      return false;
    },
  };
};
type World = ReturnType<typeof world>;

// --- what must hold -------------------------------------------------------------------------------------------

/** Acknowledged requests are there, refused ones not, unknown ones whole or not in effect; in the order of real time. */
const demandRequests = ({ all, ledger, logFile, note }: World): void => {
  ledger.readOn(logFile);
  for (const asked of all) {
    const events = ledger.eventsOf(asked.n);
    for (const fault of judge(asked, events)) note(fault);
    const repeatable = asked.state === 'unknown' && asked.key !== undefined;
    if (asked.state !== 'sent' && !repeatable) asked.frozen ??= events.length;
  }
  const placed = all.flatMap(asked => {
    const [first, last] = [ledger.eventsOf(asked.n)[0], ledger.eventsOf(asked.n).at(-1)];
    return first && last ? [{ asked, first: Number(first.position), last: Number(last.position) }] : [];
  });
  let latest: Asked | undefined;
  for (const { asked } of placed.sort((a, b) => a.last - b.last)) {
    if (latest && asked.answeredAt < latest.sentAt)
      note(`request ${asked.n} was answered before ${latest.n} was sent, and stands behind it in the log`);
    if (!latest || asked.sentAt > latest.sentAt) latest = asked;
  }
};

/** All that was asked for gets done without anybody's help. */
const demandQuiet = ({ ledger, logFile, until }: World): Promise<boolean> =>
  until('the end of all analyses and checks', () => {
    ledger.readOn(logFile);
    return ledger.undone().length === 0;
  });

type SourceAnswer = {
  readonly id: number;
  readonly analysis: { readonly status: string };
  readonly modelsVersion: number;
  readonly counts: Readonly<Record<'referenceDays' | 'recentDays' | 'models' | 'unprocessedAlerts', number>>;
};
type DayAnswer = Day & {
  readonly kind: string;
  readonly importId: string;
  readonly filled: readonly unknown[];
  readonly check: { readonly outcome: string; readonly modelsVersion: number } | null;
};

/** What the service answers is what the log says, for every source; to be called when all is quiet. */
const demandAnswers = async ({ ledger, get, note, until }: World): Promise<void> => {
  // The log is ahead of the read models by as little as the time that it takes to read it.
  let position = -1;
  await until('read models of all events', () => {
    void get<{ readonly readModels: { readonly position: string } }>('/health').then(health => {
      position = Number(health?.readModels.position);
    });
    return position >= ledger.position();
  });
  const { sources = [] } = (await get<{ sources: SourceAnswer[] }>('/v1/source/list')) ?? {};
  const created = [...ledger.sources.values()].filter(source => source.created);
  if (
    sources.map(({ id }) => id).join() !==
    created
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join()
  )
    note(`the sources are ${sources.map(({ id }) => id).join()}`);
  for (const answer of sources) {
    const source = ledger.sources.get(answer.id);
    if (source)
      for (const fault of await sourceFaults(source, answer, get)) note(`source ${source.id}: ${fault}`);
  }
};

const sourceFaults = async (
  source: SourceView,
  answer: SourceAnswer,
  get: World['get'],
): Promise<string[]> => {
  const faults: string[] = [];
  const demand = (holds: boolean, what: string): void => {
    if (!holds) faults.push(what);
  };
  const alerts: { id: string; date: string; state: string }[] = [];
  for (let cursor = ''; ;) {
    type Page = { readonly alerts: typeof alerts; readonly nextCursor?: string };
    const page = await get<Page>(
      `/v1/alert/list?sourceId=${source.id}&limit=500${cursor && `&cursor=${cursor}`}`,
    );
    alerts.push(...(page?.alerts ?? []));
    if (page?.nextCursor === undefined) break;
    cursor = page.nextCursor;
  }
  const stateOf = (list: Iterable<readonly [string, { readonly state: string }]>) =>
    [...list].map(([id, { state }]) => `${id} ${state}`).sort();
  demand(
    isDeepStrictEqual(stateOf(source.alerts), stateOf(alerts.map(alert => [alert.id, alert]))),
    'the alerts are not those of the log',
  );

  const { models = [] } = (await get<{ models: SourceView['models'] }>(`/v1/model/list/${source.id}`)) ?? {};
  demand(
    isDeepStrictEqual(
      models.map(({ id, name }) => `${id} ${name}`),
      source.models.map(({ id, name }) => `${id} ${name}`),
    ),
    'the models are not those of the log',
  );
  const dates = [source.reference, source.days, source.overrides].flatMap(of => [...of.keys()]);
  const years = new Set(dates.map(date => date.slice(0, 4)));
  const days: DayAnswer[] = [];
  const manual: string[] = [];
  for (const year of years) {
    days.push(...((await get<{ days: DayAnswer[] }>(`/v1/day/list/${source.id}/${year}`))?.days ?? []));
    type Plans = {
      readonly days: { readonly date: string; readonly modelId: number; readonly origin: string }[];
    };
    for (const plan of (await get<Plans>(`/v1/planning/list/${source.id}/${year}`))?.days ?? [])
      if (plan.origin === 'manual') manual.push(`${plan.date} ${plan.modelId}`);
  }
  demand(
    manual.sort().join() ===
      [...source.overrides]
        .map(([date, id]) => `${date} ${id}`)
        .sort()
        .join(),
    'the overrides are not those of the log',
  );
  const { counts } = answer;
  const unprocessed = [...source.alerts.values()].filter(isUnprocessed);
  demand(answer.analysis.status === 'completed', `the analysis is ${answer.analysis.status}`);
  demand(answer.modelsVersion === source.modelsVersion, 'the version of the models is another');
  demand(
    isDeepStrictEqual(counts, {
      referenceDays: source.reference.size,
      recentDays: source.days.size,
      models: source.models.length,
      unprocessedAlerts: unprocessed.length,
    }),
    `the counts are ${JSON.stringify(counts)}`,
  );
  demand(days.length === source.reference.size + source.days.size, `${days.length} days`);
  demand(
    new Set(unprocessed.map(({ date }) => date)).size === unprocessed.length,
    'two unprocessed alerts of a date',
  );
  for (const { date, activity, gaps, filled, kind, importId, check } of days) {
    const expected = (kind === 'reference' ? source.reference : source.days).get(date);
    const there = { importId, day: { date, activity, gaps } };
    demand(
      isDeepStrictEqual(there, expected),
      `${date} is ${JSON.stringify(there)} not ${JSON.stringify(expected)}`,
    );
    if (kind === 'reference') continue;
    demand(check?.modelsVersion === source.modelsVersion, `${date} was checked as ${JSON.stringify(check)}`);
    if (check?.outcome !== 'abnormal' && check?.outcome !== 'gap') continue;
    const digest = createHash('sha256')
      .update(JSON.stringify([activity, gaps, filled]))
      .digest('hex')
      .slice(0, 32);
    const told = [...source.alerts.values()].some(
      alert =>
        alert.date === date &&
        (isUnprocessed(alert) || (alert.state === 'resolved' && alert.digest === digest)),
    );
    demand(told, `${date} is ${check.outcome} and nobody is told`);
  }
  return faults.slice(0, 5);
};

/** The file is sound, as SQLite sees it, and has no hole. */
const demandSoundFile = ({ logFile, note }: World): void =>
  withDatabase(logFile, db => {
    const verdict = db.pragma('integrity_check', { simple: true });
    if (verdict !== 'ok') note(`integrity_check: ${String(verdict)}`);
    const holes = db
      .prepare(
        'select stream from events group by stream having count(*) != max(revision) + 1 or min(revision) != 0',
      )
      .all();
    if (holes.length > 0) note(`holes in the revisions of ${JSON.stringify(holes)}`);
    const same = db.prepare('select count(*) - count(distinct id) from events').pluck().get();
    if (same !== 0) note(`${String(same)} ids are there more than once`);
  });

/** A service that is quiet, stopped in good order, has the read models that a rebuild makes. Leaves it stopped. */
const demandRebuilt = async (place: World): Promise<void> => {
  await demandQuiet(place);
  await demandAnswers(place);
  await place.end('SIGTERM');
  const before = dumpOf(place.readFile);
  await place.rebuild();
  for (const difference of differences(before, dumpOf(place.readFile)))
    place.note(`rebuilt otherwise: ${difference}`);
};

/** After a rebuild the reactor begins at the log's first event; resolves when it has come to the last. */
const demandSeenAgain = async ({ ledger, readFile, until }: World): Promise<boolean> =>
  until('the reactor at the end of the log', () => {
    const at = withDatabase(readFile, db =>
      db.prepare(`select position from checkpoints where name = 'reactor'`).pluck().get(),
    );
    return Number(at ?? 0) >= ledger.lastDue();
  });

// --- load -----------------------------------------------------------------------------------------------------

type Known = { readonly id: number; readonly size: number };

const recentFrom = dayNumber('2025-01-01');
const recentSpan = 90;
const bigFrom = '2001-01-01';
const sourcesMax = 14;

const creation = (n: number, size: number, csv: boolean, random: Chance): Wish => {
  const days = makeDays(n, '2024-01-01', referenceDays, size, random, ['normal']);
  const name = `source ${n}`;
  const about = { name, activitySize: size, interpolationMethod: 'zero' };
  return csv
    ? {
        kind: 'create',
        method: 'POST',
        path: `/v1/import-csv/create-source?name=${encodeURIComponent(name)}&activitySize=${size}&interpolationMethod=zero`,
        media: 'text/csv',
        body: csvOf(days),
        days,
        size,
        about,
      }
    : {
        kind: 'create',
        method: 'POST',
        path: '/v1/import/create-source',
        media: 'application/json',
        body: JSON.stringify({ name, referenceYear: 2024, days: jsonOf(days) }),
        days,
        size,
        about,
      };
};

const importation = (source: Known, days: readonly Day[], csv: boolean): Wish => ({
  kind: 'import',
  method: 'POST',
  path: csv ? `/v1/import-csv/${source.id}/days` : '/v1/import/days',
  media: csv ? 'text/csv' : 'application/json',
  body: csv ? csvOf(days) : JSON.stringify({ sourceId: source.id, days: jsonOf(days) }),
  days,
});

/** Imports whose last day or line is wrong: nothing of them may be seen. */
const badImportation = (source: Known, days: readonly Day[], csv: boolean): Wish => {
  const { days: _, ...wish } = importation(source, days, csv);
  const body = csv
    ? `${wish.body}"2025-12-31T00:00:00";"1.5"\n`
    : JSON.stringify({
        sourceId: source.id,
        days: [...jsonOf(days), { date: '2025-12-31', activity: [1, 2, 3] }],
      });
  return { ...wish, kind: 'bad', body };
};

const reset = (source: Known, random: Chance): Wish => ({
  kind: 'reset',
  method: 'POST',
  path: `/v1/model/reset/${source.id}/${1 + random.below(3)}`,
});

const replacement = (n: number, source: Known, random: Chance): Wish => ({
  kind: 'replace',
  method: 'POST',
  path: `/v1/model/bulk-replace/${source.id}`,
  media: 'application/json',
  body: JSON.stringify({ models: makeModels(n, source.size, random) }),
});

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} (${String(error.cause)})` : String(error);

const nextNumber = ({ all }: World): number => all.length + 1;

/** The sources that somebody was told of; the big one, which takes long, is the first. */
const knownSources = ({ all }: World): readonly Known[] =>
  all.flatMap(({ kind, state, answer, size = 0 }) =>
    kind === 'create' && state === 'acknowledged' && answer.source ? [{ id: answer.source.id, size }] : [],
  );

/** Something that a client may want, or undefined when it finds nothing to want. */
const wishFor = async (place: World, random: Chance): Promise<Wish | undefined> => {
  const [, ...small] = knownSources(place);
  const csv = random.happens(0.4);
  const roll = random.below(100);
  if (small.length === 0 || (roll < 4 && small.length < sourcesMax))
    return creation(nextNumber(place), random.one([8, 24]), csv, random);
  const source = random.one(small);
  const daysOf = (n: number): readonly Day[] => {
    const count = random.happens(0.15) ? 32 + random.below(58) : 1 + random.below(10);
    const from = dateOf(recentFrom + random.below(recentSpan - count + 1));
    const gaps = csv ? (['gap'] as const) : [];
    return makeDays(n, from, count, source.size, random, ['normal', 'normal', 'normal', 'spike', ...gaps]);
  };
  if (roll < 42) return importation(source, daysOf(nextNumber(place)), csv);
  if (roll < 47) return badImportation(source, daysOf(nextNumber(place)), csv);
  if (roll < 55) return reset(source, random);
  if (roll < 61) return replacement(nextNumber(place), source, random);
  if (roll < 77) {
    const date = dateOf(recentFrom + random.below(20));
    const path = `/v1/planning/${source.id}/${date}`;
    if (roll >= 71) return { kind: 'clear', method: 'DELETE', path, about: { date } };
    const { models = [] } =
      (await place.get<{ models: { id: number }[] }>(`/v1/model/list/${source.id}`)) ?? {};
    if (models.length === 0) return undefined;
    const modelId = random.one(models).id;
    const body = JSON.stringify({ modelId });
    return { kind: 'plan', method: 'PUT', path, media: 'application/json', body, about: { date, modelId } };
  }
  const raised = place.all.slice(-200).flatMap(({ answer }) => answer.alerts?.raised ?? []);
  if (raised.length === 0) return undefined;
  const alertId = random.one(raised.slice(-12)).id;
  const kind = random.one(['acknowledge', 'resolve', 'resolve', 'reopen'] as const);
  const path = `/v1/alert/${alertId}/${kind}`;
  if (kind !== 'resolve') return { kind, method: 'POST', path, about: { alertId } };
  const verdict = random.one(['anomaly', 'expected', 'notAnomaly', 'newPattern']);
  const body = JSON.stringify({ verdict, comment: null });
  return { kind, method: 'POST', path, media: 'application/json', body, about: { alertId, verdict } };
};

/** One client: asks and asks until it is told to stop or nobody answers any more. */
const client = async (place: World, random: Chance, stopped: () => boolean): Promise<void> => {
  while (!stopped() && !place.isDown()) {
    if (random.happens(0.04)) {
      const keyed = place.all.filter(({ key, state }) => key !== undefined && state === 'acknowledged');
      const one = keyed[Math.max(0, keyed.length - 1 - random.below(40))];
      if (one) await place.sendAgain(one);
    }
    const wish = await wishFor(place, random);
    if (wish && !stopped() && !place.isDown()) await place.send(place.ask(wish, random.happens(0.5)));
    else await sleep(1);
  }
};

/** Requests with a key that were cut off. */
const cutOff = ({ all }: World): readonly Asked[] =>
  all.filter(({ key, state }) => key !== undefined && state === 'unknown');

// --- kills ----------------------------------------------------------------------------------------------------

/** When the service is killed: after a while of load, while it starts, or as something is seen in its log. */
type Mode = 'time' | 'startup' | 'parts' | 'analysis' | 'check';
const modes: readonly Mode[] = ['time', 'startup', 'time', 'parts', 'analysis', 'time', 'check'];

/** Something big for a kill to hit; undefined where the clients' load is enough. */
const provocation = (place: World, mode: Mode, random: Chance): Wish | undefined => {
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

/** Resolves when the log shows a request at the point where its mode wants to see it, or when it is answered. */
const signOf = async ({ ledger, logFile, until }: World, mode: Mode, asked: Asked): Promise<boolean> =>
  until(`the sign of ${mode}`, () => {
    ledger.readOn(logFile);
    if (asked.state !== 'sent') return true;
    if (mode === 'check') return ledger.underWay().checks.length > 0;
    const types = ledger.eventsOf(asked.n).map(({ type }) => type);
    return mode === 'parts'
      ? types.length > 0
      : types.includes('SourceCreated') || types.includes('ModelsResetRequested');
  });

const runRounds = async (t: Test, place: World): Promise<void> => {
  const { ledger, all } = place;
  /** What kills have left under way. */
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
    // As it was before this start, whose reactor is at work already.
    ledger.readOn(place.logFile, at);
    const { imports, sources, analyses, checks } = ledger.underWay();
    for (const id of imports) left.imports.add(id);
    for (const id of sources) left.sources.add(id);
    for (const id of analyses) left.analyses.add(id);
    for (const id of checks) left.checks.add(id);
    demandRequests(place);
  };

  await up();
  const first = chance(seed, 0);
  for (const size of [4, 8, 24])
    await place.send(place.ask(creation(nextNumber(place), size, false, first), false));
  const [big] = knownSources(place);
  if (!big) throw new Error('the first source cannot be made');
  const many = makeDays(nextNumber(place), bigFrom, 2000, big.size, first, ['normal']);
  await place.send(place.ask(importation(big, many, false), false));
  await place.end('SIGKILL');
  t.same(place.faults(), [], 'the first sources are made');

  for (let round = 1; round <= kills; round += 1) {
    const random = chance(seed, round);
    const inOrder = round % 15 === 10;
    const mode = inOrder ? 'analysis' : (modes[round % modes.length] ?? 'time');
    const story: string[] = [];

    if (mode === 'startup') {
      if (random.happens(0.5)) {
        story.push('without read models');
        for (const suffix of ['', '-wal', '-shm']) rmSync(place.readFile + suffix, { force: true });
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
        await demandQuiet(place);
        await demandAnswers(place);
      }
      if (round % 20 === 0) {
        story.push('rebuilt');
        done.rebuilds += 1;
        await demandRebuilt(place);
        await up();
        await demandSeenAgain(place);
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
      // A creation is answered before its analysis, which a stop in good order leaves for the next start.
      const wish = inOrder
        ? creation(nextNumber(place), 24, false, random)
        : provocation(place, mode, random);
      if (wish) {
        const asked = place.ask(wish, random.happens(0.5));
        load.push(place.send(asked));
        await signOf(place, mode, asked);
      }
      const ms = random.below(mode === 'time' ? 400 : 20);
      await sleep(ms);
      story.push(`killed ${ms} ms after ${mode === 'time' ? 'load began' : `the sign of ${mode}`}`);
      if (inOrder) {
        // In good order this once: whatever has come in is answered, so what is not answered has not come in.
        stopped = true;
        const underWay = all.filter(({ state }) => state === 'sent');
        await place.end('SIGTERM');
        await Promise.all(load);
        await up();
        const answered = underWay.filter(({ state }) => state !== 'unknown').length;
        story.push(
          `after a stop in good order, which ${answered} of ${underWay.length} requests under way saw out`,
        );
        for (const { n, kind, state, tries } of underWay)
          if (state === 'unknown' && tries === 1 && ledger.eventsOf(n).length > 0)
            place.note(
              `request ${n} (${kind}) was taken and not answered by a service that stopped in good order`,
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
  demandRequests(place);
  const unanswered = all.filter(({ key, state }) => key !== undefined && state === 'unknown');
  t.same(unanswered, [], 'every request with a key is answered in the end');
  await demandRebuilt(place);
  demandSoundFile(place);
  t.same(place.faults(), [], 'stopped in good order, the read models are what a rebuild makes');

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
    `just rebuilt, it takes requests at once, or puts them off (${news.status})`,
  );
  await demandRebuilt(place);
  t.same(place.faults(), [], 'and goes on as if nothing had happened');

  const before = ledger.position();
  await up();
  await demandSeenAgain(place);
  await place.end('SIGTERM');
  demandRequests(place);
  t.same(place.faults(), [], 'the reactor sees the whole log again');
  t.equal(ledger.position(), before, 'what is done is not done again then');

  const count = (state: Asked['state']) => all.filter(asked => asked.state === state).length;
  t.comment(
    `${kills} kills, ${starts.count} starts of ${(starts.ms / starts.count).toFixed()} ms, ${before} events, ` +
      `${ledger.sources.size} sources; requests: ${count('acknowledged')} acknowledged, ${count('refused')} refused, ` +
      `${all.filter(({ answer }) => answer.code === 'queueFull').length} of them put off, ` +
      `${count('unknown')} never answered, ${done.repeats} repeated under their key; left under way by kills: ` +
      `${left.imports.size} imports, ${left.sources.size} sources, ${left.analyses.size} analyses, ` +
      `${left.checks.size} checks; ${done.comparisons} comparisons, ${done.rebuilds} rebuilds`,
  );
  for (const what of ['imports', 'analyses', 'checks'] as const)
    t.ok(left[what].size > 0 || kills < 50, `kills came in the midst of ${what}`);
  t.ok(done.repeats > 0 || kills < 50, 'and of requests with a key');
};

t.setTimeout(600_000);

t.test('killed at random', { timeout: 500_000 }, async t => {
  t.comment(`CRASH_SEED=${seed} CRASH_KILLS=${kills}`);
  await runRounds(t, world(process.env['CRASH_DIR'] ?? t.testdir()));
});

t.test('a repeated request whose answer was lost', { timeout: 60_000 }, async t => {
  const dataDir = t.testdir();
  const place = world(dataDir);
  const { ledger, logFile } = place;
  const random = chance(seed);
  await place.up(place.launch());
  const ask = async (wish: Wish): Promise<Asked> => {
    const asked = place.ask(wish, true);
    await place.send(asked);
    return asked;
  };

  const created = await ask(creation(nextNumber(place), 24, true, random));
  const [source] = knownSources(place);
  if (!source) throw new Error(`the source cannot be made: ${JSON.stringify(created.answer)}`);
  await demandQuiet(place);
  const asked = [created, await ask(reset(source, random))];
  asked.push(await ask(replacement(nextNumber(place), source, random)));
  const days = makeDays(nextNumber(place), '2025-01-01', 40, 24, random, ['spike']);
  const imported = await ask(importation(source, days, false));
  const alertId = imported.answer.alerts?.raised[0]?.id ?? '';
  const move = (kind: 'acknowledge' | 'reopen'): Wish => ({
    kind,
    method: 'POST',
    path: `/v1/alert/${alertId}/${kind}`,
  });
  const resolve: Wish = {
    kind: 'resolve',
    method: 'POST',
    path: `/v1/alert/${alertId}/resolve`,
    media: 'application/json',
    body: JSON.stringify({ verdict: 'expected', comment: null }),
  };
  // Each move is possible again when it is repeated, and must not be made again all the same.
  asked.push(imported);
  for (const wish of [move('acknowledge'), resolve, move('reopen')]) asked.push(await ask(wish));
  demandRequests(place);
  t.same(place.faults(), [], 'all is done once');
  await demandQuiet(place);
  const before = ledger.position();

  // As a kill leaves it between the last append and the answer.
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
      `${one.kind} is answered again, ${one.status} ${one.answer.code ?? ''}`,
    );
  }
  ledger.readOn(logFile);
  t.equal(ledger.position(), before, 'and nothing is done again');
  await place.end('SIGTERM');
  t.same(place.faults(), []);
});
