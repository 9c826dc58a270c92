import { useCallback, useState } from 'react';
import { useMessages } from '../../messages/messages.js';
import { addDays, datesBetween } from '../../parts/days.js';

/** First (inclusive) and last (inclusive) date of a selection. */
export type Range = { readonly from: string; readonly to: string };

/** Dates that are selected at most: one act changes no more. */
export const datesMax = 366;

/** Dates of a range. */
export const datesOf = ({ from, to }: Range): string[] => datesBetween(from, addDays(to, 1));

/** The range between two dates, which ends at the maximum as seen from the first one. */
const rangeBetween = (anchor: string, date: string): Range => {
  const [first, last] = [addDays(anchor, 1 - datesMax), addDays(anchor, datesMax - 1)];
  return anchor < date
    ? { from: anchor, to: date < last ? date : last }
    : { from: date > first ? date : first, to: anchor };
};

/** Whether a field has a whole date. */
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

type Selection = { readonly anchor: string; readonly range: Range };

/** Selected dates: one, or those between it and another. */
export const useSelectedDates = () => {
  const [selection, setSelection] = useState<Selection>();
  const choose = useCallback(
    (date: string, extend: boolean) =>
      setSelection(before => {
        const anchor = extend && before ? before.anchor : date;
        return { anchor, range: rangeBetween(anchor, date) };
      }),
    [],
  );
  return {
    range: selection?.range,
    choose,
    setRange: ({ from, to }: Range): void => setSelection({ anchor: from, range: rangeBetween(from, to) }),
    clear: (): void => setSelection(undefined),
  };
};

export type Selecting = { readonly range: Range; readonly onRange: (range: Range) => void };

/** First and last date as fields, for people who do not drag. Typed dates are taken when a person leaves a field. */
export const PeriodDates = ({ range, onRange }: Selecting) => {
  const { calendar: texts } = useMessages();
  const [typed, setTyped] = useState(range);
  const [shown, setShown] = useState(range);
  if (shown !== range) {
    setShown(range);
    setTyped(range);
  }
  const take = (): void => {
    const { from, to } = typed;
    const isChanged = from !== range.from || to !== range.to;
    // Browsers take years of six digits.
    if (isChanged && isDate(from) && isDate(to) && from <= to) onRange(typed);
  };
  const field = (name: 'from' | 'to', limits: { readonly min?: string; readonly max?: string }) => (
    <input
      type="date"
      className="input grow"
      aria-label={texts[name]}
      aria-invalid={typed.from > typed.to}
      {...limits}
      value={typed[name]}
      onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
      onBlur={take}
      onKeyDown={({ key }) => {
        if (key === 'Enter') take();
      }}
    />
  );
  return (
    <div className="row nowrap">
      {field('from', { max: typed.to })}
      {field('to', { min: typed.from })}
    </div>
  );
};
