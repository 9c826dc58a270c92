import type { Decider } from '../domain/decider.js';
import type { DomainEvent } from '../domain/events.js';
import type { CommandHandler, CommandMetadata } from './commandHandler.js';

const noCommand: CommandMetadata = { id: '', isRetry: false, by: '', cause: '', correlation: '', at: '' };

/** State of a stream as the log has it now. Nothing is appended. */
export const stateOf = async <Command, Event extends DomainEvent, State>(
  { handle }: { readonly handle: CommandHandler },
  decider: Decider<Command, Event, State>,
  stream: string,
): Promise<State> => (await handle({ ...decider, decide: () => [] }, stream, undefined, noCommand)).state;
