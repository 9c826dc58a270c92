import { notAdapted } from '../../../domain/alerts/adaptation.js';
import { adaptedBy, adaptiveFactor } from '../../checking/adaptiveFactor.js';
import { exp, ln } from '../../math/portableMath.js';

/** A held-out day with its joint score. */
type JudgedDay = { readonly date: string; readonly joint: number };

/**
 * Rate on recent days from the rate on held-out days: factor · rate^exponent. Held-out months are harder to predict
 * than the next year, and recent days of sources differ less than held-out days. Measured on open series
 * (docs/quality.md).
 */
const calibration = { factor: 3.5, exponent: 0.2 } as const;

/**
 * Alerts that ordinary days are expected to raise in a year. The adaptive factor passes over the held-out days in order
 * of date; one alert is added, as the measured coverage adds one day. The rate is calibrated on open series.
 * @param days by date, with joint scores of default limits
 */
export const expectedAlertsPerYear = (days: readonly JudgedDay[]): number => {
  let adaptation = notAdapted;
  let alerts = 1;
  for (const { date, joint } of days) {
    const isAlert = joint > adaptiveFactor(adaptation);
    adaptation = adaptedBy(adaptation, date, isAlert);
    if (isAlert) alerts += 1;
  }
  const perYear = (365 * alerts) / (days.length + 1);
  return calibration.factor * power(perYear, calibration.exponent);
};

/** A power of a number above 0, with the same bits on every machine. */
const power = (base: number, exponent: number): number => exp(exponent * ln(base));
