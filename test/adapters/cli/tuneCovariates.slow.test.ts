import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { modelsBody } from '../../../adapters/cli/tune/bundle.js';
import { readHistory, type Revisions } from '../../../adapters/cli/tune/history.js';
import { tuned } from '../../helpers/tuned.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { dateOf } from '../../../domain/dates.js';
import type { Model } from '../../../domain/planning/models.js';
import type { ExplainedBy } from '../../../domain/source/covariates.js';
import type { ModelsResetData } from '../../../domain/planning/modelChange.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { firstDay, office, temperatures, weather } from '../../helpers/data/explainedOffice.js';
import { partsOfReport } from '../../helpers/screens/reportPage.js';
import { analysed, csvOf, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// The outside temperature explains the energy of an office; the other series does not.

const count = 112;
const recentCount = 14;
const degrees = temperatures(1, count);
const coldest = Math.min(...degrees);
const flat = (values: readonly number[], slices = 4) =>
  values.map((value, index) => ({
    date: dateOf(firstDay + index),
    activity: Array<number>(slices).fill(value),
  }));
const plainDays = (...args: Parameters<typeof office>) =>
  office(...args).map(({ date, activity }) => ({ date, activity }));
const reference = plainDays(degrees, { seed: 2 });
const cold = Array<number>(recentCount).fill(coldest);
const recent = plainDays(cold, { seed: 3, first: firstDay + count }).map((day, index) =>
  index === 5 ? { ...day, activity: day.activity.map(value => 0.5 * value) } : day,
);
const outside = flat([...degrees, ...cold]);
const unrelated = flat(weather(seededRandom(9), count + recentCount));

const dir = t.testdir({
  'office.csv': csvOf(reference),
  'recent.csv': csvOf(recent),
  'outside.csv': csvOf(outside),
  'early.csv': csvOf(outside.slice(0, count)),
  'unrelated.csv': csvOf(unrelated),
  'later.csv': csvOf(outside.slice(count)),
  'daily.csv': `date;value\n${outside.map(({ date, activity }) => `${date}T00:00:00;${String(activity[0]).replace('.', ',')}\n`).join('')}`,
});
process.chdir(dir);
const textOf = (...names: readonly string[]) => readFileSync(join(dir, ...names), 'utf8');
type Bundled = {
  readonly data: object;
  readonly origin: object;
  readonly settings: readonly { readonly explainedBy: readonly (ExplainedBy & { words: string })[] }[];
};
type StoreBundle = {
  readonly origin: { readonly revisions: Revisions };
  readonly settings: readonly (Bundled['settings'][number] & {
    readonly setting: string;
    readonly limits: object;
    readonly bounds: object;
  })[];
};
const short = ['--models', '2', '--coverage', '0.95', '--calendar', 'none'];
const both = ['--explained-by', 'Outside=outside.csv', '--explained-by', 'Unrelated=unrelated.csv'];
const days = (folder: string) =>
  textOf(folder, 'days.csv')
    .split('\n')
    .filter(row => /^chosen,[^,]*,recent,/.test(row));
const alertCount = (folder: string) => days(folder).filter(row => row.includes(',abnormal,')).length;

t.test('a covariate that explains the load is kept, and an unrelated one is dropped', async t => {
  const done = await tuned('office.csv', 'recent.csv', ...short, ...both, '--out', 'explained');
  t.equal(done.code, 0, done.stderr);
  const text = done.stdout.replaceAll(/\s+/g, ' ');
  t.match(
    text,
    /Outside is kept: the error on held-out days falls by \d+\.\d %; on a day of “.*”: expected \+\d+ % for/,
  );
  t.match(text, /Unrelated is dropped: the error .*, expected/);
  t.match(done.stdout, /→ +chosen .* Outside\n/, 'the column of the table');

  const { data, origin, settings } = JSON.parse(textOf('explained', 'bundle.json')) as Bundled;
  t.match(data, { covariates: { names: exactList('Outside', 'Unrelated'), sha256: /^[0-9a-f]{64}$/ } });
  t.match(origin, {
    explainedBy: exactList({ name: 'Outside', file: 'outside.csv' }, { name: 'Unrelated' }),
  });
  for (const { explainedBy } of settings) {
    const [kept, dropped] = explainedBy;
    t.match(kept, { name: 'Outside', used: true, words: /expected \+\d+ % for/ });
    t.ok((kept?.errorReduction ?? 0) > 0.3, `error falls by ${kept?.errorReduction}`);
    t.match(dropped, { name: 'Unrelated', used: false, words: null });
  }

  const { html } = partsOfReport(textOf('explained', 'report.html'));
  t.match(html, /<h2>Covariates<\/h2>/);
  t.match(html, /<th scope="row">Outside<\/th><td class="words">kept<\/td>/);
  t.match(html, /<th scope="row">Unrelated<\/th><td class="words">dropped<\/td>/);
  t.match(html, /criticity [\d.]+ · expected \+\d+\s% for .* \(Outside\)/, 'the alert');
  t.notMatch(html, /NaN|undefined|Infinity/);
});

t.test('recent days are expected by the values of the covariate', async t => {
  await tuned('office.csv', 'recent.csv', ...short, '--out', 'unexplained');
  t.ok(alertCount('unexplained') > alertCount('explained'), 'cold days raise alerts without the covariate');
  t.ok(alertCount('explained') <= 2, `${alertCount('explained')} alerts`);
  const [fault] = days('explained').filter(row => row.includes(dateOf(firstDay + count + 5)));
  t.match(
    fault,
    /,abnormal,activity,under,.*,1\.\d+,expected \+\d+ % for .* \(Outside\)$/,
    'the planted day',
  );
  t.match(days('unexplained')[0], /,,$/);

  const early = await tuned(
    ...['office.csv', 'recent.csv', ...short, '--explained-by', 'Outside=early.csv', '--out', 'early'],
  );
  t.match(early.stderr, /note: Outside has no value on 14 of 14 recent days\n/);
  t.ok(alertCount('early') > alertCount('explained'));
  t.match(days('early')[0], /,1,"?not adjusted to Outside, which had no value"?$/);
});

t.test('a replay needs the same covariates', async t => {
  const replay = (...covariates: readonly string[]) =>
    tuned('--replay', 'explained/bundle.json', 'office.csv', 'recent.csv', ...covariates);
  t.match(await replay(...both), { code: 0, stdout: /^the same to the byte/ });
  t.match(await replay(), { code: 3, stderr: /undecided: the covariates differ/ });
  t.match(await replay(...both.slice(0, 2)), { code: 3, stderr: /undecided: the covariates differ/ });
});

t.test('the table for machines', async t => {
  const csv = await tuned('office.csv', ...short, ...both, '--out', 'machine', '--csv');
  const [head, chosen] = csv.stdout.split('\n');
  t.match(head, /,covariate1Used,covariate1ErrorReduction,covariate2Used,covariate2ErrorReduction$/);
  t.match(chosen, /,1,0\.\d+,0,-?[\d.e-]+$/);
});

t.test('wrong covariates', async t => {
  const given = (...texts: readonly string[]) =>
    tuned('office.csv', ...short, ...texts.flatMap(text => ['--explained-by', text]), '--out', 'none');
  const expected = [
    [['Outside'], /^--explained-by: got "Outside", expected a name and a CSV file: /],
    [['=outside.csv'], /^--explained-by: got "=outside.csv", expected a name/],
    [['A=outside.json'], /^--explained-by: got "A=outside.json", expected a name and a CSV file/],
    [['A=none.csv'], /none\.csv cannot be read: no such file/],
    [['A=outside.csv', 'A=unrelated.csv'], /^--explained-by: got the name A twice, expected different names/],
    [['A=1.csv', 'B=2.csv', 'C=3.csv', 'D=4.csv'], /^--explained-by: got 4 covariates, expected at most 3/],
    [
      ['A=later.csv'],
      /got no value of A on a reference day \(2025-01-01 to 2025-04-22\): its file has 14 days with values in half of the slices, of 14 \(2025-04-23 to 2025-05-06\)/,
    ],
    [['A=daily.csv'], /got no value of A on a reference day .* its file has 0 days with values .*, of 126/],
  ] as const;
  for (const [texts, message] of expected) {
    const { code, stderr } = await given(...texts);
    t.equal(code, 2, texts.join());
    t.match(stderr.split('\n').at(-2), message);
  }
  t.match(await tuned('--log', dir, '--source', '1', ...both), {
    code: 2,
    stderr: /^--source: got --explained-by too, expected none/,
  });
});

t.test('the service learns the same models and the same effect', async t => {
  const { call, events, settings: service } = await startService(t);
  const create = async (name: string, days: object[], more: object = {}) => {
    const json = { name, referenceYear: 2025, days, ...more };
    const { body } = await call<{ source: SourceRecord }>('POST', '/v1/import/create-source', { json });
    await analysed(call, body.source.id);
    return body.source.id;
  };
  const temperature = await create('Outside', outside);
  const heated = await create('Office', reference, { explainedBy: [temperature] });
  const listed = await call<{ models: readonly Model[] }>('GET', `/v1/model/list/${heated}`);
  const { analysis } = (await call<SourceRecord>('GET', `/v1/source/${heated}`)).body;
  const installed = JSON.parse(textOf('explained', 'models.json')) as { readonly models: readonly Model[] };
  const bytesOf = (models: readonly Model[]) =>
    JSON.stringify(
      models.map(({ name, color, activity, topTolerance, bottomTolerance }) => ({
        ...{ name, color, activity, topTolerance, bottomTolerance },
      })),
    );
  t.equal(bytesOf(installed.models), bytesOf(listed.body.models));
  const [learned] = analysis['explainedBy'] as readonly ExplainedBy[];
  const { settings } = JSON.parse(textOf('explained', 'bundle.json')) as Bundled;
  const { words: _, ...own } = settings[0]!.explainedBy[0]!;
  t.strictSame(own, learned);

  // The log has the same: models, effects, and what recent days are expected to be.
  type Checks = { readonly days: readonly { readonly date: string; readonly status: string }[] };
  const json = { sourceId: heated, days: recent };
  const checked = (await call<Checks>('POST', '/v1/import/days', { json })).body.days;
  const store = ['--log', service.dataDir, '--source', String(heated)];
  const tune = async (folder: string) => {
    const { code, stderr } = await tuned(...store, ...short, '--pick', '2', '--out', folder);
    t.equal(code, 0, stderr);
    return { bundle: JSON.parse(textOf(folder, 'bundle.json')) as StoreBundle, stderr };
  };
  /** The models that the service learns now, and what decides with them. */
  const reset = async () => {
    await call('POST', `/v1/model/reset/${heated}/2`);
    const { data } = events().findLast(({ type }) => type === 'ModelsReset')!;
    const { models, bounds, explainedBy } = data as ModelsResetData;
    return { models: modelsBody(models).models, limits: models[0]?.limits, bounds, explainedBy };
  };
  const learnedIn = (folder: string, { settings }: StoreBundle) => {
    const { models } = JSON.parse(textOf(folder, 'models.json')) as { models: readonly object[] };
    const { limits, bounds, explainedBy } = settings.find(({ setting }) => setting === '2')!;
    return { models, limits, bounds, explainedBy: explainedBy.map(({ words: _, ...one }) => one) };
  };
  const first = await tune('store');
  t.equal(first.stderr, '', 'all days have a value');
  t.match(first.bundle.origin.revisions.covariates, exactList({ sourceId: temperature, days: 4 }));
  t.strictSame(learnedIn('store', first.bundle), await reset());
  t.strictSame(
    days('store').map(row =>
      /^[^,]*,([^,]*),recent,.*?,(normal|abnormal|drift|lowData),/.exec(row)?.slice(1),
    ),
    checked.map(({ date, status }) => [date, status]),
  );

  const warmer = outside.slice(0, 30).map(({ date, activity }) => ({
    date,
    activity: activity.map(value => value + 9),
  }));
  await call('POST', '/v1/import/days', { json: { sourceId: temperature, days: warmer } });
  const second = await tune('later');
  const relearned = await reset();
  t.strictSame(learnedIn('later', second.bundle), relearned, 'as of the moment');
  t.notSame(relearned.explainedBy, learnedIn('store', first.bundle).explainedBy);
  const replay = (folder: string) => tuned('--replay', `${folder}/bundle.json`, ...store);
  t.match(await replay('store'), { code: 0, stdout: /^the same to the byte/ }, 'as of its revisions');
  t.match(await replay('later'), { code: 0, stdout: /^the same to the byte/ });
  const { covariates: _unused, ...without } = first.bundle.origin.revisions;
  t.strictSame(
    readHistory(service.dataDir, heated, without).covariates,
    [],
    'a bundle of an earlier version',
  );

  const year = flat(temperatures(4, 365)).map((day, index) => ({ ...day, date: dateOf(firstDay + index) }));
  await call('POST', '/v1/import/days', { json: { sourceId: temperature, days: year } });
  const { body: next } = await call<{ source: SourceRecord }>('POST', `/v1/source/${temperature}/relearn`);
  await analysed(call, next.source.id);
  const third = await tune('successor');
  t.match(
    third.bundle.origin.revisions.covariates?.map(({ sourceId }) => sourceId),
    exactList(temperature, next.source.id),
  );
  t.strictSame(
    learnedIn('successor', third.bundle),
    await reset(),
    'values of the source that took its place',
  );
  t.match(await replay('successor'), { code: 0, stdout: /^the same to the byte/ });

  await call('DELETE', `/v1/source/${next.source.id}`);
  const last = await tune('archived');
  t.equal(last.stderr, 'note: Outside is archived: its values are not used\n');
  t.strictSame(learnedIn('archived', last.bundle), await reset());
});
