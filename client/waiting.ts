import type { Methods, Source } from './requests.js';
import { pause } from './retries.js';

/** The service did not finish its work: an analysis failed, or the wait was too long. */
export class UnfinishedError extends Error {
  override readonly name = 'UnfinishedError';
}

export type WaitOptions = {
  readonly signal?: AbortSignal;
  /** Called before each pause with the milliseconds since the start. */
  readonly onWait?: (ms: number) => void;
  /** Longest wait in ms; default: 15 minutes. */
  readonly timeoutMs?: number;
};

const usualTimeoutMs = 15 * 60_000;
const pauseMinMs = 10;
const pauseMaxMs = 500;

/** Repeats a read with growing pauses until its result is defined. @throws UnfinishedError */
const until = async <Result>(
  read: () => Promise<Result | undefined>,
  work: string,
  { signal, onWait, timeoutMs = usualTimeoutMs }: WaitOptions,
): Promise<Result> => {
  const started = performance.now();
  for (let pauseMs = pauseMinMs; ; pauseMs = Math.min(pauseMaxMs, pauseMs * 1.5)) {
    const result = await read();
    if (result !== undefined) return result;
    const waitedMs = performance.now() - started;
    if (waitedMs > timeoutMs)
      throw new UnfinishedError(`${work} did not end within ${Math.round(timeoutMs / 1000)} s`);
    onWait?.(waitedMs);
    await pause(pauseMs, signal);
  }
};

/** Answer of an import of recent days. */
export type Imported = {
  /** `points`: present in answers of points, which have no import to read. */
  readonly import: { readonly id: string; readonly points?: number | undefined };
  readonly days: readonly { readonly status: string }[];
};

/** Waits for work that goes on after the answer of a request. */
export type Waits = {
  /** The source, when its models are learned. @throws UnfinishedError when it fails or did not begin */
  readonly analysed: (sourceId: number, options?: WaitOptions) => Promise<Source>;
  /** The answer of an import of days, when each is checked. @throws UnfinishedError also for points that are pending */
  readonly checked: <Answer extends Imported>(imported: Answer, options?: WaitOptions) => Promise<Answer>;
};

/** How far a source is that collects its reference, in words. */
const collected = (usableDays: number, learnsAt: string | null | undefined): string =>
  `it has ${usableDays} usable days${learnsAt ? ` and learns on ${learnsAt} at the earliest` : ''}`;

/** Functions that wait for what the service does after its answer. */
export const waitsOf = ({ get }: Methods): Waits => ({
  analysed: (sourceId, options = {}) => {
    const params = { path: { source_id: sourceId } };
    const read = async (): Promise<Source | undefined> => {
      const source = await get('/v1/source/{source_id}', {
        params,
        ...(options.signal && { signal: options.signal }),
      });
      const { status, detail, code, usableDays = 0, learnsAt } = source.analysis;
      if (status === 'collecting')
        throw new UnfinishedError(`the source collects its reference: ${collected(usableDays, learnsAt)}`);
      if (status === 'failed')
        throw new UnfinishedError(`the analysis failed: ${detail ?? code ?? 'no reason was given'}`);
      return status === 'completed' ? source : undefined;
    };
    return until(read, 'the analysis', options);
  },
  checked: (imported, options = {}) => {
    let answer = imported;
    const isPending = (): boolean => answer.days.some(({ status }) => status === 'pending');
    const params = { path: { import_id: imported.import.id } };
    const read = async () => {
      if (!isPending()) return answer;
      if (imported.import.points !== undefined)
        throw new UnfinishedError(
          'the check of points goes on: they have no import, read the days of the source',
        );
      const signal = options.signal && { signal: options.signal };
      answer = (await get('/v1/import/{import_id}', { params, ...signal })) as unknown as typeof answer;
      return isPending() ? undefined : answer;
    };
    return until(read, 'the check', options);
  },
});
