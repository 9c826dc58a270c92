import t from 'tap';
import {
  mutedUntil,
  muteDaysMax,
  mutes,
  mutesMax,
  type Mute,
  type MuteCommand,
} from '../../domain/incidents/mutes.js';
import { given } from '../helpers/decisions/decider.js';

const at = '2026-03-02T09:00:00.000Z';
const muteOf = (n: number, change: Partial<Mute> = {}): Mute => ({
  ...{ muteId: `mute-${n}`, scope: { sourceId: 1 }, from: at, until: '2026-03-02T10:00:00.000Z' },
  reason: 'sealed',
  ...change,
});
const create = (mute: Mute): MuteCommand => ({ type: 'CreateMute', mute, at });
const created = (mute: Mute) => ({ type: 'MuteCreated', data: mute }) as const;
const ended = (n: number) => ({ type: 'MuteEnded', data: { muteId: `mute-${n}` } }) as const;

t.test('a mute ends after its beginning and after the present, and at most 400 days later', async t => {
  const codeOf = (change: Partial<Mute>) =>
    given(t, mutes)
      .when(create(muteOf(1, change)))
      .rejects('muteInvalid')?.faults[0]?.code;
  t.equal(muteDaysMax, 400);
  t.equal(codeOf({ from: '2026-03-03T09:00:00.000Z', until: '2026-03-03T09:00:00.000Z' }), 'untilBeforeFrom');
  t.equal(codeOf({ from: '2026-03-01T09:00:00.000Z', until: at }), 'untilOver');
  t.equal(codeOf({ until: '2027-04-06T09:00:00.001Z' }), 'untilTooLate');
  const longest = muteOf(1, { until: '2027-04-06T09:00:00.000Z' });
  given(t, mutes).when(create(longest)).then(created(longest));
  given(t, mutes, created(longest)).when(create(longest)).then();
});

t.test('200 mutes of a tenant have not ended: those that have make room', async t => {
  const full = Array.from({ length: mutesMax }, (_, n) => created(muteOf(n + 1)));
  const next = muteOf(900);
  const refused = given(t, mutes, ...full)
    .when(create(next))
    .rejects('tooManyMutes');
  t.equal(refused?.message, 'got mute 201 of the tenant, expected at most 200');
  given(t, mutes, ...full, ended(7))
    .when(create(next))
    .then(created(next));
});

t.test('a mute ends once, at its end or when it is deleted', async t => {
  const one = muteOf(1);
  const end = (instant: string): MuteCommand => ({ type: 'EndMute', muteId: 'mute-1', at: instant });
  const remove: MuteCommand = { type: 'DeleteMute', muteId: 'mute-1' };
  const deleted = { type: 'MuteDeleted', data: { muteId: 'mute-1' } } as const;
  given(t, mutes, created(one)).when(end('2026-03-02T09:59:59.999Z')).then();
  given(t, mutes, created(one)).when(end(one.until)).then(ended(1));
  given(t, mutes, created(one), deleted).when(end(one.until)).then();
  given(t, mutes).when(end(one.until)).then();
  given(t, mutes, created(one)).when(remove).then(deleted);
  given(t, mutes, created(one), ended(1)).when(remove).then();
  given(t, mutes).when(remove).rejects('muteNotFound');
});

t.test('an incident is muted until its own mute ends, or the first of those of all its sources', async t => {
  const source = (id: number, labels: Readonly<Record<string, string>> = {}) => ({ ids: [id], labels });
  const until = (hour: number): string => `2026-03-02T${hour}:00:00.000Z`;
  const mute = (scope: Mute['scope'], hour: number, from = at) => ({
    ...{ scope, from, until: until(hour), createdAt: at },
  });
  const sources = [source(1), source(2, { site: 'north' })];
  const incident = { incidentId: 'inc-1', sources, sourceCount: 2 };
  const mutedAt = (now: string, ...list: readonly ReturnType<typeof mute>[]) =>
    mutedUntil(list, incident, now);
  const [one, two] = [mute({ sourceId: 1 }, 12), mute({ sourceId: 2 }, 14)];
  t.equal(mutedAt(at), null);
  t.equal(mutedAt(at, one), null, 'one of two sources');
  t.equal(mutedAt(at, two, one), until(12));
  t.equal(mutedAt(at, two, one, mute({ sourceId: 1 }, 13)), until(13), 'the last mute of each source');
  t.equal(mutedAt(at, one, mute({ labels: { site: 'north' } }, 11)), until(11));
  t.equal(mutedAt(at, one, mute({ labels: { site: 'south' } }, 11)), null);
  t.equal(mutedAt(at, one, two, mute({ incidentId: 'inc-1' }, 13)), until(13));
  t.equal(mutedAt(at, mute({ incidentId: 'inc-2' }, 13)), null);
  t.equal(mutedAt(until(12), two, one), null, 'its end is over');
  t.equal(mutedAt(at, two, mute({ sourceId: 1 }, 12, until(10))), null, 'one begins later');
  t.equal(mutedAt(until(10), two, mute({ sourceId: 1 }, 12, until(10))), until(12));
  const earlier = '2026-03-02T08:00:00.000Z';
  t.equal(mutedAt(earlier, one, two), until(12), 'the clock was set back since its creation');
  t.equal(mutedAt(earlier, mute({ incidentId: 'inc-1' }, 13, until(10))), null, 'it was given a beginning');
  const learnedAgain = { ids: [3, 1], labels: {} };
  const ofLearnedAgain = { incidentId: 'inc-3', sources: [learnedAgain], sourceCount: 1 };
  t.equal(mutedUntil([one], ofLearnedAgain, at), until(12), 'the source was learned again from another one');
  t.equal(mutedUntil([two], ofLearnedAgain, at), null);
  const more = { ...incident, sourceCount: 3 };
  t.equal(mutedUntil([one, two], more, at), null, 'a source that is not named may not be muted');
  t.equal(mutedUntil([mute({ incidentId: 'inc-1' }, 13)], more, at), until(13));
});
