import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { currentSession, expire, onSession } from './session.js';

/** `live`: the event stream is open. `waiting`: it failed and is retried. */
export type Connection = 'live' | 'waiting';

type ServerEvent = { readonly event: string; readonly id: string; readonly data: string };

/** Message of a tab to other tabs of the same person. */
type Shared = { readonly sourceIds: readonly number[] | 'all' };

const pauseMinMs = 500;
const pauseMaxMs = 10_000;
/** Time for which changes are collected, in ms: an import has many events. */
const collectMs = 120;
/** Maximum time without a message or heartbeat, in ms; then the connection is considered lost. */
const silenceMs = 40_000;

let connection: Connection = 'live';
const listeners = new Set<() => void>();
const setConnection = (next: Connection): void => {
  if (next === connection) return;
  connection = next;
  for (const listener of listeners) listener();
};

export const useConnection = (): Connection =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => connection,
  );

/** Server-sent events of a body; parses the part of the format that the service uses. */
async function* eventsOf(body: ReadableStream, alive: () => void): AsyncGenerator<ServerEvent> {
  const reader = (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
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
      const event = fields.get('event');
      if (event !== undefined) yield { event, id: fields.get('id') ?? '', data: fields.get('data') ?? '{}' };
    }
  }
}

/** Reads the event stream until the signal aborts it; calls `notify` with the changed sources. */
const follow = async (notify: (shared: Shared) => void, signal: AbortSignal): Promise<void> => {
  let lastId = '';
  let pauseMs = pauseMinMs;
  while (!signal.aborted) {
    const { token, status } = currentSession();
    if (status !== 'signedIn' || token === null) return;
    const attempt = new AbortController();
    const end = (): void => attempt.abort();
    signal.addEventListener('abort', end, { once: true });
    let silence = setTimeout(end, silenceMs);
    const alive = (): void => {
      clearTimeout(silence);
      silence = setTimeout(end, silenceMs);
    };
    try {
      const response = await fetch('/v1/events', {
        headers: { Authorization: `Bearer ${token}`, ...(lastId !== '' && { 'Last-Event-ID': lastId }) },
        signal: attempt.signal,
      });
      if (response.status === 401) expire(token);
      if (response.status === 401 || response.status === 403) return;
      if (response.ok && response.body) {
        for await (const { event, id, data } of eventsOf(response.body, alive)) {
          lastId = id;
          pauseMs = pauseMinMs;
          if (event === 'change')
            notify({ sourceIds: [(JSON.parse(data) as { sourceId: number }).sourceId] });
          // Queries may have failed while the service was unreachable.
          else if (event === 'reset' || connection === 'waiting') notify({ sourceIds: 'all' });
          setConnection('live');
        }
        if (!signal.aborted && pauseMs === pauseMinMs) continue;
      }
    } catch {
      // Unreachable: retry after a pause.
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
    }
    if (signal.aborted) return;
    setConnection('waiting');
    await new Promise(resolve => setTimeout(resolve, pauseMs * (0.75 + Math.random() / 2)));
    pauseMs = Math.min(pauseMs * 2, pauseMaxMs);
  }
};

/** Refetches queries of these sources and of many sources. */
const invalidate = (client: QueryClient, ids: ReadonlySet<number> | 'all'): void =>
  void client.invalidateQueries({
    predicate: ({ queryKey: [, sourceId] }) =>
      ids === 'all' || sourceId === null || (typeof sourceId === 'number' && ids.has(sourceId)),
  });

/**
 * Keeps the queries of this tab current. One tab of a person holds the stream and tells the others, because browsers
 * open few connections to a server.
 */
export const startLive = (client: QueryClient): void => {
  let stop = (): void => {};
  let before = currentSession().status;
  const begin = (): void => {
    stop();
    const { status, tenant, subject } = currentSession();
    // Refetch queries that failed with an expired token.
    if (before === 'expired' && status === 'signedIn') void client.invalidateQueries();
    before = status;
    if (status !== 'signedIn') return;
    const ending = new AbortController();
    const name = `daybook.events/${tenant}/${subject}`;
    const channel = new BroadcastChannel(name);
    let changed = new Set<number>();
    let all = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const receive = ({ sourceIds }: Shared): void => {
      if (sourceIds === 'all') all = true;
      else for (const id of sourceIds) changed.add(id);
      timer ??= setTimeout(() => {
        timer = undefined;
        invalidate(client, all ? 'all' : changed);
        changed = new Set();
        all = false;
      }, collectMs);
    };
    channel.onmessage = ({ data }: MessageEvent<Shared>) => receive(data);
    const tell = (shared: Shared): void => {
      receive(shared);
      channel.postMessage(shared);
    };
    const run = () => follow(tell, ending.signal);
    // Without TLS, other hosts than this machine have no locks: each tab then has its own stream.
    const locks = navigator.locks as LockManager | undefined;
    void (locks ? locks.request(name, { signal: ending.signal }, run) : run()).catch(() => {});
    stop = () => {
      ending.abort();
      channel.close();
      clearTimeout(timer);
    };
  };
  onSession(begin);
  begin();
};
