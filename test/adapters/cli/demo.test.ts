import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  csvLines,
  madeDates,
  makeYear,
  plantedCount,
  sampleMinutes,
} from '../../../adapters/cli/demo/data.js';
import { clockTime } from '../../../domain/alerts/alertSentence.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import { repositoryRoot } from '../../helpers/repository.js';
import { demo as demoCommand } from '../../../adapters/cli/commands/demo.js';
import { demo } from '../../helpers/demo.js';

const samplesPerDay = 1440 / sampleMinutes;

t.test('makeYear', async t => {
  const made = makeYear(1);

  t.test('depends on its seed only', async t => {
    const text = (seed: number) => JSON.stringify(makeYear(seed));
    t.equal(text(1), JSON.stringify(made));
    t.not(text(2), text(1));
  });

  t.test('has every sample of its dates in order, except in the outage', async t => {
    for (const part of ['reference', 'recent'] as const) {
      const [first, last] = madeDates[part].map(dayNumber) as [number, number];
      const outage = part === 'recent' ? made.planted.find(({ kind }) => kind === 'gap') : undefined;
      const expected: string[] = [];
      for (let number = first; number <= last; number += 1)
        for (let sample = 0; sample < samplesPerDay; sample += 1) {
          const hour = (sample * sampleMinutes) / 60;
          const silent = outage?.date === dateOf(number) && hour >= outage.fromHour && hour < outage.toHour;
          if (!silent) expected.push(`${dateOf(number)}T${clockTime(sample, samplesPerDay)}:00`);
        }
      // Comparing long lists as text is faster.
      t.ok(made[part].map(([at]) => at).join() === expected.join(), part);
    }
  });

  t.test('counts visitors in multiples of one half, never negative, in plausible numbers', async t => {
    const values = [...made.reference, ...made.recent].map(([, visitors]) => visitors);
    t.ok(values.every(value => value >= 0 && Number.isInteger(2 * value)));
    t.ok(Math.max(...values) < 700);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    t.ok(mean > 30 && mean < 60, `mean ${mean}`);
  });

  t.test('plants five different working days of the declared kinds', async t => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { recent, planted } = makeYear(seed);
      t.equal(new Set(planted.map(({ date }) => date)).size, plantedCount);
      const [closed, doubled, cut, night, outage] = planted.map(({ date, fromHour, toHour }) => {
        t.ok(weekday(dayNumber(date)) < 5, date);
        const on = (kind: string) =>
          recent
            .filter(([at]) => at.startsWith(kind))
            .filter(([at]) => Number(at.slice(11, 13)) >= fromHour && Number(at.slice(11, 13)) < toHour)
            .map(([, visitors]) => visitors);
        const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
        return { values: on(date), share: sum(on(date)) / sum(on(dateOf(dayNumber(date) - 7))) };
      });
      t.ok(closed && closed.share < 0.05, 'almost no visitors');
      t.ok(doubled && doubled.share > 1.5 && doubled.share < 2.7, 'twice the visitors');
      t.equal(Math.max(...(cut?.values ?? [1])), 0, 'no visitors');
      t.ok(night && Math.min(...night.values) > 20, 'visitors at night');
      t.strictSame(outage?.values, [], 'no rows');
    }
  });

  t.test('is written in the format of an import', async t => {
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

t.test('the demo', async t => {
  t.test('shows all sections and finds the planted days', async t => {
    const { code, stdout, stderr, left } = await demo(t.testdir());
    t.equal(code, 0, stderr);
    for (const section of ['Daybook demo', 'Typical days: ', 'Planning: ', 'Alerts: ', 'How long it took'])
      t.match(stdout, new RegExp(`^${section}`, 'm'));
    t.match(stdout, /5 of 5 planted days found/);
    const readme = readFileSync(join(repositoryRoot(), 'README.md'), 'utf8');
    const shown = /^```\n(Daybook demo\n[^]*?)^```$/m.exec(readme)?.[1] ?? 'nothing';
    // A line "…" leaves out some of the output.
    let from = stdout.indexOf('Daybook demo\n');
    for (const part of shown.split('…\n')) {
      const at = stdout.indexOf(part, from);
      t.ok(at >= 0, `the README shows, in this order:\n${part}`);
      from = at + part.length;
    }
    t.notMatch(stdout, /\u001b/, 'no colours outside a terminal');
    t.equal(
      stdout.split('\n').find(line => line.length > 100),
      undefined,
      'at most 100 columns',
    );
    t.match(stderr, /^reference year {2}52,704 rows in /m);
    t.strictSame(left, []);
  });

  t.test('refuses wrong usage and unreadable files', async t => {
    const tmp = t.testdir({
      'good.csv': [...csvLines(makeYear(3).reference)].join(''),
      'broken.csv.gz': 'none',
    });
    const good = join(tmp, 'good.csv');
    const cases = [
      [['--wrong'], /^got --wrong, expected an option: --seed, --serve, (--[a-z-]+, )+--help$/],
      [['--sed', '1'], /^got --sed, expected an option, perhaps --seed$/],
      [['one.csv'], /got 1 file, expected none or two/],
      [['--decimal', '.'], /^--decimal: got no files, expected two/],
      [['--seed', 'x'], /--seed: got "x"/],
      [['--seed', '1', 'a.csv', 'b.csv'], /the seed is for made-up data/],
    ] as const;
    for (const [args, message] of cases)
      await t.rejects(async () => demoCommand.run(args, {}), { message }, args.join(' '));
    const check = async (args: readonly string[], reason: RegExp) => {
      const { code, stderr } = await demo(tmp, ...args);
      t.equal(code, 2, args.join(' '));
      t.match(stderr, reason);
    };
    await Promise.all([
      check(['--wrong'], /; see daybook demo --help\n$/),
      check([join(tmp, 'none.csv'), good], /none\.csv cannot be read: no such file/),
      check([tmp, good], /it is a folder/),
      check([join(tmp, 'broken.csv.gz'), good], /broken\.csv\.gz cannot be read: incorrect header check/),
    ]);
    t.strictSame(
      readdirSync(tmp).filter(name => name.startsWith('daybook-demo-')),
      [],
    );
    const help = await demo(tmp, '--help');
    t.equal(help.code, 0);
    t.match(help.stdout, /^usage: daybook demo/);
  });
});
