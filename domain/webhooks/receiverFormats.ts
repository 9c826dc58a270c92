/** Forms in which messages are sent. A mail has a form of its own. */
export const receiverFormats = [
  'cloudevents',
  'slack',
  'teams',
  'pagerduty',
  'ntfy',
  'alertmanager',
] as const;
export type ReceiverFormat = (typeof receiverFormats)[number];

/** Options of formats. Each may be a secret, so all are sealed. */
export const receiverOptions = ['routingKey', 'topic', 'token', 'priority'] as const;
export type ReceiverOption = (typeof receiverOptions)[number];
