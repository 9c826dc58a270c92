import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder with a copy of a repository's `build` and links to all else; removed when the process ends. */
export const copiedCheckout = (root: string): string => {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const name of readdirSync(root))
    if (name !== 'build' && name !== '.tap') symlinkSync(join(root, name), join(copy, name));
  cpSync(join(root, 'build'), join(copy, 'build'), { recursive: true });
  return copy;
};

/**
 * Runs a compiled test in a checkout.
 * @param test its path below `build`
 * @returns    milliseconds that it took; undefined if it failed or did not end in time
 */
export const runTest = (
  checkout: string,
  test: string,
  maxMs: number,
  more: NodeJS.ProcessEnv = {},
): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    // Tests end at their first fault; this program limits their time instead of tap.
    const env = { ...process.env, TAP_TIMEOUT: '0', TAP_BAIL: '1', ...more };
    const options = { cwd: checkout, env, stdio: 'ignore', detached: true } as const;
    const child = spawn(process.execPath, [join(checkout, 'build', test)], options);
    const endAll = () => {
      try {
        // SIGKILL also ends a process whose main thread loops; the group has the processes that a test left behind.
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // All have ended.
      }
    };
    const timer = setTimeout(endAll, maxMs);
    process.once('exit', endAll);
    child.once('error', reject);
    child.once('exit', status => {
      clearTimeout(timer);
      process.off('exit', endAll);
      endAll();
      resolve(status === 0 ? performance.now() - begun : undefined);
    });
  });
