import { fold, type Decider } from '../../domain/decider.js';
import { Rejection, type RejectionCode } from '../../domain/rejection.js';

/** What of tap's `t` these helpers use. */
type Asserts = {
  readonly strictSame: (found: unknown, wanted: unknown, message: string) => boolean;
  readonly equal: (found: unknown, wanted: unknown, message: string) => boolean;
  readonly fail: (message: string) => boolean;
};

/** What a command came to: its events, or the refusal. */
export type Decision<Event> = readonly Event[] | Rejection;

/** The value with everything in it frozen: whoever changes it throws a TypeError. */
export const frozen = <Value>(value: Value): Value => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
};

/** `fold`, with the state frozen after every event. */
export const foldFrozen = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  state: State,
  events: readonly Event[],
): State => events.reduce((before, event) => frozen(decider.evolve(before, frozen(event))), frozen(state));

/** What `decide` says; an error other than a Rejection is thrown on. */
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

/** Whether a command that comes again after its own events is quiet: nothing more happens, or it is refused. */
export const isQuiet = <Event>(again: Decision<Event>): boolean =>
  again instanceof Rejection || again.length === 0;

/**
 * `given(t, decider, …events).when(command).then(…events)` or `.rejects(code)`. Everything is frozen, so
 * that a rule which changes its state or its command throws; a command that is accepted is given once more
 * after its own events, and has to be quiet then.
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
        t.equal(isQuiet(decision(decider, command, after)), true, `${type} again is quiet`);
      },
      rejects: (code: RejectionCode): Rejection | undefined => {
        t.equal(decided instanceof Rejection ? decided.code : decided, code, `${type} is refused`);
        return decided instanceof Rejection ? decided : undefined;
      },
    };
  },
});

/** The state after `events`, taken at once, asserted to be the same when they are taken in two halves. */
export const foldedBothWays = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  events: readonly Event[],
  cut: number,
): { readonly atOnce: State; readonly inHalves: State } => {
  const first = foldFrozen(decider, decider.initial, events.slice(0, cut));
  return {
    atOnce: fold(decider, decider.initial, events),
    inHalves: foldFrozen(decider, first, events.slice(cut)),
  };
};
