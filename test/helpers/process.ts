import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The compiled command line, relative to this compiled file. */
export const mainFile = fileURLToPath(new URL('../../adapters/cli/main.js', import.meta.url));

/** Exit code or signal of a process. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A running process of the command line. */
export type Launched = {
  readonly pid: number;
  /** Address printed by `serve`; rejected if the process ends before. */
  readonly ready: Promise<string>;
  readonly exit: Promise<Exit>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends a signal and resolves when the process has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<Exit>;
};

export type LaunchOptions = {
  readonly cwd?: string;
  /** The command line of another build, for comparisons. */
  readonly main?: string;
};

const living = new Set<ChildProcessByStdio<null, Readable, Readable>>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** Starts the command line with these arguments and, except for PATH and the folder of V8's coverage, only this environment. */
export const launch = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { cwd = process.cwd(), main = mainFile }: LaunchOptions = {},
): Launched => {
  const coverage = process.env['NODE_V8_COVERAGE'];
  const own: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    ...(coverage !== undefined && { NODE_V8_COVERAGE: coverage }),
    ...env,
  };
  // `env` drops the instrumentation that tap adds to children, which costs more than most commands need, and executes
  // the program in the same process, so that the process id is that of the program.
  const named = Object.entries(own).map(([name, value]) => `${name}=${value}`);
  const rest = ['-i', ...named, process.execPath, main, ...args];
  const child = spawn('/usr/bin/env', rest, { cwd, env: own, stdio: ['ignore', 'pipe', 'pipe'] });
  living.add(child);
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    // Unlike `exit`, `close` is emitted after all output has been read.
    child.once('close', (code, signal) => {
      living.delete(child);
      resolve({ code, signal });
    });
  });
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const address = /^Daybook listens on (\S+)\n/m.exec(stdout)?.[1];
      if (address !== undefined) resolve(address);
    });
    exit.then(({ code, signal }) => {
      reject(new Error(`ended with ${code ?? signal} before it took requests: ${stderr}`));
    }, reject);
  });
  ready.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ready,
    exit,
    stdout: () => stdout,
    stderr: () => stderr,
    end: signal => {
      child.kill(signal);
      return exit;
    },
  };
};

/** Starts `serve` on a free port. */
export const launchService = (env: Readonly<Record<string, string>>, options: LaunchOptions = {}): Launched =>
  launch(['serve'], { PORT: '0', ...env }, options);

/** Runs a command to its end. */
export const run = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: LaunchOptions = {},
): Promise<Exit & { readonly stdout: string; readonly stderr: string }> => {
  const launched = launch(args, env, options);
  const exit = await launched.exit;
  return { ...exit, stdout: launched.stdout(), stderr: launched.stderr() };
};

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with all scopes, of the default tenant or another, signed with this secret independently of the service. */
export const tokenFor = (secret: string, subject: string, tenant?: string): string => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    sub: subject,
    ...(tenant !== undefined && { tenant }),
    scope: 'read import model planning alert audit',
    iss: 'daybook',
    aud: 'daybook',
    iat: now,
    exp: now + 3600,
  };
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};
