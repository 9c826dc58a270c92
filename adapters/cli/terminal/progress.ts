import { counted, percent } from '../../../domain/text.js';
import { cut } from './text.js';

/** Where progress is written; on a terminal (`isTTY`) of so many columns one line is overwritten. */
export type Output = {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** Shortest time between two lines: on a terminal, where the line is overwritten, and elsewhere. */
const terminalIntervalMs = 60;
const logIntervalMs = 2000;

const barColumns = 30;

/** How far some work is. */
export type Progress = {
  readonly label: string;
  readonly done: number;
  /** Total, where it is known. */
  readonly total?: number | undefined;
  /** `done` and `total` in words, with their unit. */
  readonly text: string;
};

/** A bar of `columns` characters, filled by `part` (0–1) in eighths of a character. */
export const bar = (part: number, columns: number): string => {
  const eighths = Math.round(Math.min(1, Math.max(0, part)) * columns * 8);
  const partial = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;
  return `${'█'.repeat(Math.floor(eighths / 8))}${partial[eighths % 8] ?? ''}`.padEnd(columns, '░');
};

/** Progress as one line: `recent  ██████░░░░   60 %  1.1 MB of 1.9 MB`; the bar only on a terminal. */
export const progressText = ({ label, done, total, text }: Progress, withBar: boolean): string => {
  if (total === undefined) return `${label}  ${text}`;
  const part = Math.min(1, done / Math.max(1, total));
  const percentage = percent(Math.floor(part * 100) / 100).padStart(5);
  return `${label}  ${withBar ? `${bar(part, barColumns)}  ` : ''}${percentage}  ${text}`;
};

/** A line that shows how far some work is. */
export type ProgressLine = {
  /** Shows a text, unless the last one was shown a moment ago. On a terminal `isLast` is always shown. */
  readonly showText: (text: (withBar: boolean) => string, isLast?: boolean) => void;
  /** Shows progress. Callers may call it often. */
  readonly show: (progress: Progress) => void;
  /** Replaces the line by one that stays. */
  readonly keep: (text: string) => void;
  /** Removes the line from a terminal. */
  readonly clear: () => void;
};

/**
 * A progress line on `output`: overwritten on a terminal; elsewhere a new line at most every two seconds, or
 * none when `onTerminalOnly`.
 */
export const progressLine = (output: Output, { onTerminalOnly = false } = {}): ProgressLine => {
  const isTerminal = output.isTTY === true;
  const intervalMs = isTerminal ? terminalIntervalMs : logIntervalMs;
  let next = performance.now() + (isTerminal ? 0 : logIntervalMs);
  /** The text with its bar, or without it where that is too long: a line that wraps cannot be overwritten. */
  const fitting = (text: (withBar: boolean) => string): string => {
    const { columns = Infinity } = output;
    const long = text(true);
    return long.length < columns ? long : cut(text(false), columns - 1);
  };
  const showText: ProgressLine['showText'] = (text, isLast = false) => {
    if (onTerminalOnly && !isTerminal) return;
    const now = performance.now();
    if (now < next && !(isLast && isTerminal)) return;
    next = now + intervalMs;
    output.write(isTerminal ? `\r${fitting(text)}\u001b[K` : `${text(false)}\n`);
  };
  return {
    showText,
    show: progress =>
      showText(withBar => progressText(progress, withBar), progress.done >= (progress.total ?? Infinity)),
    keep: text => void output.write(isTerminal ? `\r${text}\u001b[K\n` : `${text}\n`),
    clear: () => {
      if (isTerminal) output.write('\r\u001b[K');
    },
  };
};

/** Shows a growing number of events, on a terminal only. */
export const eventCounter = (
  output: Output,
  label: string,
): { readonly show: (count: number) => void; readonly clear: () => void } => {
  const line = progressLine(output, { onTerminalOnly: true });
  return {
    show: count => line.show({ label, done: count, text: `${counted(count)} events` }),
    clear: line.clear,
  };
};
