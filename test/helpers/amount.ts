import type { Test } from 'tap';
import { testOfFile } from './inTurn.js';

/** Whether the slow loop runs, `npm run test:slow`. */
export const isSlowLoop = process.env['SLOW'] === '1';

/** Amount of work of a test: a sample in the quick loop, the whole in the slow one. */
export const amount = ({ quick, slow }: { readonly quick: number; readonly slow: number }): number =>
  isSlowLoop ? slow : quick;

/** A further case of a rule that has one in the quick loop: runs in the slow loop only. */
export const slowTest = (name: string, run: (t: Test) => Promise<void>): void => {
  if (isSlowLoop) void testOfFile().test(name, run);
};
