import { dateOf } from '../../domain/dates.js';
import { shown, type InputFault } from '../../application/imports/faults.js';
import { recentDaysMax, referenceDaysMax } from '../../application/imports/assembleDays.js';
import type { warningList } from '../../application/imports/importWarnings.js';

/** A row: its time as messages show it, and its line. */
export type TimedLine = { readonly time: string; readonly line: number };

/** `YYYY-MM-DDThh:mm:ss` of seconds since 1970, with milliseconds if it has a fraction. */
export const timeOf = (at: number): string =>
  new Date(at * 1000).toISOString().slice(0, Number.isInteger(at) ? 19 : 23);

/** The fault of a row of a reference after its last possible day. */
export const beyondYear = (text: string, firstDay: number, line: number): InputFault => ({
  code: 'beyondYear',
  detail:
    `got ${shown(text)}, expected a time before ${dateOf(firstDay + referenceDaysMax)}: reference data ` +
    `covers at most ${referenceDaysMax} days from its first`,
  line,
  value: shown(text),
});

/** The fault of a row with an earlier time than the row before it. */
export const timeGoesBack = (
  text: string,
  { time, line }: TimedLine,
  last: TimedLine,
  ending: string,
): InputFault => ({
  code: 'timeGoesBack',
  detail: `line ${line}, ${time}, comes before line ${last.line}, ${last.time}: expected ascending times${ending}`,
  line,
  value: shown(text),
});

/** The fault of the first row after the last possible day. */
export const tooManyDays = (text: string, line: number): InputFault => ({
  code: 'tooManyDays',
  detail: `got more than ${recentDaysMax} days, expected at most as many in an import`,
  line,
  value: shown(text),
});

/** The fault of a row with the time of the row before it and another value. */
export const conflictingValue = (
  text: string,
  { time, line }: TimedLine,
  lastLine: number,
  ending: string,
): InputFault => ({
  code: 'conflictingValue',
  detail: `line ${line} has the time of line ${lastLine}, ${time}, and another value${ending}`,
  line,
  value: shown(text),
});

/** The warning for a row with the time and the value of the row before it. */
export const duplicate = (
  { time, line }: TimedLine,
  lastLine: number,
): ReturnType<ReturnType<typeof warningList>['all']>[number] => ({
  code: 'duplicate',
  detail: `line ${line} repeats line ${lastLine}, ${time}, with the same value: counted once`,
});
