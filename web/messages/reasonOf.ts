/** The words of an error, and of the first fault of a refused request. */
export const reasonOf = (error: Error): string => {
  const [fault] = 'errors' in error ? (error.errors as readonly { readonly detail?: string }[]) : [];
  return fault?.detail === undefined ? error.message : `${error.message}: ${fault.detail}`;
};

/** Answers of a proxy that has lost the service. */
const lostStatuses: readonly number[] = [502, 504];

/** Whether a request that failed may have taken effect: its answer was lost, or says so. */
export const isOutcomeUnknown = (error: unknown): boolean => {
  const { status, code } = error as { readonly status?: number; readonly code?: string };
  return status === 0 || lostStatuses.includes(status ?? 0) || code === 'outcomeUnknown';
};
