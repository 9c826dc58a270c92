import { connect } from 'node:net';
import { join } from 'node:path';
import { Database } from '../../adapters/sqlite/driver.js';
import { pino } from 'pino';
import type { Test } from 'tap';
import { mintToken, scopes } from '../../adapters/http/middleware/tokens.js';
import type { FirstCode } from '../../adapters/http/routes/firstStart.js';
import { start, type Running } from '../../adapters/main.js';
import type { ScrubPace } from '../../application/reading/scrubber.js';
import type { NameSources } from '../../adapters/network/nameResolver.js';
import { readSettings, type Settings } from '../../adapters/settings/settings.js';
import type { LogAddress } from '../../adapters/settings/logAddress.js';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import type { Recorded } from '../../domain/events.js';
import { undescribedProblem } from './documents/apiDescription.js';
import { newAddress } from './eventStoreDb/eventStoreDb.js';
import { longestMs, outcomeMs } from './waits.js';
import { syncLog, type SyncLog } from './logs/syncLog.js';
import { sharedAnalyst } from './sharedAnalyst.js';

/** Parts of a request; at most one of `json`, `csv` and `body`. */
export type Sent = {
  /** null: no token; default: the token of the client. */
  readonly token?: string | null;
  readonly json?: unknown;
  readonly csv?: string | Buffer;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A response; `body` is its JSON, or else its text. */
export type Received<Body = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  readonly text: string;
};

/** Sends one request: `call('POST', '/v1/…', { json })`. */
export type Call = <Body = unknown>(method: string, path: string, sent?: Sent) => Promise<Received<Body>>;

/** The service in this process, with a free port and a data folder of the test. */
export type TestService = {
  readonly settings: Settings;
  readonly address: () => string;
  /** Address of the metrics, with METRICS_PORT. */
  readonly metricsAddress: () => string;
  /** Sends a request; default: a token with all scopes for the tenant `default`. */
  readonly call: Call;
  readonly tokenFor: (claims: {
    readonly subject?: string;
    readonly tenant?: string;
    readonly scopes?: readonly string[];
  }) => Promise<string>;
  /** Events of the log after a position, read from its file. */
  readonly events: (after?: bigint) => readonly Recorded[];
  readonly eventCount: () => number;
  /** All logged lines, as JSON. */
  readonly logged: () => string;
  /** Path of the read models. */
  readonly readModelsFile: string;
  /** The code of a first start. */
  readonly firstCode: () => Promise<FirstCode | undefined>;
  readonly stop: () => Promise<void>;
  /** Stops the service and starts it again with the same folder. */
  readonly restart: () => Promise<void>;
};

/** Store of HTTP tests: TEST_STORE=eventstoredb selects a new log on that server. */
const testStore = (): NodeJS.ProcessEnv => {
  if (process.env['TEST_STORE'] !== 'eventstoredb') return {};
  const { url, prefix } = newAddress();
  return { EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: url, EVENTSTOREDB_PREFIX: prefix };
};

/** Reads the log while the service is running. */
const readingLog = (address: LogAddress): SyncLog & { readonly count: () => number } => {
  if (address.kind !== 'sqlite') {
    const log = syncLog(address);
    return { ...log, count: () => log.eventsAfter(0n).length };
  }
  const file = new Database(address.file, { readonly: true });
  const count = file.prepare<[], number>('select count(*) from events').pluck();
  const rows = file
    .prepare<[bigint], Recorded & { readonly data: string; readonly metadata: string }>(
      'select * from events where position > ? order by position',
    )
    .safeIntegers();
  return {
    eventsAfter: after =>
      rows.all(after).map(row => ({
        ...row,
        revision: Number(row.revision),
        v: Number(row.v),
        data: JSON.parse(row.data) as unknown,
        metadata: JSON.parse(row.metadata) as Recorded['metadata'],
      })),
    count: () => count.get() ?? 0,
    close: async () => void file.close(),
  };
};

/** A test whose folder is `name` in another folder: an instance of several in one test has a data folder of its own. */
export const partOf = (t: Test, name: string, root = t.testdirName): Test =>
  ({ testdir: () => join(root, name), teardown: t.teardown.bind(t) }) as unknown as Test;

/** Data folders of running services. */
const served = new Set<string>();

/**
 * Starts the service; it ends with the test. A failure of the projection runner ends the process.
 * @param scrub  when read models are compared with the log
 * @param names  files and servers that know names; those of the system by default
 */
export const startService = async (
  t: Test,
  env: NodeJS.ProcessEnv = {},
  names?: NameSources,
  scrub?: ScrubPace,
): Promise<TestService> => {
  const ends: (() => Promise<void>)[] = [];
  // Registered before testdir(): tap would else remove the folder before the service has stopped.
  t.teardown(async () => {
    for (const end of ends) await end();
  });
  const settings = {
    // A given folder may be in the folder of the test, which another testdir() would empty.
    ...readSettings({ DATA_DIR: env['DATA_DIR'] ?? t.testdir(), PORT: '0', ...testStore(), ...env }),
    ...(names && { names }),
    ...(scrub && { scrub }),
    outcomeMs,
  };
  const { dataDir } = settings;
  // The second testdir() of a test has emptied the folder of a running service, which notices it a second later.
  if (served.has(dataDir)) throw new Error(`${dataDir} has a running service: partOf gives a folder to each`);
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const fault = (error: unknown): void =>
    void setImmediate(() => {
      throw error;
    });
  let running: Running | undefined;
  const begin = async (): Promise<void> => {
    running = await start(settings, logger, fault, { given: sharedAnalyst() });
    served.add(dataDir);
  };
  await begin();
  const stop = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    await ending?.stop();
    served.delete(dataDir);
  };
  const address = (): string => {
    if (!running) throw new Error('the service is stopped');
    return running.address;
  };

  const log = readingLog(settings.log);
  ends.push(stop, () => log.close());
  const tokenFor: TestService['tokenFor'] = ({
    subject = 'tester',
    tenant = 'default',
    scopes: allowed = scopes,
  }) => mintToken(settings.tokens, { subject, tenant, scopes: allowed }, 3600);
  const ownToken = settings.tokens.key.kind === 'secret' ? await tokenFor({}) : null;

  return {
    settings,
    address,
    metricsAddress: () => running?.metricsAddress ?? '',
    call: async <Body>(method: string, path: string, sent: Sent = {}): Promise<Received<Body>> => {
      const { token = ownToken, json, csv, body: raw, headers = {} } = sent;
      const body = json !== undefined ? JSON.stringify(json) : (csv ?? raw);
      const media = json !== undefined ? 'application/json' : csv !== undefined ? 'text/csv' : undefined;
      const answer = await fetch(`${address()}${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(media === undefined ? {} : { 'Content-Type': media }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      });
      // An event stream does not end: return the head only.
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const text = isStream ? '' : await answer.text();
      if (isStream) await answer.body?.cancel();
      const undescribed = undescribedProblem(method, path, answer, text);
      if (undescribed !== undefined) throw new Error(undescribed);
      const isJson = /^application\/(problem\+)?json\b/.test(answer.headers.get('content-type') ?? '');
      return {
        status: answer.status,
        headers: answer.headers,
        body: (isJson ? JSON.parse(text) : text) as Body,
        text,
      };
    },
    tokenFor,
    events: (after = 0n) => log.eventsAfter(after),
    eventCount: () => log.count(),
    logged: () => lines.join(''),
    readModelsFile: join(settings.dataDir, 'read-models.sqlite'),
    firstCode: async () => running?.openFirstStart(),
    stop,
    restart: async () => {
      await stop();
      await begin();
      await answers(address());
    },
  };
};

/** Waits for an answer: connections to the same port that the stopped service has closed fail one request each. */
const answers = async (address: string): Promise<void> => {
  for (;;) {
    const answer = await fetch(`${address}/health`).catch(() => undefined);
    await answer?.text();
    if (answer) return;
  }
};

/** Polls until `look` returns a value: every 10 ms at first, then less often, since a look may be a request. */
export const eventually = async <Value>(
  what: string,
  look: () => Promise<Value | undefined> | Value | undefined,
  timeoutMs = longestMs,
): Promise<Value> => {
  for (const begun = performance.now(); ;) {
    const value = await look();
    if (value !== undefined) return value;
    const waitedMs = performance.now() - begun;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await new Promise(resolve => setTimeout(resolve, Math.min(50, Math.max(10, waitedMs / 10))));
  }
};

/** Waits until the source has its models. */
export const analysed = (call: Call, sourceId: number): Promise<unknown> =>
  eventually(`the analysis of source ${sourceId}`, async () => {
    const { body } = await call<{ analysis: { status: string } }>('GET', `/v1/source/${sourceId}`);
    return body.analysis.status === 'completed' ? body : undefined;
  });

/** Waits until all requested work is done. */
export const idle = (call: Call): Promise<unknown> => {
  // The backlog can be 0 between a job and its follow-up; the work is done when the log no longer grows.
  let calm = 0;
  let last = '';
  return eventually('the process manager', async () => {
    const { body } = await call<{ reactor: { backlog: number }; readModels: { position: string } }>(
      'GET',
      '/health',
    );
    const { position } = body.readModels;
    calm = body.reactor.backlog === 0 && position === last ? calm + 1 : 0;
    last = position;
    return calm >= 3 ? body : undefined;
  });
};

/** Response on a connection whose client never ends its request. */
export type Streamed = {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** Bytes of the body sent when the first byte of the answer came. */
  readonly sentBytes: number;
  readonly answeredMs: number;
  /** Time from the answer to the end of the connection by the server, in ms. */
  readonly endedMs: number;
  /** Maximum growth of the memory of this process, which includes the server. */
  readonly grownBytes: number;
};

/**
 * Sends a body, also after the answer, until the server ends the connection.
 * @param headers e.g. `Content-Length: 5`; default: a chunked body
 */
export const streamed = (
  address: string,
  request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  },
  body: Iterable<Buffer>,
  timeoutMs = longestMs,
): Promise<Streamed> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    const chunked = request.headers['Content-Length'] === undefined;
    const parts = body[Symbol.iterator]();
    const started = performance.now();
    const rssBefore = process.memoryUsage.rss();
    const peakBefore = process.resourceUsage().maxRSS;
    let rssMost = rssBefore;
    let text = '';
    let sent = 0;
    let sentBytes = 0;
    let answeredMs = 0;
    let done = false;
    const timer = setTimeout(() => {
      reject(new Error(`after ${timeoutMs} ms and ${sent} bytes: ${text.slice(0, 200) || 'no answer'}`));
      finish();
    }, timeoutMs);
    const measure = (): void => {
      rssMost = Math.max(rssMost, process.memoryUsage.rss());
    };
    const meter = setInterval(measure, 10);
    const finish = (): void => {
      done = true;
      clearTimeout(timer);
      clearInterval(meter);
      socket.destroy();
    };
    const pump = (): void => {
      while (!done) {
        const next = parts.next();
        if (next.done === true) return;
        sent += next.value.length;
        if (chunked) socket.write(`${next.value.length.toString(16)}\r\n`);
        const roomLeft = socket.write(next.value);
        if (chunked) socket.write('\r\n');
        // After the answer the body continues at a low rate.
        if (text !== '') {
          setTimeout(pump, 20);
          return;
        }
        if (!roomLeft) {
          socket.once('drain', pump);
          return;
        }
      }
    };
    socket.on('connect', () => {
      const head = [
        `${request.method} ${request.path} HTTP/1.1`,
        'Host: test',
        ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
        ...(chunked ? ['Transfer-Encoding: chunked'] : []),
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      pump();
    });
    socket.on('data', (piece: Buffer) => {
      measure();
      if (text === '') {
        sentBytes = sent;
        answeredMs = performance.now() - started;
      }
      text += piece.toString();
    });
    // A connection that the server ends during a write is reset.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (done) return;
      finish();
      // The peak of the process includes memory that was freed between two samples.
      const peak = process.resourceUsage().maxRSS;
      if (peak > peakBefore) rssMost = Math.max(rssMost, peak * 1024);
      const [head = '', answer = ''] = text.split('\r\n\r\n');
      resolve({
        status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
        head,
        body: answer,
        sentBytes,
        answeredMs,
        endedMs: performance.now() - started - answeredMs,
        grownBytes: rssMost - rssBefore,
      });
    });
  });

/** Repeats a part without end. */
export const endless = function* (part: Buffer | string): Generator<Buffer> {
  const bytes = Buffer.from(part);
  for (;;) yield bytes;
};

/** A day of 24 values with the profile of a weekday or a weekend, and noise that depends only on the date. */
export const ordinaryDay = (
  date: string,
): { readonly date: string; readonly activity: readonly number[] } => {
  const number = dayNumber(date);
  const working = weekday(number) < 5;
  let state = (number * 2_654_435_761) >>> 0;
  const noise = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return {
    date,
    activity: Array.from({ length: 24 }, (_, hour) => {
      const shape = working ? (hour >= 8 && hour < 18 ? 100 : 20) : hour >= 10 && hour < 22 ? 50 : 30;
      return Math.round((shape + 8 * noise()) * 1000) / 1000;
    }),
  };
};

/** `count` ordinary days from a date. */
export const ordinaryDays = (first: string, count: number): ReturnType<typeof ordinaryDay>[] =>
  Array.from({ length: count }, (_, index) => ordinaryDay(dateOf(dayNumber(first) + index)));

/** Days of any length as CSV, one row per value. */
export const csvOf = (
  days: readonly { readonly date: string; readonly activity: readonly number[] }[],
  { header = true, newline = '\n', quote = '' } = {},
): string => {
  const rows = days.flatMap(({ date, activity }) =>
    activity.map((value, slice) => {
      const minutes = (slice * 1440) / activity.length;
      const time = [Math.floor(minutes / 60), minutes % 60, 0]
        .map(part => String(part).padStart(2, '0'))
        .join(':');
      return `${quote}${date}T${time}${quote};${quote}${String(value).replace('.', ',')}${quote}`;
    }),
  );
  return [...(header ? [`${quote}date${quote};${quote}value${quote}`] : []), ...rows, ''].join(newline);
};
