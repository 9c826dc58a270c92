#!/usr/bin/env node
import { DataDirInUse } from '../sqlite/dataDir.js';
import { SettingsError } from '../settings/values.js';
import { packageVersion } from '../environment.js';
import { UnknownVersion } from '../../domain/events.js';
import { nearest } from '../../domain/text.js';
import { StoreRefused, StoreUnavailable } from '../../application/ports/eventStore.js';
import { UnusableLog } from '../sqlite/logSchema.js';
import { NoLog } from '../sqlite/readOnly.js';
import { type Command, helpPage, WrongArguments } from './terminal/arguments.js';
import { plain } from './terminal/text.js';

type Entry = {
  /** One line for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
};

/** The commands. Only the called one is loaded: `serve` alone takes longer to load than `token` to run. */
const commands: Readonly<Record<string, Entry>> = {
  serve: {
    summary: 'runs the service until SIGTERM or SIGINT',
    load: async () => (await import('./commands/serve.js')).serve,
  },
  token: {
    summary: 'prints a token to try the service out',
    load: async () => (await import('./commands/token.js')).token,
  },
  'import-folder': {
    summary: 'creates a source from each file of a folder',
    load: async () => (await import('./commands/importFolder.js')).importFolder,
  },
  pull: {
    summary: 'fills sources from Prometheus and follows it',
    load: async () => (await import('./commands/pull.js')).pull,
  },
  rule: {
    summary: 'lists, previews, adds and deletes calendar rules of a service',
    load: async () => (await import('./commands/serviceRequests.js')).rule,
  },
  mute: {
    summary: 'lists, creates and ends mutes of a service',
    load: async () => (await import('./commands/serviceRequests.js')).mute,
  },
  rebuild: {
    summary: 'rebuilds the read models from the log',
    load: async () => (await import('./commands/replay.js')).rebuild,
  },
  replay: {
    summary: 'rebuilds read models as of a moment in another folder, and compares them with the live ones',
    load: async () => (await import('./commands/replay.js')).replay,
  },
  'copy-log': {
    summary: 'copies a log into another store and compares both',
    load: async () => (await import('./commands/copyLog.js')).copyLog,
  },
  export: {
    summary: 'the log as lines of canonical JSON, to be kept or verified elsewhere',
    load: async () => (await import('./commands/export.js')).exportLog,
  },
  verify: {
    summary: 'reports which events of a log or an export are proved, and finds changes',
    load: async () => (await import('./commands/verify.js')).verify,
  },
  'audit-report': {
    summary: 'writes a printable report on a source or an alert, for auditors',
    load: async () => (await import('./commands/auditReport.js')).auditReport,
  },
  checkpoint: {
    summary: 'prints a signed statement of the state of the log, to be stored elsewhere',
    load: async () => (await import('./commands/checkpoint.js')).checkpoint,
  },
  'replay-parked': {
    summary: 'retries parked events, which failed repeatedly (EventStoreDB)',
    load: async () => (await import('./commands/replayParked.js')).replayParked,
  },
  webhook: {
    summary: 'checks the signature of a message of a webhook',
    load: async () => (await import('./commands/webhook.js')).webhook,
  },
  demo: {
    summary: 'shows the service on made-up data or on two files of yours',
    load: async () => (await import('./commands/demo.js')).demo,
  },
  tune: {
    summary: 'compares settings of the analysis offline, on files or on the history of a source',
    load: async () => (await import('./commands/tune.js')).tune,
  },
};

const nameWidth = Math.max(...Object.keys(commands).map(name => name.length)) + 2;

const usage = (): string => {
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(nameWidth)}${summary}`,
  );
  return helpPage(`usage: daybook <command> [options]

${lines.join('\n')}

daybook <command> --help explains a command, daybook --version prints the version. Settings come from the
environment: see docs/configuration.md.

Exit codes: 0 done; 1 a problem was found; 2 wrong usage; 3 undecided, or something needed is unavailable.
`);
};

const entryOf = (name: string | undefined): Entry | undefined =>
  name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;

/** Commands by the names that other programs give them. */
const otherNames: Readonly<Record<string, string>> = {
  ...{ start: 'serve', run: 'serve', server: 'serve', import: 'import-folder' },
  ...{ audit: 'audit-report', check: 'verify', backup: 'copy-log', dump: 'export' },
};

/** Refuses a command that is not known. */
const refuse = (name: string | undefined): number => {
  const known = nearest(name ?? '', [
    ...Object.keys(commands),
    ...Object.keys(otherNames),
    'help',
    'version',
  ]);
  const similar = known === 'version' ? '--version' : (otherNames[known ?? ''] ?? known);
  const perhaps = similar === undefined ? '' : `, perhaps ${similar}`;
  const got = name === undefined ? '' : `got "${plain(name)}", expected a command${perhaps}\n\n`;
  process.stderr.write(`${got}${usage()}`);
  return 2;
};

const isHelp = (text: string): boolean => text === '--help' || text === '-h';

const main = async ([name = '', ...args]: readonly string[]): Promise<number> => {
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  if (isHelp(name) || (name === 'help' && (args[0] === undefined || isHelp(args[0])))) {
    process.stdout.write(usage());
    return 0;
  }
  const asked = name === 'help' ? args[0] : name;
  const entry = entryOf(asked);
  if (!entry) return refuse(asked === '' ? undefined : asked);
  const command = await entry.load();
  if (name === 'help' || args.some(isHelp)) {
    process.stdout.write(helpPage(command.usage));
    return 0;
  }
  try {
    return await command.run(args, process.env);
  } catch (error) {
    if (error instanceof WrongArguments) {
      process.stderr.write(`${error.message}; see daybook ${name} --help\n`);
      return 2;
    }
    if (error instanceof SettingsError || error instanceof StoreRefused || error instanceof NoLog) {
      process.stderr.write(`${error.message}\n`);
      return isSystemError(error.cause) ? 3 : 2;
    }
    if (isUnusable(error) || isSystemError(error)) {
      process.stderr.write(`${unavailableText(error)}\n`);
      return 3;
    }
    throw error;
  }
};

/** A log or a folder that cannot be worked on, also one of a newer build. */
const isUnusable = (error: unknown): error is Error =>
  error instanceof DataDirInUse ||
  error instanceof StoreUnavailable ||
  error instanceof UnusableLog ||
  error instanceof UnknownVersion;

/** Whether an error is from the operating system: an address in use, a read-only folder. */
const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

type SystemError = NodeJS.ErrnoException & {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
};

/** Message about an error of the system or of a store; one about an address names its settings. */
const unavailableText = (error: SystemError): string => {
  const { address = '', port, hostname = '' } = error;
  if (error.syscall === 'getaddrinfo')
    return `the name ${hostname} has no address (${error.code}): set another HOST or METRICS_HOST`;
  if (error.syscall !== 'listen') return error.message;
  switch (error.code) {
    case 'EADDRINUSE':
      return `another program uses ${address}:${port}: stop it, or set another PORT or METRICS_PORT`;
    case 'EADDRNOTAVAIL':
      return `${address} is no address of this machine: set another HOST or METRICS_HOST`;
    case 'EACCES':
      return `this user may not listen on port ${port}: set a PORT or METRICS_PORT from 1024 on`;
    default:
      return error.message;
  }
};

// A command that listens itself, such as export, ends by its own error.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (process.stdout.listenerCount('error') > 1) return;
  if (code !== 'EPIPE') process.stderr.write(`the output cannot be written: ${message}\n`);
  process.exit(3);
});

process.exitCode = await main(process.argv.slice(2));
