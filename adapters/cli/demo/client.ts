import { setTimeout as sleep } from 'node:timers/promises';
import { openContent, Unreadable } from '../terminal/inputFile.js';
import type { Alert, Fault, Import, Model, PlannedDay, RecentDay, Source } from './answers.js';

/** The service refused a request (RFC 9457). `status` is the HTTP status. */
export class Refused extends Error {
  readonly name = 'Refused';
  readonly status: number;
  readonly faults: readonly Fault[];

  constructor(status: number, message: string, faults: readonly Fault[]) {
    super(message);
    this.status = status;
    this.faults = faults;
  }
}

/** The service did not finish its work. */
export class Unfinished extends Error {
  readonly name = 'Unfinished';
}

/** Called for every chunk of a file that is sent, with the number of bytes sent so far. */
export type SentBytes = (bytes: number) => void;

/** The requests that the demo makes. */
export type Client = {
  readonly createSource: (
    name: string,
    path: string,
    progress: SentBytes,
  ) => Promise<{ readonly source: Source; readonly import: Import }>;
  /** Waits until the models are learned. Calls `waiting` with the milliseconds since the start. */
  readonly analysed: (sourceId: number, waiting: (ms: number) => void) => Promise<Source>;
  readonly models: (sourceId: number) => Promise<readonly Model[]>;
  /** Resolves when all days are checked. */
  readonly importDays: (
    sourceId: number,
    path: string,
    progress: SentBytes,
  ) => Promise<{ readonly import: Import; readonly days: readonly RecentDay[] }>;
  readonly planning: (sourceId: number, year: number) => Promise<readonly PlannedDay[]>;
  readonly alerts: (sourceId: number) => Promise<readonly Alert[]>;
};

/** Longest wait for an analysis or a check. */
const longestWaitMs = 15 * 60_000;
/** Longest pause between two polls. */
const pollMs = 250;

/** Alerts in one page. */
const pageMax = 500;

type Read = <Answer>(path: string) => Promise<Answer>;

/** Waits until the analysis of a source has ended. @throws Unfinished */
const waitForAnalysis = async (
  read: Read,
  sourceId: number,
  waiting: (ms: number) => void,
  signal: AbortSignal,
): Promise<Source> => {
  const started = performance.now();
  for (let pauseMs = 10; ; pauseMs = Math.min(pollMs, pauseMs * 1.5)) {
    const source = await read<Source>(`/v1/source/${sourceId}`);
    const { status, detail, code } = source.analysis;
    if (status === 'completed') return source;
    if (status === 'failed')
      throw new Unfinished(`the analysis failed: ${detail ?? code ?? 'no reason was given'}`);
    const waitedMs = performance.now() - started;
    if (waitedMs > longestWaitMs)
      throw new Unfinished(`the analysis did not end within ${longestWaitMs / 60_000} minutes`);
    waiting(waitedMs);
    await sleep(pauseMs, undefined, { signal });
  }
};

type RecentImport = { readonly import: Import; readonly days: readonly RecentDay[] };

/** The answer of an import whose check has ended. @throws Unfinished */
const waitForCheck = async (read: Read, response: Response, signal: AbortSignal): Promise<RecentImport> => {
  const location = response.headers.get('location');
  let answer = (await response.json()) as RecentImport;
  // 202: the days are stored, and the check continues. Polling the import shows how far it is.
  const isPending = () => response.status === 202 && answer.days.some(({ status }) => status === 'pending');
  const started = performance.now();
  while (isPending() && location !== null) {
    if (performance.now() - started > longestWaitMs)
      throw new Unfinished(`the check did not end within ${longestWaitMs / 60_000} minutes`);
    await sleep(pollMs, undefined, { signal });
    answer = await read<RecentImport>(location);
  }
  return answer;
};

/** All pages of the list of alerts. */
const readAlerts = async (read: Read, sourceId: number): Promise<readonly Alert[]> => {
  const alerts: Alert[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ sourceId: String(sourceId), limit: String(pageMax) });
    if (cursor !== undefined) query.set('cursor', cursor);
    const page = await read<{ alerts: readonly Alert[]; nextCursor?: string | null }>(
      `/v1/alert/list?${query}`,
    );
    alerts.push(...page.alerts);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return alerts;
};

/**
 * A client of the service at `address` (`http://host:port`). Its requests reject with `Refused`, `Unreadable`,
 * `Unfinished`, or an error of fetch.
 */
export const clientOf = (address: string, token: string, signal: AbortSignal): Client => {
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const response = await fetch(`${address}${path}`, { ...init, headers, signal });
    if (!response.ok) throw await refusalOf(response);
    return response;
  };
  // Answers are not validated: their schemas are those of the service (/openapi.json).
  const read: Read = async <Answer>(path: string) => (await (await call(path)).json()) as Answer;
  const send = async (path: string, file: string, progress: SentBytes): Promise<Response> => {
    const { chunks, fault } = readCsv(file, progress);
    const headers = { 'content-type': 'text/csv' };
    try {
      return await call(path, { method: 'POST', headers, body: chunks, duplex: 'half' });
    } catch (error) {
      // fetch reports a file that breaks off as a broken connection.
      throw fault() ?? error;
    }
  };
  return {
    createSource: async (name, path, progress) => {
      const query = new URLSearchParams({ name });
      const response = await send(`/v1/import-csv/create-source?${query}`, path, progress);
      return (await response.json()) as { source: Source; import: Import };
    },
    analysed: (sourceId, waiting) => waitForAnalysis(read, sourceId, waiting, signal),
    models: async sourceId => (await read<{ models: readonly Model[] }>(`/v1/model/list/${sourceId}`)).models,
    importDays: async (sourceId, path, progress) =>
      waitForCheck(read, await send(`/v1/import-csv/${sourceId}/days`, path, progress), signal),
    planning: async (sourceId, year) =>
      (await read<{ days: readonly PlannedDay[] }>(`/v1/planning/list/${sourceId}/${year}`)).days,
    alerts: sourceId => readAlerts(read, sourceId),
  };
};

/** The error for a problem answer. */
const refusalOf = async (response: Response): Promise<Refused> => {
  const text = await response.text();
  try {
    const { title, detail, errors } = JSON.parse(text) as {
      title?: string;
      detail?: string;
      errors?: readonly Fault[];
    };
    return new Refused(response.status, detail ?? title ?? response.statusText, errors ?? []);
  } catch {
    return new Refused(response.status, response.statusText, []);
  }
};

/** Largest chunk read from a file. */
const chunkBytes = 256 * 1024;

/** A CSV file in chunks, unpacked if it is a `.gz`. `fault` returns the reason when it could not be read. */
const readCsv = (path: string, progress: SentBytes) => {
  let fault: Unreadable | undefined;
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    const { file, content } = openContent(path, { highWaterMark: chunkBytes });
    let bytes = 0;
    file.on('data', chunk => progress((bytes += chunk.length)));
    try {
      for await (const chunk of content) yield chunk as Uint8Array;
    } catch (error) {
      fault = new Unreadable(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
      throw fault;
    } finally {
      file.destroy();
    }
  };
  return { chunks: chunks(), fault: () => fault };
};
