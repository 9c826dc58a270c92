import { ProblemError, problemOfResponse, backoffMs, pause } from './retries.js';
import type { Connection } from './requests.js';

/** An event of the stream of changes; `id` resumes the stream after it. */
export type LiveEvent =
  /** The stream is open. */
  | { readonly kind: 'ready'; readonly id: string }
  /** More changed than a resumed stream repeats: read everything again. */
  | { readonly kind: 'reset'; readonly id: string }
  /** Something of a source changed; `type` is the type of the event in the log. */
  | { readonly kind: 'change'; readonly id: string; readonly type: string; readonly sourceId: number }
  /** A mute or the settings of the tenant changed. */
  | { readonly kind: 'tenant'; readonly id: string; readonly type: string };

export type LiveOptions = {
  /** Id of the last event that was handled; without it the stream begins now. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /**
   * Called when the connection is no longer open; the next event says that it is open again.
   * @param isFailure false when the service ended a stream as it does after some minutes
   */
  readonly onLost?: (isFailure: boolean) => void;
};

/** A heartbeat has no event; one with an id resumes the stream after it. */
type Message = { readonly event: string | undefined; readonly id: string; readonly data: string };

/** Longest time without a message or heartbeat, in ms; then the connection is lost. */
const silenceMs = 40_000;
/** Longest pause before a lost stream is opened again, in ms. */
const pauseMaxMs = 10_000;

/** Messages of a body of server-sent events; reads the part of the format that the service writes. */
async function* messagesOf(
  reader: ReadableStreamDefaultReader<string>,
  alive: () => void,
): AsyncGenerator<Message> {
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map(line => {
            const colon = line.indexOf(':');
            return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
          }),
      );
      text = text.slice(end + 2);
      yield { event: fields.get('event'), id: fields.get('id') ?? '', data: fields.get('data') ?? '{}' };
    }
  }
}

const liveEventOf = ({ event, id, data }: Message): LiveEvent | undefined => {
  if (event === 'ready' || event === 'reset') return { kind: event, id };
  if (event !== 'change' && event !== 'tenant') return undefined;
  const { type, sourceId } = JSON.parse(data) as { type: string; sourceId: number };
  return event === 'tenant' ? { kind: event, id, type } : { kind: event, id, type, sourceId };
};

/** A stream, and the id that resumes it, which moves with its heartbeats. */
type Resumed = { lastEventId: string | undefined };

/** One stream, until it ends or falls silent. @throws ProblemError when it is refused, else the error of fetch */
async function* streamOf(
  { url, sendOnce }: Connection,
  resumed: Resumed,
  signal: AbortSignal | undefined,
): AsyncGenerator<LiveEvent> {
  const attempt = new AbortController();
  let reader: ReadableStreamDefaultReader<string> | undefined;
  let isSilent = false;
  const end = (): void => {
    attempt.abort();
    // Node.js 20 can lose the signal of a request whose answer has begun.
    void reader?.cancel().catch(() => {});
  };
  const fallSilent = (): void => {
    isSilent = true;
    end();
  };
  signal?.addEventListener('abort', end, { once: true });
  let silence = setTimeout(fallSilent, silenceMs);
  const alive = (): void => {
    clearTimeout(silence);
    silence = setTimeout(fallSilent, silenceMs);
  };
  try {
    const { lastEventId } = resumed;
    const headers = { Accept: 'text/event-stream', ...(lastEventId && { 'Last-Event-ID': lastEventId }) };
    const response = await sendOnce(new Request(`${url}/v1/events`, { headers, signal: attempt.signal }));
    if (!response.ok || !response.body) throw await problemOfResponse(response);
    const body = response.body as ReadableStream<Uint8Array<ArrayBuffer>>;
    reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for await (const message of messagesOf(reader, alive)) {
      if (message.id !== '') resumed.lastEventId = message.id;
      const event = liveEventOf(message);
      if (!event) continue;
      // The reader of the events may take its time: that is no silence of the service.
      clearTimeout(silence);
      yield event;
      alive();
    }
    if (isSilent) throw new TypeError('the stream of changes fell silent');
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', end);
    // Also closes the connection when the reader of the events stops.
    end();
  }
}

/** Whether a stream that ended with this error can be opened again. */
const isPassing = (error: unknown): boolean => {
  if (error instanceof ProblemError) return error.status === 429 || error.status >= 500;
  // Errors of fetch; any other one is of the function that gives the token.
  return error instanceof TypeError || (error as Partial<Error>).name === 'AbortError';
};

/**
 * Changes of the tenant's sources, until the signal ends them. A lost stream is opened again after the last event.
 * @throws ProblemError when the service refuses the stream, for example 401; the error of the token's function
 */
export async function* liveEvents(
  connection: Connection,
  { lastEventId, signal, onLost }: LiveOptions = {},
): AsyncGenerator<LiveEvent, void, undefined> {
  const waits = { ...connection.retries, delayMaxMs: pauseMaxMs };
  const resumed: Resumed = { lastEventId };
  let failures = 0;
  while (!signal?.aborted) {
    let isEmpty = true;
    try {
      for await (const event of streamOf(connection, resumed, signal)) {
        if (signal?.aborted) return;
        isEmpty = false;
        failures = 0;
        yield event;
      }
      // The service ends a stream after some minutes: it is opened again at once.
      if (!isEmpty) {
        onLost?.(false);
        continue;
      }
    } catch (error) {
      if (!signal?.aborted && !isPassing(error)) throw error;
    }
    if (signal?.aborted) return;
    onLost?.(true);
    failures += 1;
    await pause(backoffMs(waits, failures), signal).catch(() => {});
  }
}
