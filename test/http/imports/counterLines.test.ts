import fc from '../../helpers/property.js';
import t, { type Test } from 'tap';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { eventually } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// A register that is fed over line protocol in tiny bodies, late and out of order, has the slices of one body.

const pool = sharedAnalyst();

const now = Date.parse('2024-03-06T12:00:00Z');
/** Stretches of readings: weeks late, around the first instant that the buffer keeps, yesterday and today. */
const starts = ['2024-02-10T21:10', '2024-02-27T19:40', '2024-03-05T20:05', '2024-03-06T06:30'];
const dates = ['2024-02-10', '2024-02-11', '2024-02-27', '2024-02-28', '2024-03-05', '2024-03-06'];

type Stored = {
  readonly day: { readonly activity: readonly number[]; readonly gaps: readonly [number, number][] } | null;
};
/** A reading: milliseconds since 1970, and what the register shows. */
type Shown = readonly [at: number, value: number];

const anyReadings: fc.Arbitrary<readonly Shown[]> = fc
  .array(
    fc.array(fc.record({ minutes: fc.integer({ min: 5, max: 70 }), rise: fc.integer({ min: 0, max: 9 }) }), {
      minLength: 4,
      maxLength: 7,
    }),
    { minLength: starts.length, maxLength: starts.length },
  )
  .map(stretches => {
    let value = 1000;
    return stretches.flatMap((steps, index) => {
      let at = Date.parse(`${starts[index]}Z`);
      return steps.map(({ minutes, rise }): Shown => {
        at += minutes * 60_000;
        value += rise;
        return [at, value];
      });
    });
  });

const anyBodies = anyReadings.chain(readings =>
  fc.record({
    readings: fc.constant(readings),
    order: fc.shuffledSubarray([...readings], { minLength: readings.length }),
    sizes: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: readings.length }),
  }),
);

/** A service with sources of registers that collect their reference, each with a feed. */
const started = async (test: Test) => {
  const clock = drivenClock(new Date(now).toISOString());
  const { ask, send } = await serviceBy(test, clock, pool);
  let nowMs = now;
  const create = async (name: string): Promise<number> => {
    const feed = { measurement: 'meter', field: 'value', tags: { name } };
    const given = { name, activitySize: 24, aggregation: 'counter', interpolationMethod: 'zero', feed };
    return (await ask<{ id: number }>('POST', '/v1/source', given)).id;
  };
  const write = async (name: string, readings: readonly Shown[]): Promise<void> => {
    const lines = readings.map(([at, value]) => `meter,name=${name} value=${value} ${at}`);
    const { status, body } = await send('POST', '/api/v2/write?precision=ms', lines.join('\n'), 'text/plain');
    if (status !== 204) throw new Error(JSON.stringify(body));
    // The writer looks for points each ten seconds.
    nowMs += 10_500;
    await clock.goTo(new Date(nowMs).toISOString());
  };
  const slices = async (id: number): Promise<string> => {
    const days = [];
    for (const date of dates) {
      const { day } = await ask<Stored>('GET', `/v1/day/${id}/${date}`).catch(() => ({ day: null }));
      const values = (day?.activity ?? []).map((value, slice) =>
        day?.gaps.some(([from, to]) => from <= slice && slice < to) ? '-' : value.toFixed(6),
      );
      days.push(`${date} ${values.join(' ')}`);
    }
    return days.join('\n');
  };
  return { create, write, slices, send };
};

t.test('tiny late bodies of a register give the slices of one body', async t => {
  const { create, write, slices } = await started(t);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(anyBodies, async ({ readings, order, sizes }) => {
      run += 1;
      const [whole, parts] = [await create(`whole${run}`), await create(`parts${run}`)];
      await write(`whole${run}`, readings);
      let from = 0;
      for (const count of sizes) {
        if (from < order.length) await write(`parts${run}`, order.slice(from, from + count));
        from += count;
      }
      let found = ['', ''];
      const same = async () => {
        found = [await slices(whole), await slices(parts)];
        return found[0] === found[1] || undefined;
      };
      await eventually('the same slices', same).catch(() => {
        throw new Error(`got ${found[1]}\nexpected ${found[0]}`);
      });
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

t.test('a late reading at local midnight that comes alone joins those of other bodies', async t => {
  const { create, write, slices, send } = await started(t);
  const hourly = Array.from({ length: 5 }, (_, hour): Shown => {
    return [Date.parse('2024-02-10T22:00Z') + hour * 3_600_000, 1000 + hour * hour];
  });
  const expected = [...Array<string>(22).fill('-'), '1.000000', '3.000000'];
  const next = ['5.000000', '7.000000', ...Array<string>(22).fill('-')];
  const lines = await create('lines');
  const points = await create('points');
  for (const reading of hourly) await write('lines', [reading]);
  for (const [at, value] of hourly) {
    const body = { sourceId: points, points: [{ at: new Date(at).toISOString(), value }] };
    t.equal((await send('POST', '/v1/import/points', body)).status, 200);
  }
  for (const id of [lines, points]) {
    const [first = '', second = ''] = (await slices(id)).split('\n');
    t.equal(first, `2024-02-10 ${expected.join(' ')}`);
    t.equal(second, `2024-02-11 ${next.join(' ')}`);
  }
});

t.test(
  'late readings that are no register cost no other lines, also not those of today of their source',
  async t => {
    const { create, write, slices, send } = await started(t);
    const names = ['before', 'falling', 'after'];
    const ids: number[] = [];
    for (const name of names) ids.push(await create(name));
    const at = (minutes: number, start: string): number => Date.parse(`${start}Z`) + minutes * 60_000;
    const falling = Array.from({ length: 40 }, (_, n) => [at(10 * n, starts[0]!), 1000 - 10 * n] as const);
    const rising = Array.from({ length: 20 }, (_, n) => [at(10 * n, starts[3]!), 1000 + 10 * n] as const);
    const lines = names.flatMap(name =>
      [...(name === 'falling' ? falling : []), ...rising].map(
        ([at, value]) => `meter,name=${name} value=${value} ${at}`,
      ),
    );
    const path = '/api/v2/write?precision=ms';
    const { status, body } = await send('POST', path, lines.join('\n'), 'text/plain');
    t.equal(status, 400);
    t.match(
      JSON.stringify(body),
      /partial write: line 21: source \d+: .*all other lines are stored, dropped=40/,
    );
    await write('before', []);
    const stored = async () => {
      const found = await Promise.all(ids.map(slices));
      return found.every(text => text.includes(' 60.000000 ')) || undefined;
    };
    t.ok(await eventually('the slices of today', stored));
  },
);
