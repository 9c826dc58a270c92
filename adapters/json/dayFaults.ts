import { acceptedLengths } from '../../domain/day.js';
import {
  faultsByCause,
  faultsText,
  InvalidInput,
  shown,
  type InputFault,
} from '../../application/requests/imports/faults.js';
import { valueMax } from '../../application/requests/imports/assembleDays.js';

const lengths: ReadonlySet<number> = new Set(acceptedLengths);

/** Fewest faults of one cause that are listed as one. */
const sharedFaultsMin = 10;

/** The error for days or points with faults. A cause with many faults is listed once. */
export const invalid = (faults: readonly InputFault[], list = 'days'): InvalidInput => {
  const listed = faultsByCause(faults, sharedFaultsMin);
  return new InvalidInput('jsonInvalid', `${list} has ${faultsText(faults.length, listed.length)}`, listed);
};

/** A JSON value as it may be shown in an answer. A number such as 1e400 has no JSON once it is read. */
export const shownJson = (value: unknown): string =>
  value === Infinity || value === -Infinity
    ? `${value}, a number beyond ±${Number.MAX_VALUE}`
    : shown(JSON.stringify(value) ?? 'undefined');

/** A key escaped for a JSON pointer (RFC 6901). */
const escapePointer = (key: string): string => shown(key).replaceAll('~', '~0').replaceAll('/', '~1');

const hoursPerDay = 24;

/** Advice for the activity of a day that the local clock made an hour shorter or longer. */
const clockChangeAdvice = (length: number): string => {
  const whole = (hours: number): boolean =>
    lengths.has((length * hoursPerDay) / hours) && length % hours === 0;
  if (whole(hoursPerDay - 1))
    return (
      `. For a day of 23 hours send ${(length * hoursPerDay) / (hoursPerDay - 1)} values, ` +
      'null for each one of the hour that the clock skips'
    );
  if (whole(hoursPerDay + 1))
    return (
      `. For a day of 25 hours send ${(length * hoursPerDay) / (hoursPerDay + 1)} values, ` +
      'for the repeated hour the means of its first and its second time'
    );
  return '';
};

/** The faults of an activity; empty when it is valid. */
export const activityFaults = (activity: unknown, pointer: string): InputFault[] => {
  if (!Array.isArray(activity))
    return [
      {
        code: 'activityFormat',
        detail: `got ${shownJson(activity)}, expected an array of numbers`,
        pointer,
      },
    ];
  if (!lengths.has(activity.length))
    return [
      {
        code: 'activityLength',
        detail: `got ${activity.length} values, expected ${acceptedLengths.join(', ')}${clockChangeAdvice(activity.length)}`,
        pointer,
      },
    ];
  const faults: InputFault[] = [];
  for (let slice = 0; slice < activity.length; slice += 1) {
    const value: unknown = activity[slice];
    if (value === null) continue;
    if (typeof value !== 'number')
      faults.push({
        code: 'valueFormat',
        detail: `got ${shownJson(value)}, expected a number, or null for a missing sample`,
        pointer: `${pointer}/${slice}`,
        value: shownJson(value),
      });
    else if (!(Math.abs(value) <= valueMax))
      faults.push({
        code: 'valueTooLarge',
        detail: `got ${value}, expected a magnitude of at most ${valueMax}`,
        pointer: `${pointer}/${slice}`,
        value: String(value),
      });
  }
  return faults;
};

/** The faults of the fields of a day; empty when there are exactly `date` and `activity`. */
export const dayFieldFaults = (day: object, pointer: string): InputFault[] => [
  ...['date', 'activity']
    .filter(field => !Object.hasOwn(day, field))
    .map(field => ({ code: 'missingField', detail: `expected the field ${field}`, pointer })),
  ...Object.keys(day)
    .filter(field => field !== 'date' && field !== 'activity')
    .map(field => ({
      code: 'unknownField',
      detail: `got the field "${shown(field)}", expected date and activity only`,
      pointer: `${pointer}/${escapePointer(field)}`,
    })),
];

/** The fault of a date that is not a calendar date. */
export const dateFault = (date: unknown, pointer: string): InputFault => {
  const got = shownJson(date);
  return {
    code: 'dateFormat',
    detail: `got ${got}, expected a calendar date, "YYYY-MM-DD"`,
    pointer,
    value: got,
  };
};

/** The fault of an element that is not an object. */
export const dayFault = (day: unknown, pointer: string): InputFault => {
  const got = shownJson(day);
  return {
    code: 'dayFormat',
    detail: `got ${got}, expected an object {date, activity}`,
    pointer,
    value: got,
  };
};
