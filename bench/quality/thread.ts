// Worker thread: measures the series whose names it receives, one after the other.
import { parentPort, workerData } from 'node:worker_threads';
import { measure, type Measured, type Options } from './measure.js';

/** Answer of a thread: the measurements of a series, or the error. */
export type Answer = { readonly measured: Measured } | { readonly fault: string };

const { folder, options } = workerData as { readonly folder: string; readonly options: Options };

parentPort?.on('message', (name: string) => {
  let answer: Answer;
  try {
    answer = { measured: measure(folder, name, options) };
  } catch (error) {
    answer = { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort?.postMessage(answer);
});
