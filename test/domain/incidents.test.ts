import { languages } from '../../domain/words/languages.js';
import t from 'tap';
import fc from '../helpers/property.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { AlertKind } from '../../domain/alerts/findings.js';
import {
  connection,
  groupingRules,
  spanOf,
  type AlertSpan,
  type GroupedAlert,
  componentsOf,
  memberIndex,
  type Member,
} from '../../domain/incidents/connections.js';
import { freeIncidentId, group, type Known, type KnownIncident } from '../../domain/incidents/grouping.js';
import { mutedUntil } from '../../domain/incidents/mutes.js';
import { incidentSentence, incidentTitle } from '../../domain/incidents/incidentSentence.js';
import { exactList } from '../helpers/exactList.js';
import { chance } from '../helpers/crash/chance.js';

// Alerts that have one cause: the rule by itself, without a log.

const alertOf = (
  date: string,
  from: number,
  to: number,
  more: Partial<GroupedAlert> & { readonly sense?: GroupedAlert['span']['sense'] } = {},
): GroupedAlert => {
  const { sense = 'under', sourceId = 1, ...others } = more;
  return {
    alertId: `${sourceId}-${date.replaceAll('-', '')}-1`,
    sourceId,
    date,
    state: 'open',
    kind: 'activity',
    criticity: 0.8,
    span: { sense, minutes: [[60 * from, 60 * to]], places: [] },
    ...others,
  };
};

/** Incidents in memory, as the read model keeps them. */
const incidentsOf = () => {
  const members = new Map<string, Member>();
  const incidents = new Map<string, KnownIncident>();
  let order = 0;
  const take = (changed: readonly GroupedAlert[]): void => {
    const known: Known = {
      members: [...members.values()],
      incidents: [...incidents.values()],
      isTaken: id => [...members.values()].some(({ incidentId }) => incidentId === id),
    };
    const { after, left } = group(changed, known);
    for (const { alertId } of left) members.delete(alertId);
    for (const [id, own] of after) {
      order += 1;
      if (!incidents.has(id)) incidents.set(id, { id, order: (order += 1), cutFrom: [] });
      for (const member of own) members.set(member.alertId, member);
    }
  };
  return {
    take,
    /** Ids of the alerts of each incident, sorted. */
    groups: (): string[][] => {
      const byId = new Map<string, string[]>();
      for (const { alertId, incidentId } of members.values())
        byId.set(incidentId, [...(byId.get(incidentId) ?? []), alertId].sort());
      return [...byId.values()].sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
    },
  };
};

t.test('connections of two alerts', async t => {
  const first = alertOf('2024-03-30', 7, 8);
  const reason = (other: GroupedAlert) => connection(first, other)?.reason;
  t.equal(reason(alertOf('2024-03-31', 20, 21, { sense: 'over' })), 'neighbour', 'whatever it is');
  t.equal(reason(alertOf('2024-04-27', 7.5, 9)), 'repeat', 'after 28 days');
  t.equal(reason(alertOf('2024-04-28', 7, 8)), undefined, 'after 29 days');
  t.equal(reason(alertOf('2024-04-05', 8, 9)), undefined, 'the next hour');
  t.equal(reason(alertOf('2024-04-05', 7, 8, { sense: 'over' })), undefined, 'the other direction');
  const at = (sourceId: number, from: number, place: string) =>
    alertOf('2024-03-30', from, from + 2, {
      sourceId,
      span: { sense: 'gap', minutes: [[60 * from, 60 * from + 120]], places: [place] },
    });
  const north = at(1, 10, 'Europe/Paris site=north');
  t.strictSame(connection(north, at(2, 11, 'Europe/Paris site=north')), {
    reason: 'place',
    label: 'site=north',
  });
  t.equal(connection(north, at(2, 12, 'Europe/Paris site=north')), undefined, 'later');
  t.equal(connection(north, at(2, 11, 'Europe/Paris site=south')), undefined, 'elsewhere');
  t.equal(connection(north, at(2, 11, 'UTC site=north')), undefined, 'by another clock');
});

t.test('an alert about the course of a day is no gap; one that was grouped as a gap stays one', async t => {
  const senseOf = (kind: AlertKind, rules: number, grouped?: AlertSpan) => {
    return spanOf({ kind, direction: null, slices: [] }, 24, { places: [], rules, grouped }).sense;
  };
  t.strictSame(
    (['activity', 'gap', 'frozen'] as const).map(kind => senseOf(kind, groupingRules)),
    ['shape', 'gap', 'frozen'],
  );
  t.equal(senseOf('activity', 1), 'gap', 'by the first rules');
  const { span } = alertOf('2024-03-30', 8, 10, { sense: 'gap' });
  t.equal(senseOf('activity', groupingRules, span), 'gap');
});

const anyAlerts = fc
  .uniqueArray(fc.record({ day: fc.nat(80), from: fc.integer({ min: 0, max: 22 }), over: fc.boolean() }), {
    selector: ({ day }) => day,
    minLength: 1,
    maxLength: 25,
  })
  .map(all =>
    all.map(({ day, from, over }) =>
      alertOf(dateOf(dayNumber('2024-01-01') + day), from, from + 2, { sense: over ? 'over' : 'under' }),
    ),
  );

t.test('an incident is named after the alert that opens it; a name that is taken gets a number', async t => {
  const { joined } = group([alertOf('2026-03-02', 8, 10)], {
    members: [],
    incidents: [],
    isTaken: () => false,
  });
  t.match(joined, exactList({ incidentId: 'inc-1-20260302-1', reason: 'opened' }));
  const ids = ['1-20260302-1', '1-20260303-1'];
  const named = (...taken: string[]) => freeIncidentId(ids, id => !taken.includes(id));
  t.equal(named('inc-1-20260302-1'), 'inc-1-20260303-1');
  t.equal(named('inc-1-20260302-1', 'inc-1-20260303-1'), 'inc-1-20260302-1-2');
});

t.test('an alert in another state changes its incident, and nothing else', async t => {
  const alert = alertOf('2024-03-30', 7, 8);
  const opened = group([alert], { members: [], incidents: [], isTaken: () => false });
  const [[id, members] = ['', []]] = opened.after;
  const known: Known = { members, incidents: [{ id, order: 0, cutFrom: [] }], isTaken: one => one === id };
  const { after, ...changes } = group([{ ...alert, state: 'acknowledged' }], known);
  t.match([...after], exactList(exactList(id, exactList({ alertId: alert.alertId, state: 'acknowledged' }))));
  t.strictSame(changes, { joined: [], spans: [], left: [], merged: [], split: [] });
});

t.test('a part that is torn off stays apart from what a person split off', t => {
  const [first, link, last] = [
    alertOf('2026-03-02', 1, 2),
    alertOf('2026-03-03', 5, 6),
    alertOf('2026-03-04', 9, 10),
  ];
  const apart = alertOf('2026-03-05', 13, 14);
  const memberOf = (incidentId: string, alert: GroupedAlert, order: number): Member => ({
    ...alert,
    ...{ incidentId, order, isPinned: false },
  });
  const known: Known = {
    members: [
      ...[first, link, last].map((alert, at) => memberOf('whole', alert, at)),
      memberOf('part', apart, 3),
    ],
    incidents: [
      { id: 'whole', order: 4, cutFrom: ['part'] },
      { id: 'part', order: 5, cutFrom: ['whole'] },
    ],
    isTaken: () => false,
  };
  // The new alert is next to the part, and repeats the one that is torn off.
  const changed = [{ ...link, state: 'invalidated' as const }, alertOf('2026-03-06', 9, 10)];
  const torn = `inc-${last.alertId}`;
  t.match(group(changed, known), {
    split: exactList({ incidentId: torn, from: 'whole', alertIds: exactList(last.alertId) }),
    merged: exactList(),
  });
  t.equal(
    group(changed, { ...known, rules: 1 }).merged.length,
    1,
    'by the first rules it was connected again',
  );
  t.end();
});

t.test('an alert that takes the place of one that a person merged stays with the others', async t => {
  const dates = ['2026-03-04', '2026-06-04'];
  const members = dates.map((date, order): Member => {
    return { ...alertOf(date, 9, 10), incidentId: 'one', order, isPinned: true };
  });
  const [, last] = members;
  const again = { ...alertOf('2026-06-04', 9, 10), alertId: '1-20260604-2' };
  const changed = [{ ...last!, state: 'invalidated' as const }, again];
  const known = { members, incidents: [{ id: 'one', order: 2, cutFrom: [] }], isTaken: () => false };
  t.strictSame(group(changed, known).split, []);
  t.equal(group(changed, { ...known, rules: 2 }).split.length, 1, 'by earlier rules it was torn off');
});

t.test('alerts in any order and in any batches end in the same groups', async t => {
  fc.assert(
    fc.property(anyAlerts, fc.infiniteStream(fc.nat(3)), fc.nat(), (alerts, sizes, seed) => {
      const whole = incidentsOf();
      whole.take(alerts);
      const parts = incidentsOf();
      const random = chance(seed);
      const keyed = alerts.map(alert => ({ alert, key: random.below(1e9) })).sort((a, b) => a.key - b.key);
      const left = keyed.map(({ alert }) => alert);
      for (const size of sizes) {
        if (left.length === 0) break;
        parts.take(left.splice(0, 1 + size));
      }
      return JSON.stringify(parts.groups()) === JSON.stringify(whole.groups());
    }),
  );
  t.pass('for random alerts');
});

const anyMembers = fc
  .array(
    fc.record({
      source: fc.integer({ min: 1, max: 3 }),
      day: fc.nat(80),
      from: fc.nat(20),
      over: fc.boolean(),
      isNorth: fc.boolean(),
    }),
    { maxLength: 25 },
  )
  .map(all =>
    all.map(({ source, day, from, over, isNorth }, order): Member => {
      const alert = alertOf(dateOf(dayNumber('2024-01-01') + day), from, from + 4, {
        alertId: `${source}-${order}`,
        sourceId: source,
        sense: over ? 'over' : 'under',
      });
      const span = { ...alert.span, places: isNorth ? ['UTC site=north'] : [] };
      return { ...alert, span, incidentId: `inc-${order % 4}`, order, isPinned: order % 10 === 9 };
    }),
  );

t.test('an alert is compared with few others, and with each that it is connected with', async t => {
  fc.assert(
    fc.property(anyMembers, members => {
      const index = memberIndex(members);
      // A member that is replaced stays in its place.
      for (const member of members.filter((_, place) => place % 3 === 0)) index.set(member);
      return members.every(alert => {
        const near = index.near(alert);
        const kept = members.filter(member => near.includes(member));
        const missed = members.filter(member => connection(alert, member) && !near.includes(member));
        return missed.length === 0 && near.every((member, at) => member === kept[at]);
      });
    }),
  );
  const years = Array.from({ length: 1000 }, (_, at): Member => {
    const alert = alertOf(dateOf(dayNumber('2020-01-01') + at), 7, 9);
    return { ...alert, incidentId: 'inc-1', order: at, isPinned: false };
  });
  t.equal(memberIndex(years).near(years[500]!).length, 57, 'within 28 days');
  t.equal(memberIndex(years).near({ ...years[500]!, sourceId: 2 }).length, 3, 'another source: a day');
});

t.test('members that are connected, directly or not, are one component, and so are pinned ones', async t => {
  fc.assert(
    fc.property(anyMembers, members => {
      const isLinked = (one: Member, other: Member) =>
        (one.isPinned && other.isPinned) || connection(one, other) !== undefined;
      const label = members.map((_, at) => at);
      for (const _ of members)
        members.forEach((one, at) =>
          members.forEach((other, to) => {
            if (isLinked(one, other)) label[at] = Math.min(label[at]!, label[to]!);
          }),
        );
      const expected = [...new Set(label)]
        .sort((a, b) => a - b)
        .map(of => members.filter((_, at) => label[at] === of));
      return JSON.stringify(componentsOf(members.toReversed())) === JSON.stringify(expected);
    }),
  );
  t.pass('for random alerts');
});

t.test('alerts that were invalidated leave the groups of those that stand', async t => {
  fc.assert(
    fc.property(anyAlerts, fc.infiniteStream(fc.boolean()), (alerts, stays) => {
      const kept = alerts.filter(() => stays.next().value);
      const all = incidentsOf();
      all.take(alerts);
      all.take(
        alerts.filter(alert => !kept.includes(alert)).map(alert => ({ ...alert, state: 'invalidated' })),
      );
      const alone = incidentsOf();
      alone.take(kept);
      return JSON.stringify(all.groups()) === JSON.stringify(alone.groups());
    }),
  );
  t.pass('for random alerts');
});

/** Alerts of simulated causes on five sources of two sites, each with the number of its cause. */
const simulated = (seed: number): readonly (GroupedAlert & { readonly cause: number })[] => {
  const random = chance(seed);
  const alerts = new Map<string, GroupedAlert & { readonly cause: number }>();
  let cause = 0;
  const add = (sourceId: number, day: number, span: GroupedAlert['span']): void => {
    const place = `UTC site=${sourceId <= 3 ? 'north' : 'south'}`;
    const alert = alertOf(dateOf(dayNumber('2024-01-01') + day), 0, 1, {
      sourceId,
      span: { ...span, places: [place] },
    });
    if (!alerts.has(alert.alertId)) alerts.set(alert.alertId, { ...alert, cause });
  };
  for (let day = 0; day < 700; day += 20 + random.below(40)) {
    cause += 1;
    const sourceId = 1 + random.below(5);
    const from = 60 * random.below(20);
    const span = {
      sense: random.happens(0.5) ? 'over' : 'under',
      minutes: [[from, from + 120]],
      places: [],
    } as const;
    const kind = random.below(4);
    // Hours that changed for good, seen on some weekdays; a closure; a power cut of a site; one bad day.
    if (kind === 0)
      for (let week = 0; week < 4; week += 1)
        for (const on of [0, 4, 5]) add(sourceId, day + 7 * week + on, span);
    else if (kind === 1)
      for (let on = 0; on < 5; on += 1) add(sourceId, day + on, { ...span, minutes: [[480, 1080]] });
    else if (kind === 2)
      for (const id of sourceId <= 3 ? [1, 2, 3] : [4, 5]) add(id, day, { ...span, sense: 'gap' });
    else add(sourceId, day, span);
  }
  return [...alerts.values()];
};

t.test('simulated causes: incidents are pure, and few for each', async t => {
  let pure = 0;
  let all = 0;
  let incidentCount = 0;
  let causeCount = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    const alerts = simulated(seed);
    const world = incidentsOf();
    for (const alert of alerts) world.take([alert]);
    const causeOf = new Map(alerts.map(({ alertId, cause }) => [alertId, cause]));
    for (const ids of world.groups()) {
      const counts = new Map<number, number>();
      for (const id of ids) counts.set(causeOf.get(id) ?? 0, (counts.get(causeOf.get(id) ?? 0) ?? 0) + 1);
      pure += Math.max(...counts.values());
      all += ids.length;
      incidentCount += 1;
    }
    causeCount += new Set(causeOf.values()).size;
  }
  t.comment(
    `${all} alerts, ${incidentCount} incidents, ${causeCount} causes, purity ${(pure / all).toFixed(4)}`,
  );
  t.ok(pure / all >= 0.98, `purity ${pure / all}`);
  t.ok(incidentCount / causeCount <= 1.5, `${incidentCount} incidents of ${causeCount} causes`);
});

t.test('a mute covers an incident when all of its sources are covered', async t => {
  const now = '2026-03-07T09:00:00.000Z';
  const createdAt = '2026-03-07T07:00:00.000Z';
  const times = { from: '2026-03-07T08:00:00.000Z', until: '2026-03-07T12:00:00.000Z', createdAt };
  const incident = {
    incidentId: 'inc-1',
    sourceCount: 2,
    sources: [
      { ids: [1], labels: { site: 'north' } },
      { ids: [2], labels: { site: 'north', floor: '2' } },
    ],
  };
  const until = (...scopes: readonly Parameters<typeof mutedUntil>[0][number]['scope'][]) =>
    mutedUntil(
      scopes.map(scope => ({ scope, ...times })),
      incident,
      now,
    );
  t.equal(until({ labels: { site: 'north' } }), times.until);
  t.equal(until({ labels: { site: 'north', floor: '2' } }), null, 'one source of two');
  t.equal(until({ sourceId: 1 }, { labels: { floor: '2' } }), times.until, 'two mutes together');
  t.equal(until({ incidentId: 'inc-1' }), times.until);
  t.equal(until({ incidentId: 'inc-2' }), null);
  const one = [{ scope: { incidentId: incident.incidentId }, ...times }];
  t.strictSame(
    [times.from, times.until].map(now => mutedUntil(one, incident, now)),
    [times.until, null],
    'from its first instant on, and not at its end',
  );
});

t.test('sentences in English and French', async t => {
  const span = {
    since: '2026-03-30',
    until: '2026-04-13',
    alerts: 5,
    sources: ['Gym', 'Pool'],
    sourceCount: 3,
  };
  t.equal(incidentTitle(span), 'Gym and 2 other sources');
  t.equal(incidentTitle(span, languages.fr), 'Gym et 2 autres sources');
  t.equal(incidentSentence('Less', span), 'Less, 5 alerts from 30 Mar 2026 to 13 Apr 2026');
  t.equal(incidentSentence('Moins', { ...span, alerts: 1 }, languages.fr), 'Moins, le 30 mars 2026');
  const first = { ...span, since: '2026-04-01', alerts: 1 };
  t.equal(incidentSentence('Moins', first, languages.fr), 'Moins, le 1er avr. 2026');
});
