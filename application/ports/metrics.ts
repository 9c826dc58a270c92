import type { AnalysisJob } from '../../analysis/worker.js';
import type { DomainEvent } from '../../domain/events.js';
import { sendFailures } from './deliveries.js';

/** Results of an append. `unknown`: the store became unreachable before it answered. */
export const appendOutcomes = ['stored', 'conflict', 'unavailable', 'unknown', 'failed'] as const;
export type AppendOutcome = (typeof appendOutcomes)[number];

export const analysisOutcomes = ['completed', 'cancelled', 'failed'] as const;
export type AnalysisOutcome = (typeof analysisOutcomes)[number];

/** Results of a request to a receiver of webhooks. `refused`: it answered with another status than 2xx. */
export const deliveryResults = ['delivered', 'refused', ...sendFailures] as const;
export type DeliveryResult = (typeof deliveryResults)[number];

/** Queues of work that has not started. `eventLoop`: reads and checks that wait for their turn of the event loop. */
export const queues = ['analyses', 'eventLoop', 'history', 'bodies', 'lines', 'largeAnswers'] as const;
export type Queue = (typeof queues)[number];

/** Events of the log that the read models do not have. */
export type ProjectionLag = {
  /** Number of events, at most `lagEventsMax`. */
  readonly events: number;
  /** Age of the oldest of them in seconds; 0 without any. */
  readonly seconds: number;
};

/** Values that are read each time the metrics are collected. */
export type Readings = {
  readonly lag: () => Promise<ProjectionLag>;
  /** Events that the process manager has not handled yet. */
  readonly backlog: () => number;
  /** Events whose handling failed too often. */
  readonly parked: () => number;
  /** Subjects whose events this build cannot handle. */
  readonly parkedSources: () => number;
  /** Comparisons that found read models which differ from the log. */
  readonly differences: () => number;
};

/** Records what a service does. Calls are cheap, do not throw, and have no effect on the service. */
export type Metrics = {
  /** A request was answered. `route` is the path of its route with parameters in braces. */
  readonly answered: (request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }) => void;
  /** An append of this instance ended; `events` are the stored ones. */
  readonly appended: (append: {
    readonly outcome: AppendOutcome;
    readonly seconds: number;
    readonly events: readonly DomainEvent[];
  }) => void;
  /** An analysis ended. `seconds` excludes the wait for a thread. */
  readonly analysed: (analysis: {
    readonly kind: AnalysisJob['kind'];
    readonly outcome: AnalysisOutcome;
    readonly seconds: number;
  }) => void;
  /** A request to a receiver of webhooks ended. */
  readonly delivered: (delivery: { readonly result: DeliveryResult; readonly seconds: number }) => void;
  /** Registers a queue; `length` is the number of its waiting tasks. */
  readonly watchQueue: (queue: Queue, length: () => number) => void;
  readonly watch: (readings: Readings) => void;
};

/** Records nothing. */
export const noMetrics: Metrics = {
  answered: () => {},
  appended: () => {},
  analysed: () => {},
  delivered: () => {},
  watchQueue: () => {},
  watch: () => {},
};
