const signals = ['SIGTERM', 'SIGINT'] as const;

type Listener = (signal: NodeJS.Signals, number: number) => void;

/** The parts of a process that receive signals and end it. */
type SignalledProcess = {
  readonly on: (signal: NodeJS.Signals, listener: Listener) => unknown;
  readonly exit: (code: number) => void;
};

/**
 * Listens to SIGTERM and SIGINT until the end of a process: a signal that comes while one listener replaces another is
 * lost. Until `stop` is called they end the process with exit code 128 + number of the signal; without a listener the
 * first process of a container ignores both.
 */
export const stopSignals = (own: SignalledProcess) => {
  let resolveStop: (() => void) | undefined;
  let stopping = false;
  const receive: Listener = (_signal, number) => {
    if (!resolveStop) return own.exit(128 + number);
    if (stopping) return own.exit(3);
    stopping = true;
    resolveStop();
  };
  for (const signal of signals) own.on(signal, receive);
  return {
    /** Resolves at the first signal from now on. The second one ends the process at once, with exit code 3. */
    stop: (): Promise<void> => new Promise(resolve => (resolveStop = resolve)),
  };
};
