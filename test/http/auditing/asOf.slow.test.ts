import { setTimeout as sleep } from 'node:timers/promises';
import fc from '../../helpers/property.js';
import t from 'tap';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { answerChecker, operationsOf, type Document } from '../../helpers/documents/apiDescription.js';
import { office, temperatures } from '../../helpers/data/explainedOffice.js';
import { analysed, idle, ordinaryDays, startService, type Call } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// A read as of the position of an answer gives that answer, whatever happened since: in this source or in another one.

type Listed = { readonly alerts: readonly { readonly id: string }[] };
/** Answers that the service gave, by path, each with its position; the instant after all of them, if nothing happened. */
type Moment = {
  readonly instant: string | undefined;
  readonly answers: readonly { readonly path: string; readonly position: string; readonly answer: string }[];
};

const service = await startService(t);
const { call, tokenFor } = service;
const stranger = await tokenFor({ subject: 'eve', tenant: 'other' });
const description = (await call<Document>('GET', '/openapi.json')).body;
const referenceDays = ordinaryDays('2023-01-01', 60);

/** Positions of events: with EventStoreDB, positions between them have none. */
const positionsOf = async (query: string): Promise<string[]> => {
  const { body } = await call<{ events: { position: string }[] }>('GET', `/v1/audit/event?${query}`);
  return body.events.map(({ position }) => position);
};

const createSource = async (name: string): Promise<number> => created(name, referenceDays);
const created = async (name: string, days: readonly object[], more: object = {}): Promise<number> => {
  const json = { name, referenceYear: 2023, days, ...more };
  const { status, text, body } = await call<{ source: { id: number } }>(
    'POST',
    '/v1/import/create-source?allowDuplicate=true',
    { json },
  );
  if (status !== 201) throw new Error(text);
  await analysed(call, body.source.id);
  return body.source.id;
};

const slices = 4;
const degrees = temperatures(1, 730);
const firstReference = dayNumber('2023-01-01');
const firstRecent = dayNumber('2024-01-01');
const degreesOn = (day: number): number => degrees[day - firstReference] ?? 0;
const temperatureDays = (from: number, count: number, warmer = 0) =>
  Array.from({ length: count }, (_, n) => ({
    date: dateOf(from + n),
    activity: Array<number>(slices).fill(degreesOn(from + n) + warmer),
  }));
const officeDays = (from: number, count: number, factor = 1) =>
  office(
    Array.from({ length: count }, (_, n) => degreesOn(from + n)),
    { seed: from, slices, first: from },
  ).map(({ date, activity }, n) => ({
    date,
    activity: activity.map(value => value * (n % 3 === 1 ? factor : 1)),
  }));

/** The sources of a history: a heated office, the temperature that explains it, and what they became. */
type World = { readonly ids: number[]; office: number; temperature: number };
const newWorld = async (): Promise<World> => {
  const temperature = await created('Temperature', temperatureDays(firstReference, 365));
  const heated = await created('Office', officeDays(firstReference, 365), { explainedBy: [temperature] });
  await imported(temperature, temperatureDays(firstRecent, 364));
  await imported(heated, officeDays(firstRecent, 6, 2));
  return { ids: [temperature, heated], office: heated, temperature };
};
const imported = (sourceId: number, days: readonly object[]) =>
  call('POST', '/v1/import/days', { json: { sourceId, days } });

const models = (level: number) => ({
  models: [0, 1].map(n => ({
    name: `level ${level + 50 * n}`,
    color: '#0072B2',
    activity: Array<number>(slices).fill(level + 50 * n),
    topTolerance: Array<number>(slices).fill(level + 50 * n + 30),
    bottomTolerance: Array<number>(slices).fill(level + 50 * n - 30),
  })),
});

const kinds = [
  ...([
    'office',
    'office',
    'temperature',
    'corrected',
    'replace',
    'reset',
    'reset',
    'plan',
    'clear',
  ] as const),
  ...(['name', 'unname', 'acknowledge', 'resolve', 'reopen', 'others', 'another', 'describe'] as const),
  ...(['explain', 'model', 'archive', 'archive', 'restore', 'restore', 'relearn', 'takeBack'] as const),
];
/** One step of a history; `pick` chooses among existing items. Refused steps are part of a history as well. */
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  day: fc.integer({ min: 1, max: 12 }),
  pick: fc.integer({ min: 0, max: 99 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const take = async ({ kind, day, pick }: Step, world: World): Promise<void> => {
  const either = pick % 3 === 0 ? world.office : world.temperature;
  const date = dateOf(firstRecent + day);
  const listed = await call<Listed>('GET', `/v1/alert/list?sourceId=${world.office}`);
  const alerts = listed.status === 200 ? listed.body.alerts : [];
  const alert = alerts[pick % alerts.length]?.id ?? `${world.office}-20240101-1`;
  switch (kind) {
    case 'office':
      await imported(world.office, officeDays(firstRecent + day, 3, pick % 2 ? 3 : 1));
      return;
    case 'temperature':
      await imported(world.temperature, temperatureDays(firstRecent + day, 5, pick % 7));
      return;
    case 'corrected':
      await imported(world.temperature, temperatureDays(firstReference + 30 + day, 5, pick % 7));
      return;
    case 'replace':
      if (pick % 2) await call('POST', `/v1/model/bulk-replace/${world.office}`, { json: models(pick) });
      return;
    case 'reset':
      await call('POST', `/v1/model/reset/${world.office}/${1 + (pick % 4)}`);
      return;
    case 'plan':
      await call('PUT', `/v1/planning/${world.office}/${date}`, { json: { modelId: 1 + (pick % 5) } });
      return;
    case 'clear':
      await call('DELETE', `/v1/planning/${world.office}/${date}`);
      return;
    case 'name':
      await call('PUT', `/v1/calendar/${world.office}/${date}`, { json: { name: `fair ${pick % 2}` } });
      return;
    case 'unname':
      await call('DELETE', `/v1/calendar/${world.office}/${date}`);
      return;
    case 'resolve':
      await call('POST', `/v1/alert/${alert}/resolve`, { json: { verdict: 'expected', comment: `${pick}` } });
      return;
    case 'acknowledge':
    case 'reopen':
      await call('POST', `/v1/alert/${alert}/${kind}`);
      return;
    case 'others': {
      const json = { name: 'theirs', referenceYear: 2023, days: ordinaryDays('2023-01-01', 14) };
      await call('POST', '/v1/import/create-source', { json, token: stranger });
      return;
    }
    case 'another':
      world.ids.push(await createSource(`Gate ${pick}`));
      return;
    case 'describe':
      await call('PATCH', `/v1/source/${either}`, { json: { labels: { site: `S${pick}` } } });
      return;
    case 'explain': {
      const json = { explainedBy: pick % 4 === 0 ? null : [world.temperature] };
      await call('PATCH', `/v1/source/${world.office}`, { json });
      return;
    }
    case 'model':
      await call('PATCH', `/v1/model/${world.office}/${1 + (pick % 3)}`, {
        json: { anomaly: pick % 2 === 0 },
      });
      return;
    case 'archive':
      await call('DELETE', `/v1/source/${either}`);
      return;
    case 'restore':
      for (const id of world.ids) await call('POST', `/v1/source/${id}/restore?allowDuplicate=true`);
      return;
    case 'takeBack':
      await call('DELETE', `/v1/day/${either}/${date}`);
      return;
    case 'relearn': {
      // The days up to the end of the year are full.
      await imported(world.temperature, temperatureDays(firstRecent + 364, 2));
      const { status, body } = await call<{ source: { id: number } }>(
        'POST',
        `/v1/source/${world.temperature}/relearn`,
      );
      if (status === 201) world.ids.push((world.temperature = body.source.id));
      return;
    }
  }
};

/** Values of path parameters by name, and of query parameters that select or page. */
const valuesOf = (world: World, alerts: readonly string[]): Readonly<Record<string, readonly string[]>> => ({
  source_id: [...world.ids, Math.max(...world.ids) + 1].map(String),
  year: ['2023', '2024'],
  // A reference day, recent days, and a date that has a temperature only.
  date: ['2023-02-03', '2024-01-05', '2024-06-03'],
  table: ['days', 'checks', 'alerts', 'models', 'residuals'],
  id: alerts,
});
const variantsOf = (name: string, world: World): readonly string[] => {
  switch (name) {
    case 'limit':
      return ['limit=1', 'limit=2'];
    case 'sourceId':
      return world.ids.map(id => `sourceId=${id}`);
    case 'sourceIds':
      return [`sourceIds=${world.office}`];
    case 'state':
      return ['state=invalidated,ended,resolved'];
    case 'archived':
      return ['archived=true'];
    case 'label':
      return ['label=site:S1'];
    case 'to':
      return ['to=2024-01-20'];
    case 'from':
      return ['from=2024-01-02'];
    default:
      return [];
  }
};

/** Every read that takes `asOf` in the API description. */
const pastReads = operationsOf(description).filter(
  ({ method, operation: { parameters = [] } }) =>
    method === 'get' && parameters.some(({ name }) => name === 'asOf'),
);

/** Their paths, with values for all parameters. */
const pathsOf = (world: World, alerts: readonly string[]): string[] => {
  const values = valuesOf(world, alerts);
  return pastReads.flatMap(({ path, operation: { parameters = [] } }) => {
    const names = parameters.filter(one => one.in === 'path').map(({ name }) => name);
    const filled = names.reduce<string[]>(
      (paths, name) => {
        const known = values[name];
        if (!known) throw new Error(`${path}: this test has no value for the parameter ${name}`);
        return paths.flatMap(one => known.map(value => one.replace(`{${name}}`, value)));
      },
      [path],
    );
    const queries = parameters.flatMap(({ name }) => variantsOf(name, world));
    return filled.flatMap(one => [
      one,
      ...(filled.length === 1 ? queries.map(query => `${one}?${query}`) : []),
    ]);
  });
};

const at = (path: string, moment: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}asOf=${encodeURIComponent(moment)}`;

/**
 * An answer with its position. A past analysis that was running is pending, alerts name their present incidents, and
 * each walk has a cursor of its own.
 */
const ask = async (path: string) => {
  const { status, text, headers } = await call('GET', path);
  const same = text
    .replaceAll('"status":"running"', '"status":"pending"')
    .replaceAll(/"inc-[^"]+"/g, '"an incident"')
    .replace(/"nextCursor":"w~[^"]+"/, '"nextCursor":"a walk"');
  const answer = `${status} ${same}`;
  return { path, position: headers.get('X-Daybook-Position') ?? '', answer };
};

/** All answers at present: when every follow-up command is done, or while some are under way. */
const present = async (world: World, isIdle: boolean): Promise<Moment> => {
  if (isIdle) await idle(call);
  const all = 'state=open,acknowledged,resolved,invalidated,ended';
  const { body } = await call<Listed>('GET', `/v1/alert/list?${all}&sort=raised&limit=3`);
  const alerts = [...body.alerts.map(({ id }) => id), `${world.office}-20240105-9`];
  const answers: Moment['answers'][number][] = [];
  for (const path of pathsOf(world, alerts)) answers.push(await ask(path));
  const instant = new Date().toISOString();
  await sleep(3);
  return { instant: isIdle ? instant : undefined, answers };
};

t.test(
  'a read as of the position of an answer repeats it, over random histories of sources that explain others',
  async t => {
    const seed = Number(process.env['SEED'] ?? 1);
    t.comment(`seed ${seed}`);
    let compared = 0;
    const compare = async (moments: readonly Moment[]): Promise<void> => {
      for (const { instant, answers } of moments)
        for (const { path, position, answer } of answers)
          for (const moment of [position, ...(instant === undefined ? [] : [instant])]) {
            const then = await ask(at(path, moment));
            compared += 1;
            if (then.answer !== answer)
              throw new Error(firstDifference(at(path, moment), answer, then.answer));
          }
    };
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 9 }),
      fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
      async (steps, idles) => {
        const world = await newWorld();
        const moments = [await present(world, true)];
        for (const [n, one] of steps.entries()) {
          await take(one, world);
          if (n % 3 === 0) moments.push(await present(world, idles[n] === true));
        }
        await compare(moments);
      },
    );
    await fc.assert(property, {
      numRuns: Number(process.env['RUNS'] ?? 3),
      seed,
      endOnFailure: true,
    });
    t.ok(compared > 300, `${compared} answers compared`);
  },
);

/** Where two answers differ, with the text around it. */
const firstDifference = (path: string, then: string, now: string): string => {
  const place = [...then].findIndex((char, n) => char !== now[n]);
  const around = (text: string): string => text.slice(Math.max(0, place - 200), place + 200);
  return `${path} differs at ${place}\nthen …${around(then)}\nnow  …${around(now)}`;
};

t.test('lists, records, tables, the overview and explanations take a moment', async t => {
  const names = pastReads.map(({ operation }) => operation.operationId);
  const expected = [
    'getAlert',
    'getOverview',
    'getSource',
    'getTable',
    'explainAlert',
    'listAlerts',
    'listSources',
  ];
  t.strictSame(
    expected.filter(name => !names.includes(name)),
    [],
  );
});

t.test('archiving or correcting a covariate changes no past day of the source that it explains', async t => {
  const world = await newWorld();
  await idle(call);
  const paths = [
    `/v1/table/${world.office}/residuals?from=2023-01-01&to=2024-01-01`,
    `/v1/table/${world.office}/residuals?from=2024-01-01&to=2025-01-01`,
    ...['2023-02-03', '2024-01-05', '2024-06-03'].map(date => `/v1/day/${world.office}/${date}`),
  ];
  const answers = () => Promise.all(paths.map(async path => (await call('GET', path)).text));
  const before = await answers();
  t.ok(before[4]?.includes('"explainedBy":{"effect":'), 'a date with a temperature only is moved by it');
  await call('DELETE', `/v1/source/${world.temperature}`);
  t.strictSame(await answers(), before, 'archived');
  await call('POST', `/v1/source/${world.temperature}/restore`);
  await imported(world.temperature, temperatureDays(dayNumber('2023-02-01'), 5, 6));
  await idle(call);
  t.strictSame(await answers(), before, 'corrected on reference days');
});

t.test('an invalid or future moment is refused', async t => {
  const { body } = await call<{ readModels: { position: string } }>('GET', '/health');
  const id = (await call<{ sources: { id: number }[] }>('GET', '/v1/source/list')).body.sources[0]?.id;
  const path = `/v1/source/${id}`;
  const refused: readonly (readonly [string, string])[] = [
    ['', 'asOf'],
    ['yesterday', 'asOf'],
    ['-1', 'asOf'],
    ['2024-02-30', 'asOf'],
    ['2024-1-1', 'asOf'],
    ['9998-12-31', 'asOfFuture'],
    [new Date().toISOString().slice(0, 10), 'asOfFuture'],
    ['2024-01-01T00:00:00', 'asOf'],
    ['2024-02-30T00:00:00Z', 'asOf'],
    ['2024-01-01T24:00:00Z', 'asOf'],
    ['9999-01-01T00:00:00Z', 'asOf'],
    ['9998-12-31T23:59:59Z', 'asOfFuture'],
    ['9998-01-01T00:00:00+01:00', 'asOfFuture'],
    [String(BigInt(body.readModels.position) + 1n), 'asOfPosition'],
    ['9999999999999999999', 'asOfPosition'],
  ];
  for (const [asOf, code] of refused)
    t.match(
      await call('GET', at(path, asOf)),
      {
        status: 422,
        body: { code: 'parametersInvalid', errors: exactList({ code, pointer: '/query/asOf' }) },
      },
      asOf,
    );
  t.equal((await call('GET', at(path, '2024-01-01'))).status, 404, 'the source was not there on that day');
  t.equal((await call('GET', at(path, `1${'0'.repeat(40)}`))).status, 422, 'and one that is too long');
  t.equal((await call('GET', at(path, body.readModels.position))).status, 200, 'the present is none of them');
  const zoned = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '+01:00');
  t.equal((await call('GET', at(path, zoned))).status, 200, 'an instant with an offset');
  t.equal(
    (await call('PUT', at(`/v1/planning/${id}/2024-01-01`, '1'))).status,
    422,
    'nothing else takes one',
  );
});

t.test('a source is unknown as of a moment before its creation, and to other tenants', async t => {
  const before = new Date().toISOString();
  await sleep(3);
  const id = await createSource('Late');
  for (const moment of ['0', ...(await positionsOf('limit=1')), before, '1970-01-01T00:00:00Z'])
    for (const path of [`/v1/source/${id}`, `/v1/planning/list/${id}/2024`, `/v1/alert/list?sourceId=${id}`])
      t.match(await call('GET', at(path, moment)), { status: 404, body: { code: 'sourceNotFound' } });
  t.strictSame((await call('GET', at('/v1/source/list', '0'))).body, { sources: [] });
  const now = new Date().toISOString();
  for (const path of [`/v1/source/${id}`, `/v1/model/list/${id}`])
    t.equal((await call('GET', at(path, now), { token: stranger })).status, 404, `${path} of another tenant`);
  const listed = await call<{ sources: { id: number }[] }>('GET', at('/v1/source/list', now), {
    token: stranger,
  });
  t.notOk(listed.body.sources.some(source => source.id === id));
  const alert = await call('GET', at(`/v1/alert/${id}-20240101-1`, now), { token: stranger });
  t.match(alert, { status: 404, body: { code: 'alertNotFound' } });
});

t.test('concurrent reads as of many moments match the API description', async t => {
  const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
  const id = await createSource('Busy');
  for (let day = 1; day < 10; day += 1)
    await call('PUT', `/v1/planning/${id}/2024-01-0${day}`, { json: { modelId: 1 } });
  const moments = await positionsOf(`sourceId=${id}&limit=10&order=newest`);
  t.equal(moments.length, 10);
  const asked = moments.map(position => `/v1/source/${id}?asOf=${position}`);
  const answers = await Promise.all(asked.map(path => (call as Call)('GET', path)));
  for (const [n, answer] of answers.entries()) {
    t.equal(answer.status, 200);
    t.strictSame(check('GET', asked[n] ?? '', answer), []);
  }
});
