import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { mainFile } from './process.js';

const run = promisify(execFile);

/** Runs the demo in a temporary folder. Resolves to its exit code, its output and the folders that remain. */
export const demo = async (tmp: string, ...args: string[]) => {
  const left = () => readdirSync(tmp).filter(name => name.startsWith('daybook-demo-'));
  const options = { env: { ...process.env, TMPDIR: tmp }, maxBuffer: 1e7 };
  try {
    const { stdout, stderr } = await run(process.execPath, [mainFile, 'demo', ...args], options);
    return { code: 0, stdout, stderr, left: left() };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr, left: left() };
  }
};
