/** One fault of what a client sent: in JSON named by `pointer` (RFC 6901), in CSV by physical line and column. */
export type InputFault = {
  readonly code: string;
  readonly detail: string;
  readonly pointer?: string;
  /** From 1; a header is line 1. */
  readonly line?: number;
  /** From 1: which field of the line. */
  readonly column?: number;
  readonly value?: string;
};

/** How many faults an answer names at most. */
export const faultsMax = 100;

/** Characters of a client's value that an answer repeats at most. */
const valueLengthMax = 80;

/** A client's value as it may stand in an answer: cut, so that no answer grows with the input. */
export const shown = (value: string): string =>
  value.length > valueLengthMax ? `${value.slice(0, valueLengthMax)}…` : value;

/** Not parseable at all: broken JSON, wrong encoding. */
export class Unparseable extends Error {
  readonly name = 'Unparseable';
  readonly faults: readonly InputFault[];

  constructor(message: string, faults: readonly InputFault[] = []) {
    super(message);
    this.faults = faults;
  }
}

/** Well-formed, but not what is expected; `faults` are all that were found, up to `faultsMax`. */
export class InvalidInput extends Error {
  readonly name = 'InvalidInput';
  readonly code: string;
  readonly faults: readonly InputFault[];

  constructor(code: string, message: string, faults: readonly InputFault[]) {
    super(message);
    this.code = code;
    this.faults = faults;
  }
}

/** A body over its limit. */
export class TooLarge extends Error {
  readonly name = 'TooLarge';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the body has more than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}
