import { fork, type ChildProcess } from 'node:child_process';
import type { Outcome } from './run.js';

/** Seeds, and the number of processes that run them. */
export type Seeds = {
  readonly seeds: Iterable<number>;
  readonly processes: number;
  /** Called with each outcome; false ends the run. */
  readonly ran: (outcome: Outcome) => boolean;
};

/** Size of the young generation in MiB: objects of a seed are short-lived. */
const roomForYoung = ['--max-semi-space-size=64'];

/** Runs seeds; resolves after the last one, or when `ran` returns false. */
export const runSeeds = async ({ seeds, processes, ran }: Seeds): Promise<void> => {
  const waiting = seeds[Symbol.iterator]();
  let ended = false;
  const runOn = (child: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      const next = (): void => {
        const { done, value } = waiting.next();
        if (done || ended) resolve();
        else child.send(value);
      };
      child.on('error', reject);
      child.on('exit', code => reject(new Error(`a process ended with ${code}`)));
      child.on('message', outcome => {
        ended ||= !ran(outcome as Outcome);
        next();
      });
      next();
    });
  const children = Array.from({ length: processes }, () =>
    fork(new URL('./process.js', import.meta.url), { execArgv: [...process.execArgv, ...roomForYoung] }),
  );
  try {
    await Promise.all(children.map(runOn));
  } finally {
    for (const child of children) child.kill();
  }
};

/** `count` integers from `from`. */
export function* numbers(from: number, count: number): Generator<number> {
  for (let n = from; n < from + count; n += 1) yield n;
}

/** Command that runs a seed with its trace. */
export const commandOf = (seed: number): string => `npm run simulate -- --seed ${seed} --trace`;
