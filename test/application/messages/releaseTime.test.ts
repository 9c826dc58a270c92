import { ok } from 'node:assert/strict';
import fc from '../../helpers/property.js';
import t from 'tap';
import { clockOf } from '../../../adapters/timeZones.js';
import {
  afterQuietHours,
  progressAfter,
  releaseTime,
  type WaitingRules,
  type Next,
} from '../../../application/messages/deliveryPlan.js';
import { digestMessage } from '../../../application/messages/messages.js';
import { digestMinutes } from '../../../domain/webhooks/webhookTarget.js';

const clockIn = (zone: string) => {
  const clock = clockOf(zone);
  if (!clock) throw new Error(`no zone ${zone}`);
  return clock;
};
const release = (rules: WaitingRules, zone: string, at: string, criticity: number | null = 0.5): string =>
  new Date(releaseTime(rules, clockIn(zone), { atMs: Date.parse(at), criticity })).toISOString();

t.test('digests come at local times of the source', async t => {
  const daily: WaitingRules = { digest: { everyMinutes: 1440, at: '08:00' } };
  const at = (zone: string, instant: string) => release(daily, zone, instant);
  t.equal(at('UTC', '2024-01-10T07:59:59.999Z'), '2024-01-10T08:00:00.000Z');
  t.equal(at('UTC', '2024-01-10T08:00:00.000Z'), '2024-01-10T08:00:00.000Z');
  t.equal(at('UTC', '2024-01-10T08:00:00.001Z'), '2024-01-11T08:00:00.000Z');
  t.equal(at('Europe/Paris', '2024-01-10T07:30:00.000Z'), '2024-01-11T07:00:00.000Z');
  t.equal(at('Europe/Paris', '2024-07-10T05:30:00.000Z'), '2024-07-10T06:00:00.000Z');
  t.equal(at('Asia/Kathmandu', '2024-01-10T00:00:00.000Z'), '2024-01-10T02:15:00.000Z');
  const sixHours: WaitingRules = { digest: { everyMinutes: 360, at: '07:30' } };
  t.equal(release(sixHours, 'UTC', '2024-01-10T02:00:00.000Z'), '2024-01-10T07:30:00.000Z');
  t.equal(release(sixHours, 'UTC', '2024-01-10T20:00:00.000Z'), '2024-01-11T01:30:00.000Z');
  t.equal(
    release({ digest: { everyMinutes: 15 } }, 'UTC', '2024-01-10T20:01:00.000Z'),
    '2024-01-10T20:15:00.000Z',
  );
});

t.test('digests of other messages have other ids, also when one event made them', async t => {
  const idOf = (...ids: readonly string[]): string => {
    const messages = ids.map(id => ({ cause: { eventId: 'e', position: 1n }, message: { id, body: '{}' } }));
    return digestMessage({ id: 'w' }, messages as never).id;
  };
  t.not(idOf('a'), idOf('b'));
  t.equal(idOf('a', 'b'), idOf('a', 'b'));
});

t.test('messages wait in quiet hours, urgent ones do not', async t => {
  const night: WaitingRules = { quietHours: { from: '22:00', to: '07:00', minCriticity: 0.9 } };
  t.equal(release(night, 'UTC', '2024-01-10T21:59:59.999Z'), '2024-01-10T21:59:59.999Z');
  t.equal(release(night, 'UTC', '2024-01-10T22:00:00.000Z'), '2024-01-11T07:00:00.000Z');
  t.equal(release(night, 'UTC', '2024-01-11T06:59:59.999Z'), '2024-01-11T07:00:00.000Z');
  t.equal(release(night, 'UTC', '2024-01-11T07:00:00.000Z'), '2024-01-11T07:00:00.000Z');
  t.equal(release(night, 'America/New_York', '2024-01-10T22:00:00.000Z'), '2024-01-10T22:00:00.000Z');
  t.equal(release(night, 'America/New_York', '2024-01-11T04:00:00.000Z'), '2024-01-11T12:00:00.000Z');
  t.equal(release(night, 'UTC', '2024-01-10T23:00:00.000Z', 0.9), '2024-01-10T23:00:00.000Z');
  t.equal(release(night, 'UTC', '2024-01-10T23:00:00.000Z', null), '2024-01-11T07:00:00.000Z', 'an analysis');
  const noon: WaitingRules = { quietHours: { from: '12:00', to: '14:00' } };
  t.equal(release(noon, 'UTC', '2024-01-10T13:00:00.000Z', 1), '2024-01-10T14:00:00.000Z');
  t.equal(release(noon, 'UTC', '2024-01-10T23:00:00.000Z', 1), '2024-01-10T23:00:00.000Z');
  const both: WaitingRules = { ...night, digest: { everyMinutes: 60 } };
  t.equal(release(both, 'UTC', '2024-01-10T21:30:00.000Z'), '2024-01-11T07:00:00.000Z');
  t.equal(release(both, 'UTC', '2024-01-10T21:30:00.000Z', 1), '2024-01-10T22:00:00.000Z');
});

t.test(
  'an end in an hour that the clock skips is the instant after it; in a repeated hour the first',
  async t => {
    const rules: WaitingRules = { quietHours: { from: '22:00', to: '02:30' } };
    t.equal(release(rules, 'Europe/Paris', '2023-03-25T23:00:00.000Z'), '2023-03-26T01:00:00.000Z');
    t.equal(release(rules, 'Europe/Paris', '2023-10-28T23:00:00.000Z'), '2023-10-29T00:30:00.000Z');
    const almostAlways: WaitingRules = { quietHours: { from: '00:02', to: '00:01' } };
    t.equal(
      release(almostAlways, 'Pacific/Apia', '2011-12-29T10:02:00.000Z'),
      '2011-12-30T10:01:00.000Z',
      'the end is in a day that the clock skips, and quiet hours are at the instant after it',
    );
    const daily: WaitingRules = { digest: { everyMinutes: 1440, at: '02:30' } };
    t.equal(release(daily, 'Europe/Paris', '2023-03-25T23:00:00.000Z'), '2023-03-26T01:00:00.000Z');
  },
);

const hourMs = 3_600_000;
const anyTime = fc
  .nat(1439)
  .map(n => `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`);
const anyRules = fc
  .record(
    {
      digest: fc.record(
        { everyMinutes: fc.constantFrom(...digestMinutes), at: anyTime },
        { requiredKeys: ['everyMinutes'] },
      ),
      quietHours: fc
        .record(
          { from: anyTime, to: anyTime, minCriticity: fc.constant(0.9) },
          { requiredKeys: ['from', 'to'] },
        )
        .filter(({ from, to }) => from !== to),
    },
    { requiredKeys: [] },
  )
  .map((rules): WaitingRules => rules);
const anyZone = fc.constantFrom(
  ...['UTC', 'Europe/Paris', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'],
);
// Two years around clock changes of all these zones.
const anyInstant = fc.integer({ min: Date.UTC(2011, 0, 1), max: Date.UTC(2013, 0, 1) });

t.test(
  'any rules: a message waits less than two days and a clock change, and never in quiet hours',
  async () => {
    fc.assert(
      fc.property(
        anyRules,
        anyZone,
        anyInstant,
        fc.constantFrom(0.5, 0.9),
        (rules, zone, atMs, criticity) => {
          const clock = clockIn(zone);
          const releaseMs = releaseTime(rules, clock, { atMs, criticity });
          ok(releaseMs >= atMs, 'not before its event');
          // Apia skipped a whole day.
          ok(releaseMs - atMs <= 74 * hourMs, 'bounded');
          const isUrgent = criticity >= (rules.quietHours?.minCriticity ?? 1);
          if (isUrgent)
            ok(
              releaseMs ===
                releaseTime({ ...rules, quietHours: undefined } as never, clock, { atMs, criticity }),
            );
          else ok(afterQuietHours(rules, clock, releaseMs) === releaseMs, 'not in quiet hours');
        },
      ),
      { numRuns: 3000 },
    );
  },
);

t.test(
  'any rules: a later message of a source is not released before an earlier one of the same urgency',
  async () => {
    fc.assert(
      fc.property(anyRules, anyZone, anyInstant, fc.nat(48 * hourMs), (rules, zone, atMs, laterMs) => {
        const clock = clockIn(zone);
        const [first, second] = [atMs, atMs + laterMs].map(each =>
          releaseTime(rules, clock, { atMs: each, criticity: 0.5 }),
        );
        ok((first ?? 0) <= (second ?? 0));
      }),
      { numRuns: 3000 },
    );
  },
);

t.test('progress stays before the first message that waits; sources are delivered ahead of it', async t => {
  const next = (position: number, sourceId: number) =>
    ({ position: BigInt(position), message: { sourceId } }) as Next;
  const [a, b, c] = [next(10, 1), next(11, 2), next(12, 1)];
  const state = { cursor: 5n, ahead: {}, replayId: 'r', failing: { attempts: 2 } as never };
  const after = (messages: readonly Next[], delivered: readonly Next[], ahead = {}) =>
    progressAfter({ ...state, ahead }, messages, delivered);
  const reached = (cursor: bigint, ahead = {}) => ({ ...state, failing: null, cursor, ahead });
  t.strictSame(after([a, b, c], [a]), reached(10n));
  t.strictSame(after([a, b, c], [b]), reached(5n, { 2: '11' }), 'the first message waits');
  t.strictSame(after([a, b, c], [a, c]), reached(10n, { 1: '12' }));
  t.strictSame(after([a, b, c], [a, b, c]), reached(12n), 'nothing waits');
  t.strictSame(after([a, c], [a, c], { 2: '11' }), reached(12n), 'a source that the cursor has passed');
  t.strictSame(after([a], [a], { 2: '11' }), reached(10n, { 2: '11' }), 'one that it has not');
  const part = next(10, 1);
  t.strictSame(after([a, part], [a]), reached(5n), 'an event whose messages are delivered in part');
});
