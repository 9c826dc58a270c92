import { createHash } from 'node:crypto';
import type { Span } from '../../application/tracing/tracer.js';

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
export const otlpBody = (spans: readonly Span[], resource: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'daybook' }, spans: spans.map(spanJson) }],
      },
    ],
  });
