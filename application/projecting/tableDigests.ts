import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { readModelRows } from '../../projections/readModels.js';

/** SHA-256 in hexadecimal over the rows of each table of the read models, one line of JSON per row. */
export const tableDigests = (db: Database): ReadonlyMap<string, string> => {
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const { table, row } of readModelRows(db)) {
    const hash = hashes.get(table) ?? createHash('sha256');
    hashes.set(table, hash.update(row).update('\n'));
  }
  return new Map([...hashes].map(([table, hash]) => [table, hash.digest('hex')]));
};

/** SHA-256 over the digests of all tables with rows, ordered by name. */
export const digestOfAll = (digests: ReadonlyMap<string, string>): string =>
  createHash('sha256')
    .update(JSON.stringify([...digests].sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex');

/** Names of the tables that differ. */
export const tablesThatDiffer = (
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter(table => one.get(table) !== other.get(table)).sort();
