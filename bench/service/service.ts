import { createReadStream, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { request, Agent } from 'node:http';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { randomUUID as newId } from 'node:crypto';
import { dayOf } from './inputs.js';
import { eventually } from '../../test/helpers/service.js';
import { launchService, tokenFor } from '../../test/helpers/process.js';

export const secret = 'a secret of this benchmark only!!';

/** A service in its own process, on an empty folder or a given one. */
export type BenchService = Awaited<ReturnType<typeof startService>>;

type Source = { readonly id: number; readonly analysis: { readonly status: string } };

/** Peak memory of a process in megabytes; NaN when the system does not report it. */
const peakMemoryOf = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
  } catch {
    return NaN;
  }
};

/** Seconds of processor time of the process so far; NaN when the system does not report it. */
export const cpuSeconds = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return NaN;
  }
};

/** A number with so many digits, or a dash for a skipped measurement. */
export const shown = (value: number, digits = 3): string =>
  Number.isNaN(value)
    ? '–'
    : value >= 1000
      ? Math.round(value).toLocaleString('en')
      : value.toPrecision(digits);

/**
 * Starts a service with its data in a new folder in `root`, or in `folder`.
 * @param main that of another build
 * @param env  more settings
 */
export const startService = async (
  root: string,
  {
    folder = mkdtempSync(join(root, 'data-')),
    main,
    env = {},
  }: {
    readonly folder?: string;
    readonly main?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
) => {
  const begun = performance.now();
  const settings = { DATA_DIR: folder, JWT_SECRET: secret, LOG_LEVEL: 'warn', ...env };
  const launched = launchService(settings, main === undefined ? {} : { main });
  const address = await launched.ready;
  const startSeconds = (performance.now() - begun) / 1000;
  const agent = new Agent({ keepAlive: true });
  const token = tokenFor(secret, 'bench');

  /** Sends a file or a JSON text; returns status and text. */
  const send = async (path: string, body: { readonly file: string; readonly type: string } | object) => {
    const isFile = 'file' in body;
    const text = isFile ? undefined : JSON.stringify(body);
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': isFile ? body.type : 'application/json',
      'Content-Length': isFile ? statSync(body.file).size : Buffer.byteLength(text ?? ''),
    };
    const sent = request(address + path, { method: 'POST', agent, headers });
    if (isFile) createReadStream(body.file, { highWaterMark: 262_144 }).pipe(sent);
    else sent.end(text);
    const [answer] = (await once(sent, 'response')) as [
      NodeJS.ReadableStream & { readonly statusCode: number },
    ];
    let received = '';
    for await (const chunk of answer) received += String(chunk);
    return { status: answer.statusCode, text: received };
  };
  /** Sends and requires success. */
  const post = async <Body>(path: string, body: Parameters<typeof send>[1]): Promise<Body> => {
    const { status, text } = await send(path, body);
    if (status > 202) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as Body;
  };
  const get = async <Body>(path: string): Promise<Body> => {
    const answer = await fetch(address + path, { headers: { Authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
    return (await answer.json()) as Body;
  };

  return {
    folder,
    address,
    token,
    startSeconds,
    pid: launched.pid,
    stderr: launched.stderr,
    send,
    post,
    get,
    /** Waits until a source has its models. */
    analysed: (id: number) =>
      eventually('models', async () => {
        const { analysis } = await get<Source>(`/v1/source/${id}`);
        return analysis.status === 'completed' || undefined;
      }),
    /** Waits until the process manager has handled all events. */
    reactedToAll: (maxMs = 600_000) =>
      eventually(
        'the process manager',
        async () => {
          const { reactor } = await get<{ reactor: { backlog: number } }>('/health');
          return reactor.backlog === 0 || undefined;
        },
        maxMs,
      ),
    megabytes: () => peakMemoryOf(launched.pid),
    /** Runs a task while another client reads: the seconds, and the 99th percentile and maximum of its reads in ms. */
    whileReading: async (work: () => Promise<unknown>) => {
      const reader = new Worker(new URL('./reader.js', import.meta.url), { workerData: { address, token } });
      await once(reader, 'online');
      const since = performance.now();
      await work();
      const seconds = (performance.now() - since) / 1000;
      reader.postMessage('enough');
      const [times] = (await once(reader, 'message')) as [number[]];
      times.sort((a, b) => a - b);
      const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? NaN;
      return { seconds, p99: at(0.99), most: at(1) };
    },
    stop: async () => {
      agent.destroy();
      await launched.end('SIGTERM');
    },
  };
};

/** Creates a source; retries while the service has no capacity. */
export const createSource = async (service: BenchService, body: object): Promise<void> => {
  for (;;) {
    const { status, text } = await service.send('/v1/import/create-source', body);
    if (status === 201) return;
    if (status !== 503) throw new Error(`${status} ${text.slice(0, 300)}`);
    await new Promise(resolve => setTimeout(resolve, 250));
  }
};

type Created = { readonly source: { readonly id: number } };
/** Creates a source with models, from 60 days of 144 values. */
export const newSource = async (service: BenchService): Promise<number> => {
  const body = {
    name: `Gate ${newId()}`,
    referenceYear: 2023,
    days: Array.from({ length: 60 }, (_, index) => dayOf(index)),
  };
  const { source } = await service.post<Created>('/v1/import/create-source', body);
  await service.analysed(source.id);
  return source.id;
};
