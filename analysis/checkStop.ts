/** Called between the steps of an analysis; throws when the analysis has to stop. */
export type CheckStop = () => void;

/** An analysis that nothing stops. */
export const neverStops: CheckStop = () => {};
