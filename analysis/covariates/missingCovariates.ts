import { effectShape, levelOf, movedModel } from './effectShape.js';
import { checkLimits, type LimitCheck } from '../checking/checkLimits.js';
import type { Checked } from '../checking/comparison.js';
import { residualsOf, scaledModelOf } from '../checking/residuals.js';

/**
 * Compares a day whose covariates lack a value. Limits are made for days whose effect is known, so a finding counts
 * only when it is still there with the effect that fits the day best, among those that the missing covariates may have.
 * It has the lesser criticity of both; its other numbers are those without the effect.
 * @param range least and largest effect of the missing covariates on the log scale
 */
export const checkWithoutValues = (
  check: LimitCheck,
  [least, largest]: readonly [least: number, largest: number],
): Checked => {
  const checked = checkLimits(check);
  const { finding } = checked;
  if (checked.outcome === 'normal' || finding?.kind === 'frozen') return checked;
  const { day, model, limits } = check;
  const shape = effectShape(limits, scaledModelOf(model, limits).profile);
  const level = levelOf(shape, residualsOf(day, model, limits));
  const fitting = checkLimits({
    ...check,
    model: movedModel(model, Math.min(largest, Math.max(least, level))),
  });
  if (fitting.outcome === 'normal') return fitting;
  // A repeated drift day has no finding.
  if (!finding) return checked;
  const criticity = Math.min(finding.criticity, fitting.finding?.criticity ?? finding.criticity);
  return { ...checked, finding: { ...finding, criticity } };
};
