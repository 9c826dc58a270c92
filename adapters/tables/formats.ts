/** Media types of the formats of tables. */
export const tableMedia = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;
export const tableFormats = ['csv', 'ndjson', 'arrow'] as const;
export type TableFormat = (typeof tableFormats)[number];
