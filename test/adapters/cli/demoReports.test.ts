import t from 'tap';
import { alertsReport } from '../../../adapters/cli/demo/tour.js';
import type { Alert, Model } from '../../../adapters/cli/demo/client.js';
import {
  faultsReport,
  importText,
  timesReport,
  modelsReport,
  planningReport,
} from '../../../adapters/cli/demo/modelsReport.js';
import { paint } from '../../../adapters/cli/terminal/text.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';

const style = { paint: paint(0), width: 80 };
const narrow = { ...style, width: 40 };
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
  status: 'normal' as const,
  completeness: day === 18 ? 0.4 : 1,
}));

t.test('report', async t => {
  t.test('models', async t => {
    t.strictSame(modelsReport(models, 'UTC', style), [
      '',
      'Typical days: 2 models',
      'Learned from the reference year only. Day profiles from 0 to 24 h (UTC) on one',
      'scale from 0 to 15.',
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

  t.test('models on a narrow terminal have their charts below', async t => {
    t.strictSame(modelsReport(models, 'UTC', narrow).slice(6), [
      '  A   Monday–Friday',
      '      261 days, mean 5.5',
      '            ██████',
      '      ▁▁▁▁▁▁████████████▁▁▁▁▁▁',
      '',
      '  B   Saturday, Sunday',
      '      1 day, mean 0.75, anomaly',
      '',
      '      ▁▁▁▁▁▁▄▄▄▄▄▄▁▁▁▁▁▁▁▁▁▁▁▁',
      '',
      '      0     6     12    18    24',
    ]);
  });

  t.test('planning', async t => {
    const planned = Array.from({ length: 28 }, (_, day) => ({
      date: dateOf(dayNumber('2025-09-15') + day),
      modelId: day % 7 < 5 ? 3 : 4,
      origin: 'automatic' as const,
      reason: day === 0 ? 'as on Mondays' : 'as on Saturdays',
    }));
    t.strictSame(planningReport({ planned, models, recent, alerts: [alert] }, style).slice(1), [
      'Planning: 4 weeks from 2025-09-15',
      'The model predicted for each day; ! marks a day with an alert. Users can',
      'override any date.',
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
    t.strictSame(planningReport({ planned, models, recent, alerts: [alert] }, narrow).slice(6, 8), [
      '          Mon Tue Wed Thu Fri Sat Sun',
      '  15 Sep   A   A!  A   A   A   B   B',
    ]);
    t.strictSame(
      planningReport({ planned, models, recent: [], alerts: [] }, style),
      [],
      'without recent days',
    );
  });

  t.test('alerts and planted days', async t => {
    const plant = (date: string, kind: 'activity' | 'gap', description: string) => ({
      date,
      kind,
      fromHour: 8,
      toHour: 20,
      description,
    });
    const planted = [plant('2025-09-16', 'activity', 'closed'), plant('2025-09-17', 'activity', 'power cut')];
    const found = { alerts: [alert, gap], models, recent, timeZone: 'UTC', slices: 4 };
    t.strictSame(alertsReport({ ...found, planted }, style).slice(6), [
      '  day             kind      side   time of day    criticity  plan  near  fits',
      '  Tue 2025-09-16  activity  under  06:00–18:00         0.46  A     B     B',
      '  └ found: closed',
      '  Wed 2025-09-17',
      '  └ NOT FOUND: power cut',
      '  Thu 2025-09-18  gap              40 % observed       0.60  A',
      '  └ not planted',
      '',
      '  1 of 2 planted days found, 1 other alert in 4 recent days',
    ]);
    t.strictSame(alertsReport({ ...found, planted }, narrow).slice(9), [
      '  day             kind      side',
      '  Tue 2025-09-16  activity  under',
      '    06:00–18:00, criticity 0.46, plan A,',
      '    near B, fits B',
      '  └ found: closed',
      '  Wed 2025-09-17',
      '  └ NOT FOUND: power cut',
      '  Thu 2025-09-18  gap',
      '    40 % observed, criticity 0.60, plan',
      '    A',
      '  └ not planted',
      '',
      '  1 of 2 planted days found, 1 other',
      '  alert in 4 recent days',
    ]);
    const lines = alertsReport({ ...found, planted: undefined }, style).slice(6);
    t.strictSame(lines, [
      '  day             kind      side   time of day    criticity  plan  near  fits',
      '  Tue 2025-09-16  activity  under  06:00–18:00         0.46  A     B     B',
      '  Thu 2025-09-18  gap              40 % observed       0.60  A',
      '',
      '  2 alerts in 4 recent days',
    ]);
    t.strictSame(alertsReport({ ...found, alerts: [], planted: undefined }, style).slice(6), [
      '  none',
      '',
      '  0 alerts in 4 recent days',
    ]);
    const elsewhere = { ...alert, slices: [{ from: 0, to: 1 }] };
    const others = alertsReport({ ...found, alerts: [elsewhere], planted }, style);
    t.equal(others[8], '  └ found as another alert: closed', 'same day, other hours');
    t.match(others.at(-1), /^ {2}0 of 2 planted days found/);
  });

  t.test('many alerts, many times of day', async t => {
    const alerts = Array.from({ length: 50 }, (_, day) => ({
      ...alert,
      date: dateOf(dayNumber('2025-09-01') + day),
      criticity: day / 100,
    }));
    const lines = alertsReport(
      { alerts, models, recent, timeZone: 'UTC', slices: 4, planted: undefined },
      style,
    );
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
      { alerts: [torn], models, recent, timeZone: 'UTC', slices: 144, planted: undefined },
      style,
    ).slice(7);
    t.equal(line, '  Tue 2025-09-16  activity  under  03:20–06:40 +3       0.46  A     B     B');
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
        '  import    500 ms  1,000 rows  2,000 rows/s',
        '  learning  1.50 s',
        '  total     2.00 s',
      ],
    );
    const timings = [{ step: 'recent days and their check', ms: 500, rows: 1000 }];
    t.strictSame(timesReport(timings, narrow).slice(3), [
      '  recent days and their check  500 ms',
      '  total                        500 ms',
    ]);
    const summary = { lines: 96, days: 1, missingSamples: 0, filledSamples: 0, duplicates: 0, warnings: [] };
    t.equal(importText(summary), '96 rows, 1 day, no sample missing');
    t.equal(
      importText({ ...summary, missingSamples: 1, filledSamples: 2, duplicates: 3 }),
      '96 rows, 1 day, 1 sample missing, 2 filled, 3 duplicates',
    );
    const form = {
      line: 2,
      column: 2,
      code: 'columnCount',
      detail: 'got 1. Send it with separator=,&decimal=.',
    };
    t.strictSame(faultsReport([form], 80), [
      '  line 2, column 2: got 1. Read it with --separator , --decimal .',
    ]);
    const fault = { line: 7, column: 2, code: 'decimalPoint', detail: 'got "1.5", expected "1,5"' };
    t.strictSame(
      faultsReport([fault, { pointer: '/name', code: 'taken', detail: 'the name is taken' }], 80),
      ['  line 7, column 2: got "1.5", expected "1,5"', '  /name: the name is taken'],
    );
    t.equal(
      faultsReport(
        Array.from({ length: 100 }, () => fault),
        80,
      ).at(-1),
      '  and 92 more',
    );
  });
});
