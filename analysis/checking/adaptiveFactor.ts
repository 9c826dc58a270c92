import {
  notAdapted,
  unitsMax,
  unitsPerAlert,
  type Adaptation,
  type FactorState,
} from '../../domain/alerts/checks.js';
import type { Finding } from '../../domain/alerts/findings.js';
import { dayNumber } from '../../domain/dates.js';
import { exp } from '../math/portableMath.js';

/** Logarithm of the factor for one unit: 1386 units double the limits. */
const logPerUnit = 0.0005;

/** An alert is counted when this many days have passed since the last counted alert. */
const countedAfterDays = 7;

/** Guarantee of `adaptedBy` for each factor: W counted alerts in T compared days satisfy W ≤ share · T + alerts. */
export const alertGuarantee = {
  share: 1 / (unitsPerAlert + 1),
  alerts: Math.ceil(unitsMax / unitsPerAlert),
} as const;

/** Factor on all limits, 1–2. */
export const adaptiveFactor = ({ units }: FactorState): number => exp(logPerUnit * units);

/**
 * State after a compared day. An alert of kind `activity` is counted when none was counted in the six days before; it
 * adds 99 units. A day without a finding subtracts one unit. So W counted alerts in T compared days satisfy
 * W ≤ T / 100 + 14 for any sequence of days, as long as the factor is below 2.
 */
export const adaptedBy = (before: FactorState, date: string, alert: boolean): FactorState => {
  const { units, counted } = before;
  if (!alert) return { units: Math.max(0, units - 1), counted };
  const isNew = counted === null || dayNumber(date) - dayNumber(counted) >= countedAfterDays;
  return isNew ? { units: Math.min(unitsMax, units + unitsPerAlert), counted: date } : before;
};

/**
 * State after a compared day: the limits on residuals follow the alerts that break one of them, the limit on the shape
 * those that break it. So alerts of the shape never widen the other limits; the shape has both factors.
 */
export const adaptedAfter = (
  { shape, ...residual }: Adaptation,
  date: string,
  finding: Pick<Finding, 'kind' | 'limits'> | null,
): Adaptation => {
  const isAlert = finding?.kind === 'activity';
  const limits = finding?.limits ?? [];
  const hasShape = limits.includes('shape');
  const hasOther = !hasShape || limits.length > 1;
  const next = adaptedBy(shape ?? notAdapted, date, isAlert && hasShape);
  return {
    ...adaptedBy(residual, date, isAlert && hasOther),
    ...((next.units > 0 || next.counted !== null) && { shape: next }),
  };
};
