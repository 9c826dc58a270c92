import type * as api from '../../../client/index.js';
import { daybookClient, type UploadSource } from '../../../client/index.js';
import { openContent, Unreadable } from '../terminal/inputFiles.js';

/** Summary of an import. */
export type Import = Pick<
  api.ImportSummary,
  'lines' | 'days' | 'missingSamples' | 'filledSamples' | 'duplicates' | 'warnings'
>;

/** A source and the state of its analysis. */
type Source = Pick<api.Source, 'id' | 'name' | 'referenceYear' | 'activitySize' | 'analysis' | 'timeZone'>;

/** A typical day; `activity` has one value a slice. */
export type Model = Pick<api.Model, 'id' | 'name' | 'color' | 'anomaly' | 'activity' | 'days'>;

/** The planned model of a date, with the reason in words. */
export type PlannedDay = Pick<api.Plan, 'date' | 'modelId' | 'origin' | 'reason'>;

/** An alert of one day; its slices are `from` inclusive to `to` exclusive. */
export type Alert = Pick<
  api.Alert,
  | 'id'
  | 'date'
  | 'kind'
  | 'state'
  | 'direction'
  | 'criticity'
  | 'plannedModelId'
  | 'closestModelId'
  | 'betterModelId'
> & { readonly slices: readonly { readonly from: number; readonly to: number }[] };

/** An imported day; `completeness` is the observed share of it, 0–1. */
export type RecentDay = Pick<api.Import['days'][number], 'date' | 'status' | 'completeness'>;

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

/** Parameters of the API: how files are written, and those of the creation alone. */
export type FileParameters = Readonly<Record<'form' | 'creation', Readonly<Record<string, string>>>>;

/** The service that a client talks to. */
type Service = { readonly address: string; readonly token: string };

/**
 * A client of the service at `address` (`http://host:port`). Its requests reject with `ProblemError`,
 * `UnfinishedError` or `Unreadable`.
 */
export const clientOf = (
  { address, token }: Service,
  { form, creation }: FileParameters,
  signal: AbortSignal,
): Client => {
  const service = daybookClient({ url: address, token });
  return {
    createSource: (name, path, progress) =>
      service.upload('/v1/import-csv/create-source', {
        file: csvFile(path, progress),
        params: { query: { name, ...form, ...creation } },
        signal,
      }),
    analysed: (sourceId, onWait) => service.analysed(sourceId, { signal, onWait }),
    models: async sourceId =>
      (await service.get('/v1/model/list/{source_id}', { params: { path: { source_id: sourceId } }, signal }))
        .models,
    importDays: async (sourceId, path, progress) => {
      const imported = await service.upload('/v1/import-csv/{source_id}/days', {
        file: csvFile(path, progress),
        params: { path: { source_id: sourceId }, query: form },
        signal,
      });
      return service.checked(imported, { signal });
    },
    planning: async (sourceId, year) =>
      (
        await service.get('/v1/planning/list/{source_id}/{year}', {
          params: { path: { source_id: sourceId, year } },
          signal,
        })
      ).days,
    alerts: async sourceId => {
      const alerts: Alert[] = [];
      for await (const alert of service.list.alerts({ sourceId }, { signal })) alerts.push(alert);
      return alerts;
    },
  };
};

/** Largest chunk read from a file. */
const chunkBytes = 256 * 1024;

/** A CSV file in chunks, unpacked if it is a `.gz`. `progress` gets the bytes read from disk. @throws Unreadable */
const csvFile = (path: string, progress: SentBytes): UploadSource =>
  async function* () {
    const { file, content } = openContent(path, { highWaterMark: chunkBytes });
    let bytes = 0;
    file.on('data', chunk => progress((bytes += chunk.length)));
    try {
      for await (const chunk of content) yield chunk as Uint8Array;
    } catch (error) {
      throw new Unreadable(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
    } finally {
      file.destroy();
    }
  };
