/**
 * State of the adaptive factor on the limits of a source, after a checked day (adaptive conformal inference, Gibbs and
 * Candès 2021). `units` is 2000 · ln(factor), an integer from 0 to 1386: factor 1 to 2
 * (analysis/checking/adaptiveFactor.ts). `counted` is the date of the last counted alert.
 */
export type Adaptation = { readonly units: number; readonly counted: string | null };

export const notAdapted: Adaptation = { units: 0, counted: null };

/** Largest number of units. */
export const unitsMax = 1386;

/** Units that a counted alert adds. Each compared day without a finding subtracts one. */
export const unitsPerAlert = 99;
