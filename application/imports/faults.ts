/** A fault of an input. `pointer` (RFC 6901) is its place in JSON; physical line and column are its place in CSV. */
export type InputFault = {
  readonly code: string;
  readonly detail: string;
  readonly pointer?: string;
  /** From 1, including the header. */
  readonly line?: number;
  /** Field of the line, from 1. */
  readonly column?: number;
  readonly value?: string;
};

/** Most faults of one answer. */
export const faultsMax = 100;

/** Longest value of a client that an answer repeats, in characters. */
const valueLengthMax = 80;

/** A value of a client for an answer. It is cut, so that answers do not grow with the input. */
export const shown = (value: string): string =>
  value.length > valueLengthMax ? `${value.slice(0, valueLengthMax)}…` : value;

/** The input cannot be parsed: broken JSON or a wrong encoding. */
export class Unparseable extends Error {
  readonly name = 'Unparseable';
  readonly faults: readonly InputFault[];

  constructor(message: string, faults: readonly InputFault[] = []) {
    super(message);
    this.faults = faults;
  }
}

/** The input can be parsed but is not valid. `faults` has all faults, up to `faultsMax`. */
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

/** The body is larger than its limit. */
export class TooLarge extends Error {
  readonly name = 'TooLarge';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the body has more than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}
