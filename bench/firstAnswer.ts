// CPU time of the first analysis of a process, in new processes: `npm run bench:learning -- --first`. `cold` loads the
// modules and the holidays and compiles, as a thread does that starts for a job; the others run after a practice.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from '../analysis/math/statistics.js';
import type { AnalysisJob } from '../analysis/worker.js';
import { madeDays } from '../test/helpers/data/madeDays.js';

const rounds = 5;

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** CPU seconds of the first analysis of this process. @param calendarCode null to infer it */
const firstSeconds = async (practises: boolean, slices: number, calendarCode: string | null) => {
  const days = madeDays({ count: 365, slices, seed: 1 });
  const job = { kind: 'typicalDays', days, modelCount: null, coverage: null, calendarCode, seed: 1 } as const;
  const whole: AnalysisJob = { ...job, referenceYear: 2023, specials: [] };
  let begun = cpuSeconds();
  const { runJob } = await import('../analysis/worker.js');
  if (practises) {
    runJob({ kind: 'practice' });
    begun = cpuSeconds();
  }
  runJob(whole);
  return cpuSeconds() - begun;
};

/** Runs this file in a new process. */
const measured = (...args: readonly string[]): number => {
  const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...args]);
  const seconds = Number(stdout.toString());
  if (!(seconds > 0)) throw new Error(`got ${stdout.toString()}${stderr.toString()}, expected a number`);
  return seconds;
};

/** A table of the first analyses of new processes, in turns. */
export const firstAnswers = (): string => {
  const rows = [
    ['hourly year, calendar given', '24', 'FR'],
    ['hourly year, calendar inferred', '24', ''],
    ['10-minute year, calendar given', '144', 'FR'],
  ].map(([title = '', ...args]) => {
    const seconds: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1)
      for (const [at, kind] of ['cold', 'practised'].entries()) seconds[at]!.push(measured(kind, ...args));
    const cells = seconds.flatMap(some => [Math.min(...some), median(some)]);
    return `| ${[title, ...cells.map(value => `${value.toFixed(2)} s`)].join(' | ')} |\n`;
  });
  return [
    '| first analysis of a process | cold, lowest | median | after a practice, lowest | median |\n',
    '|---|--:|--:|--:|--:|\n',
    ...rows,
  ].join('');
};

const [kind, slices, calendar] = process.argv.slice(2);
if (kind === 'cold' || kind === 'practised')
  process.stdout.write(String(await firstSeconds(kind === 'practised', Number(slices), calendar || null)));
