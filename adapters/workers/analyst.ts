import { startThread, type AnalysisThread } from './analysisThread.js';
import type { AnalysisJob, AnalysisResult, AnalysisResults } from '../../analysis/worker.js';
import { QueueFull, type Analyst } from '../../application/analyst.js';

/** Threads: an analysis is pure computation, and the main thread wants a core of its own. */
export const threadsMax = 2;

/** Jobs that may wait. The reactor hands over one a source at a time, so this bounds sources, not events. */
const queueMax = 256;

type Asked = {
  readonly job: AnalysisJob;
  readonly stop: Int32Array;
  readonly resolve: (result: AnalysisResult) => void;
  readonly reject: (error: unknown) => void;
  /** Rejects the job, whether it waits or runs. */
  readonly abort: () => void;
};

/**
 * An `Analyst` whose threads are started when first needed and kept.
 * @param fault  called when threads cannot be started at all
 */
export const analyst = (fault: (error: unknown) => void): Analyst => {
  const threads = new Set<AnalysisThread>();
  const idle: AnalysisThread[] = [];
  const queue: Asked[] = [];
  const running = new Set<Asked>();
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
        // A thread that cannot load will not load the next time either.
        for (const { reject } of queue.splice(0)) reject(error);
        fault(error);
      },
    });
    threads.add(thread);
  };

  const work = async (thread: AnalysisThread, asked: Asked): Promise<void> => {
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

  /** Gives threads that have nothing to do the jobs that wait longest. */
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
      const asked: Asked = { job, stop, resolve, reject, abort };
      signal?.addEventListener('abort', abort, { once: true });
      queue.push(asked);
      next();
    });

  return {
    run: async <Job extends AnalysisJob>(job: Job, signal?: AbortSignal) => {
      if (closed || signal?.aborted) throw ended();
      if (queue.length >= queueMax) throw new QueueFull(`${queueMax} analyses wait already`);
      // The worker answers each kind of job with its own result, which the thread's one type cannot say.
      return (await enqueue(job, signal)) as AnalysisResults[Job['kind']];
    },
    waiting: () => queue.length,
    close: async () => {
      closed = true;
      for (const { abort } of [...queue, ...running]) abort();
      await Promise.all([...threads].map(({ end }) => end()));
    },
  };
};

const ended = (): DOMException => new DOMException('the analysis was ended', 'AbortError');
