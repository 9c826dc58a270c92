import type { Logger } from 'pino';
import { boundedRequest, dropBody } from '../network/boundedRequest.js';
import type { NameResolver } from '../network/nameResolver.js';
import type { Span, Tracer } from '../../application/ports/monitoring.js';
import type { Collector } from '../settings/settings.js';
import { createHash } from 'node:crypto';

/** Id of a trace: the digits of the correlation, a UUID. */
export const traceIdOf = (correlation: string): string => correlation.replaceAll('-', '').toLowerCase();

/** Id of a span: the first 16 hex digits of the SHA-256 of its key. */
const spanIdOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

const kinds = { internal: 1, server: 2, client: 3 } as const;
const errorStatus = 2;

const attributesOf = (attributes: Readonly<Record<string, string | number>>): readonly object[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));

/** Nanoseconds as decimal digits: they exceed the safe integers. */
const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n);

const spanJson = (span: Span): object => ({
  traceId: traceIdOf(span.correlation),
  spanId: spanIdOf(span.key),
  ...(span.parent !== undefined && { parentSpanId: spanIdOf(span.parent) }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanoseconds(span.startMs),
  endTimeUnixNano: nanoseconds(span.startMs + span.durationMs),
  attributes: attributesOf(span.attributes),
  ...(span.link && { links: [span.link] }),
  ...(span.error !== undefined && { status: { code: errorStatus, message: span.error } }),
});

/** Spans as the body of an OTLP/HTTP request in JSON (opentelemetry-proto 1.x, ExportTraceServiceRequest). */
const otlpBody = (spans: readonly Span[], resource: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'daybook' }, spans: spans.map(spanJson) }],
      },
    ],
  });

/** A tracer that sends its spans. */
export type OtlpTracer = Tracer & {
  /** Sends the waiting spans, then ends. */
  readonly close: () => Promise<void>;
};

/** Maximum spans of one request, and of the queue; further spans are dropped. */
const batchMax = 512;
const waitingMax = 4096;

const intervalMs = 2000;
const timeoutMs = 5000;
const answerBytesMax = 65_536;

/**
 * Sends spans to a collector with OTLP/HTTP in JSON, every two seconds. Spans that cannot be sent, or come faster than
 * they are sent, are dropped and reported once, until it works again: tracing never delays the service.
 */
export const otlpTracer = (
  { url, headers, serviceName }: Collector,
  names: NameResolver,
  log: Logger,
): OtlpTracer => {
  const resource = { 'service.name': serviceName };
  let waiting: Span[] = [];
  let dropped = 0;
  let isReported = false;
  let isFull = false;
  let sending = Promise.resolve();

  const post = async (spans: readonly Span[]): Promise<void> => {
    const body = otlpBody(spans, resource);
    const answer = await boundedRequest(url, {
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      },
      body,
      lookup: names.lookupFor({ asksSystem: true }),
      bytesMax: answerBytesMax,
      signal: AbortSignal.timeout(timeoutMs),
    });
    dropBody(answer, answerBytesMax);
    const { statusCode = 0 } = answer;
    if (statusCode < 200 || statusCode > 299) throw new Error(`the collector answered ${statusCode}`);
  };

  const flush = async (): Promise<void> => {
    const spans = waiting;
    waiting = [];
    let from = 0;
    try {
      for (; from < spans.length; from += batchMax) await post(spans.slice(from, from + batchMax));
      if (spans.length > 0) isReported = false;
      // Spans that came meanwhile fit into a request: the collector has caught up.
      if (waiting.length <= batchMax) isFull = false;
    } catch (error) {
      dropped += spans.length - from;
      if (!isReported)
        log.warn({ err: error, dropped }, 'spans cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT');
      isReported = true;
    }
  };
  const send = (): Promise<void> => (sending = sending.then(flush));
  const timer = setInterval(() => void send(), intervalMs);
  timer.unref();

  return {
    record: span => {
      if (waiting.length < waitingMax) return void waiting.push(span);
      dropped += 1;
      if (!isFull)
        log.warn({ dropped }, 'OTEL_EXPORTER_OTLP_ENDPOINT is slow: spans that come meanwhile are dropped');
      isFull = true;
    },
    close: async () => {
      clearInterval(timer);
      await send();
    },
  };
};
