// Real series, damaged in some forty ways: each damage that can be seen has its warning, and undamaged series have no warning.
// The quick loop takes some series; `npm run bench:misread` prints which have theirs, and why others have not.
import { createHash } from 'node:crypto';
import t from 'tap';
import { misreadings } from '../../analysis/misread/misreadings.js';
import { benchmarkFolder } from '../../bench/quality/dataFolder.js';
import { amount } from '../helpers/amount.js';
import { damages } from '../helpers/data/damages.js';
import {
  byItsClock,
  factsOf,
  misreadSeriesNames,
  readMisreadSeries,
  reportedBy,
  undecidable,
} from '../helpers/data/misreadSeries.js';
import { realSeriesFolder } from '../helpers/data/realSeries.js';

const folder = realSeriesFolder();

/** Every tenth series in the quick loop, from the second on: among them hourly and ten-minute data. */
const step = amount({ quick: 10, slow: 1 });

t.test('damages of real series have their warnings, and undamaged ones none', async t => {
  for (const name of misreadSeriesNames(folder).filter((_, index) => index % step === step >> 3)) {
    const raw = await readMisreadSeries(folder, name);
    const series = byItsClock(raw);
    const { reference, recent } = series;
    t.strictSame(reportedBy({ known: [], fresh: reference }), [], `${name}: reference`);
    t.strictSame(reportedBy({ known: reference, fresh: recent }), [], `${name}: recent days`);
    if (raw.isUtc)
      t.strictSame(
        reportedBy({ known: [], fresh: raw.reference }),
        ['clockShifted'],
        `${name}: UTC, no time zone`,
      );
    const facts = factsOf(series);
    const missed = damages.filter(damage => {
      const reading = damage.apply(reference, recent);
      return (
        reading && undecidable(damage, facts) === undefined && !reportedBy(reading).includes(damage.code)
      );
    });
    t.strictSame(
      missed.map(damage => damage.name),
      [],
      `${name}: damages without their warning`,
    );
  }
});

/** Digest of what is said of a series of the public benchmark with each damage, with nine digits of each number. */
const digestOf = async (name: string): Promise<string> => {
  const { reference, recent } = byItsClock(await readMisreadSeries(benchmarkFolder, name));
  const said = damages.map(damage => {
    const reading = damage.apply(reference, recent);
    return reading && [...misreadings(reading.fresh, reading.known)].filter(found => found !== undefined);
  });
  const text = JSON.stringify(said, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(9)) : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
};

t.test('what is said of damaged series is what was recorded', async t => {
  t.equal(await digestOf('load_dallas'), '622025ec216d7d2f');
  t.equal(await digestOf('kpi_aiops_da10a69f'), 'bfaeb2882ad8495b');
});
