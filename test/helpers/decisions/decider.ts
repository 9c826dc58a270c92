import { deepStrictEqual } from 'node:assert/strict';
import { fold, type Decider } from '../../../domain/decider.js';
import { Rejection, type RejectionCode } from '../../../domain/rejection.js';

/** The part of tap's `t` that these helpers use. */
type Asserts = {
  readonly strictSame: (found: unknown, wanted: unknown, message: string) => boolean;
  readonly equal: (found: unknown, wanted: unknown, message: string) => boolean;
  readonly fail: (message: string) => boolean;
};

/** Result of a command: its events, or the rejection. */
export type Decision<Event> = readonly Event[] | Rejection;

/** Freezes a value deeply: a mutation throws a TypeError. */
export const frozen = <Value>(value: Value): Value => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
};

/** `fold` that freezes the state after every event. */
export const foldFrozen = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  state: State,
  events: readonly Event[],
): State => events.reduce((before, event) => frozen(decider.evolve(before, frozen(event))), frozen(state));

/** Result of `decide`; errors other than a Rejection are rethrown. */
export const decision = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  command: Command,
  state: State,
): Decision<Event> => {
  try {
    return frozen(decider.decide(frozen(command), state));
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
};

/** Whether a repeated command has no effect: it returns no events, or is rejected. */
export const isQuiet = <Event>(again: Decision<Event>): boolean =>
  again instanceof Rejection || again.length === 0;

/**
 * `given(t, decider, …events).when(command).then(…events)` or `.rejects(code)`. State and command are frozen, so
 * that mutations throw. An accepted command is repeated after its own events, and must have no effect then.
 */
export const given = <Command, Event, State>(
  t: Asserts,
  decider: Decider<Command, Event, State>,
  ...events: readonly Event[]
) => ({
  when: (command: Command) => {
    const state = foldFrozen(decider, decider.initial, events);
    const decided = decision(decider, command, state);
    const { type } = command as { readonly type: string };
    return {
      then: (...expected: readonly Event[]): void => {
        if (decided instanceof Rejection) {
          t.fail(`${type} was refused: ${decided.code}, ${decided.message}`);
          return;
        }
        t.strictSame(decided, expected, `${type} leads to ${expected.length} events`);
        const after = foldFrozen(decider, state, decided);
        t.equal(isQuiet(decision(decider, command, after)), true, `${type} has no effect when repeated`);
      },
      rejects: (code: RejectionCode): Rejection | undefined => {
        t.equal(decided instanceof Rejection ? decided.code : decided, code, `${type} is refused`);
        return decided instanceof Rejection ? decided : undefined;
      },
    };
  },
});

/**
 * Runs commands in order, skips rejected ones, and returns the events and the final state.
 * Each accepted command is repeated after its own events, and must have no effect then.
 * @param look called with the state and the events after each accepted command
 */
export const play = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  commands: readonly Command[],
  look: (state: State, decided: readonly Event[], before: State) => void = () => {},
): { readonly events: readonly Event[]; readonly state: State } => {
  let state = decider.initial;
  const events: Event[] = [];
  for (const command of commands) {
    const decided = decision(decider, command, state);
    if (decided instanceof Rejection) continue;
    const before = state;
    state = foldFrozen(decider, state, decided);
    events.push(...decided);
    if (!isQuiet(decision(decider, command, state)))
      throw new Error(`not idempotent: ${JSON.stringify(command)}`);
    look(state, decided, before);
  }
  return { events, state };
};

/** Throws unless folding in two halves gives the same state; `cut` is any natural number. */
export const foldsInHalves = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  events: readonly Event[],
  cut: number,
): void => {
  const at = cut % (events.length + 1);
  const first = foldFrozen(decider, decider.initial, events.slice(0, at));
  const inHalves = foldFrozen(decider, first, events.slice(at));
  deepStrictEqual(inHalves, fold(decider, decider.initial, events));
};
