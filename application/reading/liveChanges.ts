import type { KnownEvent } from '../../domain/events.js';
import { QueueFull } from '../ports/analyst.js';

/** A change of a source or a tenant, without its content: enough to know what to read again. */
export type LiveChange = {
  readonly position: bigint;
  readonly type: KnownEvent['type'];
  /** Null for a change of the mutes or the settings of the tenant. */
  readonly sourceId: number | null;
};

/** Receives the changes of one tenant; `end` is called once when the service stops. */
export type ChangeListener = {
  readonly changed: (change: LiveChange) => void;
  readonly end: () => void;
};

/** Changes as the read models get them, for many listeners. One reader of the log serves all of them. */
export type LiveChanges = {
  readonly notice: (events: readonly KnownEvent[]) => void;
  /**
   * Adds a listener of a tenant. Returns a function that removes it.
   * @throws QueueFull
   */
  readonly listen: (tenant: string, listener: ChangeListener) => () => void;
  /** Ends all listeners; later ones end at once. */
  readonly close: () => void;
};

/** Maximum listeners of a tenant. */
const listenersMax = 500;

/**
 * Live changes without listeners.
 * @param ownerOf source and tenant of an event; undefined when clients read nothing again
 */
export const liveChanges = (
  ownerOf: (event: KnownEvent) => { readonly sourceId: number | null; readonly tenant: string } | undefined,
): LiveChanges => {
  const byTenant = new Map<string, Set<ChangeListener>>();
  let closed = false;
  return {
    notice: events => {
      if (byTenant.size === 0) return;
      for (const event of events) {
        const owner = ownerOf(event);
        if (!owner) continue;
        const { position, type } = event;
        for (const { changed } of byTenant.get(owner.tenant) ?? [])
          changed({ position, type, sourceId: owner.sourceId });
      }
    },
    listen: (tenant, listener) => {
      if (closed) {
        listener.end();
        return () => {};
      }
      const listeners = byTenant.get(tenant) ?? new Set();
      if (listeners.size >= listenersMax)
        throw new QueueFull(`the tenant has ${listenersMax} open event streams; close some`);
      byTenant.set(tenant, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) byTenant.delete(tenant);
      };
    },
    close: () => {
      closed = true;
      for (const listeners of [...byTenant.values()]) for (const { end } of [...listeners]) end();
    },
  };
};
