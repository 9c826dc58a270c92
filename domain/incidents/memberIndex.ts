import { isUnprocessed } from '../alerts/alertsState.js';
import { dayNumber } from '../dates.js';
import { connection, repeatDays, type GroupedAlert } from './connections.js';

/** An alert of an incident. `order` counts alerts as they joined; pinned ones of an incident stay together. */
export type Member = GroupedAlert & {
  readonly incidentId: string;
  readonly order: number;
  readonly isPinned: boolean;
};

/** Alerts of incidents while they are grouped. Lists are in the order in which the alerts were added. */
export type MemberIndex = {
  readonly get: (alertId: string) => Member | undefined;
  /** Adds an alert, or replaces it in its place. */
  readonly set: (member: Member) => void;
  readonly remove: (alertId: string) => void;
  readonly ofIncident: (incidentId: string) => Member[];
  readonly countOf: (incidentId: string) => number;
  /** Whether an alert of an incident waits for a person. */
  readonly isLive: (incidentId: string) => boolean;
  /** The alerts that may be connected with an alert: of its source within 28 days, of others within a day. */
  readonly near: (alert: GroupedAlert) => Member[];
};

/** Sets of ids by key. */
const keyedIds = <Key>() => {
  const sets = new Map<Key, Set<string>>();
  const none: ReadonlySet<string> = new Set();
  return {
    of: (key: Key): ReadonlySet<string> => sets.get(key) ?? none,
    add: (key: Key, id: string): void => {
      const own = sets.get(key) ?? new Set();
      sets.set(key, own.add(id));
    },
    remove: (key: Key, id: string): void => void sets.get(key)?.delete(id),
  };
};

/** An index of some alerts, so that a grouping compares each alert with few others. */
export const memberIndex = (members: readonly Member[]): MemberIndex => {
  const byId = new Map<string, { readonly place: number; readonly member: Member }>();
  const byIncident = keyedIds<string>();
  const byDay = keyedIds<number>();
  const bySource = keyedIds<string>();
  const sourceKey = (sourceId: number, day: number): string => `${sourceId} ${day}`;
  let places = 0;
  const inOrder = (ids: Iterable<string>): Member[] =>
    [...ids]
      .flatMap(id => byId.get(id) ?? [])
      .sort((a, b) => a.place - b.place)
      .map(({ member }) => member);
  const remove = (alertId: string): void => {
    const member = byId.get(alertId)?.member;
    if (!member) return;
    const day = dayNumber(member.date);
    byId.delete(alertId);
    byIncident.remove(member.incidentId, alertId);
    byDay.remove(day, alertId);
    bySource.remove(sourceKey(member.sourceId, day), alertId);
  };
  const set = (member: Member): void => {
    const { alertId, incidentId, sourceId, date } = member;
    const place = byId.get(alertId)?.place ?? (places += 1);
    remove(alertId);
    const day = dayNumber(date);
    byId.set(alertId, { place, member });
    byIncident.add(incidentId, alertId);
    byDay.add(day, alertId);
    bySource.add(sourceKey(sourceId, day), alertId);
  };
  for (const member of members) set(member);
  return {
    get: alertId => byId.get(alertId)?.member,
    set,
    remove,
    ofIncident: incidentId => inOrder(byIncident.of(incidentId)),
    countOf: incidentId => byIncident.of(incidentId).size,
    isLive: incidentId => {
      for (const id of byIncident.of(incidentId)) if (isUnprocessed(byId.get(id)!.member)) return true;
      return false;
    },
    near: ({ sourceId, date }) => {
      const at = dayNumber(date);
      const ids = new Set<string>();
      for (let day = at - repeatDays; day <= at + repeatDays; day += 1)
        for (const id of bySource.of(sourceKey(sourceId, day))) ids.add(id);
      for (const day of [at - 1, at, at + 1]) for (const id of byDay.of(day)) ids.add(id);
      return inOrder(ids);
    },
  };
};

/** Members in groups that are connected, each in the order of joining, the oldest group first. */
export const componentsOf = (members: readonly Member[]): readonly (readonly Member[])[] => {
  const ordered = members.toSorted((a, b) => a.order - b.order);
  const index = memberIndex(ordered);
  const pinned = ordered.filter(({ isPinned }) => isPinned);
  const left = new Set(ordered.map(({ alertId }) => alertId));
  return ordered.flatMap((first): Member[][] => {
    if (!left.delete(first.alertId)) return [];
    const found = [first];
    for (const member of found) {
      const linked = index.near(member).filter(other => connection(member, other));
      for (const other of member.isPinned ? [...pinned, ...linked] : linked)
        if (left.delete(other.alertId)) found.push(other);
    }
    return [found.sort((a, b) => a.order - b.order)];
  });
};
