import { duration } from '../terminal/text.js';
import { progressLine, type Output } from '../terminal/progress.js';

/** Kinds of events by cost: those whose models are learned again, and all others. */
export type Work = 'analysis' | 'other';
export type WorkCounts = Readonly<Record<Work, number>>;

const analysisTypes = /"type":"(ModelsReset|ModelsReplaced|AnalysisFailed)","v":\d+\}$/;
/** Characters at the end of a line that hold its type. */
const typeWithin = 100;

/** Kind of the event of an export line. */
export const workOf = (line: Buffer | string): Work =>
  analysisTypes.test(line.slice(-typeWithin).toString()) ? 'analysis' : 'other';

/**
 * Time that work will still take, from the mean time of each kind so far.
 * @returns milliseconds; undefined while a kind that is left has not occurred
 */
export const timeLeft = (total: WorkCounts, done: WorkCounts, tookMs: WorkCounts): number | undefined => {
  let leftMs = 0;
  for (const work of ['analysis', 'other'] as const) {
    const left = total[work] - done[work];
    if (left <= 0) continue;
    if (done[work] === 0) return undefined;
    leftMs += (left * tookMs[work]) / done[work];
  }
  return leftMs;
};

/** Shows how far the repeated decisions are, with an estimate of the time left. */
export const decisionProgress = (work: WorkCounts, output: Output, now: () => number) => {
  const line = progressLine(output);
  const done = { analysis: 0, other: 0 };
  const tookMs = { analysis: 0, other: 0 };
  const total = work.analysis + work.other;
  let before = now();
  return {
    /** An event of a kind was verified. */
    took: (kind: Work): void => {
      const at = now();
      done[kind] += 1;
      tookMs[kind] += at - before;
      before = at;
      const count = done.analysis + done.other;
      const left = timeLeft(work, done, tookMs);
      const spent = tookMs.analysis + tookMs.other;
      const estimate = left === undefined ? '' : `, about ${duration(left)} left`;
      line.show({
        label: 'decisions',
        done: left === undefined ? count : spent,
        total: left === undefined ? total : spent + left,
        text: `${count} of ${total} events${estimate}`,
      });
    },
    clear: line.clear,
  };
};
