// Process of the benchmark that measures another program. `peer.js duckdb|csv-parse|json <file>` prints its seconds
// and its peak memory in megabytes.
import { createReadStream, readFileSync } from 'node:fs';
import { parse } from 'csv-parse';

/** The used part of DuckDB's client. */
type DuckDb = {
  readonly DuckDBInstance: {
    create: (
      file: string,
      options: Readonly<Record<string, string>>,
    ) => Promise<{
      connect: () => Promise<{ runAndReadAll: (sql: string) => Promise<{ currentRowCount: number }> }>;
    }>;
  };
};

/** Computes means of ten minutes of a CSV file; returns their number. */
const duckDb = async (file: string): Promise<number> => {
  const { DuckDBInstance } = (await import('@duckdb/node-api' as string)) as DuckDb;
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  const read = `read_csv('${file}', delim = ';', quote = '"', header = true, decimal_separator = ',',
    columns = {'date': 'TIMESTAMP', 'value': 'DOUBLE'})`;
  const { currentRowCount } = await connection.runAndReadAll(
    `select time_bucket(interval '10 minutes', date) as slice, avg(value) from ${read} group by slice order by slice`,
  );
  return currentRowCount;
};

/** Reads all rows of a CSV file and discards them. */
const csvParse = async (file: string): Promise<number> => {
  let rows = 0;
  for await (const _ of createReadStream(file).pipe(parse({ delimiter: ';' }))) rows += 1;
  return rows;
};

const [, , peer, file = ''] = process.argv;
const bytes = peer === 'json' ? readFileSync(file) : undefined;
const begun = performance.now();
if (peer === 'duckdb') await duckDb(file);
else if (peer === 'csv-parse') await csvParse(file);
else JSON.parse(String(bytes));
const seconds = (performance.now() - begun) / 1000;
process.stdout.write(JSON.stringify({ seconds, megabytes: process.resourceUsage().maxRSS / 1000 }));
