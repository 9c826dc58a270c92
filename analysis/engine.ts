/** Name and version of the analysis. Raise the version whenever the same data may give other models or checks. */
export const engine = 'daybook-calendar/2';

/** All engines that were ever released, in their order; the first one was named by models alone. */
export const engines: readonly string[] = ['daybook-plain/1', 'daybook-calendar/1', engine];
