import type { Logger } from 'pino';
import { problemOf } from '../http/problem.js';

/** Clock and timer of a calm log. */
export type CalmParts = {
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number;
  /** Calls a function again and again, without keeping the process alive. */
  readonly every: (ms: number, run: () => void) => void;
};

const system: CalmParts = {
  elapsedMs: () => performance.now(),
  every: (ms, run) => void setInterval(run, ms).unref(),
};

/** A cause that goes on: lines about it after the first one. */
type Phase = { readonly sinceMs: number; lastMs: number; toldMs: number; count: number };

/** A phase ends when its line did not come for this time, in ms; that is looked at each `lookMs`. */
const quietMs = 60_000;
const lookMs = 10_000;
/** While a phase goes on a line says so at this interval, in ms. */
const stillMs = 300_000;

type Line = (fields: unknown, message?: string, ...rest: unknown[]) => void;

/**
 * A logger that writes warnings and errors about passing causes (those that are answered 503: a store that cannot be
 * reached, a full disk or queue) once a phase: when it begins, every five minutes with the number of further lines,
 * and when it has ended. All other lines are written as they come.
 */
export const calmLog = (log: Logger, { elapsedMs, every }: CalmParts = system): Logger => {
  const phases = new Map<string, Phase>();
  const keyOf = (fields: unknown, message: string): string | undefined => {
    const { err, passing } = (typeof fields === 'object' && fields !== null ? fields : {}) as {
      readonly err?: unknown;
      /** Cause of a line without an error, when it passes. */
      readonly passing?: string;
    };
    if (passing !== undefined) return `${message} (${passing})`;
    if (!(err instanceof Error)) return undefined;
    const { status, code } = problemOf(err);
    return status === 503 ? `${message} (${code})` : undefined;
  };

  const look = (): void => {
    const nowMs = elapsedMs();
    for (const [key, phase] of phases) {
      const { sinceMs, lastMs, toldMs, count } = phase;
      const seconds = Math.round((lastMs - sinceMs) / 1000);
      if (nowMs - lastMs >= quietMs) {
        phases.delete(key);
        if (count > 0) log.warn({ count, seconds }, `${key}: ended after ${count} more`);
      } else if (nowMs - toldMs >= stillMs) {
        phase.toldMs = nowMs;
        log.warn({ count, seconds }, `${key}: goes on, ${count} more so far`);
      }
    }
  };
  every(lookMs, look);

  /** Writes the first line of a phase, and counts the others. */
  const limited =
    (write: Line): Line =>
    (fields, message, ...rest) => {
      const key = keyOf(fields, message ?? '');
      const nowMs = elapsedMs();
      const phase = key === undefined ? undefined : phases.get(key);
      if (phase) {
        phase.lastMs = nowMs;
        phase.count += 1;
        return;
      }
      if (key !== undefined) phases.set(key, { sinceMs: nowMs, lastMs: nowMs, toldMs: nowMs, count: 0 });
      write(fields, message, ...rest);
    };
  // pino looks up its state through the prototype.
  return Object.assign(Object.create(log) as Logger, {
    warn: limited(log.warn.bind(log) as Line),
    error: limited(log.error.bind(log) as Line),
  });
};
