import { type AlertState, isUnprocessed } from '../alerts/alertsState.js';
import type { AlertKind, Direction, Finding } from '../alerts/findings.js';
import { dayNumber, minutesPerDay } from '../dates.js';

/**
 * The part of an alert that is compared. `sense`: its direction, or `gap`, `frozen` and `shape` without one.
 * `minutes`: its stretches in minutes after local midnight, `from` inclusive, `to` exclusive. `places`: time zone and
 * label, `zone key=value`, for each label that joins sources.
 */
export type AlertSpan = {
  readonly sense: Direction | 'gap' | 'frozen' | 'shape';
  readonly minutes: readonly (readonly [number, number])[];
  readonly places: readonly string[];
};

/**
 * Why an alert is in its incident. `opened`: it is the first; `neighbour`: an alert of its source on a neighbouring
 * date; `repeat`: the same direction at the same time of day within 28 days; `place`: the same direction at the same
 * time on a source with the same label; `replaced`: the alert before it on its date was invalidated.
 */
export const joinReasons = ['opened', 'neighbour', 'repeat', 'place', 'replaced'] as const;
export type JoinReason = (typeof joinReasons)[number];

/** Longest distance in days between alerts that repeat each other. */
export const repeatDays = 28;

/** An alert that is grouped. */
export type GroupedAlert = {
  readonly alertId: string;
  readonly sourceId: number;
  readonly date: string;
  readonly state: AlertState;
  readonly kind: AlertKind;
  /** 0–1. */
  readonly criticity: number;
  /** 0–1; absent without one. */
  readonly severity?: number;
  readonly span: AlertSpan;
};

/**
 * Number of the present rules of groupings; earlier groupings are repeated by theirs. From 2 on an alert keeps its
 * places, a course without a direction is no gap, and a merged incident hands on its cuts. From 3 on the main alert is
 * one that waits, if there is one, and an alert that takes the place of another one stays where a person merged that.
 */
export const groupingRules = 3;

/** Parts of a span that do not follow from its finding. `places` are those of its source now. */
export type SpanParts = {
  readonly places: readonly string[];
  readonly rules: number;
  readonly grouped?: AlertSpan | undefined;
};

/** Sense of an alert without a direction. Alerts about the course of a day were grouped as gaps. */
const senseWithout = (kind: AlertKind, isCourseGap: boolean): AlertSpan['sense'] =>
  kind === 'frozen' ? 'frozen' : kind === 'activity' && !isCourseGap ? 'shape' : 'gap';

/** Span of a finding. `size` is the number of slices of a day, `grouped` the span of an alert in an incident. */
export const spanOf = (
  { kind, direction, slices }: Pick<Finding, 'direction' | 'slices'> & { readonly kind: AlertKind },
  size: number,
  { places, rules, grouped }: SpanParts,
): AlertSpan => {
  const isFirst = rules < 2;
  const minutesOf = (slice: number): number => (slice * minutesPerDay) / size;
  const minutes = slices.map(({ from, to }) => [minutesOf(from), minutesOf(to)] as const);
  return {
    sense: direction ?? senseWithout(kind, isFirst || grouped?.sense === 'gap'),
    minutes: minutes.length > 0 ? minutes : [[0, minutesPerDay]],
    places: (isFirst ? undefined : grouped?.places) ?? places,
  };
};

const overlap = (one: AlertSpan, other: AlertSpan, shift = 0): boolean =>
  one.minutes.some(([from, to]) =>
    other.minutes.some(([start, end]) => from < end + shift && start + shift < to),
  );

/** The label of two alerts that go on at the same instant in one place, as `key=value`. */
const sharedPlace = (one: GroupedAlert, other: GroupedAlert): string | undefined => {
  if (one.span.sense !== other.span.sense) return undefined;
  const place = one.span.places.find(name => other.span.places.includes(name));
  if (place === undefined) return undefined;
  const shift = (dayNumber(other.date) - dayNumber(one.date)) * minutesPerDay;
  return overlap(one.span, other.span, shift) ? place.slice(place.indexOf(' ') + 1) : undefined;
};

/** How two alerts are connected. `label`: the one that their sources share, null unless that is the reason. */
export type Connection = { readonly reason: JoinReason; readonly label: string | null };

/** How two alerts are connected; undefined when they are not. */
export const connection = (one: GroupedAlert, other: GroupedAlert): Connection | undefined => {
  if (one.sourceId !== other.sourceId) {
    const label = sharedPlace(one, other);
    return label === undefined ? undefined : { reason: 'place', label };
  }
  const days = Math.abs(dayNumber(one.date) - dayNumber(other.date));
  if (days <= 1) return { reason: 'neighbour', label: null };
  const isRepeat = days <= repeatDays && one.span.sense === other.span.sense && overlap(one.span, other.span);
  return isRepeat ? { reason: 'repeat', label: null } : undefined;
};

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
  /** The alerts, of these ids or all, that may be connected with one: of its source in 28 days, of others in a day. */
  readonly near: (alert: GroupedAlert, ids?: Pick<ReadonlySet<string>, 'has'>) => Member[];
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
    near: ({ sourceId, date }, ids = byId) => {
      const at = dayNumber(date);
      const found = new Set<string>();
      for (let day = at - repeatDays; day <= at + repeatDays; day += 1)
        for (const id of bySource.of(sourceKey(sourceId, day))) if (ids.has(id)) found.add(id);
      for (const day of [at - 1, at, at + 1]) for (const id of byDay.of(day)) if (ids.has(id)) found.add(id);
      return inOrder(found);
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
      const linked = index.near(member, left).filter(other => connection(member, other));
      for (const other of member.isPinned ? [...pinned, ...linked] : linked)
        if (left.delete(other.alertId)) found.push(other);
    }
    return [found.sort((a, b) => a.order - b.order)];
  });
};
