import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { api } from './client.js';
import { currentSession, onSession } from './session.js';

/** `live`: the event stream is open. `waiting`: it failed and is retried. */
export type Connection = 'live' | 'waiting';

/** Message of a tab to other tabs of the same person. */
type Shared = { readonly sourceIds: readonly number[] | 'all' };

/** Time for which changes are collected, in ms: an import has many events. */
const collectMs = 120;

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

/** Reads the event stream until the signal aborts it; calls `notify` with the changed sources. */
const follow = async (notify: (shared: Shared) => void, signal: AbortSignal): Promise<void> => {
  for await (const event of api.changes({ signal, onLost: () => setConnection('waiting') })) {
    if (event.kind === 'change') notify({ sourceIds: [event.sourceId] });
    // Queries may have failed while the service was unreachable.
    else if (event.kind === 'reset' || connection === 'waiting') notify({ sourceIds: 'all' });
    setConnection('live');
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
