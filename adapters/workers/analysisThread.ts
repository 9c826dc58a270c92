import { Worker } from 'node:worker_threads';
import type { AnalysisJob, AnalysisResult, Order, ThreadMessage, ThreadData } from '../../analysis/worker.js';

/** A worker thread that does one job at a time. */
export type AnalysisThread = {
  /**
   * Runs a job; the thread must be ready and idle.
   * @param stop  flag that the thread reads between steps: 1 stops the job, which then fails
   * @throws RangeError when the days cannot be analysed, or the error that ended the thread
   */
  readonly run: (job: AnalysisJob, stop: Int32Array) => Promise<AnalysisResult>;
  /** Ends the thread; resolves when it has ended. A thread that is loading ends after it has loaded. */
  readonly end: () => Promise<void>;
};

export type ThreadEvents = {
  readonly ready: () => void;
  /** Called when the thread ended by itself, with the error. Its job has failed with the same error. */
  readonly died: (error: unknown) => void;
};

const entry = new URL('../../analysis/worker.js', import.meta.url);

/** Milliseconds that the end of the process waits for threads that are loading. */
const loadMsMax = 10_000;
/** Milliseconds that a thread has to end by itself; a loaded one can be terminated. */
const endMsMax = 5000;

/** Flags of the threads that are loading their modules. */
const loading = new Set<Int32Array>();

// Terminating a thread while V8 links its modules ends the process with SIGABRT, independent of the exit code.
process.on('exit', () => {
  for (const loaded of loading) Atomics.wait(loaded, 0, 0, loadMsMax);
});

/** Starts a thread; `events.ready` is called when its modules are loaded. */
export const startThread = ({ ready, died }: ThreadEvents): AnalysisThread => {
  const loaded = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: ThreadData = { loaded };
  const thread = new Worker(entry, { workerData: data });
  let job:
    | { readonly resolve: (result: AnalysisResult) => void; readonly reject: (error: unknown) => void }
    | undefined;
  let ending = false;
  let failure: unknown = new Error('an analysis thread ended');

  loading.add(loaded);
  const hasLoaded = new Promise<void>(resolve => {
    thread.once('message', resolve);
    thread.once('exit', resolve);
  });
  void hasLoaded.then(() => loading.delete(loaded));
  const hasEnded = new Promise<void>(resolve => void thread.once('exit', () => resolve()));

  thread.on('message', (message: ThreadMessage) => {
    // An idle thread does not keep the process alive.
    if (!ending) thread.unref();
    if (message === 'ready') return ready();
    const done = job;
    job = undefined;
    if ('error' in message) done?.reject(message.error);
    else done?.resolve(message.result);
  });
  thread.on('error', error => {
    failure = error;
    loading.delete(loaded);
  });
  thread.on('exit', () => {
    job?.reject(failure);
    if (!ending) died(failure);
  });

  return {
    run: (asked, stop) =>
      new Promise((resolve, reject) => {
        job = { resolve, reject };
        thread.ref();
        thread.postMessage({ job: asked, stop } satisfies Order);
      }),
    end: async () => {
      ending = true;
      thread.ref();
      thread.postMessage(null satisfies Order);
      await hasLoaded;
      const late = setTimeout(() => void thread.terminate(), endMsMax);
      await hasEnded;
      clearTimeout(late);
    },
  };
};
