// Worker thread of the benchmark: an instance on a log. It builds read models in a folder, or only reads the log for
// null, and returns the number of events.
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { openLog, openReadModels } from '../adapters/composition/openLog.js';
import { replay } from '../application/reading/replay.js';
import type { LogAddress } from '../adapters/settings/logAddress.js';

const store = await openLog(workerData as LogAddress);
const fault = (error: unknown): void =>
  void setImmediate(() => {
    throw error;
  });

const read = async (): Promise<number> => {
  let count = 0;
  for await (const _ of store.all(0n)) count += 1;
  return count;
};

const rebuild = async (folder: string): Promise<number> => {
  const { models, close } = openReadModels(join(folder, 'read-models.sqlite'));
  const { count } = await replay(models, store.all(0n), { tree: false });
  close();
  return count;
};

parentPort?.on('message', (folder: string | null) => {
  (folder === null ? read() : rebuild(folder)).then(count => parentPort?.postMessage(count), fault);
});
parentPort?.postMessage('ready');
