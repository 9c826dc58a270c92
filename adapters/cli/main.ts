#!/usr/bin/env node
import { DataDirInUse } from '../sqlite/lock.js';
import { SettingsError } from '../settings.js';
import { StoreRefused, StoreUnavailable } from '../../application/eventStore.js';
import { UnusableLog } from '../sqlite/logSchema.js';
import type { Command } from './terminal/command.js';

/** Loaders of the commands. Only the called one is loaded: `serve` alone takes longer to load than `token` to run. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.js')).serve,
  token: async () => (await import('./commands/token.js')).token,
  rebuild: async () => (await import('./commands/rebuild.js')).rebuild,
  replay: async () => (await import('./commands/replay.js')).replay,
  'copy-log': async () => (await import('./commands/copyLog.js')).copyLog,
  export: async () => (await import('./commands/export.js')).exportLog,
  verify: async () => (await import('./commands/verify.js')).verify,
  'audit-report': async () => (await import('./commands/auditReport.js')).auditReport,
  checkpoint: async () => (await import('./commands/checkpoint.js')).checkpoint,
  'replay-parked': async () => (await import('./commands/replayParked.js')).replayParked,
  webhook: async () => (await import('./commands/webhook.js')).webhook,
  demo: async () => (await import('./commands/demo.js')).demo,
  tune: async () => (await import('./commands/tune.js')).tune,
};

const nameWidth = Math.max(...Object.keys(commands).map(name => name.length)) + 2;

const usage = async (): Promise<string> => {
  const lines: string[] = [];
  for (const [name, load] of Object.entries(commands))
    lines.push(`  ${name.padEnd(nameWidth)}${(await load()).summary}`);
  return `usage: daybook <command> [options]

${lines.join('\n')}

daybook <command> --help explains a command. Settings come from the environment: see the README.
Exit codes: 0 done, 1 a problem was found, 2 wrong usage, 3 undecided, or something needed is unavailable.
`;
};

const main = async ([name, ...args]: readonly string[]): Promise<number> => {
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(await usage());
    return 0;
  }
  const load = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    process.stderr.write(
      `${name === undefined ? '' : `got "${name}", expected a command\n\n`}${await usage()}`,
    );
    return 2;
  }
  const command = await load();
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(command.usage);
    return 0;
  }
  try {
    return await command.run(args, process.env);
  } catch (error) {
    if (error instanceof SettingsError || error instanceof StoreRefused || isUsageError(error)) {
      process.stderr.write(`${error.message}\n`);
      return 2;
    }
    if (isUnusable(error) || isSystemError(error)) {
      process.stderr.write(`${error.message}\n`);
      return 3;
    }
    throw error;
  }
};

/** Whether an error is from parseArgs of node:util, which rejects unknown options. */
const isUsageError = (error: unknown): error is Error =>
  error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');

/** A log or a folder that cannot be worked on. */
const isUnusable = (error: unknown): error is Error =>
  error instanceof DataDirInUse || error instanceof StoreUnavailable || error instanceof UnusableLog;

/** Whether an error is from the operating system: an address in use, a read-only folder. */
const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

process.exitCode = await main(process.argv.slice(2));
