import { progressLine, progressText, type Output } from '../terminal/progress.js';
import { plural } from '../../../application/texts/counted.js';
import { byteSize, duration } from '../terminal/text.js';
import type { Timing } from './importReport.js';

/** Progress of one step. */
export type DemoStep = {
  /** Shows the bytes of a file that are sent; `total` is 0 when unknown. */
  readonly sent: (bytes: number, total: number) => void;
  /** Shows how long a wait has lasted. */
  readonly waited: (ms: number) => void;
  /** Shows the result on a line that stays. */
  readonly done: (text: string) => void;
  /** Removes the line of a step that failed. */
  readonly dropped: () => void;
};

/** A step with the name `label`, shown on `output`. */
export const stepOn = (output: Output, label: string): DemoStep => {
  const line = progressLine(output);
  return {
    sent: (bytes, total) =>
      line.show({
        label,
        done: bytes,
        total: total === 0 ? undefined : total,
        text: total === 0 ? byteSize(bytes) : `${byteSize(bytes)} of ${byteSize(total)}`,
      }),
    waited: ms => line.show({ label, done: 0, text: `${duration(ms)} so far` }),
    done: text => line.keep(progressText({ label, done: 0, text }, false)),
    dropped: line.clear,
  };
};

/** Runs a step and records its duration. `rows` reads the number of imported rows from the result. */
export type RunStep = <Result>(
  name: string,
  work: (step: DemoStep) => Promise<Result>,
  rows?: (result: Result) => number,
) => Promise<Result>;

/** Runs steps one after the other: `current` is the name of the last one, `timings` has all that are done. */
export const stepRunner = (
  output: Output,
): { readonly run: RunStep; readonly timings: readonly Timing[]; readonly current: () => string } => {
  const timings: Timing[] = [];
  let current = 'starting';
  const run: RunStep = async (name, work, rows) => {
    current = name;
    const step = stepOn(output, name);
    const started = performance.now();
    try {
      const result = await work(step);
      const ms = performance.now() - started;
      const count = rows?.(result);
      timings.push({ step: name, ms, ...(count === undefined ? {} : { rows: count }) });
      step.done(count === undefined ? duration(ms) : `${plural(count, 'row')} in ${duration(ms)}`);
      return result;
    } catch (error) {
      step.dropped();
      throw error;
    }
  };
  return { run, timings, current: () => current };
};
