import type { ReadDay } from '../../../analysis/misread/windows.js';
import type { Misreading } from '../../../analysis/misread/misreadings.js';
import { swapped } from '../../../analysis/misread/wrongTimes.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';

/** Days of a source: stored ones, and new ones that are read with them. */
export type Reading = { readonly known: readonly ReadDay[]; readonly fresh: readonly ReadDay[] };

/** One way to misread a source. */
export type Damage = {
  readonly name: string;
  /** The code of its warning. */
  readonly code: Misreading['code'];
  /** How much it changes: a factor, or hours. */
  readonly size?: number;
  /** The damaged reading; undefined when the days are too few for it. */
  readonly apply: (reference: readonly ReadDay[], recent: readonly ReadDay[]) => Reading | undefined;
};

type Change = (days: readonly ReadDay[]) => readonly ReadDay[] | undefined;

const daysMin = 28;

const readingOf = (known: readonly ReadDay[], fresh: readonly ReadDay[] | undefined): Reading | undefined =>
  fresh && { known, fresh };

/** Recent days are damaged; the reference is stored. */
const inRecent =
  (change: Change, least = daysMin): Damage['apply'] =>
  (known, recent) =>
    recent.length < least ? undefined : readingOf(known, change(recent));

/** The second half of a reference is damaged. */
const inReference =
  (change: Change): Damage['apply'] =>
  reference => {
    const half = Math.floor(reference.length / 2);
    if (half < daysMin) return undefined;
    const changed = change(reference.slice(half));
    return readingOf([], changed && [...reference.slice(0, half), ...changed]);
  };

const mapped =
  (of: (value: number, slice: number, values: readonly number[]) => number) =>
  (days: readonly ReadDay[]): readonly ReadDay[] =>
    days.map(({ dayNumber: day, values }) => ({ dayNumber: day, values: values.map(of) }));

const times = (factor: number): Change => mapped(value => value * factor);

/** Values that come `hours` later, on days for which `holds` is true. */
export const later =
  (hours: number, holds: (dayNumber: number) => boolean = () => true) =>
  (days: readonly ReadDay[]): readonly ReadDay[] => {
    const slices = days[0]?.values.length ?? 24;
    const byDay = new Map(days.map(({ dayNumber: day, values }) => [day, values]));
    const shift = Math.round((hours * slices) / 24);
    return days.map(({ dayNumber: day, values }) => ({
      dayNumber: day,
      values: holds(day)
        ? values.map((_, slice) => {
            const from = slice - shift;
            const over = Math.floor(from / slices);
            return byDay.get(day + over)?.[from - over * slices] ?? NaN;
          })
        : values,
    }));
  };

/** Whether Europe has summer time on a day. */
const isSummer = (day: number): boolean => {
  const date = dateOf(day);
  const lastSunday = (end: string): number => {
    const last = dayNumber(`${date.slice(0, 4)}-${end}`);
    return last - ((weekday(last) + 1) % 7);
  };
  return day >= lastSunday('03-31') && day < lastSunday('10-31');
};

/** Days damaged on one side of a change of clocks that is at least four weeks inside them. */
const inSummer =
  (hours: number): Damage['apply'] =>
  (reference, recent) => {
    const hasChange = (days: readonly ReadDay[]): boolean =>
      days
        .slice(daysMin, -daysMin)
        .some(({ dayNumber: day }, index) =>
          index === 0 ? false : isSummer(day) !== isSummer(day - 1),
        );
    const change = later(hours, isSummer);
    if (hasChange(reference)) return readingOf([], change(reference));
    return hasChange(recent) ? readingOf(reference, change(recent)) : undefined;
  };

/** A register of the values, from `start` on, that begins again after so many days. */
const register =
  (resetDays: number, start: number): Change =>
  days => {
    let total = start;
    return days.map(({ dayNumber: day, values }, index) => {
      if (index > 0 && index % resetDays === 0) total = 0;
      return {
        dayNumber: day,
        values: values.map(value => {
          if (!Number.isNaN(value)) total += Math.abs(value);
          return Number.isNaN(value) ? NaN : total;
        }),
      };
    });
  };

/** Values of `count` days, from an index on, come again after `gap` days. */
const repeated =
  (count: number, gap: number): Change =>
  days => {
    const first = 7;
    const copied = days.slice(first, first + count);
    const last = days[first + gap + count - 1]?.dayNumber ?? NaN;
    // Holes would part the block.
    if (last !== (days[first]?.dayNumber ?? NaN) + gap + count - 1) return undefined;
    return days.map((day, index) => {
      const copy = copied[index - first - gap];
      return copy ? { dayNumber: day.dayNumber, values: copy.values } : day;
    });
  };

/** Day and month are exchanged where the result is a date. */
const exchanged = (days: readonly ReadDay[]): readonly ReadDay[] =>
  days
    .map(({ dayNumber: day, values }) => ({ dayNumber: swapped(day) ?? day, values }))
    .sort((one, other) => one.dayNumber - other.dayNumber);

/** Recent days 1 to 12 of a month with day and month exchanged. */
const firstOfMonth: Damage['apply'] = (known, recent) => {
  const begun = recent.find(({ dayNumber: day }) => dateOf(day).endsWith('-01'))?.dayNumber ?? NaN;
  const days = recent.filter(({ dayNumber: day }) => day >= begun && day < begun + 12);
  if (days.length < 12) return undefined;
  const fresh = exchanged(days);
  const dates = new Set(fresh.map(day => day.dayNumber));
  return { known: known.filter(day => !dates.has(day.dayNumber)), fresh };
};

/** One value a day: the total, at midnight. */
const totals = mapped((_, slice, values) =>
  slice === 0 ? values.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0) : NaN,
);

const units: readonly Damage[] = [10, 1 / 10, 100, 1000, 1 / 1000, 1e6, 3.6, 1 / 3.6, 60, 1 / 60, 1000 / 3.6].map(
  size => ({
    name: size >= 1 ? `recent ×${Number(size.toPrecision(4))}` : `recent ÷${Number((1 / size).toPrecision(4))}`,
    code: 'unitChanged',
    size,
    apply: inRecent(times(size)),
  }),
);
const referenceUnits: readonly Damage[] = [10, 1 / 1000, 3.6].map(size => ({
  name: size >= 1 ? `half the reference ×${size}` : `half the reference ÷${1 / size}`,
  code: 'unitChanged',
  size,
  apply: inReference(times(size)),
}));
const shifts: readonly Damage[] = [1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6].map(size => ({
  name: `recent ${size > 0 ? '+' : '−'}${Math.abs(size)} h`,
  code: 'clockShifted',
  size,
  apply: inRecent(later(size)),
}));

/** All damages of the measurement. */
export const damages: readonly Damage[] = [
  ...units,
  ...referenceUnits,
  ...shifts,
  { name: 'half the reference +1 h', code: 'clockShifted', size: 1, apply: inReference(later(1)) },
  { name: 'half the reference −3 h', code: 'clockShifted', size: -3, apply: inReference(later(-3)) },
  { name: 'summer time twice', code: 'clockShifted', size: 1, apply: inSummer(1) },
  { name: 'summer time not at all', code: 'clockShifted', size: -1, apply: inSummer(-1) },
  { name: 'register', code: 'looksCumulative', apply: inRecent(register(Infinity, 0)) },
  { name: 'register from 10⁶ on', code: 'looksCumulative', apply: inRecent(register(Infinity, 1e6)) },
  { name: 'register, daily reset', code: 'looksCumulative', apply: inRecent(register(1, 0)) },
  { name: 'register, weekly reset', code: 'looksCumulative', apply: inRecent(register(7, 0)) },
  { name: 'reference of a register', code: 'looksCumulative', apply: inReference(register(Infinity, 0)) },
  { name: 'week repeated', code: 'repeatedBlock', apply: inRecent(repeated(7, 7)) },
  { name: 'three days repeated', code: 'repeatedBlock', apply: inRecent(repeated(3, 10)) },
  { name: 'month repeated in the reference', code: 'repeatedBlock', apply: inReference(repeated(30, 30)) },
  {
    name: 'reference sent as recent',
    code: 'repeatedBlock',
    apply: (known, recent) => ({
      known,
      fresh: recent.slice(0, daysMin).map((day, index) => ({ ...day, values: known[index]?.values ?? day.values })),
    }),
  },
  { name: 'daily totals', code: 'oneRowADay', apply: inRecent(totals) },
  { name: 'totals in the reference', code: 'oneRowADay', apply: known => ({ known: [], fresh: totals(known) }) },
  { name: 'days 1 to 12 swapped', code: 'dayMonthSwapped', apply: firstOfMonth },
  {
    name: 'reference swapped in place',
    code: 'dayMonthSwapped',
    apply: known => ({ known: [], fresh: exchanged(known) }),
  },
  { name: 'recent swapped in place', code: 'dayMonthSwapped', apply: inRecent(exchanged) },
];
