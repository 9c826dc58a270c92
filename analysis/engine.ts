/** Name and version of what computes models and checks days. Raise it whenever the same data may give others. */
export const engine = 'daybook-calendar/2';
