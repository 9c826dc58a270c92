import t from 'tap';
import { presentRules, rulesToUse } from '../../../analysis/engine.js';
import { guardOf } from '../../../analysis/learning/limits/calibrate.js';

/** Ascending scores: the first are on the limit, the others above it, each 1 higher than the one before. */
const scoresOf = (inside: number, outside: number): Float64Array =>
  Float64Array.from({ length: inside + outside }, (_, at) => Math.max(1, at - inside + 2));

t.test('guard: it widens the limits when fewer days are inside than a share', async t => {
  const engine7 = rulesToUse('daybook-calendar/7');
  // One more day counts as outside. From 150 days on the share is 75 % (engines up to 7: 90 %), below 70 % (80 %).
  for (const [rules, inside, outside] of [
    [presentRules, 120, 39],
    [presentRules, 70, 29],
    [engine7, 144, 15],
    [engine7, 80, 19],
  ] as const) {
    t.equal(guardOf(scoresOf(inside, outside), rules), null, `${inside} of ${inside + outside} days inside`);
    const guard = guardOf(scoresOf(inside - 1, outside + 1), rules);
    t.equal(guard?.coverage, (inside - 1) / (inside + outside + 1));
  }
  t.equal(guardOf(scoresOf(106, 43), presentRules)?.coverage, undefined, '149 days are few');
  t.equal(guardOf(scoresOf(107, 43), presentRules)?.coverage, 107 / 151, '150 days are many');
});

t.test('guard: the factor is the score of rank 0.975 (n + 1), and never narrows the limits', async t => {
  // Rank 39 of 39 days, rank 78 of 79.
  t.equal(guardOf(scoresOf(20, 19), presentRules)?.factor, 20);
  t.equal(guardOf(scoresOf(40, 39), presentRules)?.factor, 39);
  // Without days outside, two days are too few to be inside: 2 of 3.
  t.equal(guardOf(scoresOf(2, 0), presentRules), null);
});
