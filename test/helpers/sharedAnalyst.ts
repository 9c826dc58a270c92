import { analyst, type ThreadedAnalyst } from '../../adapters/analyst.js';

let threads: ThreadedAnalyst | undefined;

/**
 * An analyst on the threads of this process, which all services of its tests share: the first analysis of a thread takes
 * several times the processor time of the next one. Closing it cancels its own jobs.
 */
export const sharedAnalyst = (): ThreadedAnalyst => {
  const shared = (threads ??= analyst(
    error =>
      void setImmediate(() => {
        throw error;
      }),
  ));
  const own = new AbortController();
  return {
    waiting: shared.waiting,
    run: (job, signal, ...rest) =>
      shared.run(job, AbortSignal.any([own.signal, ...(signal ? [signal] : [])]), ...rest),
    practise: () => {},
    close: async () => own.abort(),
  };
};
