import { processManagerName, type KnownEvent } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import { isAnalysis } from '../../domain/followUps.js';
import type { Environment } from '../ports/environment.js';
import type { EventStore } from '../ports/eventStore.js';
import { isRelearned } from './analyses.js';
import { isTransient } from './followUpParts.js';
import type { FollowUps } from './followUps.js';
import { appendKey, type Span, type Tracer } from '../ports/monitoring.js';

type Clocks = Pick<Environment, 'nowMs' | 'elapsedMs'>;

/** Runs work and passes on its start and duration for a span, with the error when it fails. */
const timed = async <Result>(
  { nowMs, elapsedMs }: Clocks,
  work: () => Promise<Result>,
  ended: (time: Pick<Span, 'startMs' | 'durationMs'>, error?: unknown) => void,
): Promise<Result> => {
  const startMs = nowMs();
  const since = elapsedMs();
  const time = () => ({ startMs, durationMs: elapsedMs() - since });
  try {
    const result = await work();
    ended(time());
    return result;
  } catch (error) {
    ended(time(), error);
    throw error;
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A store whose appends are spans: children of the request or the follow-up work that caused them. */
export const tracedStore = <Store extends EventStore>(
  store: Store,
  tracer: Tracer,
  clocks: Clocks,
): Store => ({
  ...store,
  append: (stream, expected, events) =>
    timed(
      clocks,
      () => store.append(stream, expected, events),
      (time, error) => {
        const [first] = events;
        if (!first) return;
        const { cause, correlation, by } = first.metadata;
        // The clock has no request: its append is the first span.
        const isFirst = by === processManagerName && cause === correlation;
        tracer.record({
          correlation,
          ...(isFirst ? { key: correlation } : { key: appendKey(first.id, expected), parent: cause }),
          name: `append ${stream.split('-')[0]}`,
          kind: 'client',
          ...time,
          attributes: {
            'daybook.stream': stream,
            'daybook.events': [...new Set(events.map(({ type }) => type))].join(' '),
            'daybook.event_count': events.length,
          },
          ...(error !== undefined && { error: messageOf(error) }),
        });
      },
    ),
});

const kindOf = (event: KnownEvent): string =>
  isRelearned(event) ? 'creation' : isAnalysis(event) ? 'analysis' : 'check';

/** Follow-up work whose runs are spans: children of what caused their event. A run that is retried has none. */
export const tracedFollowUps = (work: FollowUps, tracer: Tracer, clocks: Clocks): FollowUps => ({
  ...work,
  run: event =>
    timed(
      clocks,
      () => work.run(event),
      (time, error) => {
        if (isTransient(error)) return;
        tracer.record({
          correlation: event.metadata.correlation,
          key: event.id,
          parent: event.metadata.cause,
          name: `${kindOf(event)} after ${event.type}`,
          kind: 'internal',
          ...time,
          attributes: { 'daybook.source_id': sourceOf(event.stream), 'daybook.event_id': event.id },
          ...(error !== undefined && { error: messageOf(error) }),
        });
      },
    ),
});
