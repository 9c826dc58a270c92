import { availableParallelism } from 'node:os';
import type {
  AnalysisJob,
  AnalysisResult,
  AnalysisResults,
  Order,
  ThreadMessage,
  ThreadData,
} from '../analysis/worker.js';
import { madeJob, QueueFull, type Analyst, type Job } from '../application/ports/analyst.js';
import { Worker } from 'node:worker_threads';

/** A worker thread that does one job at a time. */
type AnalysisThread = {
  /**
   * Runs a job; the thread must be ready and idle.
   * @param stop  flag that the thread reads between steps: 1 stops the job, which then fails
   * @throws RangeError when the days cannot be analysed, or the error that ended the thread
   */
  readonly run: (job: AnalysisJob, stop: Int32Array) => Promise<AnalysisResult>;
  /** Ends the thread; resolves when it has ended. A thread that is loading ends after it has loaded. */
  readonly end: () => Promise<void>;
};

type ThreadEvents = {
  readonly ready: () => void;
  /** Called when the thread ended by itself, with the error. Its job has failed with the same error. */
  readonly died: (error: unknown) => void;
};

const entry = new URL('../analysis/worker.js', import.meta.url);

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
const startThread = ({ ready, died }: ThreadEvents): AnalysisThread => {
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

/** Number of threads: one a core except that of the main thread, at least 2 and at most 16. */
export const threadsMax = Math.min(16, Math.max(2, availableParallelism() - 1));

/** Maximum waiting jobs. The process manager submits one per source at a time, so this bounds sources. */
const queueMax = 256;

type QueuedJob = {
  readonly job: AnalysisJob;
  readonly stop: Int32Array;
  readonly resolve: (result: AnalysisResult) => void;
  readonly reject: (error: unknown) => void;
  /** Rejects the job, whether it is waiting or running. */
  readonly abort: () => void;
};

/** An analyst whose threads are in this process. */
export type ThreadedAnalyst = Analyst & {
  /**
   * Starts a thread, if there is none, and lets it learn from made-up days: the first analysis of a process takes
   * about a third of the time then. It gives way to a job. Called once.
   */
  readonly practise: () => void;
};

/**
 * An `Analyst` with worker threads that start when first needed.
 * @param fault  called when threads cannot be started
 */
export const analyst = (fault: (error: unknown) => void): ThreadedAnalyst => {
  const threads = new Set<AnalysisThread>();
  const idle: AnalysisThread[] = [];
  const queue: QueuedJob[] = [];
  const running = new Set<QueuedJob>();
  let closed = false;
  /** Practice that waits for its thread or runs; null when it has ended or given way. */
  let practice: QueuedJob | null = null;

  const start = (): void => {
    let isReady = false;
    const thread = startThread({
      ready: () => {
        isReady = true;
        idle.push(thread);
        next();
      },
      died: error => {
        threads.delete(thread);
        if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
        // Without a job the next one starts a thread.
        const isPractice = practice !== null && queue.length === 0;
        if (isReady || isPractice) {
          practice = null;
          return next();
        }
        // A thread that cannot load would fail again.
        for (const { reject } of queue.splice(0)) reject(error);
        fault(error);
      },
    });
    threads.add(thread);
  };

  const work = async (thread: AnalysisThread, asked: QueuedJob): Promise<void> => {
    running.add(asked);
    try {
      asked.resolve(await thread.run(asked.job, asked.stop));
    } catch (error) {
      asked.reject(error);
    }
    running.delete(asked);
    if (asked === practice) practice = null;
    if (threads.has(thread)) idle.push(thread);
    next();
  };

  /** Assigns the longest waiting jobs to idle threads. */
  const next = (): void => {
    while (!closed && queue.length > 0) {
      const thread = idle.pop();
      if (!thread) break;
      void work(thread, queue.shift()!);
    }
    if (practice && !running.has(practice)) {
      const thread = idle.pop();
      if (thread) void work(thread, practice);
    }
    // A thread that practises gives way soon.
    const busy = running.size - (practice && running.has(practice) ? 1 : 0);
    const loading = threads.size - idle.length - busy;
    if (!closed && queue.length > loading && threads.size < threadsMax) start();
  };

  /** Stops a running practice, and drops a waiting one. */
  const endPractice = (): void => {
    if (!practice) return;
    Atomics.store(practice.stop, 0, 1);
    if (!running.has(practice)) practice = null;
  };

  const enqueue = (job: AnalysisJob, signal: AbortSignal | undefined): Promise<AnalysisResult> =>
    new Promise((resolve, reject) => {
      endPractice();
      const stop = stopFlag();
      const abort = (): void => {
        Atomics.store(stop, 0, 1);
        if (queue.includes(asked)) queue.splice(queue.indexOf(asked), 1);
        reject(ended());
      };
      const asked: QueuedJob = { job, stop, resolve, reject, abort };
      signal?.addEventListener('abort', abort, { once: true });
      queue.push(asked);
      next();
    });

  return {
    run: async <Made extends AnalysisJob>(job: Job<Made>, signal?: AbortSignal) => {
      if (closed || signal?.aborted) throw ended();
      if (queue.length >= queueMax) throw new QueueFull('too many analyses are waiting; retry later');
      // The worker answers each kind of job with its own result; the type of a thread cannot express that.
      return (await enqueue(madeJob(job), signal)) as AnalysisResults[Made['kind']];
    },
    waiting: () => queue.length,
    practise: () => {
      if (closed || threads.size > 0) return;
      const ended = (): void => {};
      practice = { job: { kind: 'practice' }, stop: stopFlag(), resolve: ended, reject: ended, abort: ended };
      start();
    },
    close: async () => {
      closed = true;
      endPractice();
      for (const { abort } of [...queue, ...running]) abort();
      await Promise.all([...threads].map(({ end }) => end()));
    },
  };
};

const stopFlag = (): Int32Array => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

const ended = (): DOMException => new DOMException('the analysis was cancelled', 'AbortError');
