/** Groups of operations and their descriptions, in the order of the description. */
const descriptions = {
  source: 'Sources: named activity time series',
  import: 'Imports of reference days and recent days, in CSV and JSON',
  model: 'Models: the typical days of a source',
  day: 'Stored days with their checks',
  table: 'Facts about a source as tables, for analyses',
  planning: 'The model that each date should follow',
  calendar: 'Public holidays and special days',
  alert: 'Alerts: recent days that broke a limit',
  events: 'A stream of changes',
  overview: 'All sources at a glance',
  audit: 'The log: events, checkpoints and proofs',
  webhook: 'Webhooks: signed messages to receivers, and their deliveries',
  person: 'Personal data in events',
  service: 'State and description of the service; no token is needed',
} as const;

export type Tag = keyof typeof descriptions;

export const tags: readonly { readonly name: string; readonly description: string }[] = Object.entries(
  descriptions,
).map(([name, description]) => ({ name, description }));

/**
 * Tag of a path: its first part after the version.
 * @throws RangeError for a path without a tag
 */
export const tagOf = (path: string): Tag => {
  const part = path.split('/')[2]?.replace(/^import-csv$/, 'import') ?? '';
  if (!Object.hasOwn(descriptions, part)) throw new RangeError(`no tag for ${path}, add one for "${part}"`);
  return part as Tag;
};
