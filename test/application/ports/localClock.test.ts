import fc from '../../helpers/property.js';
import t from 'tap';
import { clockOf, timeZoneFault } from '../../../adapters/timeZones.js';
import { localClock, skippedSlices, utcClock } from '../../../application/ports/localClock.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';

const at = (instant: string): number => Date.parse(instant) / 1000;
const clock = (name: string) => {
  const found = clockOf(name);
  if (!found) throw new Error(`no zone ${name}`);
  return found;
};

t.test('local clock: a zone with one hour more between 1000000 and 2000000', async t => {
  const { periodAt, instantsOf } = localClock('x', 'v', seconds =>
    seconds >= 1_000_000 && seconds < 2_000_000 ? 3600 : 0,
  );
  t.match(periodAt(999_999), { to: 1_000_000, offset: 0 });
  t.match(periodAt(1_000_000), { from: 1_000_000, offset: 3600 });
  t.match(periodAt(1_999_999.5), { to: 2_000_000, offset: 3600 });
  t.equal(periodAt(2_000_000).offset, 0);
  t.strictSame(instantsOf(999_999), [999_999]);
  t.strictSame(instantsOf(1_000_000), [], 'skipped');
  t.strictSame(instantsOf(1_003_599), [], 'skipped');
  t.strictSame(instantsOf(1_003_600), [1_000_000]);
  t.strictSame(instantsOf(1_999_999), [1_996_399]);
  t.strictSame(instantsOf(2_000_000), [1_996_400, 2_000_000], 'repeated');
  t.strictSame(instantsOf(2_003_600), [2_003_600]);
});

t.test('local clock: days with a clock change', async t => {
  const slices = (zone: string, date: string): string => {
    const seconds = clock(zone).sliceSeconds(dayNumber(date));
    if (!seconds) return 'ordinary';
    const odd = [...seconds].flatMap((each, slice) => (each === 600 ? [] : [`${slice}:${each}`]));
    return `${odd[0]} … ${odd.at(-1)}, ${odd.length}, ${seconds.reduce((sum, each) => sum + each) / 3600} h`;
  };
  t.equal(slices('Europe/Paris', '2023-03-26'), '12:0 … 17:0, 6, 23 h');
  t.equal(slices('Europe/Paris', '2023-10-29'), '12:1200 … 17:1200, 6, 25 h');
  t.equal(slices('Europe/Paris', '2023-03-25'), 'ordinary');
  t.equal(slices('Europe/Paris', '2023-03-27'), 'ordinary');
  t.equal(slices('Australia/Lord_Howe', '2023-10-01'), '12:0 … 14:0, 3, 23.5 h', 'a change of half an hour');
  t.equal(slices('America/Sao_Paulo', '2018-11-04'), '0:0 … 5:0, 6, 23 h', 'midnight does not exist');
  t.equal(slices('America/Sao_Paulo', '2019-02-16'), '138:1200 … 143:1200, 6, 25 h', 'before midnight');
  t.equal(slices('America/St_Johns', '2010-11-06'), '138:1140 … 143:1200, 6, 24.983333333333334 h');
  t.equal(slices('America/St_Johns', '2010-11-07'), '0:660 … 0:660, 1, 24.016666666666666 h');
  t.equal(slices('Pacific/Apia', '2011-12-30'), '0:0 … 143:0, 144, 0 h', 'a skipped date');
  t.equal(slices('Asia/Kolkata', '2023-03-26'), 'ordinary');
  t.equal(utcClock.sliceSeconds(0), undefined);
  t.strictSame(skippedSlices(clock('Europe/Paris'), dayNumber('2023-03-26'), 24), [[2, 3]]);
  t.strictSame(skippedSlices(clock('Europe/Paris'), dayNumber('2023-03-26'), 48), [[4, 6]]);
  t.strictSame(
    skippedSlices(clock('Europe/Paris'), dayNumber('2023-03-26'), 12),
    [],
    'a part of the day exists',
  );
});

t.test('local clock: instants and local times of real zones are inverse', async () => {
  const zones = Intl.supportedValuesOf('timeZone').map(clock);
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: at('1900-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') }),
      ({ periodAt, instantsOf }, instant) => {
        const { from, to, offset } = periodAt(instant);
        const instants = instantsOf(instant + offset);
        return from <= instant && instant < to && instants.includes(instant) && instants.length <= 2;
      },
    ),
    { seed: 5, numRuns: 2000 },
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: dayNumber('1990-01-01'), max: dayNumber('2030-12-31') }),
      ({ sliceSeconds, instantsOf }, day) => {
        // A day lasts from the instant of its midnight to the instant of the next one, if both exist.
        const [start] = instantsOf(day * 86_400);
        const [end] = instantsOf((day + 1) * 86_400);
        const seconds = sliceSeconds(day)?.reduce((sum, each) => sum + each) ?? 86_400;
        return start === undefined || end === undefined || seconds === end - start;
      },
    ),
    { seed: 5, numRuns: 2000 },
  );
});

t.test('local clock: a name is looked up once, also an unknown one', async t => {
  const { DateTimeFormat } = Intl;
  let made = 0;
  t.teardown(() => void (Intl.DateTimeFormat = DateTimeFormat));
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct: (target, args) => {
      made += 1;
      return Reflect.construct(target, args) as object;
    },
  });
  for (const name of ['Europe/Oslo', 'europe/oslo', 'US/Eastern', 'Europe/Nowhere']) {
    const first = clockOf(name);
    const before = made;
    t.equal(clockOf(name), first, name);
    t.equal(made, before, name);
  }
  t.ok(made > 0);
});

t.test('local clock: names of zones', async t => {
  t.equal(clockOf('UTC'), utcClock);
  t.equal(clockOf('europe/paris')?.timeZone, 'Europe/Paris', 'the official spelling');
  t.equal(clockOf('Europe/Kiev')?.timeZone, 'Europe/Kiev', 'an alias is kept');
  t.equal(clockOf('Europe/Paris'), clockOf('Europe/Paris'), 'kept');
  for (const name of [
    '',
    '+02:00',
    'UTC+2',
    'GMT+2',
    'Paris',
    'Europe/Atlantis',
    'Europe/Paris ',
    'x'.repeat(65),
  ])
    t.equal(clockOf(name), undefined, `"${name}"`);
  t.match(timeZoneFault('+02:00'), /a fixed offset does not know when clocks change/);
  t.match(timeZoneFault('Paris'), /: Europe\/Paris$/);
  t.match(timeZoneFault('an unknown place'), /, such as Europe\/Paris$/);
  t.match(clockOf('Europe/Paris')?.zoneData, /^20\d\d[a-z]$/);
  const first = clock('Asia/Tokyo').periodAt(at('0001-01-02T00:00:00Z'));
  t.equal(first.offset, 9 * 3600 + 18 * 60 + 59, 'local mean time before zones');
  t.equal(dateOf(Math.floor((at('9998-12-31T20:00:00Z') + 9 * 3600) / 86_400)), '9999-01-01');
});
