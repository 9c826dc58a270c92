// Measures the series whose names it is sent, one after the other.
import { parentPort, workerData } from 'node:worker_threads';
import { measure, type Measured, type Options } from './measure.js';

/** What a thread answers: what it measured, or why it could not. */
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
