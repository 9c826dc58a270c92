import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { alertsReport } from '../../../adapters/cli/demo/alertsReport.js';
import type { Alert, Model } from '../../../adapters/cli/demo/client.js';
import { csvLines, madeDates, makeYear, sampleMinutes } from '../../../adapters/cli/demo/makeYear.js';
import { planningReport } from '../../../adapters/cli/demo/planningReport.js';
import { stepOn } from '../../../adapters/cli/terminal/progress.js';
import { faultsReport, importText, modelsReport, timesReport } from '../../../adapters/cli/demo/report.js';
import * as terminal from '../../../adapters/cli/terminal/text.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import { repositoryRoot } from '../../helpers/repository.js';

const samplesPerDay = 1440 / sampleMinutes;

t.test('makeYear', async t => {
  const made = makeYear(1);

  t.test('is decided by its seed', async t => {
    const text = (seed: number) => JSON.stringify(makeYear(seed));
    t.equal(text(1), JSON.stringify(made));
    t.not(text(2), text(1));
  });

  t.test('has every sample of its dates in order, but for the outage', async t => {
    for (const part of ['reference', 'recent'] as const) {
      const [first, last] = madeDates[part].map(dayNumber) as [number, number];
      const outage = part === 'recent' ? made.planted.find(({ kind }) => kind === 'gap') : undefined;
      const expected: string[] = [];
      for (let number = first; number <= last; number += 1)
        for (let sample = 0; sample < samplesPerDay; sample += 1) {
          const hour = (sample * sampleMinutes) / 60;
          const silent = outage?.date === dateOf(number) && hour >= outage.fromHour && hour < outage.toHour;
          if (!silent) expected.push(`${dateOf(number)}T${terminal.clock(sample, samplesPerDay)}:00`);
        }
      // Long lists are compared as text: a difference is found in a moment.
      t.ok(made[part].map(([at]) => at).join() === expected.join(), part);
    }
  });

  t.test('counts visitors: in halves, never negative, in believable numbers', async t => {
    const values = [...made.reference, ...made.recent].map(([, visitors]) => visitors);
    t.ok(values.every(value => value >= 0 && Number.isInteger(2 * value)));
    t.ok(Math.max(...values) < 700);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    t.ok(mean > 30 && mean < 60, `mean ${mean}`);
  });

  t.test('plants five different working days, of the kinds it says', async t => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { recent, planted } = makeYear(seed);
      t.equal(new Set(planted.map(({ date }) => date)).size, 5);
      const [closed, doubled, cut, night, outage] = planted.map(({ date, fromHour, toHour }) => {
        t.ok(weekday(dayNumber(date)) < 5, date);
        const on = (of: string) =>
          recent
            .filter(([at]) => at.startsWith(of))
            .filter(([at]) => Number(at.slice(11, 13)) >= fromHour && Number(at.slice(11, 13)) < toHour)
            .map(([, visitors]) => visitors);
        const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
        return { values: on(date), share: sum(on(date)) / sum(on(dateOf(dayNumber(date) - 7))) };
      });
      t.ok(closed && closed.share < 0.05, 'nearly nobody');
      t.ok(doubled && doubled.share > 1.5 && doubled.share < 2.7, 'twice the visitors');
      t.equal(Math.max(...(cut?.values ?? [1])), 0, 'nothing is counted');
      t.ok(night && Math.min(...night.values) > 20, 'visitors late');
      t.strictSame(outage?.values, [], 'no rows');
    }
  });

  t.test('is written as an import is read', async t => {
    t.strictSame(
      [
        ...csvLines([
          ['2024-01-01T00:00:00', 0],
          ['2024-01-01T00:10:00', 12.5],
        ]),
      ],
      ['"date";"value"\n', '"2024-01-01T00:00:00";"0"\n', '"2024-01-01T00:10:00";"12,5"\n'],
    );
  });
});

t.test('terminal', async t => {
  t.test('numbers', async t => {
    t.strictSame([0, 999, 1000, 52_704, 1e6].map(terminal.counted), [
      '0',
      '999',
      '1,000',
      '52,704',
      '1,000,000',
    ]);
    t.strictSame([0, 0.012_34, 3.14159, 99.96, 1234.6, -0.5, -1280].map(terminal.level), [
      '0',
      '0.0123',
      '3.14',
      '100',
      '1,235',
      '-0.5',
      '-1,280',
    ]);
    t.strictSame([0, 0.456, 0.9999, 1].map(terminal.share), ['0.00', '0.46', '0.99', '1.00']);
    t.strictSame([0.4, 999.4, 999.6, 1240, 12_340, 59_960, 125_000].map(terminal.duration), [
      '0 ms',
      '999 ms',
      '1.00 s',
      '1.24 s',
      '12.3 s',
      '1 min 0 s',
      '2 min 5 s',
    ]);
    t.strictSame([999, 1000, 999_949, 1_900_000].map(terminal.size), [
      '999 B',
      '1.0 kB',
      '999.9 kB',
      '1.9 MB',
    ]);
    t.strictSame(
      [terminal.clock(0, 24), terminal.clock(7, 144), terminal.clock(48, 48)],
      ['00:00', '01:10', '24:00'],
    );
    t.strictSame([terminal.plural(1, 'day'), terminal.plural(2, 'day')], ['1 day', '2 days']);
  });

  t.test('texts', async t => {
    t.strictSame(terminal.wrap('the model of  many days', 9), ['the model', 'of many', 'days']);
    t.strictSame(terminal.wrap('abcdefgh i', 5), ['abcde', 'fgh i']);
    t.equal(terminal.cut('Monday–Friday', 7), 'Monday…');
    t.equal(terminal.cut('Monday', 7), 'Monday');
    t.equal(terminal.plain('a\u001b[31mb\nc\u202e'), 'a [31mb c ');
  });

  t.test('curves', async t => {
    t.strictSame(terminal.resampled([1, 3, 5, 7], 2), [2, 6]);
    t.strictSame(terminal.resampled([0, 3, 6], 2), [1, 5]);
    t.strictSame(terminal.resampled([1, 3], 4), [1, 1, 3, 3]);
    t.strictSame(terminal.curve([0, 1, 2, 3, 4, 5, 6, 7], { low: 0, high: 7 }, 8, 1), ['▁▂▃▄▅▆▇█']);
    t.strictSame(terminal.curve([0, 7, 8, 15], { low: 0, high: 15 }, 4, 2), ['  ▁█', '▁███']);
    t.strictSame(terminal.curve([3, 3], { low: 3, high: 3 }, 4, 1), ['▁▁▁▁'], 'no span');
    t.strictSame(terminal.scaleOf([[2, 9], [3]]), { low: 0, high: 9 });
    t.strictSame(terminal.scaleOf([[30, 50]]), { low: 30, high: 50 }, 'never near nothing');
    t.strictSame(terminal.scaleOf([[-2, 5]]), { low: -2, high: 5 });
    t.equal(terminal.hourAxis(24), '0     6     12    18    24');
    t.equal(terminal.hourAxis(48), '0     3     6     9     12    15    18    21    24');
  });

  t.test('tables', async t => {
    t.strictSame(
      terminal.table(
        [
          ['day', 'rows', ''],
          ['Monday', '7', ''],
          ['Tue', { text: '1,280', paint: text => `<${text}>` }, 'x'],
        ],
        'lrl',
      ),
      ['day      rows', 'Monday      7', 'Tue     <1,280>  x'],
    );
    t.strictSame(
      terminal.calendar(
        [
          {
            label: '25 Aug',
            days: [
              undefined,
              ...['A', 'A', 'A', 'A', 'B'].map(text => ({ text, mark: '' })),
              { text: 'C', mark: '!' },
            ],
          },
        ],
        terminal.paint(0),
      ),
      ['        Mon   Tue   Wed   Thu   Fri   Sat   Sun', '25 Aug   ·     A     A     A     A     B     C!'],
    );
  });

  t.test('progress', async t => {
    t.equal(terminal.bar(0.5, 4), '██░░');
    t.equal(terminal.bar(0.4, 4), '█▋░░');
    t.equal(terminal.bar(7, 4), '████');
    t.equal(
      terminal.progressLine('recent', 500, 1000),
      'recent  ███████████████░░░░░░░░░░░░░░░   50 %  500 B of 1.0 kB',
    );
    const written = (isTTY: boolean) => {
      const texts: string[] = [];
      const step = stepOn({ isTTY, write: text => texts.push(text) }, 'recent');
      step.sent(500, 1000);
      step.done('7 rows in 8 ms');
      return texts;
    };
    t.strictSame(written(false), ['recent  7 rows in 8 ms\n'], 'a log gets one line of a short step');
    t.strictSame(written(true), [
      '\rrecent  ███████████████░░░░░░░░░░░░░░░   50 %  500 B of 1.0 kB\u001b[K',
      '\rrecent  7 rows in 8 ms\u001b[K\n',
    ]);
  });

  t.test('colours', async t => {
    t.equal(terminal.paint(0).color('A', '#ff0000'), 'A');
    t.equal(terminal.paint(256).color('A', '#ff0000'), '\u001b[38;5;196mA\u001b[0m');
    t.equal(terminal.paint(2 ** 24).color('A', '#0072B2'), '\u001b[38;2;0;114;178mA\u001b[0m');
    t.equal(
      terminal.paint(2 ** 24).color('A', '#000000'),
      '\u001b[38;2;128;128;128mA\u001b[0m',
      'never black',
    );
    t.equal(terminal.paint(256).bold('A'), '\u001b[1mA\u001b[0m');
  });
});

const style = { paint: terminal.paint(0), width: 80 };
const models: readonly Model[] = [
  { id: 3, name: 'Monday–Friday', color: '#0072B2', anomaly: false, activity: [0, 15, 7, 0], days: 261 },
  { id: 4, name: 'Saturday, Sunday', color: '#E69F00', anomaly: true, activity: [0, 3, 0, 0], days: 1 },
];
const alert: Alert = {
  id: '1-20250916-1',
  date: '2025-09-16',
  kind: 'activity',
  state: 'open',
  direction: 'under',
  criticity: 0.456,
  slices: [
    { from: 1, to: 2 },
    { from: 2, to: 3 },
  ],
  plannedModelId: 3,
  closestModelId: 4,
  betterModelId: 4,
};
const gap: Alert = {
  ...alert,
  date: '2025-09-18',
  kind: 'gap',
  direction: null,
  criticity: 0.6,
  slices: [],
  closestModelId: null,
  betterModelId: null,
};
const recent = [16, 17, 18, 19].map(day => ({
  date: `2025-09-${day}`,
  status: 'normal',
  completeness: day === 18 ? 0.4 : 1,
}));

t.test('report', async t => {
  t.test('models', async t => {
    t.strictSame(modelsReport(models, style), [
      '',
      'Typical days: 2 models',
      'Learned from the reference year alone. Curves from 0 to 24 h on one scale, 0 to',
      '15.',
      '',
      `  A   Monday–Friday                       ${' '.repeat(9)}█████████`,
      '      261 days, mean 5.5                  ▁▁▁▁▁▁▁▁▁██████████████████▁▁▁▁▁▁▁▁▁',
      '',
      '  B   Saturday, Sunday',
      '      1 day, mean 0.75, anomaly           ▁▁▁▁▁▁▁▁▁▄▄▄▄▄▄▄▄▄▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁',
      '',
      '                                          0        6        12       18       24',
    ]);
  });

  t.test('planning', async t => {
    const planned = Array.from({ length: 28 }, (_, day) => ({
      date: dateOf(dayNumber('2025-09-15') + day),
      modelId: day % 7 < 5 ? 3 : 4,
      origin: 'automatic',
      reason: day === 0 ? 'as on Mondays' : 'as on Saturdays',
    }));
    t.strictSame(planningReport(planned, models, recent, [alert], style).slice(1), [
      'Planning: 4 weeks from 2025-09-15',
      'Which model each day is to follow; ! marks a day with an alert. Any date can be',
      'overridden.',
      '',
      '          Mon   Tue   Wed   Thu   Fri   Sat   Sun',
      '  15 Sep   A     A!    A     A     A     B     B',
      '  22 Sep   A     A     A     A     A     B     B',
      '  29 Sep   A     A     A     A     A     B     B',
      '   6 Oct   A     A     A     A     A     B     B',
      '',
      '  Mon 2025-09-15  A  as on Mondays',
      '  Sat 2025-09-20  B  as on Saturdays',
    ]);
    t.strictSame(planningReport(planned, models, [], [], style), [], 'without recent days');
  });

  t.test('alerts beside what was planted', async t => {
    const plant = (date: string, kind: 'activity' | 'gap', what: string) => ({
      date,
      kind,
      fromHour: 8,
      toHour: 20,
      what,
    });
    const planted = [plant('2025-09-16', 'activity', 'closed'), plant('2025-09-17', 'activity', 'power cut')];
    const found = { alerts: [alert, gap], models, recent, slices: 4 };
    t.strictSame(alertsReport({ ...found, planted }, style).slice(6), [
      '  day             kind      bound  time of day    criticity  plan  like',
      '  Tue 2025-09-16  activity  under  06:00–18:00         0.46  A     B     fits B',
      '  └ found: closed',
      '  Wed 2025-09-17',
      '  └ NOT FOUND: power cut',
      '  Thu 2025-09-18  gap              40 % is there       0.60  A',
      '  └ not planted',
      '',
      '  1 of 2 planted days found, 1 other alert in 4 recent days',
    ]);
    const lines = alertsReport({ ...found, planted: undefined }, style).slice(6);
    t.strictSame(lines, [
      '  day             kind      bound  time of day    criticity  plan  like',
      '  Tue 2025-09-16  activity  under  06:00–18:00         0.46  A     B     fits B',
      '  Thu 2025-09-18  gap              40 % is there       0.60  A',
      '',
      '  2 alerts in 4 recent days',
    ]);
    t.strictSame(alertsReport({ ...found, alerts: [], planted: undefined }, style).slice(6), [
      '  none',
      '',
      '  0 alerts in 4 recent days',
    ]);
    const elsewhere = { ...alert, slices: [{ from: 0, to: 1 }] };
    const otherwise = alertsReport({ ...found, alerts: [elsewhere], planted }, style);
    t.equal(otherwise[8], '  └ found otherwise: closed', 'the day, but none of its hours');
    t.match(otherwise.at(-1), /^ {2}0 of 2 planted days found/);
  });

  t.test('many alerts, many times of day', async t => {
    const alerts = Array.from({ length: 50 }, (_, day) => ({
      ...alert,
      date: dateOf(dayNumber('2025-09-01') + day),
      criticity: day / 100,
    }));
    const lines = alertsReport({ alerts, models, recent, slices: 4, planted: undefined }, style);
    t.equal(lines.filter(line => line.includes('activity')).length, 40);
    t.ok(lines.includes('  … the 40 most critical of 50'));
    t.notOk(lines.some(line => line.includes('2025-09-10')));
    const torn = {
      ...alert,
      slices: [
        { from: 0, to: 1 },
        { from: 20, to: 40 },
        { from: 50, to: 51 },
        { from: 60, to: 63 },
      ],
    };
    const [line] = alertsReport(
      { alerts: [torn], models, recent, slices: 144, planted: undefined },
      style,
    ).slice(7);
    t.equal(line, '  Tue 2025-09-16  activity  under  03:20–06:40 +3       0.46  A     B     fits B');
  });

  t.test('times, imports and faults', async t => {
    t.strictSame(
      timesReport(
        [
          { step: 'import', ms: 500, rows: 1000 },
          { step: 'learning', ms: 1500 },
        ],
        style,
      ),
      [
        '',
        'How long it took',
        '',
        '  import        500 ms  1,000 rows  2,000 rows/s',
        '  learning      1.50 s',
        '  all together  2.00 s',
      ],
    );
    const summary = { lines: 96, days: 1, missingSamples: 0, filledSamples: 0, duplicates: 0, warnings: [] };
    t.equal(importText(summary), '96 rows, 1 day, no sample missing');
    t.equal(
      importText({ ...summary, missingSamples: 1, filledSamples: 2, duplicates: 3 }),
      '96 rows, 1 day, 1 sample missing, 2 filled, 3 duplicates',
    );
    const fault = { line: 7, column: 2, code: 'decimalPoint', detail: 'got "1.5", expected "1,5"' };
    t.strictSame(faultsReport([fault, { pointer: '/name', code: 'taken' }], 80), [
      '  line 7, column 2: got "1.5", expected "1,5"',
      '  /name: taken',
    ]);
    t.equal(
      faultsReport(
        Array.from({ length: 100 }, () => fault),
        80,
      ).at(-1),
      '  and 92 more',
    );
  });
});

const program = fileURLToPath(new URL('../../../adapters/cli/main.js', import.meta.url));
const run = promisify(execFile);

/** Runs the demo with its own temporary folder; answers its exit code, what it wrote, and what it left. */
const demo = async (tmp: string, ...args: string[]) => {
  const left = () => readdirSync(tmp).filter(name => name.startsWith('daybook-demo-'));
  const options = { env: { ...process.env, TMPDIR: tmp }, maxBuffer: 1e7 };
  try {
    const { stdout, stderr } = await run(process.execPath, [program, 'demo', ...args], options);
    return { code: 0, stdout, stderr, left: left() };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr, left: left() };
  }
};

t.test('the demo', async t => {
  t.test('tells the whole story and finds what was planted', async t => {
    const { code, stdout, stderr, left } = await demo(t.testdir());
    t.equal(code, 0, stderr);
    for (const section of ['Daybook demo', 'Typical days: ', 'Planning: ', 'Alerts: ', 'How long it took'])
      t.match(stdout, new RegExp(`^${section}`, 'm'));
    t.match(stdout, /5 of 5 planted days found/);
    const readme = readFileSync(join(repositoryRoot(), 'README.md'), 'utf8');
    const shown = /^```\n(Daybook demo\n[^]*?)^```$/m.exec(readme)?.[1] ?? 'nothing';
    const begun = stdout.indexOf('Daybook demo\n');
    t.equal(stdout.slice(begun, begun + shown.length), shown, 'what the README shows');
    t.notMatch(stdout, /\u001b/, 'no colours when nobody looks');
    t.equal(
      stdout.split('\n').find(line => line.length > 100),
      undefined,
      'at most 100 columns',
    );
    t.match(stderr, /^reference year {2}52,704 rows in /m);
    t.strictSame(left, []);
  });

  t.test('reads files, packed or not', async t => {
    const { reference, recent } = makeYear(3);
    const tmp = t.testdir({ 'reference.csv': [...csvLines(reference)].join('') });
    const [referenceFile, recentFile] = [join(tmp, 'reference.csv'), join(tmp, 'recent.csv.gz')];
    writeFileSync(recentFile, gzipSync([...csvLines(recent)].join('')));
    const { code, stdout, stderr, left } = await demo(tmp, referenceFile, recentFile);
    t.equal(code, 0, stderr);
    t.match(stdout, /^ {2}\d+ alerts in 118 recent days$/m);
    t.notMatch(stdout, /planted/);
    t.strictSame(left, []);
  });

  t.test('says what a refused file has wrong', async t => {
    const { reference } = makeYear(3);
    const lines = [...csvLines(reference)];
    lines[4] = lines[4]?.replace(/"\n$/, '.5"\n') ?? '';
    const tmp = t.testdir({ 'reference.csv': lines.join('') });
    const file = join(tmp, 'reference.csv');
    const { code, stderr, left } = await demo(tmp, file, file);
    t.equal(code, 1);
    t.match(stderr, /reference year: refused \(422\)/);
    t.match(stderr, /line 5, column 2/);
    t.strictSame(left, []);
  });

  t.test('refuses wrong usage and files that cannot be read', async t => {
    const tmp = t.testdir({
      'good.csv': [...csvLines(makeYear(3).reference)].join(''),
      'broken.csv.gz': 'none',
    });
    const good = join(tmp, 'good.csv');
    const cases = [
      [['--wrong'], /Unknown option '--wrong'[^]*usage: /],
      [['one.csv'], /got 1 file, expected none or two/],
      [['--seed', 'x'], /--seed: got "x"/],
      [['--seed', '1', 'a.csv', 'b.csv'], /the seed is for made-up data/],
      [[join(tmp, 'none.csv'), good], /none\.csv cannot be read: no such file/],
      [[tmp, good], /it is a folder/],
      [[join(tmp, 'broken.csv.gz'), good], /broken\.csv\.gz cannot be read: incorrect header check/],
    ] as const;
    const check = async ([args, reason]: (typeof cases)[number]) => {
      const { code, stderr } = await demo(tmp, ...args);
      t.equal(code, 2, args.join(' '));
      t.match(stderr, reason);
    };
    await Promise.all(cases.map(check));
    t.strictSame(
      readdirSync(tmp).filter(name => name.startsWith('daybook-demo-')),
      [],
    );
    const help = await demo(tmp, '--help');
    t.equal(help.code, 0);
    t.match(help.stdout, /^usage: daybook demo/);
  });

  t.test('--serve leaves the service to be tried out until Ctrl-C', async t => {
    const tmp = t.testdir();
    const child = spawn(process.execPath, [program, 'demo', '--serve'], {
      env: { ...process.env, TMPDIR: tmp },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let told = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      told += text;
      if (told.includes('Ctrl-C stops it')) break;
    }
    const address = /The service is running: (\S+)/.exec(told)?.[1];
    const token = /TOKEN=(\S+)/.exec(told)?.[1];
    const answer = await fetch(`${address}/v1/source/list`, {
      headers: { authorization: `Bearer ${token}` },
    });
    t.match(await answer.json(), { sources: [{ name: 'Market hall' }] });
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGINT');
    t.equal(await ended, 0);
    t.strictSame(readdirSync(tmp), []);
  });
});
