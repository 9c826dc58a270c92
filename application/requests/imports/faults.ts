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
  /** Number of faults of the same cause, for which this one is listed. */
  readonly count?: number;
};

/** Most faults of one answer. */
export const faultsMax = 100;

/** Longest value of a client that an answer repeats, in characters. */
const valueLengthMax = 80;

/** A value of a client for an answer. It is cut, so that answers do not grow with the input. */
export const shown = (value: string): string =>
  value.length > valueLengthMax ? `${value.slice(0, valueLengthMax)}…` : value;

/** Places that a fault of many rows names. */
const placesMax = 3;

/** Cause of a fault: its code, and its column or its pointer without indices. */
const causeOf = ({ code, column, pointer }: InputFault): string =>
  `${code} ${column ?? ''} ${pointer?.replaceAll(/\/\d+/g, '/*') ?? ''}`;

/** Fewest faults with one value, or faults of the order of rows, that are one cause. */
const alikeMin = 10;
/** Faults of rows that follow from an earlier row. */
const following: ReadonlySet<string> = new Set(['beyondYear', 'futureDate', 'timeGoesBack']);

const grouped = (
  faults: readonly InputFault[],
  keyOf: (fault: InputFault) => string,
): ReadonlyMap<string, readonly InputFault[]> => {
  const groups = new Map<string, InputFault[]>();
  for (const fault of faults) {
    const group = groups.get(keyOf(fault));
    if (group) group.push(fault);
    else groups.set(keyOf(fault), [fault]);
  }
  return groups;
};

/**
 * Lists faults by cause: of a cause with at least `least` faults only the first one, with their number and the places
 * of the first three. Ten faults of one cause with the same value are one as well.
 */
export const faultsByCause = (faults: readonly InputFault[], least: number): InputFault[] => {
  const causes = grouped(faults, causeOf);
  const alikeKey = (fault: InputFault): string =>
    following.has(fault.code) ? causeOf(fault) : `${causeOf(fault)} ${fault.value ?? ''}`;
  const alike = grouped(faults, alikeKey);
  return faults.flatMap(fault => {
    const ofCause = causes.get(causeOf(fault)) ?? [];
    const same = ofCause.length >= least ? ofCause : (alike.get(alikeKey(fault)) ?? []);
    if (same.length < Math.min(least, alikeMin)) return [fault];
    if (same[0] !== fault) return [];
    const places = same.slice(0, placesMax).map(({ line, pointer }) => line ?? pointer ?? '');
    const more = same.length > placesMax ? ', …' : '';
    const where = `${fault.line === undefined ? 'at' : 'lines'} ${places.join(', ')}${more}`;
    return [{ ...fault, detail: `${fault.detail}; ${same.length} times, ${where}`, count: same.length }];
  });
};

/** How many faults there are, and of how many causes when these are listed. */
export const faultsText = (faults: number, listed: number): string => {
  const causes = listed === faults ? '' : ` of ${listed === 1 ? 'one cause' : `${listed} causes`}`;
  return faults < faultsMax
    ? `${faults === 1 ? 'a fault' : `${faults} faults`}${causes}: nothing was stored`
    : `${faultsMax} faults or more${causes}, reading stopped there: nothing was stored`;
};

/** The input cannot be parsed: broken JSON or a wrong encoding. */
export class Unparseable extends Error {
  readonly name = 'Unparseable';
  readonly faults: readonly InputFault[];

  constructor(message: string, faults: readonly InputFault[] = []) {
    super(message);
    this.faults = faults;
  }
}

/** Codes of invalid inputs. */
export type InvalidInputCode =
  | 'parametersInvalid'
  | 'bodyInvalid'
  | 'csvInvalid'
  | 'csvEmpty'
  | 'jsonInvalid'
  | 'daysEmpty'
  | 'referenceTooShort'
  | 'notCumulative'
  | 'duplicateField'
  | 'elementTooLarge'
  | 'envelopeTooLarge'
  | 'nesting'
  | 'calendarInvalid';

/** The input can be parsed but is not valid. `faults` has all faults, up to `faultsMax`. */
export class InvalidInput extends Error {
  readonly name = 'InvalidInput';
  readonly code: InvalidInputCode;
  readonly faults: readonly InputFault[];

  constructor(code: InvalidInputCode, message: string, faults: readonly InputFault[]) {
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
