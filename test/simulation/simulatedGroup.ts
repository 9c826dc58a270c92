import { decode, type EventType, type KnownEvent } from '../../domain/events.js';
import { followUpTypes } from '../../domain/followUps.js';
import type { Delivered } from '../../application/followUps/subscription.js';
import type { Chance } from '../helpers/crash/chance.js';
import type { Faults } from './faults.js';
import type { Owner, Scheduler } from './scheduler.js';
import type { Disk } from './simulatedStore.js';

/** An instance that consumes events; `inFlight` is the number of its unacknowledged events. */
type Member = {
  readonly owner: Owner;
  readonly take: (delivered: readonly Delivered[]) => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly away: () => boolean;
  /** See `FollowedHistory`. */
  readonly doneUpTo: (types: readonly EventType[]) => bigint;
  inFlight: number;
};

type Item = { readonly event: KnownEvent; retries: number; at: Member | undefined };

/**
 * Competing consumers: each event is delivered to one member, and to another if that one leaves. The first member
 * creates the group, where its read models have work that is not done.
 */
export type Consumers = {
  readonly join: (member: Omit<Member, 'inFlight'>) => () => void;
  /** Numbers of unhandled events, and of events that failed too often. */
  /** The server loses the group, as after a restore: members create another. */
  readonly lose: () => void;
  readonly state: () => { readonly undone: number; readonly parked: number };
};

const inFlightMax = 32;
const retriesMax = 5;
const usualMs = 5;
/** After this time without an acknowledgement an event is delivered to another member. */
const messageTimeoutMs = 300_000;

export const consumers = (
  disk: Disk,
  scheduler: Scheduler,
  random: Chance,
  faults: Faults,
  types: readonly EventType[] = followUpTypes,
): Consumers => {
  const server: Owner = { name: 'server', alive: true };
  const members = new Set<Member>();
  const undone = new Set<Item>();
  let parked = 0;
  /** Number of events that the group has read; undefined while there is no group. */
  let read: number | undefined;
  let due = false;

  /** Delivers waiting events to members with capacity, in random order. */
  const share = (): void => {
    due = false;
    for (; read !== undefined && read < disk.log.length; read += 1) {
      const recorded = disk.log[read];
      const event = recorded && types.includes(recorded.type as EventType) ? decode(recorded) : undefined;
      if (event) undone.add({ event, retries: 0, at: undefined });
    }
    for (const member of members) if (!member.owner.alive || member.away()) leave(member);
    for (const item of undone) {
      const ready = [...members].filter(({ inFlight }) => inFlight < inFlightMax);
      if (item.at || ready.length === 0) continue;
      const member = random.one(ready);
      give(item, member);
      // After a timeout the server delivered the event to another member, too.
      if (faults.happens('redelivered')) give(item, random.one(ready));
    }
  };
  const soon = (ms: number): void => {
    if (due && ms < usualMs) return;
    due = ms < usualMs;
    scheduler.after(server, ms, share);
  };

  const give = (item: Item, member: Member): void => {
    item.at = member;
    member.inFlight += 1;
    let answered = false;
    const answer = (then: () => void) => (): void => {
      if (answered) return;
      answered = true;
      member.inFlight -= 1;
      scheduler.after(server, random.next() * usualMs, () => {
        if (item.at !== member || !members.has(member)) return;
        item.at = undefined;
        if (!faults.happens('redelivered')) then();
        soon(random.next() * usualMs * 10);
      });
    };
    const done = answer(() => void undone.delete(item));
    const failed = answer(() => {
      item.retries += 1;
      if (item.retries <= retriesMax) return;
      undone.delete(item);
      parked += 1;
    });
    scheduler.after(member.owner, random.next() * usualMs * 4, () =>
      member
        .take([
          {
            event: item.event,
            done,
            failed: error => {
              member.failed(error);
              failed();
            },
          },
        ])
        .catch(member.failed),
    );
    scheduler.after(server, messageTimeoutMs, () => {
      if (item.at !== member || answered) return;
      item.at = undefined;
      soon(0);
    });
  };

  const leave = (member: Member): void => {
    members.delete(member);
    for (const item of undone) if (item.at === member) item.at = undefined;
    if (member.owner.alive) scheduler.after(member.owner, 500 + random.next() * 500, () => enter(member));
  };
  const enter = (member: Member): void => {
    if (left.has(member)) return;
    if (member.away()) return void scheduler.after(member.owner, 500, () => enter(member));
    member.inFlight = 0;
    // Positions of the simulated log count its events.
    read ??= Number(member.doneUpTo(types));
    members.add(member);
    soon(0);
  };
  const left = new WeakSet<Member>();
  disk.watchers.add(() => soon(random.next() * usualMs));
  return {
    join: parts => {
      const member: Member = { ...parts, inFlight: 0 };
      enter(member);
      return () => {
        left.add(member);
        members.delete(member);
        for (const item of undone) if (item.at === member) item.at = undefined;
        soon(0);
      };
    },
    lose: () => {
      undone.clear();
      read = undefined;
      for (const member of [...members]) leave(member);
    },
    state: () => ({ undone: undone.size, parked }),
  };
};
