import { readdirSync } from 'node:fs';
import { run } from './process.js';

/** Runs the demo in a temporary folder. Resolves to its exit code, its output and the folders that remain. */
export const demo = async (tmp: string, ...args: string[]) => {
  const { code, stdout, stderr } = await run(['demo', ...args], { TMPDIR: tmp });
  return { code, stdout, stderr, left: readdirSync(tmp).filter(name => name.startsWith('daybook-demo-')) };
};
