import fc from '../../helpers/property.js';
import t from 'tap';
import { clockOf } from '../../../adapters/timeZones.js';
import { utcClock } from '../../../application/ports/localClock.js';
import { endOf, placeAt, shownSince } from '../../../application/requests/points/sliceTimes.js';

// The points that wait in the buffer are read up to the present slice.

const secondsOf = (text: string): number => Date.parse(text) / 1000;

t.test('a slice is shown since its start, or since the clock was changed', async t => {
  const since = (timeZone: string, at: string): string =>
    new Date(1000 * shownSince(clockOf(timeZone) ?? utcClock, 24, secondsOf(at))).toISOString();
  t.equal(since('UTC', '2024-03-06T05:59:59Z'), '2024-03-06T05:00:00.000Z');
  t.equal(since('UTC', '2024-03-06T06:00:00Z'), '2024-03-06T06:00:00.000Z');
  t.equal(since('Asia/Kolkata', '2024-03-06T05:59:59Z'), '2024-03-06T05:30:00.000Z');
  t.equal(since('Europe/Paris', '2024-10-27T01:10:00Z'), '2024-10-27T01:00:00.000Z', 'the second 2:00');
  t.equal(
    since('Australia/Lord_Howe', '2024-04-06T15:10:00Z'),
    '2024-04-06T15:00:00.000Z',
    'the second 1:30',
  );
});

t.test('no slice of a later instant has elapsed', async () => {
  const changes = ['2024-03-31T01:00Z', '2024-10-27T01:00Z', '2024-04-06T15:00Z', '2024-10-05T15:30Z'];
  await fc.assert(
    fc.property(
      fc.constantFrom('UTC', 'Europe/Paris', 'Australia/Lord_Howe'),
      fc.constantFrom(24, 48, 72, 144),
      fc.constantFrom(...changes.map(secondsOf)),
      fc.tuple(fc.integer({ min: -9000, max: 9000 }), fc.integer({ min: -9000, max: 9000 })),
      (timeZone, size, change, [one, other]) => {
        const clock = clockOf(timeZone) ?? utcClock;
        const [at, now] = [change + one, change + other];
        const hasElapsed = endOf(clock, size, placeAt(clock, size, at)) <= now;
        return !hasElapsed || at < shownSince(clock, size, now);
      },
    ),
    { numRuns: 3000 },
  );
});
