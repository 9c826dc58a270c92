import t from 'tap';
import { languages } from '../../domain/words/languages.js';
import { changeSentence, withChangeSentence } from '../../domain/incidents/incidentSentence.js';
import { continued, isSameChange, mainChange, type Change } from '../../domain/incidents/changes.js';
import { factsOf, mergedInto, splitOff, withChange } from '../../domain/incidents/decisions.js';
import type { Member } from '../../domain/incidents/connections.js';
import type { IncidentEvent, IncidentFacts, IncidentState } from '../../domain/incidents/incidents.js';
import { exactList } from '../helpers/exactList.js';
import {
  alertFormOf,
  announcesIncident,
  incidentMessage,
  type IncidentChange,
} from '../../domain/webhooks/messageCauses.js';

// Changes of incidents: facts, messages, sentences.

const member = (sourceId: number, date: string): Member => ({
  alertId: `${sourceId}-${date.replaceAll('-', '')}-1`,
  ...{ sourceId, date, state: 'open', kind: 'activity', criticity: 0.8 },
  span: { sense: 'under', minutes: [[0, 60]], places: [] },
  ...{ incidentId: 'inc-1-20260330-1', order: 1, isPinned: false },
});
const members = [member(1, '2026-03-30'), member(2, '2026-03-31')];
const id = 'inc-1-20260330-1';
const level: Change = { type: 'level', size: 0.25, from: '2026-05-12' };

t.test('facts have one change a source; the first time it is recognised, and its date stays', async t => {
  const fresh = factsOf({ id, facts: null, isAcknowledged: false, members });
  t.notOk('changes' in fresh);
  const first = withChange(fresh, 1, { ...level, values: [1], modelId: 3 });
  t.strictSame(first.changes, [{ ...level, sourceId: 1 }]);
  t.equal(first.recognised, true);
  const later = factsOf({ id, facts: first, isAcknowledged: false, members });
  t.strictSame([later.changes, later.recognised], [first.changes, undefined]);
  const seenAgain = withChange(later, 1, { ...level, size: 0.27, from: '2026-05-20' });
  t.strictSame(
    [seenAgain.changes, seenAgain.recognised],
    [[{ ...level, size: 0.27, sourceId: 1 }], undefined],
  );
  const other = withChange(seenAgain, 1, { ...level, size: -0.4, from: '2026-06-01' });
  t.equal(other.recognised, true);
  t.strictSame(other.changes, [{ ...level, size: -0.4, from: '2026-06-01', sourceId: 1 }]);
  const both = withChange(seenAgain, 2, { type: 'clock', size: 60, from: '2026-03-30' });
  t.strictSame(
    both.changes?.map(({ sourceId }) => sourceId),
    [1, 2],
  );
  t.match(mainChange({ changes: both.changes ?? [], mainAlertId: '2-20260331-1' }), { sourceId: 2 });
  t.strictSame(withChange(both, 2, null).changes, seenAgain.changes);
  t.notOk('changes' in withChange(seenAgain, 1, null));
  const left = factsOf({ id, facts: both, isAcknowledged: false, members: members.slice(0, 1) });
  t.strictSame(left.changes, seenAgain.changes, 'a source that left has none');
  const gone = factsOf({ id, facts: first, isAcknowledged: false, members: [] });
  t.equal(gone.recognised, undefined);
});

t.test('changes of sources move with their alerts when incidents are merged or split', async t => {
  const incidentOf = (incidentId: string, sourceId: number, change: Change) => {
    const own = [member(sourceId, '2026-03-30'), member(sourceId, '2026-03-31')];
    const known = { id: incidentId, isAcknowledged: false, members: own };
    return { ...known, facts: withChange(factsOf({ ...known, facts: null }), sourceId, change) };
  };
  const [one, two] = [incidentOf('inc-1', 2, level), incidentOf('inc-2', 1, { ...level, size: -0.5 })];
  const factsAfter = ({ data }: IncidentEvent) => ('incidents' in data ? data.incidents : []);
  const after = factsAfter(mergedInto(two, one));
  const both = [
    { ...level, size: -0.5, sourceId: 1 },
    { ...level, sourceId: 2 },
  ];
  t.match(after, exactList({ incidentId: 'inc-2' }, { incidentId: 'inc-1', changes: both }));
  const merged = { ...one, facts: after[1]!, members: [...one.members, ...two.members] };
  const moved = two.members.map(({ alertId }) => alertId);
  t.strictSame(
    factsAfter(splitOff(merged, moved, 'inc-3')).map(({ changes }) => changes),
    [both.slice(1), both.slice(0, 1)],
  );
});

t.test('an open alert that is split off an acknowledged incident is open, and is announced', async t => {
  const [known, joined] = [
    { ...member(1, '2026-03-30'), state: 'acknowledged' as const },
    member(1, '2026-03-31'),
  ];
  const acknowledged = { id, facts: null, isAcknowledged: true, members: [known, joined] };
  const facts = factsOf(acknowledged);
  t.equal(facts.state, 'acknowledged', 'an alert that joins leaves it acknowledged');
  const states = (alertId: string) => {
    const event = splitOff({ ...acknowledged, facts }, [alertId], 'inc-new');
    return 'incidents' in event.data ? event.data.incidents.map(({ state }) => state) : [];
  };
  t.strictSame(states(joined.alertId), ['acknowledged', 'open']);
  t.strictSame(states(known.alertId), ['acknowledged', 'acknowledged']);
  const filter = { events: [], minCriticity: 0, labels: {} };
  const step = { criticity: 0.8, sourceCount: 1, labels: [{}], isHeldBack: false };
  const isAnnounced = (hasBeenOpen: boolean, state: IncidentState) =>
    announcesIncident(filter, { ...step, hasBeenOpen, state });
  t.equal(isAnnounced(true, 'open'), true);
  t.equal(isAnnounced(false, 'acknowledged'), false, 'a person knows its alerts');
  t.equal(isAnnounced(true, 'acknowledged'), true, 'when it was held back');
  t.equal(isAnnounced(true, 'resolved'), false);
});

t.test('a change is the same one with a size of half to one and a half times', async t => {
  const isSame = (change: Partial<Change>) => isSameChange({ ...level, ...change }, level);
  t.strictSame(
    [0.125, 0.25, 0.375].map(size => isSame({ size })),
    [true, true, true],
  );
  t.strictSame(
    [0.124, 0.376, -0.25].map(size => isSame({ size })),
    [false, false, false],
  );
  t.equal(isSame({ type: 'shape' }), false);
  const later = { ...level, size: 0.3, from: '2026-05-20' };
  t.strictSame(continued(later, level), { ...later, from: level.from }, 'its first date stays');
  t.strictSame(continued(level, later), level, 'unless it is seen earlier');
  t.strictSame(continued(later, { ...level, size: 1 }), later, 'another change');
  t.strictSame(continued(later, undefined), later);
});

t.test('an incident names its sources once, in ascending order, and counts its alerts by state', async t => {
  const some = [member(3, '2026-03-30'), member(1, '2026-03-30'), member(3, '2026-03-31')];
  const facts = factsOf({
    ...{ id, facts: null, isAcknowledged: false },
    members: some.map((one, index) => ({ ...one, state: index === 0 ? 'acknowledged' : 'open' })),
  });
  t.strictSame([facts.sourceIds, facts.sourceCount], [[1, 3], 2]);
  t.strictSame(facts.counts, { open: 2, acknowledged: 1, resolved: 0, ended: 0 });
  t.strictSame([facts.since, facts.until], ['2026-03-30', '2026-03-31']);
});

t.test('an incident without alerts keeps its facts, and counts none', async t => {
  const one = factsOf({
    id: 'inc-1',
    facts: null,
    isAcknowledged: false,
    members: [member(1, '2026-05-01')],
  });
  const empty = { id: 'inc-1', facts: one, isAcknowledged: false, members: [] };
  const counts = { open: 0, acknowledged: 0, resolved: 0, ended: 0 };
  t.strictSame(factsOf(empty), { ...one, counts, state: 'invalidated', before: 'open' });
  t.equal(factsOf(empty, true).state, 'merged');
});

t.test('an incident has the largest severity of its alerts, if some have one', async t => {
  const factsOfAll = (...severities: readonly (number | undefined)[]) =>
    factsOf({
      ...{ id: 'inc-1', facts: null, isAcknowledged: false },
      members: severities.map((severity, index) => ({
        ...member(1, `2026-05-0${index + 1}`),
        ...(severity !== undefined && { severity }),
      })),
    });
  t.equal(factsOfAll(0.2, 0.4, undefined).worstSeverity, 0.4);
  t.notOk('worstSeverity' in factsOfAll(undefined, undefined), 'as in events of engines up to 8');
});

t.test(
  'an incident is about its most critical alert that waits, about the same one when none does any more',
  async t => {
    const over = { ...member(1, '2026-05-05'), criticity: 1, kind: 'noData', state: 'ended' } as const;
    const waiting = { ...member(1, '2026-05-04'), criticity: 0.8, state: 'acknowledged' } as const;
    const found = (members: readonly Member[], facts: IncidentFacts | null, rules?: number) =>
      factsOf({ id: 'inc-1', facts, isAcknowledged: false, members }, false, [], rules);
    const about = (...of: Parameters<typeof found>) => {
      const { mainAlertId, criticity } = found(...of);
      return [mainAlertId, criticity];
    };
    const handled = { ...waiting, state: 'resolved', criticity: 0.7 } as const;
    const before = found([over, waiting], null);
    t.strictSame(about([over, waiting], null), [waiting.alertId, 0.8]);
    t.strictSame(about([over, handled], before), [waiting.alertId, 0.7]);
    t.strictSame(about([over], before), [over.alertId, 1], 'it is not in the incident');
    t.strictSame(about([over, handled], null), [over.alertId, 1], 'none waited');
    t.strictSame(about([over, waiting], null, 2), [over.alertId, 1], 'by earlier rules');
    t.strictSame(about([over, handled], before, 2), [over.alertId, 1], 'by earlier rules');
  },
);

t.test('a receiver of alerts gets the message about the most critical alert of an incident', async t => {
  const formOf = (change: IncidentChange, kind = 'activity') => {
    const type = change === 'opened' ? 'incident.opened' : 'incident.updated';
    const form = alertFormOf({ type, change }, kind);
    return form && `${form.type} ${form.change}`;
  };
  t.equal(formOf('opened'), 'alert.raised raised');
  t.equal(formOf('opened', 'noData'), 'source.silent raised');
  t.equal(formOf('acknowledged'), 'alert.updated acknowledged');
  t.equal(formOf('reopened'), 'alert.updated reopened');
  t.equal(formOf('resolved'), 'alert.resolved resolved');
  t.equal(formOf('ended'), 'alert.resolved ended');
  t.equal(formOf('merged'), 'alert.resolved invalidated');
  t.equal(formOf('changed'), null);
});

t.test('a recognised change is one message, to receivers of incidents', async t => {
  const facts = { before: 'open', state: 'open', recognised: true } as const;
  const message = incidentMessage(facts, 'before');
  t.strictSame(message, { type: 'incident.updated', change: 'changed' });
  t.equal(alertFormOf(message!, 'activity'), null);
  t.equal(incidentMessage({ before: 'open', state: 'open' }, 'before'), null);
  t.match(incidentMessage({ ...facts, state: 'acknowledged' }, 'before'), { change: 'acknowledged' });
  t.match(incidentMessage(facts, 'now'), { change: 'opened' });
});

t.test('sentences in both languages', async t => {
  const from = '2026-03-30';
  const rows: readonly (readonly [Omit<Change, 'from'>, string, string])[] = [
    [{ type: 'level', size: 0.25 }, 'a quarter more', 'un quart de plus'],
    [{ type: 'level', size: -0.5 }, 'half as much', 'moitié moins'],
    [{ type: 'level', size: 0.513 }, 'half as much again', 'moitié plus'],
    [{ type: 'level', size: -0.2 }, '20 % less', '20 % de moins'],
    [{ type: 'clock', size: 60 }, 'everything an hour later', 'tout une heure plus tard'],
    [{ type: 'clock', size: -120 }, 'everything 2 hours earlier', 'tout 2 heures plus tôt'],
    [{ type: 'clock', size: 30 }, 'everything 30 minutes later', 'tout 30 minutes plus tard'],
    [{ type: 'clock', size: -90 }, 'everything 1 h 30 min earlier', 'tout 1 h 30 min plus tôt'],
    [{ type: 'opening', size: -60, minutes: [420, 480] }, 'closed 07–08', 'fermé 07–08'],
    [{ type: 'opening', size: 30, minutes: [1290, 1320] }, 'open 21:30–22', 'ouvert 21:30–22'],
    [{ type: 'shape', size: 0.4 }, 'another course of the day', 'un autre profil de journée'],
  ];
  for (const [change, en, fr] of rows) {
    t.equal(changeSentence({ ...change, from }), `${en} since 30 Mar 2026`);
    t.equal(changeSentence({ ...change, from }, languages.fr), `${fr} depuis le 30 mars 2026`);
  }
  t.match(
    changeSentence({ type: 'clock', size: 60, from, daylightSaving: true }),
    /since 30 Mar 2026, as after/,
  );
  t.equal(withChangeSentence('80 % under', level), '80 % under; a quarter more since 12 May 2026');
  t.equal(withChangeSentence('80 % under', null), '80 % under');
});

t.test('an incident with more sources than are named passes a filter of labels', async t => {
  const filter = { events: [], minCriticity: 0, labels: { site: 'north' } };
  const step = {
    hasBeenOpen: true,
    state: 'open',
    criticity: 0.9,
    isHeldBack: false,
    labels: [{ site: 'south' }],
  } as const;
  t.equal(announcesIncident(filter, { ...step, sourceCount: 1 }), false);
  t.equal(announcesIncident(filter, { ...step, sourceCount: 2 }), true);
});
