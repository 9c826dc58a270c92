import t from 'tap';
import { adaptationsOf } from '../../../../application/followUps/checks/decideCheck.js';
import type { DayOutcome } from '../../../../application/followUps/checks/checkPart.js';
import { notAdapted, type Adaptation } from '../../../../domain/alerts/checks.js';

type Days = Parameters<typeof adaptationsOf>[0]['days'];
type State = { readonly date: string; readonly adaptation: Adaptation };

const stateOf = (units: number): Adaptation => ({ units, counted: null });
const source = { id: 1, modelsVersion: 1 };
const comparison = { checks: { adaptive: true } } as Parameters<typeof adaptationsOf>[2];

/** Stored states, as the read model answers. */
const daysOf = (states: readonly State[]): Days => ({
  adaptedBefore: (_source, _models, date) => states.findLast(state => state.date < date),
  adaptedBetween: (_source, _models, from, to) =>
    states.filter(({ date }) => date >= from && date < to) as never,
});

const two = { date: '2024-01-02', adaptation: stateOf(2) };
const five = { date: '2024-01-05', adaptation: stateOf(5) };
const days = daysOf([two, five]);
const statesAt = (datesRead: readonly string[], judged: ReadonlyMap<string, DayOutcome> = new Map()) =>
  adaptationsOf({ days }, source, comparison, { datesRead, judged });

t.test('a date has the state of the latest checked day before it', async t => {
  const dates = ['2024-01-04', '2024-01-06', '2024-01-08'];
  const { before, record } = statesAt(dates);
  t.strictSame(before('2024-01-04'), two.adaptation);
  t.strictSame(before('2024-01-06'), five.adaptation);
  record('2024-01-07', stateOf(7));
  t.strictSame(before('2024-01-08'), stateOf(7), 'a day of this check');
});

t.test('a check that begins with a date without data keeps the stored state', async t => {
  // After a crash the outcomes of the earlier parts are in the read models only.
  const { before } = statesAt(['2024-01-06', '2024-01-07']);
  t.strictSame(before('2024-01-06'), five.adaptation);
});

t.test('engines up to 5 read no state for a date without data', async t => {
  const { before, record } = statesAt(['2024-01-07']);
  t.strictSame(before('2024-01-06'), notAdapted);
  record('2024-01-06', notAdapted);
  t.strictSame(before('2024-01-07'), notAdapted, 'and the days after it go on from there');
});

t.test('limits that do not adapt have no state', async t => {
  const { before } = adaptationsOf({ days }, source, { checks: undefined } as never, {
    datesRead: ['2024-01-04'],
    judged: new Map(),
  });
  t.equal(before('2024-01-04'), null);
});
