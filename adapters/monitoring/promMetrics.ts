import {
  Gauge,
  Histogram,
  Registry,
  Counter,
  collectDefaultMetrics,
  type OpenMetricsContentType,
} from './promClient.js';
import {
  analysisOutcomes,
  deliveryResults,
  type Metrics,
  type ProjectionLag,
  type Readings,
  appendOutcomes,
} from '../../application/ports/monitoring.js';
import { alertKinds, outcomes } from '../../domain/alerts/findings.js';
import { eventVersions, type DomainEvent } from '../../domain/events.js';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Metrics that are written as OpenMetrics. */
type MetricsRegistry = Registry<OpenMetricsContentType>;

const newRegistry = (): MetricsRegistry => {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry;
};

/** A registry as most functions of prom-client declare it: with its other text format. */
const promRegistry = (registry: MetricsRegistry): Registry => registry as unknown as Registry;

let sharedRegistry: MetricsRegistry | undefined;

/** Metrics of this process: processor, memory, event loop, garbage collection. Its services share them. */
const processRegistry = (): MetricsRegistry => {
  if (!sharedRegistry) {
    sharedRegistry = newRegistry();
    collectDefaultMetrics({ register: promRegistry(sharedRegistry) });
  }
  return sharedRegistry;
};

/** Upper bounds of appends in seconds. */
const appendBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Metrics of appends. Counts come from the events that this instance stored, so instances of one log add up, and a
 * restart counts nothing again. Every value of a label is reported from the start.
 */
const logMetrics = (registry: MetricsRegistry): Pick<Metrics, 'appended'> => {
  const counter = <Label extends string>(
    name: string,
    help: string,
    label: Label,
    values: readonly string[],
  ) => {
    const counted = new Counter<string>({ name, help, labelNames: [label], registers: [registry] });
    for (const value of values) counted.inc({ [label]: value }, 0);
    return (value: string, by = 1): void => counted.inc({ [label]: value }, by);
  };
  const kinds = ['reference', 'recent'];
  const imports = counter('daybook_imports_total', 'Imports stored.', 'kind', [...kinds, 'points']);
  const days = counter('daybook_imported_days_total', 'Days of imports stored.', 'kind', kinds);
  const rows = counter('daybook_imported_rows_total', 'CSV rows of imports stored.', 'kind', kinds);
  const checked = counter('daybook_checked_days_total', 'Days checked, by outcome.', 'outcome', outcomes);
  const raised = counter('daybook_alerts_raised_total', 'Alerts raised, by kind.', 'kind', alertKinds);
  const types = Object.keys(eventVersions);
  const appended = counter('daybook_events_appended_total', 'Events stored, by type.', 'type', types);
  const appends = new Histogram({
    name: 'daybook_append_duration_seconds',
    help: 'Duration of appends to the event store, by outcome.',
    labelNames: ['outcome'],
    buckets: appendBuckets,
    registers: [registry],
  });
  for (const outcome of appendOutcomes) appends.zero({ outcome });

  const count = ({ type, data }: DomainEvent): void => {
    appended(type);
    if (type === 'DaysImported') {
      days(data.kind, data.days.length);
      if (data.part < data.parts) return;
      imports(data.kind);
      rows(data.kind, data.summary?.lines ?? 0);
    } else if (type === 'PointsImported') imports('points');
    else if (type === 'DaysChecked') for (const { outcome } of data.days) checked(outcome);
    else if (type === 'AlertRaised') raised(data.kind);
  };

  return {
    appended: ({ outcome, seconds, events }) => {
      appends.observe({ outcome }, seconds);
      events.forEach(count);
    },
  };
};

/** Metrics that can be read as OpenMetrics text. */
export type ReadableMetrics = Metrics & {
  readonly contentType: string;
  readonly text: () => Promise<string>;
};

/** Upper bounds of requests and analyses in seconds. */
const requestBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const analysisBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Upper bounds of requests to receivers in seconds; a request ends after 10 s. */
const deliveryBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Time in ms that a reading of the log may take; then the lag is left out. */
const lagTimeoutMs = 2000;

/** Metrics of one service with prom-client. No label has values that requests choose. */
export const promMetrics = (): ReadableMetrics => {
  const registry = newRegistry();
  const registries = [registry, processRegistry()].map(promRegistry);
  const registers = [registry];
  const requests = new Histogram({
    name: 'daybook_http_request_duration_seconds',
    help: 'Duration of requests until the answer begins, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestBuckets,
    registers,
  });
  const analyses = new Histogram({
    name: 'daybook_analysis_duration_seconds',
    help: 'Duration of analyses without waiting, by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    buckets: analysisBuckets,
    registers,
  });
  for (const kind of ['typicalDays', 'nearestModels'])
    for (const outcome of analysisOutcomes) analyses.zero({ kind, outcome });
  const deliveries = new Histogram({
    name: 'daybook_webhook_request_duration_seconds',
    help: 'Duration of requests to receivers of webhooks, by result.',
    labelNames: ['result'],
    buckets: deliveryBuckets,
    registers,
  });
  for (const result of deliveryResults) deliveries.zero({ result });
  const { appended } = logMetrics(registry);
  const lengths = new Map<string, () => number>();
  new Gauge({
    name: 'daybook_queue_length',
    help: 'Tasks that wait to be begun, by queue.',
    labelNames: ['queue'],
    registers,
    collect() {
      for (const [queue, length] of lengths) this.set({ queue }, length());
    },
  });

  let all: Registry | undefined;
  let reading: Promise<string> | undefined;
  return {
    answered: ({ method, route, status, seconds }) => requests.observe({ method, route, status }, seconds),
    appended,
    analysed: ({ kind, outcome, seconds }) => analyses.observe({ kind, outcome }, seconds),
    delivered: ({ result, seconds }) => deliveries.observe({ result }, seconds),
    watchQueue: (queue, length) => void lengths.set(queue, length),
    watch: readings => watchReadings(registry, readings),
    contentType: registry.contentType,
    // Readers at the same time share one reading, which may read the log.
    text: () => {
      all ??= Registry.merge(registries);
      reading ??= all.metrics().finally(() => (reading = undefined));
      return reading;
    },
  };
};

const watchReadings = (
  registry: MetricsRegistry,
  { lag, backlog, parked, parkedSources, differences }: Readings,
): void => {
  const gauge = (name: string, help: string, read: () => Promise<number | undefined> | number): void =>
    void new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  let reading: Promise<ProjectionLag | undefined> | undefined;
  const lagRead = () => (reading ??= inTime(lag()).finally(() => (reading = undefined)));
  gauge(
    'daybook_projection_lag_events',
    'Events that the read models do not have, at most 1000; left out while the log is unreadable.',
    async () => (await lagRead())?.events,
  );
  gauge(
    'daybook_projection_lag_seconds',
    'Age of the oldest event that the read models do not have; 0 without any.',
    async () => (await lagRead())?.seconds,
  );
  gauge(
    'daybook_process_manager_backlog_events',
    'Events that the process manager has not handled yet.',
    backlog,
  );
  gauge('daybook_process_manager_parked_events', 'Events whose handling failed too often.', parked);
  gauge(
    'daybook_parked_sources',
    'Sources, and streams of no source, with an event that this build cannot handle.',
    parkedSources,
  );
  gauge(
    'daybook_read_model_differences',
    'Comparisons since the start that found read models which differ from the log.',
    differences,
  );
};

/** The result of work; undefined when it fails or takes too long. */
const inTime = async <Result>(work: Promise<Result>): Promise<Result | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), lagTimeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
};

const answerText = (response: ServerResponse, status: number, text: string, type = 'text/plain'): void => {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
};

/** Answers `GET /metrics` without a token: for an address that only the monitoring can reach. */
export const metricsListener =
  ({ text, contentType }: Pick<ReadableMetrics, 'text' | 'contentType'>, failed: (error: unknown) => void) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url !== '/metrics') return answerText(response, 404, 'got another path, expected /metrics\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return answerText(response, 405, 'got another method, expected GET\n');
    }
    text().then(
      metrics => answerText(response, 200, metrics, contentType),
      (error: unknown) => {
        failed(error);
        answerText(response, 500, 'the metrics cannot be read; see the log of the service\n');
      },
    );
  };
