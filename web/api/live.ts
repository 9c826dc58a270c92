import type { InvalidateQueryFilters, Query, QueryClient } from '@tanstack/react-query';
import { api } from './client.js';
import { hasEarlyAnswer, takeEarlyPosition } from './early.js';
import { currentSession, observed, onSession } from './session.js';

/**
 * `connecting`: the event stream is not open yet. `live`: it is open. `waiting`: it failed and is retried. `off`: the
 * service refused it.
 */
export type Connection = 'connecting' | 'live' | 'waiting' | 'off';

/** State of the stream, and the time of its last event in ms, 0 for none. */
export type Live = { readonly connection: Connection; readonly lastEventMs: number };

/** Messages of tabs of one person: what changed, the state of the one stream, and the request for it. */
type Shared =
  | { readonly kind: 'changed'; readonly sourceIds: readonly number[] | 'all' }
  | { readonly kind: 'state'; readonly live: Live }
  | { readonly kind: 'asked' };

/** Time for which changes are collected, in ms: an import has many events. */
const collectMs = 120;
/** Interval at which the tab with the stream tells its state, and the time after which it counts as gone, in ms. */
const beatMs = 10_000;
/** Pause after the stream was refused, in ms: a proxy may refuse what the service does not. */
const refusedMs = 30_000;
/** Browsers slow the timers of hidden tabs down to one a minute. */
const goneMs = 90_000;

const live = observed<Live>({ connection: 'connecting', lastEventMs: 0 });
const setLive = (next: Live): void => {
  const { connection, lastEventMs } = live.get();
  if (next.connection !== connection || next.lastEventMs !== lastEventMs) live.set(next);
};

/** Whether changes reach this page as they happen. */
export const useLive = live.use;

/** Reads the event stream until the signal aborts it, and tells other tabs what changed and its state. */
const follow = async (tell: (shared: Shared) => void, signal: AbortSignal): Promise<void> => {
  let hasFailed = false;
  const become = (connection: Connection, lastEventMs = live.get().lastEventMs): void => {
    if (!signal.aborted) tell({ kind: 'state', live: { connection, lastEventMs } });
  };
  become('connecting');
  const beat = setInterval(() => become(live.get().connection), beatMs);
  const onLost = (isFailure: boolean): void => {
    hasFailed ||= isFailure;
    become('waiting');
  };
  try {
    // The stream repeats changes since an answer that came before it.
    const lastEventId = await takeEarlyPosition();
    const from = lastEventId === undefined ? {} : { lastEventId };
    // A stream without a position does not repeat what changed since answers that came before it.
    let isGap = lastEventId === undefined;
    for await (const event of api.changes({ ...from, signal, onLost })) {
      if (event.kind === 'change') tell({ kind: 'changed', sourceIds: [event.sourceId] });
      // Only queries of many sources show mutes and settings.
      else if (event.kind === 'tenant') tell({ kind: 'changed', sourceIds: [] });
      // Queries may have failed while the service was unreachable.
      else if (event.kind === 'reset' || hasFailed || isGap) tell({ kind: 'changed', sourceIds: 'all' });
      hasFailed = false;
      isGap = false;
      become('live', Date.now());
    }
  } finally {
    clearInterval(beat);
    become('off');
  }
};

/** Queries whose read was under way at a change: it may lack the change, and is repeated when it has ended. */
const repeated = new Set<string>();

/**
 * Refetches queries of these sources and of many sources; of negative ids only queries that failed. A read under way is
 * not cancelled: changes that come faster than its answer would cancel each one.
 */
const invalidate = (client: QueryClient, ids: ReadonlySet<number> | 'all'): void => {
  const predicate = ({ queryKey: [, sourceId], state: { status } }: Query): boolean =>
    sourceId === null ||
    (typeof sourceId === 'number' &&
      (ids === 'all' ? sourceId >= 0 || status === 'error' : ids.has(sourceId)));
  // A read that hangs since the service was lost does not end.
  if (ids === 'all') return void client.invalidateQueries({ predicate });
  const refetch = (filters: InvalidateQueryFilters): Promise<void> =>
    client.invalidateQueries(filters, { cancelRefetch: false });
  for (const { queryHash, queryKey } of client
    .getQueryCache()
    .findAll({ predicate, fetchStatus: 'fetching' })) {
    if (repeated.has(queryHash)) continue;
    repeated.add(queryHash);
    const one = { queryKey, exact: true };
    void refetch(one).then(() => {
      repeated.delete(queryHash);
      return refetch(one);
    });
  }
  void refetch({ predicate });
};

/** Returns a function that collects changes for a moment, then refetches the queries that they concern. */
const collector = (client: QueryClient) => {
  let changed = new Set<number>();
  let all = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (sourceIds: readonly number[] | 'all'): void => {
    if (sourceIds === 'all') all = true;
    else for (const id of sourceIds) changed.add(id);
    timer ??= setTimeout(() => {
      timer = undefined;
      invalidate(client, all ? 'all' : changed);
      changed = new Set();
      all = false;
    }, collectMs);
  };
};

/**
 * Keeps the queries of this tab current. One tab of a person holds the stream and tells the others, because browsers
 * open few connections to a server.
 */
export const startLive = (client: QueryClient): void => {
  let stop = (): void => {};
  let before = currentSession().status;
  let followed = '';
  const collect = collector(client);
  const begin = (): void => {
    const { status, tenant, subject, token, scopes } = currentSession();
    const mayFollow = status === 'signedIn' && scopes.has('read');
    // The stream stays when the service has confirmed the names that it was begun for.
    const wanted = JSON.stringify([mayFollow, status, tenant, subject, token]);
    if (wanted === followed) return;
    followed = wanted;
    stop();
    // Refetch queries that failed with an expired token.
    if (before === 'expired' && status === 'signedIn') void client.invalidateQueries();
    before = status;
    if (!mayFollow) return;
    const ending = new AbortController();
    const name = `daybook.events/${tenant}/${subject}`;
    const channel = new BroadcastChannel(name);
    let silence: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let hasStream = false;
    const tell = (shared: Shared): void => {
      if (shared.kind === 'changed') collect(shared.sourceIds);
      else if (shared.kind === 'state') setLive(shared.live);
      channel.postMessage(shared);
    };
    channel.onmessage = ({ data }: MessageEvent<Shared>): void => {
      if (data.kind === 'changed') collect(data.sourceIds);
      else if (data.kind === 'asked') {
        if (hasStream) channel.postMessage({ kind: 'state', live: live.get() } satisfies Shared);
      } else if (!hasStream) {
        // The other tab may have sent changes between such an answer and now.
        if (live.get().lastEventMs === 0 && hasEarlyAnswer()) collect('all');
        setLive(data.live);
        clearTimeout(silence);
        silence = setTimeout(() => setLive({ ...live.get(), connection: 'waiting' }), goneMs);
      }
    };
    const run = async (): Promise<void> => {
      hasStream = true;
      clearTimeout(silence);
      await follow(tell, ending.signal).finally(() => (hasStream = false));
    };
    // Without TLS, other hosts than this machine have no locks: each tab then has its own stream.
    const locks = navigator.locks as LockManager | undefined;
    const attempt = async (): Promise<void> => {
      await (locks ? locks.request(name, { signal: ending.signal }, run) : run()).catch(() => {});
      if (!ending.signal.aborted) again = setTimeout(() => void attempt(), refusedMs);
    };
    setLive({ connection: 'connecting', lastEventMs: 0 });
    channel.postMessage({ kind: 'asked' } satisfies Shared);
    void attempt();
    stop = () => {
      ending.abort();
      channel.close();
      clearTimeout(silence);
      clearTimeout(again);
      setLive({ ...live.get(), connection: 'off' });
    };
  };
  onSession(begin);
  begin();
};
