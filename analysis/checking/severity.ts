import type { Finding } from '../../domain/alerts/findings.js';
import { isIn, usable, type Day } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import type { EngineRules } from '../engine.js';
import { expectedOn, type Checked, type Comparison } from './comparison.js';

/** A profile with its bounds, as it is expected on a date. */
type Bounds = Pick<Model, 'activity' | 'topTolerance' | 'bottomTolerance' | 'limits'>;

/**
 * Largest distance of a bound that counts, in mean magnitudes of the reference: on the log scale the bounds of busy
 * slices of a source that varies much are so far away that they would count for all others.
 */
const widthMax = 2;

/** Digits of a stored severity after the point. */
const scale = 10_000;

/** Severity of a loss, as a share of what the bounds allow: 0 for none, 0.5 for all of it. */
const severityOfLoss = (lost: number, allowed: number): number => {
  if (lost <= 0) return 0;
  const share = lost / (lost + allowed);
  // Only sums beyond the range of numbers, and bounds without any width, have no share.
  return Number.isFinite(share) ? Math.round(share * scale) / scale : 1;
};

/** Distances from profile to bound by slice, on the side of the value; below the profile without a value. */
const widthsOf = (day: Day, model: Bounds | null, flags: readonly boolean[]): readonly number[] => {
  const most = model?.limits ? widthMax * model.limits.unit : Number.POSITIVE_INFINITY;
  return day.activity.map((value, slice) => {
    if (!model) return 1;
    const expected = model.activity[slice]!;
    const isAbove = flags[slice] === true && value > expected;
    const width = isAbove ? model.topTolerance[slice]! - expected : expected - model.bottomTolerance[slice]!;
    return Math.min(most, width);
  });
};

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/**
 * Severity of a finding: the distances of a day from its expected profile, summed over its usable slices, over that sum
 * and the sum of the distances to the bounds over all slices. A day on its bounds from beginning to end has 0.5, and a
 * date in progress what it has so far. A slice of a flatline tells nothing: it counts as one on its bound at least.
 * @param model as it is expected on the date, in the unit of the source; null without one: then slices are equal
 * @returns     0–1, with four digits
 */
const severityOf = (
  day: Day,
  model: Bounds | null,
  { kind, slices }: Pick<Finding, 'kind' | 'slices'>,
): number => {
  const flags = usable(day);
  const widths = widthsOf(day, model, flags);
  const isFrozen = (slice: number): boolean =>
    kind === 'frozen' && slices.some(({ from, to }) => slice >= from && slice < to);
  const lost = widths.map((width, slice) => {
    if (!flags[slice]) return 0;
    const distance = model ? Math.abs(day.activity[slice]! - model.activity[slice]!) : 0;
    return isFrozen(slice) ? Math.max(distance, width) : distance;
  });
  return severityOfLoss(sumOf(lost), sumOf(widths));
};

/**
 * Severity of a gap: slices without data count as slices on their bound, so a date without any data has 0.5; a finding
 * of the other slices adds its own loss.
 * @param rest severity of that finding; 0 for none
 */
const gapSeverity = (day: Day, model: Bounds | null, rest: number): number => {
  const flags = usable(day);
  const widths = widthsOf(day, model, flags);
  const allowed = sumOf(widths);
  const { skipped = [] } = day;
  const missing = sumOf(widths.filter((_, slice) => !flags[slice] && !isIn(skipped, slice)));
  return severityOfLoss(missing + (rest / (1 - rest)) * allowed, allowed);
};

/** Severity of a source without new data: that of a date without data. */
export const silenceSeverity = 0.5;

/** A result with the severity of its finding. @param model as it is expected on the date; null without one */
export const withSeverity = (
  checked: Checked,
  day: Day,
  model: Bounds | null,
  { ranksSeverity }: EngineRules,
): Checked => {
  const { finding } = checked;
  if (!finding || !ranksSeverity) return checked;
  return { ...checked, finding: { ...finding, severity: severityOf(day, model, finding) } };
};

/** A gap with its severity; before, its finding has that of the observed slices. */
export const withGapSeverity = (checked: Checked, day: Day, comparison: Comparison): Checked => {
  const { finding } = checked;
  const { models, rules } = comparison;
  if (!finding || !rules.ranksSeverity) return checked;
  const planned = models.find(({ id }) => id === finding.plannedModelId) ?? null;
  const model = planned && rules.ranksGapsAsExpected ? expectedOn(comparison, day.date, planned) : planned;
  const severity = gapSeverity(day, model, finding.severity ?? 0);
  return { ...checked, finding: { ...finding, severity } };
};
