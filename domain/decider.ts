/**
 * Rules of one kind of stream. `decide` returns the events of a command: `[]` when there is nothing to do, for
 * example for a retry. It throws a Rejection when a rule forbids the command. `evolve` returns the state after an
 * event; it never throws and does not change its arguments.
 */
export type Decider<Command, Event, State> = {
  readonly initial: State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
};

/** Applies events in their order to a state. */
export const fold = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  state: State,
  events: readonly Event[],
): State => events.reduce(decider.evolve, state);
