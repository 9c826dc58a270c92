import fc from '../../helpers/property.js';
import t from 'tap';
import { notAdapted, unitsMax, type Adaptation } from '../../../domain/alerts/checks.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { adaptedBy, adaptiveFactor } from '../../../analysis/checking/adaptiveFactor.js';

const from = dayNumber('2024-01-01');

/** States after each day; `alerts` says which days have an alert. */
const statesOf = (alerts: readonly boolean[]): Adaptation[] => {
  let state = notAdapted;
  return alerts.map((alert, at) => (state = adaptedBy(state, dateOf(from + at), alert)));
};

t.test('adaptive factor: at most one alert a week counts, days without alerts lower it', async t => {
  const states = statesOf([true, true, false, ...Array.from({ length: 4 }, () => true), true, false]);
  t.same(
    states.map(({ units }) => units),
    [99, 99, 98, 98, 98, 98, 98, 197, 196],
  );
  t.equal(states[1]!.counted, '2024-01-01');
  t.equal(states[7]!.counted, '2024-01-08', 'seven days after the counted alert');
  t.same(adaptedBy(notAdapted, '2024-01-01', false), notAdapted, 'not below 0');
});

t.test('adaptive factor: from 1 to 2', async t => {
  t.equal(adaptiveFactor(notAdapted), 1);
  const most = adaptiveFactor({ units: unitsMax, counted: null });
  t.ok(Math.abs(most - 2) < 0.001);
  t.equal(adaptedBy({ units: unitsMax, counted: null }, '2024-01-01', true).units, unitsMax);
});

t.test('adaptive factor: the guarantee is valid for every sequence of days', async t => {
  // The worst sequence reacts to the state: an alert on each day on which one counts.
  const sequences = fc.oneof(
    fc.array(fc.boolean(), { maxLength: 1500 }),
    fc.integer({ min: 1, max: 40 }).map(every => Array.from({ length: 1500 }, (_, at) => at % every === 0)),
  );
  fc.assert(
    fc.property(sequences, alerts => {
      const counted = new Set<string>();
      let days = 0;
      for (const state of statesOf(alerts)) {
        days += 1;
        if (state.counted !== null) counted.add(state.counted);
        if (state.units >= unitsMax) return true;
        if (counted.size > 0.01 * days + 14) return false;
      }
      return true;
    }),
    { numRuns: 500, seed: 3 },
  );
  t.pass('500 sequences');
});
