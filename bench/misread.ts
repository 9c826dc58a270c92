// Damages real series in some forty ways and prints which get their warning: `npm run bench:misread`. A row counts the
// series where a damage is reported, where it cannot be seen, and where it is missed; the reasons follow.
// The last rows are the undamaged series: none may have a warning. `-- <folder>` names the folder, else bench/data.
import { resolve } from 'node:path';
import { benchmarkFolder } from './quality/dataFolder.js';
import { damages, type Damage } from '../test/helpers/data/damages.js';
import {
  byItsClock,
  factsOf,
  misreadSeriesNames,
  readMisreadSeries,
  reportedBy,
  undecidable,
  type Facts,
  type MisreadSeries,
} from '../test/helpers/data/misreadSeries.js';

const folder = resolve(process.argv[2] ?? benchmarkFolder);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

type Result = { readonly series: string; readonly isReported: boolean; readonly note: string };

const resultOf = (
  { name, reference, recent }: MisreadSeries,
  facts: Facts,
  damage: Damage,
): Result | undefined => {
  const reading = damage.apply(reference, recent);
  if (!reading) return undefined;
  const codes = reportedBy(reading);
  const others = codes.filter(code => code !== damage.code);
  const note = [undecidable(damage, facts), ...(others.length > 0 ? [`reported ${others.join(', ')}`] : [])];
  return { series: name, isReported: codes.includes(damage.code), note: note.filter(Boolean).join('; ') };
};

const all: { readonly series: MisreadSeries; readonly facts: Facts }[] = [];
for (const name of misreadSeriesNames(folder)) {
  const series = byItsClock(await readMisreadSeries(folder, name));
  all.push({ series, facts: factsOf(series) });
}

say('damage                              code         reported  cannot be seen  missed  too few days');
const reasons: string[] = [];
for (const damage of damages) {
  const results = all.map(({ series, facts }) => ({ facts, result: resultOf(series, facts, damage) }));
  const given = results.flatMap(({ facts, result }) => (result ? [{ facts, ...result }] : []));
  const silent = given.filter(({ isReported }) => !isReported);
  const missed = silent.filter(({ facts }) => undecidable(damage, facts) === undefined);
  for (const { series, note, facts } of silent)
    reasons.push(
      `${damage.name.padEnd(34)}  ${series.padEnd(32)}  ${undecidable(damage, facts) ? '' : 'MISSED '}${note}`,
    );
  const numbers = [given.length - silent.length, silent.length - missed.length, missed.length];
  say(
    `${damage.name.padEnd(34)}  ${damage.code.padEnd(16)}` +
      numbers.map((number, index) => String(number).padStart([5, 16, 8][index] ?? 0)).join('') +
      String(results.length - given.length).padStart(14),
  );
}
say('\nnot reported');
reasons.forEach(say);

say('\nundamaged');
const begun = process.cpuUsage();
let years = 0;
for (const { series } of all) {
  const { name, reference, recent } = series;
  const reported = [
    ...reportedBy({ known: [], fresh: reference }),
    ...reportedBy({ known: reference, fresh: recent }),
  ];
  years += (reference.length + recent.length) / 365;
  if (reported.length > 0) say(`${name}  FALSE: ${reported.join(', ')}`);
}
const { user, system } = process.cpuUsage(begun);
say(`${((user + system) / 1000 / years).toFixed(1)} ms of CPU time a year of data`);
for (const name of misreadSeriesNames(folder)) {
  const series = await readMisreadSeries(folder, name);
  if (series.isUtc)
    say(
      `${name}, which writes UTC, without a time zone: ${reportedBy({ known: [], fresh: series.reference }).join()}`,
    );
}
