import { availableParallelism } from 'node:os';
import { startThread, type AnalysisThread } from './analysisThread.js';
import type { AnalysisJob, AnalysisResult, AnalysisResults } from '../../analysis/worker.js';
import { madeJob, QueueFull, type Analyst, type Job } from '../../application/analyst.js';

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

/**
 * An `Analyst` with worker threads that start when first needed.
 * @param fault  called when threads cannot be started
 */
export const analyst = (fault: (error: unknown) => void): Analyst => {
  const threads = new Set<AnalysisThread>();
  const idle: AnalysisThread[] = [];
  const queue: QueuedJob[] = [];
  const running = new Set<QueuedJob>();
  let closed = false;

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
        if (isReady) return next();
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
    const loading = threads.size - idle.length - running.size;
    if (!closed && queue.length > loading && threads.size < threadsMax) start();
  };

  const enqueue = (job: AnalysisJob, signal: AbortSignal | undefined): Promise<AnalysisResult> =>
    new Promise((resolve, reject) => {
      const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
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
      if (queue.length >= queueMax) throw new QueueFull(`${queueMax} analyses are waiting; retry later`);
      // The worker answers each kind of job with its own result; the type of a thread cannot express that.
      return (await enqueue(madeJob(job), signal)) as AnalysisResults[Made['kind']];
    },
    waiting: () => queue.length,
    close: async () => {
      closed = true;
      for (const { abort } of [...queue, ...running]) abort();
      await Promise.all([...threads].map(({ end }) => end()));
    },
  };
};

const ended = (): DOMException => new DOMException('the analysis was cancelled', 'AbortError');
