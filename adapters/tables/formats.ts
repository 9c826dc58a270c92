/** Media types of the formats of tables. */
export const tableMedia = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;
/** Formats of an export; answers can be JSON, too. */
export const tableFormats = ['csv', 'ndjson', 'arrow'] as const;
export const answerFormats = ['json', ...tableFormats] as const;
export type TableFormat = (typeof answerFormats)[number];
