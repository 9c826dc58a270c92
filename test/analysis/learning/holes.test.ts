import t from 'tap';
import { typicalDays } from '../../../analysis/learning/typicalDays.js';
import { boundsApart, lostShare, withLosses } from '../../../bench/quality/planning.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { withIds, type Model } from '../../../domain/planning/models.js';
import { planner, type DayPlan } from '../../../domain/planning/planning.js';
import { readRealSeries, realSeriesFolder, realSeriesNames } from '../../helpers/data/realSeries.js';

// The property of data with holes: samples that are lost at random hardly change what is learned.

const folder = realSeriesFolder();

/** Every second series of hours, so that the file takes a quarter of a minute. */
const names = realSeriesNames(folder).filter((_, index) => index % 2 === 0);
const movedShares: number[] = [];

type Learned = { readonly models: readonly Model[]; readonly plan: (date: string) => DayPlan };
const learn = (days: readonly Day[], modelCount: number): Learned => {
  const learned = typicalDays(days, { modelCount, coverage: null, calendar: null, seed: 1 });
  const { models, assignments } = withIds(learned, 1);
  return { models, plan: planner(models, assignments, { holidays: null, specials: [] }) };
};
const plannedOf = ({ models, plan }: Learned, date: string): Model =>
  models.find(({ id }) => id === plan(date).modelId)!;

for (const name of names) {
  const { reference } = readRealSeries(folder, name);
  if (reference[0]?.activity.length !== 24) continue;
  t.test(`a tenth of the samples is lost: ${name}`, async t => {
    const whole = learn(reference, 5);
    const holed = learn(withLosses(reference, lostShare, 7), 5);
    t.equal(holed.models.length, whole.models.length);

    const first = dayNumber(reference[0]!.date);
    const dates = Array.from({ length: 730 }, (_, index) => dateOf(first + index));
    // Models have no names that last: those planned for the most common dates are the same.
    const pairs = new Map<string, { readonly one: Model; readonly other: Model; count: number }>();
    let outside = 0;
    for (const date of dates) {
      const [one, other] = [plannedOf(whole, date), plannedOf(holed, date)];
      const pair = pairs.get(`${one.id}/${other.id}`) ?? { one, other, count: 0 };
      pair.count += 1;
      pairs.set(`${one.id}/${other.id}`, pair);
      if (boundsApart(one, other) > 1) outside += 1;
    }
    const matched = new Map<number, Model>();
    let same = 0;
    for (const { one, other, count } of [...pairs.values()].sort((a, b) => b.count - a.count)) {
      if (matched.has(one.id) || [...matched.values()].includes(other)) continue;
      matched.set(one.id, other);
      same += count;
      t.ok(
        boundsApart(one, other) < 1,
        `profile of ${one.name}: ${boundsApart(one, other).toFixed(2)} of its bounds`,
      );
    }
    movedShares.push(1 - same / dates.length);
    t.comment(`another model on ${(100 * (1 - same / dates.length)).toFixed(1)} % of the dates`);
    t.ok(outside <= 0.02 * dates.length, `the planned profile leaves the bounds on ${outside} dates`);
  });
}

t.test('a tenth of the samples is lost: in the median series, few dates follow another model', async t => {
  const sorted = [...movedShares].sort((a, b) => a - b);
  t.ok(sorted[Math.floor(sorted.length / 2)]! <= 0.02, `${sorted.join(', ')}`);
});
