import type { ImportSummary } from '../../../domain/days.js';
import { jumpFactor, speedOf, type Rise } from '../../../domain/register.js';
import { plural } from './counted.js';
import { InvalidInput } from './faults.js';

type Warning = ImportSummary['warnings'][number];

/** Two consecutive readings of a register that are no ordinary rise; instants in seconds since 1970. */
export type Turn = {
  readonly from: number;
  readonly to: number;
  readonly before: number;
  readonly after: number;
};

/** Warnings of one code that are listed one by one. */
const listedMax = 10;

/** An instant in seconds since 1970, in UTC. */
const instantText = (at: number): string => new Date(at * 1000).toISOString().replace('.000Z', 'Z');

/** A number without the noise of a difference of two decimals. */
const numberText = (value: number): string => String(Number(value.toPrecision(12)));

const turnText = ({ from, to, before, after }: Turn): string =>
  `got ${numberText(after)} at ${instantText(to)} after ${numberText(before)} at ${instantText(from)}`;

/** Lists the first warnings of a code, and the number of the others. */
const listed = (
  code: string,
  turns: readonly Turn[],
  total: number,
  detailOf: (turn: Turn) => string,
): Warning[] => {
  const warnings = turns.slice(0, listedMax).map(turn => ({ code, detail: detailOf(turn) }));
  const others = total - warnings.length;
  return others === 0
    ? warnings
    : [...warnings, { code, detail: `${others} more like the last are not listed` }];
};

/** Warnings for falls: the register was reset, or the meter exchanged. @param total falls, also those not given */
export const resetWarnings = (turns: readonly Turn[], total: number): Warning[] =>
  listed(
    'counterReset',
    turns,
    total,
    turn =>
      `${turnText(turn)}: the register was reset or the meter was exchanged; what it counted between the two ` +
      'readings is not known and is a gap',
  );

/** Warnings for rises that no register of this speed has. @param usual the fastest rise that is no jump */
export const jumpWarnings = (turns: readonly Turn[], usual: Rise | undefined, step: number): Warning[] =>
  listed('counterJump', turns, turns.length, turn => {
    const fastest =
      usual === undefined
        ? 'what the source expects'
        : `the fastest other rise, ${numberText(speedOf(usual, step) * 3600)} an hour`;
    return (
      `${turnText(turn)}: a rise of ${numberText(turn.after - turn.before)} is more than ${jumpFactor} times ` +
      `as fast as ${fastest}; the time between the two readings is a gap`
    );
  });

/** Warnings for a register that passed a power of ten: its amount is known. @param amountOf the amount of a turn */
export const rollOverWarnings = (turns: readonly Turn[], amountOf: (turn: Turn) => number): Warning[] =>
  listed('counterRollOver', turns, turns.length, turn => {
    const amount = amountOf(turn);
    const end = turn.before + amount - turn.after;
    return `${turnText(turn)}: the register went back to 0 at ${numberText(end)}; ${numberText(amount)} were counted`;
  });

/** The amounts of long stretches between readings. */
export type LongStretches = {
  readonly slices: number;
  readonly amount: number;
  /** Whether the amounts were spread evenly; else the slices are gaps. */
  readonly spread: boolean;
};

/** A sentence on slices without a reading near their ends; none when there are no such slices. */
export const stretchNotes = ({ slices, amount, spread }: LongStretches): string[] => {
  if (slices === 0) return [];
  const what = `${plural(slices, 'slice')} between readings two or more slices apart`;
  return spread
    ? [`${what}: the register rose by ${numberText(amount)}, spread evenly over them`]
    : [
        `${what} are gaps: the register rose by ${numberText(amount)}, which no slice has; ` +
          'interpolationMethod=linear spreads it',
      ];
};

/** The refusal of values that fall too often to be readings of a register, with the cure. */
export const notCumulative = (falls: number, changes: number, first: Turn | undefined): InvalidInput =>
  new InvalidInput(
    'notCumulative',
    `got ${plural(falls, 'fall')} in ${plural(changes, 'change')} of the value` +
      (first ? `, the first ${turnText(first).slice('got '.length)}` : '') +
      ', expected readings of a register, which rise except for a rare reset: create a source with ' +
      'aggregation=sum for amounts, or with aggregation=mean for levels',
    [],
  );
