/**
 * The rules of one kind of stream: what may happen (`decide`) and what it leads to (`evolve`).
 * `decide` answers the events to append, `[]` when nothing need happen, or throws a Rejection.
 * `evolve` never throws, judges or mutates.
 */
export type Decider<Command, Event, State> = {
  readonly initial: State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
};

/** The state after `events`, taken in their order, from `state`. */
export const fold = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  state: State,
  events: readonly Event[],
): State => events.reduce(decider.evolve, state);
