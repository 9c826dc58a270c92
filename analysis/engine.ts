/** Name and version of the analysis. Raise the version whenever the same data may give other models or checks. */
export const engine = 'daybook-calendar/2';
