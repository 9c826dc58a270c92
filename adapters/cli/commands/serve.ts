import { pino } from 'pino';
import { start } from '../../main.js';
import { readSettings } from '../../settings/settings.js';
import { similarSettings } from '../../settings/similarSettings.js';
import { signInLink } from '../terminal/signInLink.js';
import { expectNoArguments } from '../terminal/arguments.js';
import type { Command } from '../terminal/command.js';
import { stopSignals } from '../terminal/stopSignals.js';

/** How long running requests may take to finish after SIGTERM. */
const stopTimeoutMs = 30_000;

export const serve: Command = {
  usage: `usage: daybook serve

Prints the steps of its start and its address on standard output, and logs as JSON lines on standard
error. With a secret for tokens, and unless NODE_ENV is "production", it also prints a link that signs in
to the screens for 12 hours. Settings come from the environment: see docs/configuration.md. After SIGTERM
or SIGINT running requests may finish. A second signal ends the process at once.
`,
  run: async (args, env) => {
    expectNoArguments(args);
    const settings = readSettings(env);
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
    const mayPrintLink = settings.tokens.key.kind === 'secret' && env['NODE_ENV'] !== 'production';
    const link = mayPrintLink ? `Open ${await signInLink(running.address, settings.tokens)}\n` : '';
    process.stdout.write(`Daybook listens on ${running.address}\n${link}`);
    await signals.stop();
    log.info('stopping');
    setTimeout(() => fatal(new Error('running requests did not finish in time')), stopTimeoutMs).unref();
    await running.stop();
    log.info('stopped');
    return 0;
  },
};
