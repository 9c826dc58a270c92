// Real series, damaged in some forty ways: each damage that can be seen has its warning, and undamaged series have no warning.
// The quick loop takes some series; `npm run bench:misread` prints which have theirs, and why others have not.
import t from 'tap';
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
