import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';

/** What the demo reads of the service's answers; they hold more. */
export type Import = {
  readonly lines: number;
  readonly days: number;
  readonly missingSamples: number;
  readonly filledSamples: number;
  readonly duplicates: number;
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
};
export type Source = {
  readonly id: number;
  readonly name: string;
  readonly referenceYear: number;
  readonly activitySize: number;
  readonly analysis: {
    readonly status: string;
    readonly code?: string | null;
    readonly detail?: string | null;
  };
};
export type Model = {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly anomaly: boolean;
  readonly activity: readonly number[];
  readonly days: number;
};
export type PlannedDay = {
  readonly date: string;
  readonly modelId: number | null;
  readonly origin: string;
  readonly reason: string;
};
export type Alert = {
  readonly id: string;
  readonly date: string;
  readonly kind: string;
  readonly state: string;
  readonly direction: string | null;
  readonly criticity: number;
  /** Slices `from` inclusive to `to` exclusive. */
  readonly slices: readonly { readonly from: number; readonly to: number }[];
  readonly plannedModelId: number | null;
  readonly closestModelId: number | null;
  readonly betterModelId: number | null;
};
/** `completeness` is the observed share of the day, 0–1. */
export type RecentDay = { readonly date: string; readonly status: string; readonly completeness: number };

/** One fault named in a problem answer. */
export type Fault = {
  readonly code?: string;
  readonly detail?: string;
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly value?: string;
};

/** The service said no (RFC 9457): `status` is that of HTTP. */
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

/** A file cannot be read. */
export class Unreadable extends Error {
  readonly name = 'Unreadable';
}

/** The service did not come to an end of what it was to do. */
export class Unfinished extends Error {
  readonly name = 'Unfinished';
}

/** Told with every piece of a file that is sent: bytes of the file read so far. */
export type Progress = (bytes: number) => void;

/** The calls of one service that the demo makes. */
export type Client = {
  readonly createSource: (
    name: string,
    path: string,
    progress: Progress,
  ) => Promise<{ readonly source: Source; readonly import: Import }>;
  /** Waits until the models are there. `waiting` is told how long it has waited, in milliseconds. */
  readonly analysed: (sourceId: number, waiting: (ms: number) => void) => Promise<Source>;
  readonly models: (sourceId: number) => Promise<readonly Model[]>;
  /** Answers when all the days are checked. */
  readonly importDays: (
    sourceId: number,
    path: string,
    progress: Progress,
  ) => Promise<{ readonly import: Import; readonly days: readonly RecentDay[] }>;
  readonly planning: (sourceId: number, year: number) => Promise<readonly PlannedDay[]>;
  readonly alerts: (sourceId: number) => Promise<readonly Alert[]>;
};

/** Longest wait for an analysis or a check, and the pause between two questions after it at most. */
const longestWaitMs = 15 * 60_000;
const pollMs = 250;

/** Alerts in one page. */
const pageMax = 500;

/**
 * A client of the service at `address` (`http://host:port`).
 * Its calls throw `Refused`, `Unreadable`, `Unfinished`, or what fetch throws when nobody answers.
 */
export const clientOf = (address: string, token: string, signal: AbortSignal): Client => {
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const response = await fetch(`${address}${path}`, { ...init, headers, signal });
    if (!response.ok) throw await refusalOf(response);
    return response;
  };
  // The shapes are the service's own (see /openapi.json): what it answers is trusted here.
  const read = async <Answer>(path: string): Promise<Answer> => (await (await call(path)).json()) as Answer;

  const send = async (path: string, file: string, progress: Progress): Promise<Response> => {
    const sending = readCsv(file, progress);
    try {
      return await call(path, {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        body: sending.chunks,
        duplex: 'half',
      });
    } catch (error) {
      // A file that ends in the middle looks like a failed connection to fetch.
      throw sending.fault() ?? error;
    }
  };

  return {
    createSource: async (name, path, progress) => {
      const query = new URLSearchParams({ name });
      const response = await send(`/v1/import-csv/create-source?${query}`, path, progress);
      return (await response.json()) as { source: Source; import: Import };
    },

    analysed: async (sourceId, waiting) => {
      const started = performance.now();
      for (let pauseMs = 10; ; pauseMs = Math.min(pollMs, pauseMs * 1.5)) {
        const source = await read<Source>(`/v1/source/${sourceId}`);
        if (source.analysis.status === 'completed') return source;
        if (source.analysis.status === 'failed')
          throw new Unfinished(
            `the analysis failed: ${source.analysis.detail ?? source.analysis.code ?? 'no reason was given'}`,
          );
        const waitedMs = performance.now() - started;
        if (waitedMs > longestWaitMs)
          throw new Unfinished(`the analysis has not ended after ${longestWaitMs / 60_000} minutes`);
        waiting(waitedMs);
        await sleep(pauseMs, undefined, { signal });
      }
    },

    models: async sourceId => (await read<{ models: readonly Model[] }>(`/v1/model/list/${sourceId}`)).models,

    importDays: async (sourceId, path, progress) => {
      const response = await send(`/v1/import-csv/${sourceId}/days`, path, progress);
      const location = response.headers.get('location');
      let answer = (await response.json()) as { import: Import; days: readonly RecentDay[] };
      // 202: stored, and the check goes on. The import tells how far it is.
      const pending = () => response.status === 202 && answer.days.some(({ status }) => status === 'pending');
      const started = performance.now();
      while (pending() && location !== null) {
        if (performance.now() - started > longestWaitMs)
          throw new Unfinished(`the check has not ended after ${longestWaitMs / 60_000} minutes`);
        await sleep(pollMs, undefined, { signal });
        answer = await read<typeof answer>(location);
      }
      return answer;
    },

    planning: async (sourceId, year) =>
      (await read<{ days: readonly PlannedDay[] }>(`/v1/planning/list/${sourceId}/${year}`)).days,

    alerts: async sourceId => {
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
    },
  };
};

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

/** A CSV file piece by piece, `.gz` unpacked on the way; `fault` says afterwards why it could not be read. */
const readCsv = (path: string, progress: Progress) => {
  let fault: Unreadable | undefined;
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    const file = createReadStream(path, { highWaterMark: 256 * 1024 });
    let bytes = 0;
    file.on('data', chunk => progress((bytes += chunk.length)));
    // pipeline gives the file's fault to its reader; the callback has nothing to add.
    const content = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file;
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
