import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { slowTest } from '../../helpers/amount.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { tuned } from '../../helpers/tuned.js';
import Type, { Compile } from '../../../adapters/http/typebox.js';
import { readBundle } from '../../../adapters/cli/tune/bundle.js';
import { FaultyFile, faultLines, readFiles, type Reading } from '../../../adapters/cli/tune/files.js';
import { readHistory } from '../../../adapters/cli/tune/history.js';
import { sweepInThreads } from '../../../adapters/cli/tune/results.js';
import { tune } from '../../../analysis/tuning/tune.js';
import { engine } from '../../../analysis/engine.js';
import type { Model } from '../../../domain/planning/models.js';
import { run } from '../../helpers/process.js';
import { partsOfReport } from '../../helpers/screens/reportPage.js';
import { analysed, csvOf, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

type Facts = { readonly setting: string; readonly modelCount: number; readonly whatIf: unknown };
type Printed = { readonly recommended: string; readonly settings: readonly Facts[] };

/** Only twelve weeks, since each setting learns them several times. */
const reference = ordinaryDays('2023-02-06', 84);
const night = { ...ordinaryDay('2023-05-10'), activity: Array<number>(24).fill(300) };
const recent = ordinaryDays('2023-05-01', 21).map(day => (day.date === night.date ? night : day));

const dir = t.testdir({
  'gate.reference.csv': csvOf(reference, { quote: '"' }),
  'recent.csv': csvOf(recent),
  'body.json': JSON.stringify({ name: 'Gate <7>', referenceYear: 2023, days: reference }),
  'whole.json': JSON.stringify({
    ...{ name: 'Gate', referenceYear: 2023, days: reference },
    ...{ calendar: 'FR', coverage: 0.95, unit: 'kWh', labels: { site: 'north' }, minChange: { absolute: 5 } },
  }),
  'nowhere.json': JSON.stringify({ name: 'x', referenceYear: 2023, calendar: 'XX', days: reference }),
  'recent.json.gz': gzipSync(JSON.stringify({ sourceId: 1, days: recent })),
  'other.csv': csvOf(ordinaryDays('2023-05-02', 21)),
  'excel.csv': `Datum,Wert\n${Array.from({ length: 20 }, (_, hour) => `01.02.2023 ${hour}:00,${hour}.5\n`).join('')}`,
  'faulty.csv': 'date;value\n2023-01-01T00:00:00;1.5\nyesterday;2\n2023-01-01T02:00:00;1;2\n',
  'faulty.json': JSON.stringify({
    name: 'x',
    referenceYear: 2023,
    days: [{ date: '2023-13-01', activity: [1] }],
  }),
  'nameless.json': JSON.stringify({ referenceYear: 2023, days: reference }),
  'half.json': '{"name": "x", "days": [',
  'plain.csv.gz': 'not packed',
  own: { 'days.csv': csvOf(reference) },
  noted: { 'bundle.json': '{"format": "other"}' },
  before: { 'bundle.json': '{\n "format": "daybook-tune/3"\n}', 'days.csv': '' },
  'short.csv': csvOf(ordinaryDays('2023-01-01', 5)),
});
/** The command resolves paths from the working directory. Each test file is its own process. */
process.chdir(dir);
const inDir = (...names: readonly string[]) => join(dir, ...names);
const textOf = (...names: readonly string[]) => readFileSync(inDir(...names), 'utf8');
const sweep = ['--models', '2..3', '--coverage', '0.95'];
/** Fewer settings, for tests in which the settings do not matter. */
const short = ['--models', '2', '--coverage', '0.95', '--calendar', 'none'];

/** Options of files that are read as for a new source. */
const plainReading = { activitySize: null, interpolation: null, aggregation: null };

const counts = Type.Object(
  { stood: Type.Integer(), kept: Type.Integer(), lost: Type.Integer() },
  { additionalProperties: false },
);
const share = Type.Number({ minimum: 0, maximum: 1 });
const strict = { additionalProperties: false };
const maybe = Type.Union([Type.Number({ minimum: 0 }), Type.Null()]);
const change = Type.Object({ more: maybe, less: maybe }, strict);
const place = Type.Integer({ minimum: 0 });
const changeAtTime = Type.Object({ from: place, to: place, more: maybe, less: maybe }, strict);
const counted = Type.Integer({ minimum: 0 });
const spanned = Type.Object(
  {
    days: Type.Integer(),
    from: Type.Union([Type.String(), Type.Null()]),
    to: Type.Union([Type.String(), Type.Null()]),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  strict,
);
const printedSchema = Compile(
  Type.Object(
    {
      name: Type.String(),
      engine: Type.String(),
      parameters: Type.Object(
        {
          counts: Type.Array(Type.Integer()),
          coverages: Type.Array(share),
          cross: Type.Boolean(),
          calendar: Type.Union([Type.String(), Type.Null()]),
          seed: Type.Integer(),
          activitySize: Type.Union([Type.Integer(), Type.Null()]),
          interpolation: Type.Union([Type.String(), Type.Null()]),
          aggregation: Type.Union([Type.String(), Type.Null()]),
        },
        strict,
      ),
      data: Type.Object(
        {
          slices: Type.Integer(),
          reference: spanned,
          recent: spanned,
          alerts: Type.Union([
            Type.Object({ days: Type.Integer(), sha256: Type.String() }, strict),
            Type.Null(),
          ]),
          specialDays: Type.Object({ days: Type.Integer(), sha256: Type.String() }, strict),
        },
        strict,
      ),
      calendar: Type.Union([
        Type.Object(
          {
            code: Type.String(),
            origin: Type.String(),
            evidence: Type.Union([Type.String(), Type.Null()]),
            library: Type.String(),
            sha256: Type.String(),
          },
          strict,
        ),
        Type.Null(),
      ]),
      recommended: Type.String(),
      settings: Type.Array(
        Type.Object(
          {
            setting: Type.String({ pattern: '^(chosen|\\d+)(@0\\.\\d+)?$' }),
            asked: Type.Object(
              {
                modelCount: Type.Union([Type.Integer(), Type.Null()]),
                coverage: Type.Union([share, Type.Null()]),
              },
              strict,
            ),
            modelCount: Type.Integer({ minimum: 1 }),
            loss: Type.Number({ minimum: 0 }),
            predictability: share,
            stability: Type.Number(),
            hitRate: share,
            silhouette: Type.Union([Type.Number({ minimum: -1, maximum: 1 }), Type.Null()]),
            bounds: Type.Object({
              measuredCoverage: share,
              calibrationDays: Type.Integer(),
              falseAlertsPerYear: Type.Number({ minimum: 0 }),
              minimumDetectableChange: Type.Object(
                { wholeDay: change, eightHours: change, timesOfDay: Type.Array(changeAtTime) },
                strict,
              ),
            }),
            limits: Type.Object({
              windowHours: Type.Number(),
              window: Type.Number({ minimum: 0 }),
              day: Type.Number({ minimum: 0 }),
            }),
            recent: Type.Object(
              {
                days: Type.Integer(),
                compared: Type.Integer(),
                alerts: Type.Object(
                  { activity: counted, frozen: counted, drift: counted, gap: counted },
                  strict,
                ),
                drifting: counted,
                ordinary: counted,
                quiet: Type.Union([share, Type.Null()]),
              },
              strict,
            ),
            whatIf: Type.Union([
              Type.Object(
                {
                  alerts: Type.Integer(),
                  gained: Type.Integer(),
                  all: counts,
                  confirmed: counts,
                  falseAlarms: counts,
                  undecided: counts,
                  gainedDates: Type.Array(Type.String()),
                  lostDates: Type.Array(Type.String()),
                },
                strict,
              ),
              Type.Null(),
            ]),
          },
          strict,
        ),
      ),
    },
    strict,
  ),
);

t.test('an unknown setting and a missing file', async t => {
  const pick = await tuned('gate.reference.csv', ...short, '--pick', 'best', '--out', 'none');
  t.match(pick, { code: 2, stderr: /^--pick: got "best", expected a number of models \(7\)/ });
  t.match(await tuned('none.csv'), { code: 2, stderr: /none\.csv cannot be read: no such file/ });
  t.notOk(existsSync(inDir('none')), 'nothing is written');
});

t.test('files that no run of tune has written stay', async t => {
  const refused = (name: string) => ({ code: 2, stdout: '', stderr: new RegExp(`^--out: ${name} exists`) });
  const own = await tuned('own/days.csv', ...short, '--out', 'own');
  t.match(own, refused('own/days.csv'));
  t.equal(textOf('own', 'days.csv'), csvOf(reference));
  t.match(await tuned('gate.reference.csv', ...short, '--out', 'noted'), refused('noted/bundle.json'));
  t.equal((await tuned('gate.reference.csv', ...short, '--out', 'before')).code, 0, 'an earlier run');
  writeFileSync(inDir('before', 'days.csv'), csvOf(reference));
  t.match(
    await tuned('before/days.csv', ...short, '--out', 'before'),
    refused('before/days.csv'),
    'an input',
  );
});

t.test('on files', async t => {
  const args = ['tune', 'gate.reference.csv', 'recent.csv', ...sweep, '--calendar', 'FR'];
  const done = await run(args, {}, { cwd: dir });
  t.match(
    done,
    {
      code: 0,
      stderr:
        /^note: gate\.reference\.csv: got 84 days.*\nnote: gate.*: hourly data, kept as 24 hours: 1 value a slice\nnote: recent.*\n$/,
    },
    'no progress outside a terminal',
  );
  t.match(done.stdout, /^ +setting +models +error/);
  t.match(done.stdout, /\n→ +chosen +2 +\d+\.\d %/);
  t.match(done.stdout, /\npublic holidays of France \(FR\)\n/);
  t.match(done.stdout, /written to tune-gate: bundle\.json[^]*report\.html/);
  t.match(
    done.stdout,
    /with bounds only; POST \/v1\/model\/reset\/\{source_id\}\/2, which --apply-to\s+sends, keeps\s+all\s+limits/,
  );
  t.strictSame(readdirSync(inDir('tune-gate')).sort(), [
    'bundle.json',
    'days.csv',
    'models.json',
    'report.html',
  ]);

  t.test('the report is complete and self-contained', async t => {
    const report = textOf('tune-gate', 'report.html');
    const { html, figures, scripts, policy, expectedPolicy } = partsOfReport(report);
    t.notMatch(html, /<script|https?:|src=|url\(/, 'no request');
    t.notMatch(report, /@import/);
    t.equal(scripts.length, 1);
    t.equal(policy, expectedPolicy, 'only the script of the report may run');
    const kinds = new Set(figures.map(({ kind }) => kind));
    t.strictSame([...kinds].sort(), ['calendar', 'day', 'lines', 'model', 'timeline']);
    t.equal(html.match(/<p>Mean [^<]*lowest [^<]*<\/p>/g)?.length, 2, 'models in words');
    t.match(html, /<p>Wed 2023-05-10: mean /, 'an alert in words');
    t.match(html, /<h1>gate<\/h1>/);
    t.match(html, /2 models predict a held-out day with an average error of [\d.]+\s% of the usual activity/);
    t.match(html, /Of 21 recent days, 1 raises an alert: 1 for a flatline\./);
    t.match(html, /its mean over any 8 hours is at most \d+\s% of the way/, 'limits besides the bounds');
    t.match(html, /Hit rate: \d+\s%/);
    t.match(html, /Installed models have bounds only/);
    t.match(html, /<pre>POST \/v1\/model\/reset\/\{source_id\}\/2<\/pre>/);
    t.match(html, /Wed 2023-05-10/, 'the alert of the planted day');
    t.match(JSON.stringify(figures), /Mon 2023-04-10 · .* · Easter Monday/, 'holidays');
    t.notMatch(html, /NaN|undefined|Infinity/);
    t.notOk(html.includes(dir), 'no path');
    t.match(report, /light-dark\(/);
    t.equal(html.match(/<title>/g)?.length, 1);
  });

  t.test('each day is a row under each setting', async t => {
    const [head, ...rows] = textOf('tune-gate', 'days.csv').trimEnd().split('\n');
    t.match(head, /^setting,date,kind,assignedModelId,plannedModelId,/);
    for (const setting of ['chosen', '2', '3', '2@0.95']) {
      const own = rows.filter(row => row.startsWith(`${setting},`));
      t.equal(own.filter(row => row.split(',')[2] === 'recent').length, 21, setting);
      t.ok(
        own.some(row => /,2023-05-10,recent,,\d,.*,abnormal,frozen,/.test(row)),
        'the planted day',
      );
    }
  });

  t.test('a bundle has no time, path or machine', async t => {
    const bundle = textOf('tune-gate', 'bundle.json');
    t.notOk(bundle.includes(dir));
    t.notMatch(bundle, /T\d\d:\d\d/);
    const parsed = JSON.parse(bundle) as {
      readonly format: string;
      readonly engine: string;
      readonly origin: object;
    };
    t.match(parsed, {
      format: 'daybook-tune/3',
      engine,
      origin: { kind: 'files', reference: 'gate.reference.csv', recent: 'recent.csv' },
      parameters: { counts: exactList(2, 3), coverages: exactList(0.95), calendar: 'FR', seed: 1 },
      referenceYear: 2023,
      calendar: { code: 'FR', origin: 'given', evidence: null },
      recommended: 'chosen',
    });
    const lines = reference.map(({ date, activity }) => `${JSON.stringify([date, activity, [], []])}\n`);
    const digest = createHash('sha256').update(lines.join('')).digest('hex');
    t.match(parsed, { data: { slices: 24, reference: { days: 84, sha256: digest } } }, 'as it is documented');
  });

  t.test('replays to the byte', async t => {
    // Names and packing of the files do not matter.
    writeFileSync(inDir('called otherwise.csv.gz'), gzipSync(textOf('recent.csv')));
    const replay = (bundle: string, file = 'recent.csv') =>
      tuned('--replay', bundle, 'gate.reference.csv', file);
    t.match(await replay('tune-gate/bundle.json', 'called otherwise.csv.gz'), {
      code: 0,
      stdout: /^the same to the byte: 4 settings/,
    });
    t.match(await replay('tune-gate/bundle.json', 'other.csv'), {
      code: 3,
      stderr: /undecided: the recent days differ/,
    });
    t.match(await replay('no.json'), {
      code: 2,
      stderr: /no\.json is not a bundle: it cannot be read \(ENOENT\)/,
    });
    const bundle = textOf('tune-gate', 'bundle.json');
    const tampered = (text: string) => {
      writeFileSync(inDir('tampered.json'), text);
      return replay('tampered.json');
    };
    const loss = /"loss": ([\d.]+)/.exec(bundle)?.[1] ?? '';
    t.match(await tampered(bundle.replace(`"loss": ${loss}`, '"loss": 0.5')), {
      code: 1,
      stderr: /different: \/settings\/0\/loss: the bundle has 0\.5, this run 0\.\d+/,
    });
    t.match(await tampered(bundle.replace(engine, 'daybook-other/9')), {
      code: 3,
      stderr: /undecided: the bundle belongs to engine daybook-other\/9/,
    });
    t.match(await tampered(bundle.replace('daybook-tune/3', 'daybook-tune/2')), {
      code: 2,
      stderr: /is not a bundle/,
    });
  });
});

slowTest('threads give the same results', async t => {
  const fine = ordinaryDays('2023-02-06', 42).map(({ date, activity }) => ({
    date,
    activity: activity.flatMap(value => Array<number>(3).fill(value)),
    gaps: [],
    filled: [],
  }));
  const data = { reference: fine, recent: fine.slice(-3), calendar: null, seed: 1 };
  const small = { counts: [1, 2], coverages: [0.95], cross: false };
  const shown: string[] = [];
  const tried = await sweepInThreads(data, small, (done, of) => shown.push(`${done}/${of}`));
  t.strictSame(tried, tune(data, small));
  t.strictSame(shown, ['1/4', '2/4', '3/4', '4/4']);
});

t.test('tables for machines', async t => {
  const args = ['body.json', 'recent.json.gz', ...sweep, '--pick', '3', '--out', 'machine'];
  const json = await tuned(...args, '--json');
  t.equal(json.code, 0);
  const printed = JSON.parse(json.stdout) as Printed;
  t.strictSame(
    [...printedSchema.Errors(printed)].map(({ instancePath, message }) => `${instancePath} ${message}`),
    [],
  );
  t.match(printed, { name: 'Gate <7>', recommended: 'chosen', calendar: null }, 'no odd days, so no country');
  t.match(textOf('machine', 'report.html'), /<h1>Gate &lt;7&gt;<\/h1>/);
  t.strictSame(
    printed.settings.map(({ setting }) => setting),
    ['chosen', '2', '3', '2@0.95'],
    'always in this order',
  );

  const csv = await tuned('body.json', ...short, '--cross', '--csv');
  t.match(csv.stderr, /note: no holidays, as requested\n/);
  const [head = '', ...rows] = csv.stdout.trimEnd().split('\n');
  t.match(head, /^setting,recommended,modelCountAsked,coverageAsked,modelCount,loss,/);
  t.strictSame(
    rows.map(row => row.split(',').length),
    Array(3).fill(head.split(',').length),
  );
  t.strictSame(
    rows.map(row => row.split(',')[0]),
    ['chosen', '2', '2@0.95'],
  );
  t.match(rows[0], /^chosen,1,,,2,0\.\d+,/);
});

t.test('faults are listed as in an import, and nothing is written', async t => {
  const csv = await tuned('faulty.csv', '--out', 'none');
  t.equal(csv.code, 2);
  t.match(csv.stderr, /^faulty\.csv: the file has 3 faults/);
  t.match(csv.stderr, /\nfaulty\.csv:2:2: decimalPoint: /);
  t.match(csv.stderr, /\nfaulty\.csv:3:1: \w+: /);
  t.match(csv.stderr, /\nfaulty\.csv:4:2: columnCount: /);
  t.equal(csv.stdout, '');
  t.notOk(existsSync(inDir('none')));

  const linesOf = async (reference: string, other: string | null = null): Promise<string> => {
    try {
      await readFiles(inDir(reference), other === null ? null : inDir(other), plainReading);
      return 'no fault';
    } catch (error) {
      if (error instanceof FaultyFile) return faultLines(error).join('\n');
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
  };
  const json = await linesOf('faulty.json');
  t.match(json, /faulty\.json:\/days\/0\/date: dateFormat: /);
  t.match(json, /faulty\.json:\/days\/0\/activity: activityLength: /);
  t.match(await linesOf('nameless.json'), /nameless\.json:\/?: \w+: .*name/);
  t.match(await linesOf('gate.reference.csv', 'faulty.csv'), /faulty\.csv:2:2: decimalPoint/);
  t.match(
    await linesOf('excel.csv'),
    /\. Read it with --separator , --decimal \. --date-format "DD\.MM\.YYYY HH:mm"/,
    'the form as options',
  );
  t.match(
    await linesOf('gate.reference.csv', 'excel.csv'),
    /\. Write it in the form of gate\.reference\.csv$/,
    'no options, which would hold for the reference too',
  );
  t.match(await linesOf('body.json', 'excel.csv'), /\. Read it with --separator ,/);
  t.match(await linesOf('nowhere.json'), /nowhere\.json:\/calendar: calendarUnknown: got "XX"/);
  t.match(await linesOf('short.csv'), /^short\.csv: got 5 days of 5 with at least 75 %/);
  t.match(await linesOf('plain.csv.gz'), /^Unreadable: .*not in gzip format/);
  t.match(await linesOf('.'), /^Unreadable: .*it is a folder/);
  t.equal(await linesOf('gate.reference.csv', 'recent.json.gz'), 'no fault');
  t.match(await linesOf('half.json'), /^half\.json: /);
});

t.test('files are read as for a new source', async t => {
  const days = async (reading: Partial<Reading>) =>
    (
      await readFiles(inDir('body.json'), inDir('recent.csv'), {
        ...plainReading,
        ...reading,
      })
    ).recent[0]?.activity ?? [];
  const own = recent[0]?.activity ?? [];
  t.strictSame(await days({}), own);
  t.strictSame(await days({ form: { dateColumn: '1', valueColumn: '2' } }), own, 'columns by their numbers');
  // Tokyo has no summer time, and is nine hours ahead of UTC.
  t.strictSame((await days({ timeZone: 'Asia/Tokyo' })).slice(9), own.slice(0, 15));
  t.strictSame(await days({ timeZone: 'Asia/Tokyo', stamps: 'local' }), own);
  const four = [0, 6, 12, 18].map(from => own.slice(from, from + 6).reduce((sum, value) => sum + value, 0));
  const near = (a: readonly number[], b: readonly number[]) =>
    a.length === b.length && a.every((value, index) => Math.abs(value - (b[index] ?? 0)) < 1e-9);
  t.ok(near(await days({ activitySize: 4, aggregation: 'sum' }), four));
  t.ok(
    near(
      await days({ activitySize: 4 }),
      four.map(sum => sum / 6),
    ),
  );
});

t.test('the body of a creation is read whole, with its calendar', async t => {
  const { calendar, notes } = await readFiles(inDir('whole.json'), null, plainReading);
  t.equal(calendar, 'FR');
  t.match(
    notes.slice(0, 4),
    exactList(/^whole\.json: coverage is not used here$/, /unit/, /labels/, /minChange/),
  );
  const { notes: others } = await readFiles(inDir('body.json'), null, plainReading);
  t.notMatch(others.join('\n'), /not used/);
});

t.test('the service accepts models.json', async t => {
  const { call } = await startService(t);
  const created = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name: 'Gate', referenceYear: 2023, days: reference },
  });
  const { id } = created.body.source;
  await analysed(call, id);
  const body = textOf('machine', 'models.json');
  const answer = await call<{ models: readonly Model[] }>('POST', `/v1/model/bulk-replace/${id}`, {
    body,
    headers: { 'Content-Type': 'application/json' },
  });
  t.equal(answer.status, 200);
  const { models } = JSON.parse(body) as { readonly models: readonly Model[] };
  t.equal(models.length, 3, 'the models of --pick 3');
  t.match(answer.body.models, models, 'installed unchanged');
});

t.test('on the history of a source in use', async t => {
  const { call, settings, eventCount, stop } = await startService(t);
  const days = (...given: readonly { readonly date: string; readonly activity: readonly number[] }[]) =>
    call('POST', '/v1/import/days', { json: { sourceId: 1, days: given } });
  const high = (date: string) => ({ date, activity: Array<number>(24).fill(300) });
  await call('POST', '/v1/import/create-source', {
    json: { name: 'Gate', referenceYear: 2023, days: reference },
  });
  await analysed(call, 1);
  await days(...ordinaryDays('2023-05-01', 28), high('2023-06-01'), high('2023-06-02'), high('2023-06-03'));
  await days(high('2023-05-10'), high('2023-05-11'), high('2023-05-12'), high('2023-05-15'));
  await idle(call);
  const resolve = (alert: string, verdict: string) =>
    call('POST', `/v1/alert/${alert}/resolve`, { json: { verdict } });
  await resolve('1-20230601-1', 'anomaly');
  await resolve('1-20230510-1', 'anomaly');
  await resolve('1-20230511-1', 'notAnomaly');
  await resolve('1-20230512-1', 'expected');
  await resolve('1-20230602-1', 'anomaly');
  // The verdict on replaced data is not used.
  await days(ordinaryDay('2023-06-02'));
  await idle(call);
  const before = eventCount();
  const log = join(settings.dataDir, 'events.sqlite');

  const args = ['--log', settings.dataDir, '--source', '1', ...short];
  const done = await tuned(...args, '--out', inDir('history'), '--json');
  t.match(done, { code: 0, stderr: 'note: 1 verdict on replaced data not used\n' });
  const printed = JSON.parse(done.stdout) as Printed;
  t.strictSame(
    [...printedSchema.Errors(printed)].map(({ instancePath, message }) => `${instancePath} ${message}`),
    [],
  );
  t.match(
    printed.settings[0]?.whatIf,
    {
      alerts: 6,
      gained: 0,
      all: { stood: 6, kept: 6, lost: 0 },
      confirmed: { stood: 2, kept: 2, lost: 0 },
      falseAlarms: { stood: 2, kept: 2, lost: 0 },
      undecided: { stood: 2, kept: 2, lost: 0 },
    },
    'the setting of the source raises the same alerts',
  );
  const html = textOf('history', 'report.html');
  t.match(html, /keeps 2 of 2 confirmed alerts and saves 0 of 2 false alerts/);
  t.match(html, /current, confirmed/);
  t.equal(eventCount(), before, 'nothing was appended');

  t.test('the service continues, and an old revision can be read again', async t => {
    t.equal((await days(high('2023-06-10'))).status, 200);
    await resolve('1-20230515-1', 'expected');
    const now = readHistory(settings.dataDir, 1);
    t.equal(now.validAlerts.filter(({ verdict }) => verdict === 'expected').length, 2);
    t.equal(now.validAlerts.length, 7);
    t.equal(now.recent.length, 32);
    const { origin } = readBundle(textOf('history', 'bundle.json'));
    const then = readHistory(settings.dataDir, 1, origin.kind === 'store' ? origin.revisions : undefined);
    t.equal(then.validAlerts.length, 6);
    t.equal(then.recent.length, 31);
    t.equal(then.overtaken, 1);
  });

  t.test('missing sources and logs', async t => {
    const read = (folder: string, sourceId: number) => () => readHistory(folder, sourceId);
    t.throws(read(settings.dataDir, 2), {
      name: 'SettingsError',
      message: /the log has no source 2; it has 1$/,
    });
    t.throws(read(dir, 1), { name: 'SettingsError', message: /there is no log/ });
    writeFileSync(inDir('events.sqlite'), 'no database, but long enough to be taken for one'.repeat(20));
    t.throws(read(dir, 1), { name: 'StoreUnavailable' });
  });

  t.test('on a stopped service', async t => {
    await stop();
    const [bytes, { mtimeMs }] = [readFileSync(log), statSync(log)];
    const files = readdirSync(settings.dataDir);
    const replay = ['--replay', inDir('history', 'bundle.json'), '--log', settings.dataDir, '--source', '1'];
    t.match(
      await tuned(...replay),
      { code: 0, stdout: /^the same to the byte/ },
      'as of the recorded revisions',
    );
    t.ok(readFileSync(log).equals(bytes), 'the log is unchanged');
    t.equal(statSync(log).mtimeMs, mtimeMs);
    t.strictSame(readdirSync(settings.dataDir), files, 'no file is left next to it');
  });

  t.test('on a log of a newer build', async t => {
    const newer = t.testdir();
    const present = new Database(log, { readonly: true });
    present.exec(`vacuum into '${join(newer, 'events.sqlite')}'`);
    present.close();
    const db = new Database(join(newer, 'events.sqlite'));
    const columns = 'stream, v, at, data, metadata';
    db.exec(`insert into events (id, revision, type, ${columns})
      select 'a', revision + 1, 'SourcePainted', ${columns} from events where stream = 'source-1'
      order by revision desc limit 1`);
    db.close();
    const one = ['--log', newer, '--source', '1'];
    for (const args of [
      ['tune', ...one, ...short],
      ['audit-report', ...one, '--out', join(newer, 'report.html')],
    ]) {
      const { code, stderr } = await run(args, {});
      t.equal(code, 3, String(args[0]));
      t.match(stderr, /^(.*\n)*event a is SourcePainted, an unknown type: it needs a newer Daybook\n$/);
    }
  });
});

t.test('recent days of a source are checked with its floor and its accepted changes', async t => {
  const { call, settings } = await startService(t);
  const days = (first: string, count: number, change: (value: number) => number) =>
    call('POST', '/v1/import/days', {
      json: {
        sourceId: 1,
        days: ordinaryDays(first, count).map(({ date, activity }) => ({
          date,
          activity: activity.map(change),
        })),
      },
    });
  await call('POST', '/v1/import/create-source', {
    json: { name: 'Gate', referenceYear: 2023, minChange: { absolute: 15 }, days: reference },
  });
  await analysed(call, 1);
  await days('2023-05-01', 7, value => value);
  await days('2023-05-08', 1, value => value + 9);
  await days('2023-05-15', 3, value => 1.25 * value);
  await idle(call);
  const { body } = await call<{ incidents: { id: string }[] }>('GET', '/v1/incident/list');
  const accepted = await call('POST', `/v1/incident/${body.incidents[0]?.id}/accept`);
  t.equal(accepted.status, 200);
  await days('2023-05-18', 1, value => 1.25 * value);
  await days('2023-05-19', 1, value => 4 * value);
  await idle(call);

  const { floor, accepted: changes, completeness } = readHistory(settings.dataDir, 1);
  t.match(
    { floor, changes, completeness },
    { floor: { absolute: 15 }, changes: exactList({ type: 'level' }), completeness: 1 },
  );
  const args = ['--log', settings.dataDir, '--source', '1', ...short];
  const { stdout } = await tuned(...args, '--out', inDir('accepted'), '--json');
  const printed = JSON.parse(stdout) as Printed;
  t.match(printed.settings[0]?.whatIf, {
    ...{ alerts: 1, gained: 0, gainedDates: exactList() },
    all: { stood: 1, kept: 1, lost: 0 },
  });
  const day = await call<{ plannedModel: { activity: number[] } }>('GET', '/v1/day/1/2023-05-19');
  const { figures } = partsOfReport(textOf('accepted', 'report.html'));
  const drawn = figures.flatMap(figure => (figure.kind === 'day' ? [figure.day] : []));
  t.match(drawn, exactList({ date: '2023-05-19', usual: null }));
  const expected = drawn[0]?.plannedModel?.activity ?? [];
  day.body.plannedModel.activity.forEach((value, slice) =>
    t.ok(
      Math.abs(value - (expected[slice] ?? 0)) < 0.001 * value,
      'the chart has the model as it is expected',
    ),
  );
});
