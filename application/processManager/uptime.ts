/** When the service was last seen running, and the end of its last outage. */
export type Uptime = { readonly aliveAt: string; readonly resumedAt: string };

/** Keeps the uptime of an instance over its restarts. */
export type UptimeRecord = {
  /** undefined when nothing is known. */
  readonly read: () => Uptime | undefined;
  readonly write: (uptime: Uptime) => void;
};

/** Interval of the heartbeats of the service, and the longest time without one that is not an outage, in ms. */
export const heartbeatMs = 60_000;
const outageMs = 5 * heartbeatMs;

/**
 * The uptime after a heartbeat. A long time without one is an outage: the process was down or suspended, or the log
 * could not be reached. A wall clock that was set back counts as one too.
 */
export const uptimeAfter = (before: Uptime | undefined, now: string): Uptime => {
  const awayMs = before ? Math.abs(Date.parse(now) - Date.parse(before.aliveAt)) : Infinity;
  return { aliveAt: now, resumedAt: before && awayMs <= outageMs ? before.resumedAt : now };
};

/** A record in memory. */
export const uptimeInMemory = (): UptimeRecord => {
  let kept: Uptime | undefined;
  return { read: () => kept, write: uptime => void (kept = uptime) };
};
