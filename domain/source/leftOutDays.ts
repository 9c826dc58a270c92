import { lookUp, type Keyed } from '../keyed.js';
import { Rejection } from '../rejection.js';

// Reference days that people leave out of learning. The days stay in the log and in answers; the next models are those
// of a source that was imported without them.

/** A reference day that a person left out; `reason` in their words, sealed. */
export type LeftOutDay = { readonly date: string; readonly reason: string };

/** Events of `source-{id}` about reference days that are left out. */
export type LeftOutEvent =
  | { readonly type: 'ReferenceDayLeftOut'; readonly data: { readonly requestId: string } & LeftOutDay }
  | {
      readonly type: 'LeavingOutTakenBack';
      readonly data: { readonly requestId: string; readonly date: string };
    };

export type LeftOutCommand =
  | ({ readonly type: 'LeaveOutReferenceDay'; readonly requestId: string } & LeftOutDay)
  | { readonly type: 'TakeBackLeavingOut'; readonly requestId: string; readonly date: string };

/** The days that are left out, reasons by date, and the number of all reference days. */
export type LeftOutState = {
  readonly leftOut: Readonly<Record<string, string>>;
  readonly referenceDays: number;
  readonly requests: Keyed<true>;
};

/** Dates that an analysis learns without, ascending; absent for none. */
export type WithoutDates = { readonly withoutDates?: readonly string[] };

/** Fewest reference days with three quarters of their slices from which typical days can be learned. */
export const referenceDaysMin = 14;

/** Days that are left out, by date. */
export const leftOutDays = ({ leftOut }: Pick<LeftOutState, 'leftOut'>): readonly LeftOutDay[] =>
  Object.entries(leftOut)
    .map(([date, reason]) => ({ date, reason }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));

/** Their dates as a request of an analysis has them. */
export const withoutDates = (state: Pick<LeftOutState, 'leftOut'>): WithoutDates => {
  const dates = leftOutDays(state).map(({ date }) => date);
  return dates.length > 0 ? { withoutDates: dates } : {};
};

/**
 * Decides whether a reference day is left out. The same again changes nothing, also with another reason.
 * @throws Rejection `tooFewReferenceDays` when fewer than 14 would remain
 */
export const decideLeftOut = (command: LeftOutCommand, state: LeftOutState): readonly LeftOutEvent[] => {
  const { requestId, date } = command;
  const isLeftOut = state.leftOut[date] !== undefined;
  if (lookUp(state.requests, requestId)) return [];
  if (command.type === 'TakeBackLeavingOut')
    return isLeftOut ? [{ type: 'LeavingOutTakenBack', data: { requestId, date } }] : [];
  if (isLeftOut) return [];
  const remaining = state.referenceDays - Object.keys(state.leftOut).length - 1;
  if (remaining < referenceDaysMin)
    throw new Rejection(
      'tooFewReferenceDays',
      `without ${date} ${Math.max(0, remaining)} reference days remain, expected at least ${referenceDaysMin}`,
    );
  return [{ type: 'ReferenceDayLeftOut', data: { requestId, date, reason: command.reason } }];
};

/** Days that are left out after an event. */
export const evolveLeftOut = (
  { leftOut }: Pick<LeftOutState, 'leftOut'>,
  { type, data }: LeftOutEvent,
): Pick<LeftOutState, 'leftOut'> => {
  if (type === 'ReferenceDayLeftOut') return { leftOut: { ...leftOut, [data.date]: data.reason } };
  const { [data.date]: _, ...others } = leftOut;
  return { leftOut: others };
};
