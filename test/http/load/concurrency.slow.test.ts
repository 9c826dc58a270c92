import { request as httpRequest } from 'node:http';
import { Database } from '../../../adapters/sqlite/driver.js';
import t from 'tap';
import { growth } from '../../../application/reading/projectionRunner.js';
import { presentRules } from '../../../analysis/engine.js';
import type { Comparison } from '../../../analysis/checking/comparison.js';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { decode, type EventOf } from '../../../domain/events.js';
import { streams } from '../../../domain/streams.js';
import type { Model } from '../../../domain/planning/models.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';
import { readModels } from '../../../projections/readModels.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { analysed, csvOf, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

type Imported = {
  readonly import: { readonly id: string };
  readonly days: readonly { readonly date: string; readonly status: string }[];
};
type Given = { readonly date: string; readonly activity: readonly number[] };

const service = await startService(t);
const { call } = service;
const reference = ordinaryDays('2022-01-01', 120);
const newSource = async (name: string): Promise<number> => {
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2022, days: reference, calendar: 'FR' },
  });
  return body.source.id;
};
const viaJson = (sourceId: number, days: readonly Given[]) =>
  call<Imported>('POST', '/v1/import/days', { json: { sourceId, days } });
const viaCsv = (sourceId: number, days: readonly Given[]) =>
  call<Imported>('POST', `/v1/import-csv/${sourceId}/days`, { csv: csvOf(days) });
const daysOf = async (sourceId: number, year = 2023) =>
  (await call<{ days: readonly StoredDay[] }>('GET', `/v1/day/list/${sourceId}/${year}`)).body.days;
/** The event that set the present models of a source. */
const modelsSetFor = (id: number) => {
  const set = service
    .events()
    .flatMap(event => decode(event) ?? [])
    .filter((event): event is EventOf<'ModelsReset' | 'ModelsReplaced'> =>
      ['ModelsReset', 'ModelsReplaced'].includes(event.type),
    )
    .findLast(({ stream }) => stream === streams.source(id));
  if (!set) throw new Error(`source ${id} has no models`);
  return set;
};
const flat = (date: string, value: number): Given => ({ date, activity: Array<number>(24).fill(value) });
const date = (index: number): string => dateOf(dayNumber('2023-01-01') + index);
/** Pseudo-random numbers below 2^32 of a printed seed. */
const seed = 20_230_101;
let state = seed;
const random = (below: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
t.comment(`seed ${seed}`);

t.test('imports of two clients into one source lose no day', async t => {
  const id = await newSource('different');
  await analysed(call, id);
  const client = async (offset: number, send: typeof viaJson) => {
    const statuses: number[] = [];
    for (let round = 0; round < 25; round += 1) {
      const index = 4 * round + offset;
      statuses.push((await send(id, [ordinaryDay(date(index)), ordinaryDay(date(index + 1))])).status);
    }
    return statuses;
  };
  const statuses = await Promise.all([client(0, viaJson), client(2, viaCsv)]);
  t.ok(
    statuses.flat().every(status => status === 200),
    'every import is taken',
  );
  const days = await daysOf(id);
  t.strictSame(
    days.map(({ date, activity }) => ({ date, activity })),
    ordinaryDays('2023-01-01', 100),
    'all days are there',
  );
  t.ok(
    days.every(({ check }) => check !== null && check.modelsVersion === 1),
    'and checked',
  );
});

t.test('concurrent imports of one day leave the day of one of them', async t => {
  const id = await newSource('same');
  await analysed(call, id);
  for (let round = 0; round < 20; round += 1) {
    const on = date(round);
    const [a, b] = await Promise.all([
      viaJson(id, [flat(on, 40 + round)]),
      viaCsv(id, [flat(on, 4000 + round)]),
    ]);
    t.strictSame([a.status, b.status], [200, 200]);
    const day = (await daysOf(id)).find(day => day.date === on);
    const winner = day?.importId === a.body.import.id ? flat(on, 40 + round) : flat(on, 4000 + round);
    t.ok([a.body.import.id, b.body.import.id].includes(day?.importId ?? ''), 'it is of one of them');
    t.strictSame(day?.activity, winner.activity, 'whole');
  }
});

t.test('concurrent imports of the same two months leave whole days', async t => {
  const id = await newSource('parts');
  await analysed(call, id);
  for (let round = 1; round <= 5; round += 1) {
    const months = (value: number) => Array.from({ length: 70 }, (_, index) => flat(date(index), value));
    const answers = await Promise.all([
      viaJson(id, months(round)),
      viaCsv(id, months(1000 + round)),
      viaJson(id, months(2000 + round)),
    ]);
    t.strictSame(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    const days = await daysOf(id);
    t.equal(new Set(days.map(({ importId }) => importId)).size, 1, 'all of one import');
    t.equal(new Set(days.flatMap(({ activity }) => activity)).size, 1, 'and its values');
    const losers = answers.filter(({ body }) => body.import.id !== days[0]?.importId);
    for (const { body } of losers) {
      const { body: later } = await call<Imported>('GET', `/v1/import/${body.import.id}`);
      t.strictSame(later.days, [], 'no day of the other import is in force');
    }
  }
});

t.test('sixteen clients import into four sources without loss', async t => {
  const ids = await Promise.all(['a', 'b', 'c', 'd'].map(newSource));
  // Checks wait for the analysis; after ten seconds the answer would be 202.
  await Promise.all(ids.map(id => analysed(call, id)));
  const sent = await Promise.all(
    Array.from({ length: 16 }, async (_, client) => {
      const id = ids[client % 4] ?? 0;
      const answers: { id: number; status: number; dates: string[] }[] = [];
      for (let round = 0; round < 6; round += 1) {
        // Some of the days are those of other clients too.
        const dates = Array.from({ length: 3 }, (_, day) =>
          date(5 * (Math.floor(client / 4) + round) + day + random(3)),
        );
        const days = [...new Set(dates)].map(on => flat(on, 1 + client * 100 + round));
        const { status } = await (client % 2 === 0 ? viaJson : viaCsv)(
          id,
          days.sort((a, b) => (a.date < b.date ? -1 : 1)),
        );
        answers.push({ id, status, dates });
      }
      return answers;
    }),
  );
  t.ok(
    sent.flat().every(({ status }) => status === 200),
    'all are taken',
  );
  for (const id of ids) {
    const days = await daysOf(id);
    const taken = new Set(sent.flat().flatMap(one => (one.id === id && one.status === 200 ? one.dates : [])));
    t.strictSame(
      days.map(({ date }) => date),
      [...taken].sort(),
      `source ${id} has every day that was taken`,
    );
    t.ok(
      days.every(({ activity, check }) => new Set(activity).size === 1 && check !== null),
      'whole, and checked',
    );
  }
});

/** All rows of all read models, without the checkpoint of the process manager. */
const tablesOf = (db: Database): Record<string, string[]> => {
  const names = db
    .prepare<[], string>(
      `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`,
    )
    .pluck()
    .all();
  return Object.fromEntries(
    names.map(name => [
      name,
      db
        .prepare<[], object>(
          `select * from "${name}"${name === 'checkpoints' ? ` where name = 'readModels'` : ''}`,
        )
        .all()
        .map(row => JSON.stringify(row))
        .sort(),
    ]),
  );
};

t.test(
  'after concurrent resets, replacements, plans and imports the last models have checked all days',
  async t => {
    const id = await newSource('race');
    await analysed(call, id);
    const curve = (value: number) => Array<number>(24).fill(value);
    const models = (round: number) => [
      {
        name: `custom ${round}`,
        color: '#123456',
        activity: curve(50),
        topTolerance: curve(90 + round),
        bottomTolerance: curve(0),
      },
      {
        name: 'low',
        color: '#654321',
        activity: curve(5),
        topTolerance: curve(9),
        bottomTolerance: curve(0),
      },
    ];
    const statuses = new Map<string, number>();
    /** Sends after some milliseconds, so that each kind is the first one at times. */
    const count = (what: string) => async (send: () => Promise<{ status: number; body: unknown }>) => {
      await new Promise(resolve => setTimeout(resolve, random(150)));
      const { status, body } = await send();
      const name = `${what} ${status} ${status === 200 ? '' : (body as { code: string }).code}`.trim();
      statuses.set(name, (statuses.get(name) ?? 0) + 1);
    };
    await viaJson(id, ordinaryDays('2023-01-01', 150));
    for (let round = 1; round <= 8; round += 1) {
      const { body } = await call<{ models: readonly Model[] }>('GET', `/v1/model/list/${id}`);
      const modelId = body.models[0]?.id ?? 0;
      await Promise.all([
        count('reset')(() => call('POST', `/v1/model/reset/${id}/${1 + random(5)}`)),
        ...Array.from({ length: 4 }, (_, index) =>
          count('import')(() =>
            viaJson(id, [flat(date(random(150)), random(200)), ordinaryDay(date(200 + 4 * round + index))]),
          ),
        ),
        count('replace')(() =>
          call('POST', `/v1/model/bulk-replace/${id}`, { json: { models: models(round) } }),
        ),
        ...Array.from({ length: 3 }, () =>
          count('plan')(() => call('PUT', `/v1/planning/${id}/${date(random(150))}`, { json: { modelId } })),
        ),
        ...['Fair', 'Market'].map(name =>
          count('special')(() => call('PUT', `/v1/calendar/${id}/${date(random(150))}`, { json: { name } })),
        ),
        count('reset')(() => call('POST', `/v1/model/reset/${id}/${1 + random(5)}`)),
      ]);
    }
    t.comment(
      [...statuses]
        .sort()
        .map(([name, number]) => `${name}: ${number}`)
        .join(', '),
    );
    const allowed =
      /^(reset (200|409 overtaken)|replace 200|import 200|special 200|plan (200|422 modelNotFound))$/;
    t.strictSame(
      [...statuses.keys()].filter(name => !allowed.test(name)),
      [],
      'each is done, overtaken, or too late',
    );
    const { body: last } = await call<{ models: readonly Model[] }>('GET', `/v1/model/list/${id}`);
    for (const { id: modelId } of last.models)
      t.equal(
        (await call('PUT', `/v1/planning/${id}/${date(modelId % 150)}`, { json: { modelId } })).status,
        200,
      );
    await idle(call);

    const { body: source } = await call<SourceRecord>('GET', `/v1/source/${id}`);
    const { body: present } = await call<{ models: readonly Model[] }>('GET', `/v1/model/list/${id}`);
    const { body: planning } = await call<{ days: readonly DayPlan[] }>(
      'GET',
      `/v1/planning/list/${id}/2023`,
    );
    const { body: list } = await call<{ alerts: readonly AlertRecord[] }>(
      'GET',
      `/v1/alert/list?sourceId=${id}&state=unprocessed&limit=500`,
    );
    const days = await daysOf(id);
    t.equal(days.length, 182);
    const set = modelsSetFor(id);
    const comparison: Comparison = {
      models: present.models,
      checks: set.type === 'ModelsReset' ? set.data.checks : null,
      completeness: source.reference.completeness,
      referenceGaps: () => 0,
      rules: presentRules,
      plan: on => {
        const plan = planning.days.find(({ date }) => date === on);
        if (!plan) throw new Error(`no plan for ${on}`);
        return { ...plan, working: true, dayType: { type: 'ordinary' }, similar: 'own' };
      },
    };
    const wrong = days.filter(day => {
      const planned = planning.days.find(plan => plan.date === day.date)?.modelId ?? null;
      const { outcome, finding } = checkDay(day, comparison, () => []);
      const alerts = list.alerts.filter(alert => alert.date === day.date);
      // The days before, as they were at the check, decide whether a day is a drift or a change, and shift its limits.
      const drifting = day.check?.outcome === 'drift' && outcome === 'abnormal';
      const changed = day.check?.outcome === 'abnormal' && outcome === 'normal';
      const alertFits =
        drifting && alerts.length === 0
          ? true
          : finding === null && !changed
            ? alerts.length === 0
            : alerts.length === 1 &&
              alerts[0]?.plannedModelId === planned &&
              alerts[0].importId === day.importId &&
              (finding === null
                ? alerts[0].limits?.every(limit => limit === 'windowChange' || limit === 'dayChange') === true
                : alerts[0].kind === finding.kind && alerts[0].direction === finding.direction);
      return !(
        (drifting || changed || day.check?.outcome === outcome) &&
        day.check?.plannedModelId === planned &&
        day.check.modelsVersion === source.modelsVersion &&
        alertFits
      );
    });
    t.strictSame(wrong, [], 'each day, its check and its alert are those of the present models and plan');
  },
);

t.test('slow uploads do not delay other uploads', async t => {
  const id = await newSource('slow');
  await analysed(call, id);
  const token = await service.tokenFor({});
  const slow = (index: number) => {
    const outgoing = httpRequest(`${service.address()}/v1/import-csv/${id}/days`, {
      method: 'POST',
      agent: false,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', response => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      });
    });
    const [first = '', rest = ''] = csvOf([ordinaryDay(date(index))]).split(/(?<=T05:00:00;[^\n]*\n)/);
    outgoing.write(first);
    return { answered, finish: () => outgoing.end(rest) };
  };
  const uploads = Array.from({ length: 20 }, (_, index) => slow(index));
  for (const send of [viaJson, viaCsv]) t.equal((await send(id, [ordinaryDay(date(50))])).status, 200);
  t.equal((await call('GET', `/v1/source/${id}`)).status, 200, 'other requests are answered');
  for (const { finish } of uploads) finish();
  t.strictSame(await Promise.all(uploads.map(({ answered }) => answered)), Array<number>(20).fill(200));
  const dates = (await daysOf(id)).map(({ date }) => date);
  t.ok(
    uploads.every((_, index) => dates.includes(date(index))),
    'and no day is lost',
  );
});

t.test('the tables equal a rebuild from the log', async t => {
  const labels = { site: 'north' };
  t.equal((await call('PATCH', '/v1/source/1', { json: { labels } })).status, 200);
  const webhook = { url: 'https://receiver.example/alerts' };
  t.equal((await call('POST', '/v1/webhook/create', { json: webhook })).status, 201);
  const token = { name: 'Meter', scopes: ['read'], expires: 'P1D' };
  t.equal((await call('POST', '/v1/token/create', { json: token })).status, 201);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  t.equal((await call('POST', '/v1/mute', { json: { sourceId: 1, until, reason: 'test' } })).status, 201);
  t.equal((await call('PATCH', '/v1/settings', { json: { incidentLabels: ['site'] } })).status, 200);
  await idle(call);
  await service.stop();
  const live = new Database(service.readModelsFile, { readonly: true });
  t.teardown(() => live.close());
  const db = new Database(':memory:');
  const rebuilt = readModels(db);
  const events = service.events();
  for (let from = 0; from < events.length; from += 200) {
    const batch = events.slice(from, from + 200);
    const last = batch.at(-1);
    if (last)
      rebuilt.apply(
        batch.flatMap(event => decode(event) ?? []),
        last,
        growth(rebuilt.tree, batch),
      );
  }
  const there = tablesOf(live);
  const expected = tablesOf(db);
  t.strictSame(Object.keys(there), Object.keys(expected));
  for (const [table, rows] of Object.entries(expected)) {
    const unused = [
      'accepted_changes',
      'acceptance_steps',
      'staged_days',
      'calendar_rules',
      'calendars',
      'planning_cycles',
      'left_out_days',
      'incident_cuts',
      'incident_places',
      'erased_people',
      'covariate_uses',
      'covariate_series',
      'taken_back',
      'parked',
    ];
    const mayBeEmpty = unused.includes(table);
    t.ok(rows.length > 0 || mayBeEmpty, `${table}: ${rows.length} rows`);
    t.strictSame(there[table]?.filter(row => !rows.includes(row)).slice(0, 5), [], `${table}: none too many`);
    t.equal(there[table]?.length, rows.length, `${table}: none too few`);
  }
});
