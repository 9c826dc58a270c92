import { rmSync } from 'node:fs';
import t from 'tap';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { AlertRecord } from '../../../projections/alerts/alertRecords.js';
import type { SourceRecord } from '../../../projections/sources/sources.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import { firstDay, office, temperatures } from '../../helpers/data/explainedOffice.js';
import { analysed, csvOf, eventually, idle, startService } from '../../helpers/service.js';

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
  call<{ alerts: { raised: AlertRecord[] } }>('POST', '/v1/import/days', { json: { sourceId, days } });
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
  t.match(explained(record), [
    { sourceId: temperature, name: 'Temperature Oslo', used: true, reason: /held-out days falls by/ },
  ]);
  t.strictSame((await get(temperature)).explainedBy, []);
  t.notOk('explainedBy' in (await get(temperature)).analysis);
});

t.test(
  'a cold snap without temperatures raises alerts, which say so; late temperatures end them',
  async t => {
    const { body } = await importDays(heated, officeDays(january, snap, 3));
    t.ok(body.alerts.raised.length > 3, `${body.alerts.raised.length} alerts`);
    for (const { sentence } of body.alerts.raised)
      t.match(sentence, /not adjusted to Temperature Oslo, which had no value$/);
    const before = checksOf(heated).length;
    await importDays(temperature, temperatureDays(january, snap));
    await eventually('the check of the office', () => checksOf(heated).length > before || undefined);
    await idle(call);
    t.ok((await openAlerts(heated)).length <= 1, 'alerts after the temperatures came');
    const noted = service.events().filter(({ type }) => type === 'CovariateDaysImported');
    t.match(noted, [
      {
        stream: `days-${heated}`,
        data: {
          sourceId: heated,
          covariateId: temperature,
          dates: snap.map((_, at) => dateOf(january + at)),
        },
      },
    ]);
    t.match(checksOf(heated).at(-1)?.days[0]?.covariates, [
      { sourceId: temperature, value: Number(coldest.toPrecision(6)) },
    ]);
  },
);

t.test('the same temperatures again check nothing', async t => {
  const before = checksOf(heated).length;
  await importDays(temperature, temperatureDays(january, snap));
  await idle(call);
  t.equal(checksOf(heated).length, before);
});

const fault = january + 12;
t.test('an alert says how the temperature changed what was expected', async t => {
  await importDays(temperature, temperatureDays(fault, [-6]));
  const [day] = officeDays(fault, [-6], 4);
  const low = { ...day!, activity: day!.activity.map(value => 0.5 * value) };
  const { body } = await importDays(heated, [low]);
  const [alert] = body.alerts.raised;
  t.match(alert?.sentence, /, expected \+\d+ % for \u22126\.0 \(Temperature Oslo\)$/);
  t.match(alert?.explainedBy, {
    covariates: [{ sourceId: temperature, name: 'Temperature Oslo', value: -6 }],
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
  t.match(checksOf(heated).at(-1)?.days, [
    { covariates: [{ sourceId: temperature, value: null, archived: true }] },
  ]);
  const reset = await call<{ code?: string }>('POST', `/v1/model/reset/${heated}/3`);
  t.equal(reset.status, 200, reset.text.slice(0, 300));
  t.match(explained(await get(heated)), [{ used: false, reason: 'it is archived' }]);
  t.equal(checksOf(heated).at(-1)?.days[0]?.covariates, undefined);
  await call('POST', `/v1/source/${temperature}/restore`);
});

t.test('covariates are changed by a patch, and learned at the next reset', async t => {
  const patched = await call<SourceRecord>('PATCH', `/v1/source/${heated}`, { json: { explainedBy: null } });
  t.strictSame(patched.body.explainedBy, []);
  await call('PATCH', `/v1/source/${heated}`, { json: { explainedBy: [temperature] } });
  t.match(explained(await get(heated)), [{ used: false }], 'a patch starts no analysis');
  const preview = await call('POST', `/v1/model/preview/${heated}/3`);
  t.equal(preview.status, 200, preview.text.slice(0, 300));
  await call('POST', `/v1/model/reset/${heated}/3`);
  t.match(explained(await get(heated)), [{ used: true }]);
  t.ok(checksOf(heated).at(-1)?.days[0]?.covariates);
});

t.test('covariates that are not sources, the source itself and circles are refused', async t => {
  const refused = async (id: number, explainedBy: readonly number[], detail: RegExp) => {
    const { status, body } = await call('PATCH', `/v1/source/${id}`, { json: { explainedBy } });
    t.equal(status, 422);
    t.match(body, { errors: [{ detail }] });
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
  t.match(foreign.body, { errors: [{ pointer: '/query/explainedBy', detail: /no source 1/ }] });
});

t.test('decisions are made again from the log, and read models are rebuilt', async t => {
  await idle(call);
  const again = await decidedAgain(service.events());
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
