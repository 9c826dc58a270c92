import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { start, type Running } from '../../main.js';
import { readSettings, type Settings } from '../../settings/settings.js';
import { similarSettings } from '../../settings/values.js';
import { outputOf, signInLine, type Output } from './token.js';
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

/** Time after the start of the service, in which unfinished analyses begin. */
const practiseAfterMs = 2000;

/**
 * The code of a first sign-in, as a line for standard output. Output elsewhere than on a terminal is often collected as
 * a log, so that line names a file that only its owner can read; it is deleted when the code is no longer valid.
 */
const firstStartLine = async (
  { openFirstStart }: Running,
  { dataDir }: Pick<Settings, 'dataDir'>,
  { isTTY, isProduction }: Output,
  log: Logger,
): Promise<string> => {
  const file = join(dataDir, 'first-code');
  try {
    // A crash leaves the file of an earlier start.
    rmSync(file, { force: true });
    const first = await openFirstStart();
    if (!first) return '';
    const { code, validMinutes, onEnd } = first;
    if (isTTY && !isProduction)
      return `Or sign in on the page for the first time, within ${validMinutes} minutes, with the code ${code}\n`;
    writeFileSync(file, `${code}\n`, { mode: 0o600, flag: 'wx' });
    onEnd(() => {
      try {
        rmSync(file, { force: true });
      } catch (error) {
        log.warn({ err: error, file }, 'the file of an expired code cannot be deleted');
      }
    });
    return `First sign-in: for ${validMinutes} minutes the page takes the code in ${file}\n`;
  } catch (error) {
    log.warn({ err: error }, 'the code of a first sign-in cannot be written');
    return '';
  }
};

/** How long running requests may take to finish after SIGTERM. */
const stopTimeoutMs = 30_000;

export const serve: Command = {
  usage: `usage: daybook serve [--port <port>] [--data-dir <folder>]

Prints the steps of its start and its address on standard output, and logs as JSON
lines on standard error. With a secret for tokens it also prints, on a terminal and
unless NODE_ENV is "production", a link that signs in to the screens for 12 hours;
elsewhere the command that prints a token. A service that was never used also shows a
code for the first sign-in on its page: on a terminal, elsewhere in a file of DATA_DIR. After SIGTERM or SIGINT running requests may finish. A second
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
    const running = await start(settings, log, fatal, { step });
    if (running.metricsAddress) step(`Metrics on ${running.metricsAddress}/metrics`);
    const output = { ...outputOf(process.stdout, env), dataDir: values['data-dir'] };
    const line = await signInLine(running.address, settings, output);
    const first = await firstStartLine(running, settings, output, log);
    process.stdout.write(`Daybook listens on ${running.address}\n${line}${first}`);
    setTimeout(running.practise, practiseAfterMs).unref();
    await signals.stop();
    log.info('stopping');
    setTimeout(() => fatal(new Error('running requests did not finish in time')), stopTimeoutMs).unref();
    await running.stop();
    log.info('stopped');
    return 0;
  },
};
