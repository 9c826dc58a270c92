import t from 'tap';
import { collectJsonPoints } from '../../../adapters/json/jsonPoints.js';
import { clockOf } from '../../../adapters/timeZones.js';
import { InvalidInput } from '../../../application/requests/imports/faults.js';
import { utcClock } from '../../../application/ports/localClock.js';
import { exactList } from '../../helpers/exactList.js';

// Points of a JSON body by the local clock of their source.

const read = async (timeZone: string, ...times: readonly string[]) => {
  const points = times.map((at, value) => ({ at, value }));
  const body = Buffer.from(JSON.stringify({ sourceId: 1, points }));
  const collected = await collectJsonPoints(
    (async function* () {
      yield body;
    })(),
  );
  const future = { tomorrow: Infinity, allowFuture: true, nowMs: 0, latenessMs: 0 };
  return collected.finish({ clock: clockOf(timeZone) ?? utcClock, stamps: 'local', future });
};

t.test('hours that a clock repeats or skips have a warning', async t => {
  const autumn = await read('Europe/Paris', '2024-10-27T02:10:00', '2024-10-27T02:20:00+01:00');
  t.strictSame(
    [...autumn.times].map(at => new Date(at * 1000).toISOString()),
    ['2024-10-27T00:10:00.000Z', '2024-10-27T01:20:00.000Z'],
  );
  const clock = 'the clock of Europe/Paris: ';
  const code = 'localStamps';
  const repeated = `${clock}1 point in hours that occur twice, taken for the first time of them`;
  t.strictSame(autumn.warnings, [{ code, detail: repeated }]);
  const spring = ['2024-03-31T02:10:00', '2024-03-31T02:20:00', '2024-03-31T03:10:00'];
  const both = await read('Europe/Paris', '2024-10-27T02:10:00', ...spring);
  t.equal(both.times.length, 2);
  t.strictSame(both.warnings, [
    { code, detail: `${repeated}; 2 points in hours that are skipped, left out` },
  ]);
  t.strictSame((await read('Europe/Paris', '2024-10-27T04:10:00')).warnings, []);
});

t.test('a date that a clock skips is refused', async t => {
  const refusal: unknown = await read('Pacific/Apia', '2011-12-29T10:00:00', '2011-12-30T10:00:00').catch(
    (error: unknown) => error,
  );
  t.type(refusal, InvalidInput);
  const { faults } = refusal as InvalidInput;
  t.match(
    faults,
    exactList({
      ...{ code: 'skippedDate', pointer: '/points/1/at' },
      detail: 'got 2011-12-30, a date that the clock of Pacific/Apia skips whole: leave it out',
    }),
  );
});

t.test(
  'a date before the first year, or after the last one, by the clock of the source is refused',
  async t => {
    for (const [zone, at] of [
      ['America/New_York', '0001-01-01T00:00:00Z'],
      ['Europe/Paris', '0001-01-01T00:00:00+12:00'],
      ['Europe/Paris', '9998-12-31T23:30:00Z'],
    ] as const) {
      const refusal: unknown = await read(zone, at).catch((error: unknown) => error);
      t.match(refusal, { faults: exactList({ code: 'timestampCalendar', pointer: '/points/0/at' }) }, at);
    }
    t.equal((await read('Europe/Paris', '0001-01-01T00:30:00Z')).times.length, 1);
  },
);

t.test('faults of the form of a body name the list of points', async t => {
  const collect = (text: string) =>
    collectJsonPoints(
      (async function* () {
        yield Buffer.from(text);
      })(),
    );
  const detail = 'got a point of more than 1024 bytes, expected at most as many';
  const large: unknown = await collect(`{"points":[{"at":"${'x'.repeat(2000)}"}]}`).catch(
    (error: unknown) => error,
  );
  t.match(large, { faults: exactList({ code: 'elementTooLarge', detail, pointer: '/points/0' }) });
  await t.rejects(collect('{"points":[,]}'), { message: /out of place in points/ });
  const big = await collect('{"points":[{"at":"2026-01-01T00:00:00Z","value":-1e400}]}');
  const noFuture = { tomorrow: Infinity, allowFuture: true, nowMs: 0, latenessMs: 0 };
  await t.rejects(big.finish({ clock: utcClock, stamps: 'utc', future: noFuture }), {
    faults: exactList({
      pointer: '/points/0/value',
      detail: /^got -Infinity, a number beyond ±1\.79.*e\+308, /,
    }),
  } as never);
});
