import t from 'tap';
import {
  dayFigure,
  dayWords,
  drawnFinding,
  modelWords,
  drawnModel,
  modelRange,
} from '../../../adapters/cli/report/dayFigure.js';
import { chart, escaped } from '../../../adapters/cli/report/html.js';
import { paint } from '../../../adapters/cli/terminal/text.js';
import { firstDifference, readBundle } from '../../../adapters/cli/tune/bundle.js';
import { changeText } from '../../../adapters/cli/tune/columns.js';
import type { Parameters, Tuned } from '../../../adapters/cli/tune/facts.js';
import { calendarCodeOf, countsOf, coveragesOf, readOptions } from '../../../adapters/cli/tune/options.js';
import { countPlots, coveragePlots, plotWords } from '../../../adapters/cli/tune/report/plots.js';
import { shellArgument } from '../../../adapters/cli/tune/report/report.js';
import { legible, modelColors, calendarText, resetPath } from '../../../adapters/cli/tune/report/words.js';
import { alertsSection } from '../../../adapters/cli/tune/report/modelsSections.js';
import { timelineSection } from '../../../adapters/cli/tune/report/settingsSections.js';
import type { TuneReport } from '../../../adapters/cli/tune/report/words.js';
import { terminalTable } from '../../../adapters/cli/tune/table.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import type { FindingFacts } from '../../../domain/alerts/findings.js';
import type { Day } from '../../../domain/day.js';
import type { Model } from '../../../domain/planning/models.js';
import { partsOfReport } from '../../helpers/screens/reportPage.js';
import { exactList } from '../../helpers/exactList.js';

t.test('ranges and lists', async t => {
  t.strictSame(countsOf('2..12'), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  t.strictSame(countsOf('8, 4,4'), [4, 8]);
  t.strictSame(countsOf('7'), [7]);
  for (const text of ['', '0..3', '3..2', '2..65', '1.5', '2..', '2...4', 'a', '-1', '1e1'])
    t.throws(() => countsOf(text), { name: 'SettingsError', message: /^--models: got/ }, text);
  t.strictSame(coveragesOf('0.9..0.995'), [0.9, 0.95, 0.98, 0.99, 0.995]);
  t.strictSame(coveragesOf('0.95..0.99'), [0.95, 0.98, 0.99]);
  t.strictSame(coveragesOf('0.97,0.93'), [0.93, 0.97]);
  for (const text of ['0.89', '0.999', '0.91..0.94', '0.9..1', '95', 'x'])
    t.throws(() => coveragesOf(text), { name: 'SettingsError', message: /^--coverage: got/ }, text);
});

t.test('wrong arguments', async t => {
  for (const [args, message] of [
    ['', /got 0 files, expected one or two/],
    ['a.csv b.csv c.csv', /got 3 files/],
    ['a.csv --json --csv', /got both/],
    ['--log data', /--source/],
    ['--source 3 a.csv', /--source: got files too/],
    ['--log data --source 3 a.csv', /got files too/],
    ['--log data --source 0', /--source: got "0"/],
    ['--log data --source 1 --activity-size 24', /the source decides/],
    ['--replay b.json a.csv --seed 2', /the bundle decides/],
    ['--replay b.json a.csv --json', /the bundle decides/],
    ['a.csv --activity-size 25', /--activity-size: got "25"/],
    ['a.csv --interpolation cubic', /zero or linear/],
    ['a.csv --seed 1.5', /--seed/],
    ['a.csv --seed 7 --apply-to 1', /--seed: got 7 with --apply-to, expected 1, that of the service/],
    ['a.csv --time-zone Paris', /--time-zone: got "Paris", .*Europe\/Paris$/],
    ['a.csv --time-zone +02:00', /--time-zone: got "\+02:00", .*fixed offset/],
    ['a.csv --clock solar', /--clock: got "solar", expected utc or local/],
    ['a.csv --separator :', /--separator: got ":"/],
    ['a.csv --decimal point', /--decimal: got "point"/],
    ['a.csv --date-format US', /--date-format: got "US"/],
    ['a.csv --date-column 2', /--value-column: got the column of the dates/],
    ['--log data --source 1 --time-zone UTC', /the source decides/],
    ['--replay b.json a.csv --decimal .', /the bundle decides/],
    ['a.csv --pick best', /--pick: got "best"/],
    ['a.csv --pick chosen@0.95', /--pick: got "chosen@0\.95"/],
    ['a.csv --pick 65', /--pick: got "65", expected numbers from 1 to 64/],
    ['a.csv --pick 7@0.5', /--pick: got "0\.5", expected coverages/],
    ['a.csv --calendar XX', /--calendar: got "XX", expected a country/],
  ] as const)
    t.throws(
      () => readOptions(args.split(' ').filter(Boolean), {}),
      { name: 'SettingsError', message },
      args,
    );
});

t.test('a picked setting is tried', async t => {
  const also = (...args: readonly string[]) => {
    const options = readOptions(['a.csv', ...args], {});
    return options.kind === 'tune' ? options.parameters.also : undefined;
  };
  t.equal(also(), undefined);
  t.equal(also('--pick', 'chosen'), undefined);
  t.equal(also('--pick', '12'), undefined);
  t.strictSame(also('--pick', '13'), { modelCount: 13, coverage: null });
  t.strictSame(also('--pick', '7@0.950'), { modelCount: 7, coverage: 0.95 });
});

t.test('how files are written', async t => {
  const read = (...args: readonly string[]) => readOptions(['a.csv', ...args], {});
  t.match(read('--separator', 'tab', '--decimal', '.', '--value-column', 'load'), {
    parameters: { form: { separator: '\t', decimal: '.', valueColumn: 'load' } },
  });
  t.match(read('--date-format', 'DD/MM/YYYY HH:mm', '--time-zone', 'europe/paris', '--clock', 'local'), {
    parameters: { form: { dateFormat: 'DD/MM/YYYY HH:mm' }, timeZone: 'Europe/Paris', stamps: 'local' },
  });
  const plain = JSON.stringify(read());
  for (const name of ['form', 'timeZone', 'stamps']) t.notMatch(plain, name, 'defaults are not in a bundle');
});

t.test('a minimum detectable change, in each direction that has one', async t => {
  t.equal(changeText(undefined), '–');
  t.equal(changeText({ more: null, less: null }), 'none');
  t.equal(changeText({ more: 0.6, less: null }), '+60 %');
  t.equal(changeText({ more: null, less: 0.35 }), '−35 %');
  t.equal(changeText({ more: 0.15, less: 0.15 }), '±15 %');
  t.equal(changeText({ more: 0.4, less: 0.35 }), '+40 / −35 %');
});

t.test('holidays', async t => {
  t.equal(calendarCodeOf('fr'), 'FR');
  t.equal(calendarCodeOf('DE-BY'), 'DE-BY');
  t.equal(calendarCodeOf('none'), 'none');
  for (const text of ['DE-XX', '', 'France'])
    t.throws(() => calendarCodeOf(text), { name: 'SettingsError', message: /^--calendar: got/ }, text);
  const textOf = (calendar: string | null, evidence: string | null | undefined) =>
    calendarText({
      parameters: { ...readOptions(['a.csv'], {}), calendar } as unknown as Parameters,
      holidays:
        evidence === undefined
          ? null
          : { code: 'DE-NW', origin: 'given', evidence, library: '', holidays: [] },
    });
  t.equal(textOf('none', undefined), 'no holidays, as requested');
  t.match(textOf(null, undefined), /^no holidays: those of no country explain/);
  t.match(textOf('DE-NW', null), /^public holidays of Germany \(.*\) \(DE-NW\)$/);
  t.match(textOf(null, '10 of 10'), /\(DE-NW\), inferred: 10 of 10$/);
});

t.test('text and colours of charts', async t => {
  t.equal(escaped('<a b="c" d=\'e\'>&\u202e'), '&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp; ');
  t.not(legible('#F0E442', 'light'), '#f0e442', 'yellow on white becomes darker');
  t.equal(legible('#0072B2', 'light'), '#0072b2');
  t.not(legible('#000000', 'dark'), '#000000', 'black on black becomes lighter');
  t.equal(
    modelColors([{ id: 2, color: '#0072b2' }]),
    ':root{--m2:light-dark(#0072b2,#0072b2);--k2:light-dark(#ffffff,#ffffff);}',
  );
  const model = { bottomTolerance: [-3, 2] } as unknown as Model;
  t.strictSame(drawnModel(model, 0).bottomTolerance, [0, 2], 'no bound below 0 when no value is negative');
  t.strictSame(drawnModel(model, -1).bottomTolerance, [-3, 2]);
});

const typical = {
  id: 1,
  name: 'Weekday',
  color: '#0072b2',
  activity: [10, 20, 30, 20],
  topTolerance: [12, 24, 36, 1000],
  bottomTolerance: [8, 16, 24, 16],
} as unknown as Model;
const odd = { date: '2024-01-10', activity: [10, 50, 31, 7], gaps: [[3, 4]], filled: [] } as unknown as Day;

t.test('the chart of a day', async t => {
  const slices = [{ from: 1, to: 2, direction: 'over', excess: 26 }] as const;
  const limit = { limit: 'slice', from: 1, to: 2, score: 9, allowed: 4, actual: 50, bound: 24 } as const;
  const facts = { limits: [limit] } as unknown as FindingFacts;
  const bounds = [{ limit: 'slice' as const, lower: [8, 16, 24, 16], upper: [12, 24, 36, 1000] }];
  const usual = { low: [9, 18, 27, 18], high: [11, 22, 33, 22], days: 12 };
  const finding = drawnFinding({ direction: 'over', slices, facts }, bounds);
  const compared = { day: odd, model: typical, finding, usual };
  t.match(dayFigure(compared, 'red'), {
    kind: 'day',
    color: 'red',
    day: {
      date: '2024-01-10',
      day: { activity: exactList(10, 50, 31, 7), gaps: exactList(exactList(3, 4)) },
      plannedModel: { name: 'Weekday', activity: exactList(10, 20, 30, 20) },
      usual: { low: exactList(9, 18, 27, 18), high: exactList(11, 22, 33, 22) },
    },
    alert: {
      slices: exactList({ from: 1, to: 2, direction: 'over' }),
      brokenLimits: exactList({ limit: 'slice', from: 1, to: 2, actual: 50, bound: 24 }),
      bounds: exactList({ limit: 'slice', upper: exactList(12, 24, 36, 1000) }),
    },
  });
  const unlike = { ...finding, brokenLimits: [{ ...limit, limit: 'shape' as const }] };
  t.match(
    dayWords({ ...compared, finding: unlike }),
    /06:00 to 12:00 over, a course unlike all comparable days: mean 50, expected 20\.$/,
  );
  t.equal(
    dayWords(compared),
    'Wed 2024-01-10: mean 30.3, expected 20 (Weekday). 06:00 to 12:00 over: mean 50, expected 20.',
  );
  t.match(
    dayWords({ ...compared, finding: { ...finding, direction: null } }),
    /\. 06:00 to 12:00: mean 50, expected 20\.$/,
    'a flatline has no direction',
  );
  t.equal(
    dayWords({ day: odd, model: undefined, finding: null, usual: null }),
    'Wed 2024-01-10: mean 30.3, no model is planned.',
  );
  t.equal(
    modelWords(typical),
    'Mean 20; lowest 10 at 00:00 (bounds 8 to 12), highest 30 at 12:00 (bounds 24 to 36).',
  );
  t.strictSame(modelRange([typical], [odd]), { min: 0, max: 70 });
});

const tried = (coverage: number | null, models: number): TriedSetting =>
  ({
    asked: { modelCount: coverage === null ? null : models, coverage },
    models: Array(models).fill({}),
    fit: { modelCount: models, loss: 0.1, stability: 1 },
    silhouette: null,
    hitRate: 0.9,
    bounds: { measuredCoverage: 0.98, falseAlertsPerYear: 7.3, minimumDetectableChange: null },
    days: [],
  }) as unknown as TriedSetting;

t.test('alerts of the course alone and gaps in the report', async t => {
  const finding = { kind: 'activity', criticity: 0.7, betterModelId: null } as const;
  const facts = { gap: { from: 1, to: 3, longest: 1 } };
  const late = { ...finding, direction: null, limits: ['shape'], slices: [{ from: 1, to: 2 }] };
  const missing = { ...finding, kind: 'gap', direction: null, slices: [{ from: 1, to: 3 }], facts };
  const days = [late, missing].map((one, at) => ({
    date: `2024-01-1${at}`,
    plannedModelId: 1,
    finding: one,
  }));
  const recent = days.map(({ date }) => ({ ...odd, date }));
  const setting = { ...tried(null, 1), assignments: [], days };
  const tuned = { tried: [setting], recent, reference: [], validAlerts: null, recommended: 0 };
  const shown = {
    ...{ tuned, setting, models: [typical], index: 0, named: new Map() },
    ...{ keyOf: () => 'A', modelOf: (id: number | null) => (id === 1 ? typical : undefined) },
  } as unknown as TuneReport;
  const timeline = timelineSection(shown);
  t.match(timeline, /<span class="tick course"><\/span>course</);
  const figures = partsOfReport(timeline).figures.flatMap(figure =>
    figure.kind === 'timeline' ? [figure] : [],
  );
  t.match(
    figures[0]?.rows[0]?.marks,
    exactList(
      { kind: 'course', title: 'Wed 2024-01-10 · course · criticity 0.70' },
      { kind: 'gap', title: 'Thu 2024-01-11 · gap · criticity 0.70' },
    ),
  );
  const alerts = alertsSection(shown);
  t.match(alerts, '<figcaption>course 06:00–12:00 · exceeds shape limit · criticity');
  t.match(
    alerts,
    '<figcaption>gap: no data for 12 h (06:00–18:00), at most 6 h on comparable days · criticity',
  );
});

t.test('data of a chart end no script', async t => {
  const title = '</script><script>alert(1)</script>\u202e<!--';
  const dots = [{ x: 1, y: 1 / 3, title }];
  const axis = { label: '', percent: false, ticks: [], includes: [] };
  const html = chart({ kind: 'lines', series: [dots], x: axis, y: axis, diagonal: false }, title);
  t.equal(html.match(/<\/?script/g)?.length, 2, 'its own element only');
  t.notMatch(html, /<!--|\u202e/);
  const { figures } = partsOfReport(html);
  t.match(
    figures,
    exactList({
      series: exactList(exactList({ y: 0.33333, title: '</script><script>alert(1)</script> <!--' })),
    }),
  );
});

t.test('texts that are not a bundle', async t => {
  for (const [text, message] of [
    ['{"format":"daybook-tune/3"}', /it lacks/],
    ['no JSON', /it is not JSON/],
    ['null', /its format is missing/],
    ['[]', /its format is missing/],
  ] as const)
    t.throws(() => readBundle(text), { name: 'NoBundle', message }, text);
});

t.test('arguments of a command to copy', async t => {
  for (const [text, argument] of [
    ['days/2024-gate_1.csv', 'days/2024-gate_1.csv'],
    ['my days.csv', "'my days.csv'"],
    ["it's $HOME.csv", String.raw`'it'\''s $HOME.csv'`],
    ['', "''"],
  ] as const)
    t.equal(shellArgument(text), argument);
});

t.test('first differences', async t => {
  t.equal(firstDifference('{"a":[1,2]}', '{"a":[1,2]}'), undefined);
  t.match(
    firstDifference('{"a":[1,2],"b":0}', '{"a":[1,3],"b":1}'),
    /^\/a\/1: the bundle has 2, this run 3$/,
  );
  t.match(firstDifference('{"a":1}', '{}'), /^\/a: the bundle has 1, this run nothing$/);
  t.match(firstDifference('{"a":{}}', '{"a":[]}'), /^\/a: /);
  t.match(firstDifference('{"a":1}\n', '{"a":1}'), /their text is not/, 'even for one space');
});

t.test('a setting whose clusters are fewer than asked for', async t => {
  const fit = { modelCount: 6, loss: 0.1, predictability: 0.9, stability: 1 };
  const chosen = { ...tried(null, 5), fit };
  const target = { ...tried(0.95, 5), asked: { modelCount: 6, coverage: 0.95 }, fit };
  const origin = { kind: 'files', reference: '', recent: null } as const;
  t.equal(resetPath({ origin }, chosen), 'POST /v1/model/reset/{source_id}/6');
  t.equal(resetPath({ origin }, target), 'POST /v1/model/reset/{source_id}/6?coverage=0.95');
  const tuned = { tried: [chosen, target], recent: [] } as unknown as Tuned;
  t.ok(coveragePlots(tuned).length > 0, 'its coverages are drawn');
  const five = tried(null, 5);
  const [error] = countPlots({
    ...tuned,
    tried: [chosen, { ...five, asked: { modelCount: 5, coverage: null } }],
  });
  t.equal(error && plotWords(error.figure), '5 models: 10.0 %; 6 models: 10.0 %.', 'each number is drawn');
});

t.test('a wide table continues below', async t => {
  const tuned = {
    tried: [tried(null, 4), tried(0.95, 4)],
    whatIfs: [],
    recommended: 0,
    recent: [],
    covariates: [],
  };
  const table = (width: number) => terminalTable(tuned as unknown as Tuned, paint(0), width);
  t.strictSame(table(Infinity), [
    '   setting  models   error  silhouette  hit rate  stable  coverage  false/year  day change  8 h change',
    '→  chosen        4  10.0 %           –      90 %    1.00    98.0 %         7.3           –           –',
    '   4@0.95        4  10.0 %           –      90 %    1.00    98.0 %         7.3           –           –',
  ]);
  t.strictSame(table(80), [
    '   setting  models   error  silhouette  hit rate  stable  coverage  false/year',
    '→  chosen        4  10.0 %           –      90 %    1.00    98.0 %         7.3',
    '   4@0.95        4  10.0 %           –      90 %    1.00    98.0 %         7.3',
    '',
    '   setting  day change  8 h change',
    '→  chosen            –           –',
    '   4@0.95            –           –',
  ]);
});
