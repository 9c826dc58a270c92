import { deepStrictEqual } from 'node:assert/strict';
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

/**
 * Runs commands one after the other, refusals left out, and answers the events and the state they led to.
 * Each accepted command comes once more after its own events and has to be quiet.
 * @param look sees the state after each accepted command, with the events that it led to
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
      throw new Error(`again not quiet: ${JSON.stringify(command)}`);
    look(state, decided, before);
  }
  return { events, state };
};

/** Throws unless folding the events at once is folding them in two halves; `cut` is any natural number. */
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
