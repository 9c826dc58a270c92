import { duration, progressLine } from './text.js';

/** Where progress is told; `isTTY` where a line can be written over. */
export type Output = { readonly write: (text: string) => unknown; readonly isTTY?: boolean };

/** How often a line is written over, and how often a new one is written where that cannot be. */
const refreshMs = 60;
const repeatMs = 2000;

/** One step that is told while it goes on. */
export type Step = {
  /** Of a file: bytes sent and to send. */
  readonly sent: (bytes: number, total: number) => void;
  /** Of a wait: how long it has been. */
  readonly waited: (ms: number) => void;
  /** What came of it stays as a line. */
  readonly done: (text: string) => void;
  /** It came to nothing: its line is taken away. */
  readonly dropped: () => void;
};

/** Tells a step called `label` on `output`: in place on a terminal, in few plain lines elsewhere. */
export const stepOn = (output: Output, label: string): Step => {
  const inPlace = output.isTTY === true;
  // A terminal sees a step at once, a log only when it takes its time.
  let next = performance.now() + (inPlace ? 0 : repeatMs);
  const tell = (text: () => string, atLast = false) => {
    const now = performance.now();
    if (now < next && !(atLast && inPlace)) return;
    next = now + (inPlace ? refreshMs : repeatMs);
    output.write(inPlace ? `\r${text()}\u001b[K` : `${text()}\n`);
  };
  return {
    sent: (bytes, total) => tell(() => progressLine(label, bytes, total), bytes >= total),
    waited: ms => tell(() => `${label}  ${duration(ms)}`),
    done: text => void output.write(inPlace ? `\r${label}  ${text}\u001b[K\n` : `${label}  ${text}\n`),
    dropped: () => {
      if (inPlace) output.write('\r\u001b[K');
    },
  };
};
