import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { start } from '../../main.js';
import { readSettings } from '../../settings.js';
import type { Command } from '../terminal/command.js';

/** How long requests under way may take to finish after SIGTERM. */
const stopTimeoutMs = 30_000;

export const serve: Command = {
  summary: 'runs the service until SIGTERM or SIGINT',
  usage: `usage: daybook serve

Prints its address on standard output and logs as JSON lines on standard error. Settings come from the
environment (see the README). SIGTERM and SIGINT let requests under way finish; a second one does not.
`,
  run: async (args, env) => {
    parseArgs({ args: [...args], options: {} });
    const settings = readSettings(env);
    const stderr = pino.destination({ dest: 2, sync: true });
    // A log that cannot be written, to a full disk say, must not end the service.
    stderr.on('error', () => {});
    const log = pino({ level: settings.logLevel, base: null }, stderr);
    const fatal = (error: unknown): never => {
      log.fatal({ err: error }, 'Daybook cannot go on; what was acknowledged is stored');
      process.exit(3);
    };
    const running = await start(settings, log, fatal);
    process.stdout.write(`Daybook listens on ${running.address}\n`);
    await stopSignal();
    log.info('stopping');
    setTimeout(() => fatal(new Error('requests under way did not finish in time')), stopTimeoutMs).unref();
    await running.stop();
    log.info('stopped');
    return 0;
  },
};

/** Resolves at the first SIGTERM or SIGINT; the second ends the process at once. */
const stopSignal = (): Promise<void> =>
  new Promise(resolve => {
    let stopping = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        if (stopping) process.exit(3);
        stopping = true;
        resolve();
      });
  });
