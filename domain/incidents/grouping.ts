import { isUnprocessed } from '../alerts/alertsState.js';
import {
  connection,
  groupingRules,
  type AlertSpan,
  type Connection,
  type GroupedAlert,
  type JoinReason,
  componentsOf,
  memberIndex,
  type Member,
  type MemberIndex,
} from './connections.js';
import type { AlertsGroupedData } from './incidents.js';

/** Largest number of alerts of an incident: a further one opens another. */
export const incidentAlertsMax = 1000;

/** Largest number of alerts that a reason names. */
const namedMax = 3;

/** An incident. `order` is that of its opening; it is not connected with `cutFrom`. */
export type KnownIncident = {
  readonly id: string;
  readonly order: number;
  readonly cutFrom: readonly string[];
};

/** Incidents before a grouping: all standing alerts of each incident that the changed alerts may touch. */
export type Known = {
  readonly members: readonly Member[];
  readonly incidents: readonly KnownIncident[];
  /** Whether an id belongs to an incident that has alerts. */
  readonly isTaken: (incidentId: string) => boolean;
  /** Number of the rules that the grouping follows; absent for the present ones. */
  readonly rules?: number;
};

/** The alerts that a grouping moved. */
export type Grouping = Pick<AlertsGroupedData, 'joined' | 'spans' | 'left' | 'merged' | 'split'> & {
  /** Standing alerts by incident, of each incident that changed; empty for one that has none left. */
  readonly after: ReadonlyMap<string, readonly Member[]>;
};

/** Id of the incident that an alert opens. */
const incidentIdOf = (alertId: string): string => `inc-${alertId}`;

/** Id of a new incident of some alerts: that of the first one that is free, since it may have opened another one. */
export const freeIncidentId = (alertIds: readonly string[], isFree: (id: string) => boolean): string => {
  const ids = alertIds.map(incidentIdOf);
  for (let round = 1; ; round += 1)
    for (const id of ids.map(one => (round === 1 ? one : `${one}-${round}`))) if (isFree(id)) return id;
};

/** Incidents while they are grouped. */
type Work = {
  readonly members: MemberIndex;
  readonly incidents: Map<string, KnownIncident>;
  readonly isTaken: Known['isTaken'];
  readonly rules: number;
  readonly touched: Set<string>;
  order: number;
};

const orderOf = ({ incidents }: Work, id: string): number => incidents.get(id)?.order ?? 0;

const put = (work: Work, alert: GroupedAlert, incidentId: string, isPinned = false): void => {
  work.order += 1;
  work.members.set({ ...alert, incidentId, order: work.order, isPinned });
  work.touched.add(incidentId);
};

const move = ({ members, touched }: Work, moved: readonly Member[], incidentId: string): void => {
  for (const member of moved) members.set({ ...member, incidentId });
  touched.add(incidentId);
};

/** Opens an incident for some alerts. */
const open = (work: Work, some: readonly GroupedAlert[], cutFrom: readonly string[] = []): string => {
  const ids = some.map(({ alertId }) => alertId);
  const id = freeIncidentId(ids, one => work.members.countOf(one) === 0 && !work.isTaken(one));
  work.order += 1;
  work.incidents.set(id, { id, order: work.order, cutFrom });
  return id;
};

/** Gives alerts that nothing connects with the rest of their incident incidents of their own, with its cuts. */
const tear = (work: Work, incidentId: string): Grouping['split'] => {
  const [, ...others] = componentsOf(work.members.ofIncident(incidentId));
  const cutFrom = work.rules < 2 ? [] : work.incidents.get(incidentId)?.cutFrom;
  return others.map(component => {
    const id = open(work, component, cutFrom);
    move(work, component, id);
    return { incidentId: id, from: incidentId, alertIds: component.map(({ alertId }) => alertId) };
  });
};

/** An alert that another one is connected with. */
type Link = Connection & { readonly member: Member };

/** Incidents that an alert may be in, the oldest first, with its links. An unprocessed one joins no closed one. */
const candidates = (work: Work, alert: GroupedAlert, own?: string): readonly [string, readonly Link[]][] => {
  const found = new Map<string, Link[]>();
  for (const member of work.members.near(alert)) {
    if (member.alertId === alert.alertId || member.incidentId === own) continue;
    const why = connection(alert, member);
    if (!why) continue;
    const links = found.get(member.incidentId) ?? [];
    found.set(member.incidentId, links);
    links.push({ member, ...why });
  }
  return [...found]
    .filter(([id]) => !isUnprocessed(alert) || work.members.isLive(id))
    .sort(([a], [b]) => orderOf(work, a) - orderOf(work, b));
};

/** Merges two incidents that an alert connects, the younger into the older, unless a person has split them. */
const merge = (work: Work, one: string, other: string, alertId: string): Grouping['merged'] => {
  const [older, younger] = orderOf(work, one) <= orderOf(work, other) ? [one, other] : [other, one];
  const moved = work.members.ofIncident(younger);
  const isCut =
    work.incidents.get(older)?.cutFrom.includes(younger) ||
    work.incidents.get(younger)?.cutFrom.includes(older);
  if (isCut || moved.length + work.members.countOf(older) > incidentAlertsMax) return [];
  move(work, moved, older);
  work.touched.add(younger);
  // By the first rules an incident did not get the cuts of one that was merged into it.
  const cutFrom = (work.rules < 2 ? [older] : [older, younger]).flatMap(
    id => work.incidents.get(id)?.cutFrom ?? [],
  );
  work.incidents.set(older, { id: older, order: orderOf(work, older), cutFrom });
  return [{ incidentId: younger, into: older, alertId }];
};

/** Merges the incident of an alert with the others that it may be in. */
const connect = (work: Work, alertId: string): Grouping['merged'] => {
  const alert = work.members.get(alertId);
  if (!alert || !isUnprocessed(alert)) return [];
  return candidates(work, alert, alert.incidentId).flatMap(([other]) =>
    merge(work, work.members.get(alertId)?.incidentId ?? other, other, alertId),
  );
};

const byDate = (a: Member, b: Member): number =>
  a.date < b.date ? -1 : a.date > b.date ? 1 : a.order - b.order;

/** The main reason of links: a neighbour, else a repeat, else the place. */
const mainReason = (links: readonly Link[]) => {
  const rank: readonly JoinReason[] = ['neighbour', 'repeat', 'place'];
  const { reason, label } = links.toSorted((a, b) => rank.indexOf(a.reason) - rank.indexOf(b.reason))[0]!;
  const like = links.filter(one => one.reason === reason).map(({ member }) => member);
  const named = like.sort(byDate).slice(-namedMax);
  return { reason, with: named.map(({ alertId }) => alertId), label };
};

/** Puts a new alert into the oldest incident that it may be in, or a new one. */
const join = (work: Work, alert: GroupedAlert): Grouping['joined'][number] => {
  const { alertId, span } = alert;
  const found = candidates(work, alert).find(([id]) => work.members.countOf(id) < incidentAlertsMax);
  const incidentId = found ? found[0] : open(work, [alert]);
  put(work, alert, incidentId);
  const opened = { reason: 'opened', with: [], label: null } as const;
  return { alertId, incidentId, ...(found ? mainReason(found[1]) : opened), span };
};

const isSameSpan = (one: AlertSpan, other: AlertSpan): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const workOf = ({ members, incidents, isTaken, rules = groupingRules }: Known): Work => ({
  members: memberIndex(members),
  incidents: new Map(incidents.map(incident => [incident.id, incident])),
  isTaken,
  rules,
  touched: new Set(),
  order: [...members, ...incidents].reduce((last, { order }) => Math.max(last, order), 0),
});

/** Takes the present states and spans of alerts: those that left their incidents, and those with another span. */
const takeChanges = (work: Work, changed: readonly GroupedAlert[]) => {
  const left: { readonly alert: Member }[] = [];
  const spans: Grouping['spans'][number][] = [];
  for (const alert of changed) {
    const member = work.members.get(alert.alertId);
    if (!member) continue;
    work.touched.add(member.incidentId);
    if (alert.state === 'invalidated') {
      work.members.remove(alert.alertId);
      left.push({ alert: member });
    } else {
      work.members.set({ ...member, ...alert });
      if (!isSameSpan(alert.span, member.span)) spans.push({ alertId: alert.alertId, span: alert.span });
    }
  }
  return { left: left.map(({ alert }) => alert), spans };
};

/**
 * Groups changed alerts of one source into incidents.
 * @param changed in the order of their events, each once
 */
export const group = (changed: readonly GroupedAlert[], known: Known): Grouping => {
  const work = workOf(known);
  const fresh = changed.filter(({ alertId, state }) => !work.members.get(alertId) && state !== 'invalidated');
  const { left, spans } = takeChanges(work, changed);
  const joined: Grouping['joined'][number][] = [];
  const others: GroupedAlert[] = [];
  for (const alert of fresh) {
    // The alert that follows an invalidated one on its date takes its place.
    const before = left.find(({ sourceId, date }) => sourceId === alert.sourceId && date === alert.date);
    if (!before) others.push(alert);
    else {
      const { alertId, span } = alert;
      put(work, alert, before.incidentId, work.rules >= 3 && before.isPinned);
      const reason = { reason: 'replaced', with: [before.alertId], label: null } as const;
      joined.push({ alertId, incidentId: before.incidentId, ...reason, span });
    }
  }
  const moved = [...spans, ...joined].map(({ alertId }) => alertId);
  const torn = new Set([
    ...left.map(({ incidentId }) => incidentId),
    ...moved.flatMap(alertId => work.members.get(alertId)?.incidentId ?? []),
  ]);
  const split = [...torn].flatMap(id => tear(work, id));
  const merged = moved.flatMap(alertId => connect(work, alertId));
  for (const alert of others) {
    joined.push(join(work, alert));
    merged.push(...connect(work, alert.alertId));
  }
  const after = new Map([...work.touched].map(id => [id, work.members.ofIncident(id)]));
  return {
    joined,
    spans,
    left: left.map(({ alertId, incidentId }) => ({ alertId, incidentId })),
    merged,
    split,
    after,
  };
};
