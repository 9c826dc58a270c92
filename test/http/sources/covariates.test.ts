import { rmSync } from 'node:fs';
import t from 'tap';
import { slowTest } from '../../helpers/amount.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { decidedBy, exported, forged, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { firstDay, office, temperatures } from '../../helpers/data/explainedOffice.js';
import { analysed, csvOf, eventually, idle, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// The outside temperature explains the energy of an office.

const service = await startService(t);
const { call } = service;
const degrees = temperatures(1);
const slices = 4;
const flat = (value: number) => Array<number>(slices).fill(value);
const temperatureDays = (first: number, values: readonly number[]) =>
  values.map((value, index) => ({ date: dateOf(first + index), activity: flat(value) }));
const officeDays = (first: number, values: readonly number[], seed: number) =>
  office(values, { seed, slices, first }).map(({ date, activity }) => ({ date, activity }));

const create = async (name: string, days: object[], more: object = {}) => {
  const json = { name, referenceYear: 2025, days, ...more };
  const { status, body } = await call<{ source: SourceRecord }>('POST', '/v1/import/create-source', { json });
  if (status !== 201) throw new Error(JSON.stringify(body));
  await analysed(call, body.source.id);
  return body.source.id;
};
const importDays = (sourceId: number, days: object[]) =>
  call<{ alerts: { raised: AlertRecord[] }; days: object[] }>('POST', '/v1/import/days', {
    json: { sourceId, days },
  });
const get = async (id: number) => (await call<SourceRecord>('GET', `/v1/source/${id}`)).body;
const openAlerts = async (id: number) =>
  (await call<{ alerts: AlertRecord[] }>('GET', `/v1/alert/list?sourceId=${id}&state=open`)).body.alerts;
const explained = ({ analysis }: SourceRecord) =>
  analysis['explainedBy'] as readonly { readonly used: boolean; readonly reason: string }[];
type Checked = {
  readonly days: readonly { readonly date: string; readonly covariates?: readonly object[] }[];
};
const checksOf = (id: number) =>
  service
    .events()
    .flatMap(({ type, stream, data }) =>
      type === 'DaysChecked' && stream === `alerts-${id}` ? [data as Checked] : [],
    );

const temperature = await create('Temperature Oslo', temperatureDays(firstDay, degrees));
const heated = await create('Office', officeDays(firstDay, degrees, 2), { explainedBy: [temperature] });
const coldest = Math.min(...degrees);
const january = dayNumber('2026-01-07');
const snap = Array.from({ length: 12 }, () => coldest);

t.test('the effects learned are part of the source', async t => {
  const record = await get(heated);
  t.strictSame(record.explainedBy, [temperature]);
  t.match(
    explained(record),
    exactList({
      sourceId: temperature,
      name: 'Temperature Oslo',
      used: true,
      reason: /held-out days falls by/,
    }),
  );
  t.strictSame((await get(temperature)).explainedBy, []);
  t.notOk('explainedBy' in (await get(temperature)).analysis);
});

const loud = january + 4;
const hidden = january + 8;
const factors = new Map([
  [loud, 2],
  [hidden, 0.85],
]);

t.test(
  'a cold snap without temperatures raises alerts only of days that no temperature explains; the others follow',
  async t => {
    const days = officeDays(january, snap, 3).map(({ date, activity }) => ({
      date,
      activity: activity.map(value => value * (factors.get(dayNumber(date)) ?? 1)),
    }));
    const { body } = await importDays(heated, days);
    t.match(
      body.alerts.raised,
      exactList({
        date: dateOf(loud),
        sentence: /not adjusted to Temperature Oslo, which had no value$/,
      }),
    );
    t.match(body.days, exactList(...snap.map(() => ({ missingCovariates: exactList('Temperature Oslo') }))));
    const quiet = await call<{ explainedBy: object }>('GET', `/v1/day/${heated}/${dateOf(hidden)}`);
    t.match(quiet.body.explainedBy, { covariates: exactList(), missing: exactList('Temperature Oslo') });
    const before = checksOf(heated).length;
    await importDays(temperature, temperatureDays(january, snap));
    await eventually('the check of the office', () => checksOf(heated).length > before || undefined);
    await idle(call);
    const open = (await openAlerts(heated)).map(({ date }) => date).sort();
    t.strictSame(open, [dateOf(loud), dateOf(hidden)], 'alerts after the temperatures came');
    const noted = service.events().filter(({ type }) => type === 'CovariateDaysImported');
    t.match(
      noted,
      exactList({
        stream: `days-${heated}`,
        data: {
          sourceId: heated,
          covariateId: temperature,
          dates: snap.map((_, at) => dateOf(january + at)),
        },
      }),
    );
    t.match(
      checksOf(heated).at(-1)?.days[0]?.covariates,
      exactList({ sourceId: temperature, value: Number(coldest.toPrecision(6)) }),
    );
  },
);

t.test('the same temperatures again check nothing', async t => {
  const before = checksOf(heated).length;
  await importDays(temperature, temperatureDays(january, snap));
  await idle(call);
  t.equal(checksOf(heated).length, before);
});

t.test('a temperature that is taken back checks the dates again that it explained', async t => {
  const date = dateOf(january + 2);
  const checked = () => checksOf(heated).flatMap(({ days }) => days.filter(day => day.date === date));
  const before = checked().length;
  t.equal((await call('DELETE', `/v1/day/${temperature}/${date}?reason=wrong+sensor`)).status, 200);
  await eventually('the check without the temperature', () => checked().length > before || undefined);
  t.match(checked().at(-1)?.covariates, exactList({ sourceId: temperature, value: null }));
  const noted = service.events().findLast(({ type }) => type === 'CovariateDaysImported');
  const taken = service.events().findLast(({ type }) => type === 'DayTakenBack');
  t.match(noted?.data, { importId: taken?.id, revision: taken?.revision, dates: exactList(date) });

  await importDays(temperature, temperatureDays(january + 2, [coldest]));
  await eventually('the check with the temperature', () => checked().length > before + 1 || undefined);
  t.match(checked().at(-1)?.covariates, exactList({ value: Number(coldest.toPrecision(6)) }));
  await idle(call);
});

const fault = january + 12;
t.test('an alert says how the temperature changed what was expected', async t => {
  await importDays(temperature, temperatureDays(fault, [-6]));
  const [day] = officeDays(fault, [-6], 4);
  const low = { ...day!, activity: day!.activity.map(value => 0.5 * value) };
  const { body } = await importDays(heated, [low]);
  t.match(body.days, exactList({ missingCovariates: undefined }));
  const [alert] = body.alerts.raised;
  t.match(alert?.sentence, /, expected \+\d+ % for \u22126\.0 \(Temperature Oslo\)$/);
  t.match(alert?.explainedBy, {
    covariates: exactList({ sourceId: temperature, name: 'Temperature Oslo', value: -6 }),
  });
  const { expected = 0, planned = 0 } = alert?.explainedBy ?? {};
  t.ok(expected > planned);
  const details = await call<{
    plannedModel: { activity: number[] };
    explainedBy: { expected: number };
    alerts: { bounds: { limit: string; lower: number[] }[] }[];
  }>('GET', `/v1/day/${heated}/${dateOf(fault)}`);
  t.equal(details.status, 200);
  const mean = details.body.plannedModel.activity.reduce((sum, value) => sum + value, 0) / slices;
  t.ok(Math.abs(mean - expected) < 1e-9);
  t.equal(details.body.explainedBy.expected, expected);
  const range = `from=${dateOf(fault)}&to=${dateOf(fault + 1)}`;
  const table = await call<{ columns: { name: string }[]; rows: number[][] }>(
    'GET',
    `/v1/table/${heated}/residuals?${range}`,
  );
  const at = table.body.columns.findIndex(({ name }) => name === 'expected');
  t.strictSame(
    table.body.rows.map(row => row[at]),
    details.body.plannedModel.activity,
    'residuals are against the moved profile',
  );
});

t.test('a corrected temperature confirms the alert with the new expectation', async t => {
  await importDays(temperature, temperatureDays(fault, [14]));
  const alert = await eventually('the confirmed alert', async () =>
    (await openAlerts(heated)).find(
      ({ date, sentence }) => date === dateOf(fault) && sentence.includes('14.0 (Temperature Oslo)'),
    ),
  );
  t.match(alert.sentence, /expected \u2212\d+ % for 14\.0/);
  const types = service.events().map(({ type }) => type);
  t.ok(types.includes('AlertConfirmed'));
});

t.test('an archived covariate is not used from then on', async t => {
  await call('DELETE', `/v1/source/${temperature}`);
  await importDays(heated, officeDays(fault + 1, [5], 5));
  t.match(
    checksOf(heated).at(-1)?.days,
    exactList({ covariates: exactList({ sourceId: temperature, value: null, archived: true }) }),
  );
  const reset = await call<{ code?: string }>('POST', `/v1/model/reset/${heated}/3`);
  t.equal(reset.status, 200, reset.text.slice(0, 300));
  t.match(explained(await get(heated)), exactList({ used: false, reason: 'it is archived' }));
  t.equal(checksOf(heated).at(-1)?.days[0]?.covariates, undefined);
  await call('POST', `/v1/source/${temperature}/restore`);
});

t.test('covariates are changed by a patch, and learned at the next reset', async t => {
  const patched = await call<SourceRecord>('PATCH', `/v1/source/${heated}`, { json: { explainedBy: null } });
  t.strictSame(patched.body.explainedBy, []);
  await call('PATCH', `/v1/source/${heated}`, { json: { explainedBy: [temperature] } });
  t.match(explained(await get(heated)), exactList({ used: false }), 'a patch starts no analysis');
  const preview = await call('POST', `/v1/model/preview/${heated}/3`);
  t.equal(preview.status, 200, preview.text.slice(0, 300));
  await call('POST', `/v1/model/reset/${heated}/3`);
  t.match(explained(await get(heated)), exactList({ used: true }));
  t.ok(checksOf(heated).at(-1)?.days[0]?.covariates);
  const values = async () => {
    type Explained = { readonly explainedBy: { readonly covariates: readonly { value: number }[] } };
    const { body } = await call<Explained>('GET', `/v1/day/${heated}/${dateOf(firstDay + 3)}`);
    return body.explainedBy.covariates.map(({ value }) => value);
  };
  const learned = await values();
  t.equal(learned.length, 1);
  const { modelsVersion } = await get(heated);
  await call('POST', `/v1/model/reset/${heated}/3`);
  await call('POST', `/v1/model/restore/${heated}/${modelsVersion}`);
  t.strictSame(await values(), learned, 'restored models have the values of their reference');
});

t.test(
  'a preview has the alerts of the reset: days of earlier parts have values of new covariates',
  async t => {
    // Ninety days are two parts: the second begins in a cold fortnight, and ends warm.
    const recent = Array.from({ length: 90 }, (_, at) => (at >= 36 && at < 53 ? -5 : 13));
    const warmth = await create('Temperature Bergen', temperatureDays(firstDay, degrees));
    const annex = await create('Annex', officeDays(firstDay, degrees, 6));
    await importDays(warmth, temperatureDays(january, recent));
    await importDays(annex, officeDays(january, recent, 7));
    await call('PATCH', `/v1/source/${annex}`, { json: { explainedBy: [warmth] } });
    type Preview = { readonly alerts: Readonly<Record<'gained' | 'kept', readonly AlertRecord[]>> };
    const { gained, kept } = (await call<Preview>('POST', `/v1/model/preview/${annex}/3`)).body.alerts;
    await call('POST', `/v1/model/reset/${annex}/3`);
    await idle(call);
    const named = (alerts: readonly AlertRecord[]) =>
      alerts.map(({ date, criticity }) => `${date} ${criticity}`).sort();
    t.strictSame(named([...gained, ...kept]), named(await openAlerts(annex)));
  },
);

t.test('covariates that are not sources, the source itself and circles are refused', async t => {
  const refused = async (id: number, explainedBy: readonly number[], detail: RegExp) => {
    const { status, body } = await call('PATCH', `/v1/source/${id}`, { json: { explainedBy } });
    t.equal(status, 422);
    t.match(body, { errors: exactList({ detail }) });
  };
  await refused(heated, [heated], /itself/);
  await refused(heated, [999], /no source 999/);
  await refused(temperature, [heated], /a circle/);
  await refused(heated, [temperature, temperature], /twice/);
  await refused(heated, [1, 2, 3, 4], /items|at most/);
  const other = await service.tokenFor({ tenant: 'other' });
  const foreign = await call('POST', '/v1/import-csv/create-source?name=x&explainedBy=1', {
    token: other,
    csv: csvOf(office([1, 2, 3], { seed: 1 })),
  });
  t.equal(foreign.status, 422);
  t.match(foreign.body, { errors: exactList({ pointer: '/query/explainedBy', detail: /no source 1/ }) });
});

t.test('a CSV creation answers its covariates in one way, also with a key', async t => {
  const archived = await create('Opening hours', temperatureDays(firstDay, degrees));
  await call('DELETE', `/v1/source/${archived}`);
  const csv = csvOf(office(degrees, { seed: 1, slices, first: firstDay }));
  for (const [id, headers, body] of [
    [999, {}, 'not read'],
    [999, { 'Idempotency-Key': 'unknown' }, 'not read'],
    [archived, {}, 'not read'],
    [archived, { 'Idempotency-Key': 'archived' }, csv],
  ] as const) {
    const path = `/v1/import-csv/create-source?name=x&explainedBy=${id}`;
    const refused = await call('POST', path, { csv: body, headers });
    t.match(refused, {
      status: 422,
      body: {
        code: 'parametersInvalid',
        errors: exactList({ code: 'explainedBy', pointer: '/query/explainedBy', detail: `no source ${id}` }),
      },
    });
  }
});

const pool = rememberingAnalyst();
t.teardown(pool.close);

slowTest('decisions are made again from the log, and read models are rebuilt', async t => {
  await idle(call);
  const again = await decidedBy(pool, exported(service.events()));
  t.strictSame(again.findings, []);
  t.equal(again.undecided, 0);
  t.ok(again.proved > 5);
  const questions = [
    `/v1/alert/list?sourceId=${heated}`,
    `/v1/day/${heated}/${dateOf(fault)}`,
    `/v1/source/${heated}`,
  ];
  const answers = async (more = '') =>
    Promise.all(
      questions.map(
        async path => (await call('GET', `${path}${more && (path.includes('?') ? '&' : '?')}${more}`)).text,
      ),
    );
  const present = await answers();
  const { position } = service.events().at(-1)!;
  const past = await call('GET', `/v1/alert/list?sourceId=${heated}&asOf=${position}`);
  t.same(JSON.parse(past.text), JSON.parse(present[0]!));
  await service.stop();
  for (const end of ['', '-wal', '-shm']) rmSync(`${service.readModelsFile}${end}`, { force: true });
  await service.restart();
  t.strictSame(await answers(), present);
});

slowTest('values of covariates that are not those of their imports are found', async t => {
  const log = exported(service.events());
  type Data = Readonly<Record<string, unknown>>;
  type Days = readonly { readonly date: string; readonly covariates?: readonly object[] }[];
  const cold = dateOf(january + 3);
  const days = (change: (day: Days[number]) => object, date: string) => (data: Data) => ({
    ...data,
    days: (data['days'] as Days).map(day => (day.date === date ? change(day) : day)),
  });
  const isImport = (id: number, date: string) => {
    const all = log.filter(
      ({ stream, type, data }) =>
        stream === `days-${id}` &&
        type === 'DaysImported' &&
        (data as { days: Days }).days.some(day => day.date === date),
    );
    return (event: object) => event === all[0];
  };
  const isFirst = (type: string, stream: string, more: (data: Data) => boolean = () => true) => {
    const place = log.find(
      event => event.type === type && event.stream === stream && more(event.data as Data),
    );
    return (event: object) => event === place;
  };
  const created = isFirst('SourceCreated', `source-${heated}`);
  const asked = isFirst('ModelsResetRequested', `source-${heated}`);
  const note = isFirst('CovariateDaysImported', `days-${heated}`);
  const hasValue = (data: Data) =>
    (data['days'] as Days).some(({ date, covariates }) => date === cold && covariates);
  const checked = isFirst('DaysChecked', `alerts-${heated}`, hasValue);
  const last = log.findLast(
    ({ type, stream, data }) =>
      type === 'DaysChecked' && stream === `alerts-${heated}` && hasValue(data as Data),
  );
  const readings = (change: object) =>
    days(day => ({ ...day, covariates: day.covariates?.map(reading => ({ ...reading, ...change })) }), cold);
  type Series = readonly { readonly values: readonly object[] }[];
  const series = (change: (one: Series[number]) => object) => (data: Data) => ({
    ...data,
    covariates: (data['covariates'] as Series).map(change),
  });
  const with_ = (change: object) => (data: Data) => ({ ...data, ...change });
  const warm = (day: object) => ({ ...day, activity: flat(20) });
  const cases: readonly (readonly [string, ReturnType<typeof forged>, RegExp])[] = [
    [
      'a day of the covariate',
      forged(log, isImport(temperature, cold), days(warm, cold)),
      new RegExp(`DaysChecked .* the value of source ${temperature} on ${cold} is not .* at /value got`),
    ],
    [
      'a reference day of the covariate',
      forged(log, isImport(temperature, '2025-02-03'), days(warm, '2025-02-03')),
      new RegExp(`SourceCreated .* the values of source ${temperature} are not .* at /values/33/value got`),
    ],
    [
      'the revision that a check knew',
      forged(log, event => event === last, readings({ revision: 0 })),
      /got source \d+ at revision 0 for 2026-01-10, expected \d+ to \d+ of days-/,
    ],
    [
      'a covariate that was in use, as archived',
      forged(log, event => event === last, readings({ value: null, archived: true })),
      /the value of source .* is not that of its imports/,
    ],
    [
      'a check without covariates',
      forged(
        log,
        checked,
        days(({ covariates: _, ...day }) => day, cold),
      ),
      /not those of the models/,
    ],
    [
      'a value that the first analysis got',
      forged(
        log,
        created,
        series(one => ({ ...one, values: one.values.slice(1) })),
      ),
      /the values of source .* are not those of its imports/,
    ],
    [
      'the name of the covariate',
      forged(
        log,
        created,
        series(one => ({ ...one, name: 'Moon' })),
      ),
      /was never named Moon/,
    ],
    [
      'a covariate that the first analysis did not get',
      forged(log, created, ({ covariates: _, ...data }) => data),
      /SourceCreated .* its covariates are \[\], expected those of the source/,
    ],
    [
      'a covariate that a reset did not get',
      forged(log, asked, ({ covariates: _, ...data }) => data),
      /ModelsResetRequested .* its covariates are \[\], expected those of the source/,
    ],
    [
      'the revision of a series',
      forged(
        log,
        created,
        series(one => ({ ...one, revision: 99 })),
      ),
      /never in use with revision 99/,
    ],
    [
      'a noted date',
      forged(log, note, with_({ dates: ['2026-01-01'] })),
      /got 2026-01-01, expected dates of import/,
    ],
    [
      'a noted date less',
      forged(log, note, data => ({ ...data, dates: (data['dates'] as string[]).slice(0, -1) })),
      new RegExp(
        `its dates are not those whose checks knew another value of source .* at /dates/11 got nothing`,
      ),
    ],
    [
      'a note that was removed with its check',
      log.filter(event => !note(event) && event.metadata.cause !== log.find(note)?.id),
      new RegExp(`source ${heated} has no note of import .* its check of 2026-01-07 and 11 more knew`),
    ],
    ['the noted import', forged(log, note, with_({ importId: 'other' })), /no import other of source/],
    ['the noted revision', forged(log, note, with_({ revision: 0 })), /ended with revision 0/],
    ['the noted source', forged(log, note, with_({ covariateId: heated })), /expected source/],
  ];
  for (const [name, events, detail] of cases) {
    const { findings } = await decidedBy(pool, events);
    t.ok(
      findings.some(finding => detail.test(finding.detail)),
      `${name}: ${findings[0]?.detail}`,
    );
  }
  const cut = log.filter(({ stream }) => !stream.endsWith(`-${temperature}`));
  const { findings, reasons } = await decidedBy(pool, cut);
  t.strictSame(findings, []);
  t.match(reasons, exactList({ because: 'another source that they rest on is not in the log' }));
});
