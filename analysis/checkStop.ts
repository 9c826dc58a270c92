/** Called between the steps of an analysis. It throws an error to stop the analysis. */
export type CheckStop = () => void;

/** Never stops the analysis. */
export const neverStops: CheckStop = () => {};
