import { LRUCache } from 'lru-cache';
import { alerts } from '../../domain/alerts/alerts.js';
import { audit } from '../../domain/audit.js';
import { catalog } from '../../domain/catalog.js';
import { days } from '../../domain/days.js';
import type { Decider } from '../../domain/decider.js';
import { decode, type DomainEvent, type Recorded } from '../../domain/events.js';
import { incidents } from '../../domain/incidents/incidents.js';
import { mutes } from '../../domain/incidents/mutes.js';
import { tenantSettings } from '../../domain/incidents/tenantSettings.js';
import { calendar } from '../../domain/planning/calendarRules.js';
import { source } from '../../domain/source/source.js';
import type { streams } from '../../domain/streams.js';
import { tokens } from '../../domain/tokens.js';
import { webhooks } from '../../domain/webhooks/webhooks.js';
import { EventFault } from '../ports/eventStore.js';

/** State of a stream and the revision of its last folded event. */
export type Folded<State> = { readonly state: State; readonly revision: number | 'absent' };

/** Folded states of streams, so that a command reads new events only. */
export type FoldedStates = {
  readonly get: (stream: string) => Folded<unknown> | undefined;
  readonly set: (stream: string, folded: Folded<unknown>) => void;
};

/**
 * Bytes of the folded states that are cached, as JSON: those of the streams that were used last. In memory they
 * take up to three times as much. A source with a year of days takes 34 kB.
 */
const cachedBytesMax = 2 ** 28;

/** Bytes of a stream without events. */
const streamBytes = 1024;

/** Characters of a state as JSON, with the entries of its maps. */
const lengthOf = (state: unknown): number =>
  JSON.stringify(state, (_, value: unknown) => (value instanceof Map ? [...value] : value)).length;

type Sized = { readonly folded: Folded<unknown>; readonly bytes: number; readonly sizedAt: number };

/** A folded state with its size, which is measured again when the stream is twice as long. */
const sized = (folded: Folded<unknown>, before: Sized | undefined): Sized => {
  const revision = folded.revision === 'absent' ? 0 : folded.revision;
  return before && revision < 2 * before.sizedAt
    ? { ...before, folded }
    : { folded, bytes: streamBytes + lengthOf(folded.state), sizedAt: revision };
};

/**
 * Folded states of the streams that were used last.
 * @param bytesMax bytes that all of them may take, as JSON
 */
export const foldedStates = (bytesMax = cachedBytesMax): FoldedStates => {
  const cache = new LRUCache<string, Sized>({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => bytes });
  return {
    get: stream => cache.get(stream)?.folded,
    set: (stream, folded) => void cache.set(stream, sized(folded, cache.peek(stream))),
  };
};

type Folding<State> = Pick<Decider<never, never, State>, 'initial' | 'evolve'>;

/** State after a stored event. @throws EventFault */
export const foldStored = <State>(folding: Folding<State>, state: State, event: Recorded): State => {
  try {
    const decoded = decode(event);
    // A stream holds the events of its own decider only.
    return decoded ? folding.evolve(state, decoded as never) : state;
  } catch (error) {
    throw new EventFault(event, error);
  }
};

const foldingOf = <Command, Event extends DomainEvent, State>({
  initial,
  evolve,
}: Decider<Command, Event, State>): Folding<unknown> => ({
  initial,
  evolve: (state, event) => evolve(state as State, event),
});

const foldings: Readonly<Record<keyof typeof streams, Folding<unknown>>> = {
  catalog: foldingOf(catalog),
  source: foldingOf(source),
  days: foldingOf(days),
  alerts: foldingOf(alerts),
  audit: foldingOf(audit),
  webhooks: foldingOf(webhooks),
  calendar: foldingOf(calendar),
  incidents: foldingOf(incidents),
  settings: foldingOf(tenantSettings),
  mutes: foldingOf(mutes),
  tokens: foldingOf(tokens),
};

const kindOf = (stream: string): string => stream.split('-', 1)[0] ?? '';

/** Folds an event when the state before it is known. A fault is left to the command that meets it. */
const note = (states: FoldedStates, event: Recorded): void => {
  const { stream, revision } = event;
  const folding = foldings[kindOf(stream) as keyof typeof foldings] as Folding<unknown> | undefined;
  const known = revision === 0 ? { state: folding?.initial, revision: -1 } : states.get(stream);
  if (!folding || known?.revision !== revision - 1) return;
  try {
    states.set(stream, { state: foldStored(folding, known.state, event), revision });
  } catch (error) {
    if (!(error instanceof EventFault)) throw error;
  }
};

/**
 * Events of the log in their order, whose streams are folded in passing: the first command to a long stream would read
 * it once more, which takes seconds on a server.
 */
export async function* foldedInPassing(
  states: FoldedStates,
  events: AsyncIterable<Recorded>,
): AsyncGenerator<Recorded> {
  for await (const event of events) {
    note(states, event);
    yield event;
  }
}
