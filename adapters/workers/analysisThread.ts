import { Worker } from 'node:worker_threads';
import type { AnalysisJob, AnalysisResult, Order, Report, ThreadData } from '../../analysis/worker.js';

/** A worker thread that does one job at a time. */
export type AnalysisThread = {
  /**
   * Runs a job; the thread must be ready and without one.
   * @param stop  a flag that the thread looks at between steps: 1 stops the job, which then fails
   * @throws RangeError when the days cannot be analysed, or the error that ended the thread
   */
  readonly run: (job: AnalysisJob, stop: Int32Array) => Promise<AnalysisResult>;
  /** Tells the thread to end; resolves when it has ended. A thread that loads ends when it has loaded. */
  readonly end: () => Promise<void>;
};

export type ThreadEvents = {
  readonly ready: () => void;
  /** The thread has ended by itself; `error` says why. A job that it had has failed with it. */
  readonly died: (error: unknown) => void;
};

const entry = new URL('../../analysis/worker.js', import.meta.url);

/** How long an end of the process waits for threads that load. */
const loadMsMax = 10_000;
/** How long a thread that was told to end may take; one that has loaded can be ended. */
const endMsMax = 5000;

/** Flags of the threads that are loading their modules. */
const loading = new Set<Int32Array>();

// Ending a thread while V8 links its modules ends the process with SIGABRT, whatever its exit code was to be.
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
  let failure: unknown = new Error('a thread for analyses ended');

  loading.add(loaded);
  const hasLoaded = new Promise<void>(resolve => {
    thread.once('message', resolve);
    thread.once('exit', resolve);
  });
  void hasLoaded.then(() => loading.delete(loaded));
  const hasEnded = new Promise<void>(resolve => void thread.once('exit', () => resolve()));

  thread.on('message', (said: Report) => {
    // A thread that has nothing to do does not keep the process alive.
    if (!ending) thread.unref();
    if (said === 'ready') return ready();
    const done = job;
    job = undefined;
    if ('error' in said) done?.reject(said.error);
    else done?.resolve(said.result);
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
