import type { ColorCount } from '../terminal/colors.js';

/** Where `daybook tune` writes. */
export type TuneOutput = {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether `stderr` is a terminal, which then shows progress. */
  readonly isTerminal: boolean;
  /** Colours of `stdout`, and its columns. */
  readonly colors: ColorCount;
  readonly width: number;
};
