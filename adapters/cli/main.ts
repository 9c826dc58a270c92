#!/usr/bin/env node
import { DataDirInUse } from '../lock.js';
import { SettingsError } from '../settings.js';
import { StoreUnavailable } from '../eventStore.js';
import type { Command } from './command.js';
import { checkpoint } from './checkpoint.js';
import { copyLog } from './copyLog.js';
import { demo } from './demo.js';
import { exportLog } from './export.js';
import { rebuild } from './rebuild.js';
import { replay } from './replay.js';
import { replayParked } from './replayParked.js';
import { serve } from './serve.js';
import { token } from './token.js';
import { tune } from './tune.js';
import { verify } from './verify.js';

const commands: Readonly<Record<string, Command>> = {
  serve,
  token,
  rebuild,
  replay,
  'copy-log': copyLog,
  export: exportLog,
  verify,
  checkpoint,
  'replay-parked': replayParked,
  demo,
  tune,
};

const nameWidth = Math.max(...Object.keys(commands).map(name => name.length)) + 2;

const usage = `usage: daybook <command> [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(nameWidth)}${summary}`)
  .join('\n')}

daybook <command> --help tells more. Settings come from the environment: see the README.
Exit codes: 0 done, 1 it found something, 2 wrong usage, 3 could not decide or reach what it needs.
`;

const main = async ([name, ...args]: readonly string[]): Promise<number> => {
  if (name === '--help' || name === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    process.stderr.write(`${name === undefined ? '' : `got "${name}", expected a command\n\n`}${usage}`);
    return 2;
  }
  if (args.includes('--help')) {
    process.stdout.write(command.usage);
    return 0;
  }
  try {
    return await command.run(args, process.env);
  } catch (error) {
    if (error instanceof SettingsError || isUsageError(error)) {
      process.stderr.write(`${error.message}\n`);
      return 2;
    }
    if (error instanceof DataDirInUse || error instanceof StoreUnavailable || isSystemError(error)) {
      process.stderr.write(`${error.message}\n`);
      return 3;
    }
    throw error;
  }
};

/** What node:util's parseArgs says of options that it does not know. */
const isUsageError = (error: unknown): error is Error =>
  error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');

/** An address in use, a folder that cannot be written. */
const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

process.exitCode = await main(process.argv.slice(2));
