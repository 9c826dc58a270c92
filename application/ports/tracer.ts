/**
 * Finished work of a trace. All instances derive the same ids from the same keys, so that spans
 * find their parents through the causes that events have.
 */
export type Span = {
  /** Id of the request at the start (UUID): the correlation of its events, and the id of the trace. */
  readonly correlation: string;
  /** Key of this span: the id of the request or event that is handled, or a separate one. */
  readonly key: string;
  /** Key of the span that led to this one; absent for the first of a trace. */
  readonly parent?: string;
  readonly name: string;
  readonly kind: 'server' | 'internal' | 'client';
  /** Milliseconds since 1970-01-01 UTC, and duration in ms. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Message of the error that ended the work. */
  readonly error?: string;
  /** Span of another trace, in which the client works: ids as in the header traceparent. */
  readonly link?: { readonly traceId: string; readonly spanId: string };
};

/** Records spans. Calls are cheap and do not throw. */
export type Tracer = {
  readonly record: (span: Span) => void;
};

/** Key of the span of an append. */
export const appendKey = (firstEventId: string, expected: number | 'absent'): string =>
  `${firstEventId}/append/${expected}`;
