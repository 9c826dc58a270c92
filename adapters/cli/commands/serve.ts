import { pino } from 'pino';
import { start } from '../../main.js';
import { readSettings } from '../../settings/settings.js';
import { similarSettings } from '../../settings/similarSettings.js';
import { signInLine } from './token.js';
import { dataDirOption, envWith, type Command, parsedArguments } from '../terminal/arguments.js';

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

/** How long running requests may take to finish after SIGTERM. */
const stopTimeoutMs = 30_000;

export const serve: Command = {
  usage: `usage: daybook serve [--port <port>] [--data-dir <folder>]

Prints the steps of its start and its address on standard output, and logs as JSON
lines on standard error. With a secret for tokens it also prints, on a terminal and
unless NODE_ENV is "production", a link that signs in to the screens for 12 hours;
elsewhere the command that prints a token. After SIGTERM or SIGINT running requests may finish. A second
signal ends the process at once.

  --port      in place of the setting PORT; 0 takes any free port
  --data-dir  in place of the setting DATA_DIR

All other settings come from the environment: see docs/configuration.md.

Exit codes: 0 stopped by a signal; 2 wrong usage or settings; 3 the store, the data folder or the address cannot
be used, or the service had to stop.
`,
  run: async (args, env) => {
    const options = { ...dataDirOption, port: { type: 'string' } } as const;
    const { values } = parsedArguments({ args: [...args], options });
    const settings = readSettings(envWith(env, values));
    const stderr = pino.destination({ dest: 2, sync: true });
    // A full disk must not end the service because its log cannot be written.
    stderr.on('error', () => {});
    const log = pino({ level: settings.logLevel, base: null }, stderr);
    for (const hint of similarSettings(env)) log.warn(hint);
    const fatal = (error: unknown): never => {
      log.fatal({ err: error }, 'Daybook stops after a fatal error; all acknowledged data is stored');
      process.exit(3);
    };
    const step = (done: string) => process.stdout.write(`${done}\n`);
    const signals = stopSignals(process);
    const running = await start(settings, log, fatal, step);
    if (running.metricsAddress) log.info(`metrics on ${running.metricsAddress}/metrics`);
    const line = await signInLine(running.address, settings, {
      isTTY: process.stdout.isTTY,
      isProduction: env['NODE_ENV'] === 'production',
    });
    process.stdout.write(`Daybook listens on ${running.address}\n${line}`);
    await signals.stop();
    log.info('stopping');
    setTimeout(() => fatal(new Error('running requests did not finish in time')), stopTimeoutMs).unref();
    await running.stop();
    log.info('stopped');
    return 0;
  },
};
