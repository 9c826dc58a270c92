import { createRequire } from 'node:module';
import type Driver from 'better-sqlite3';

const require = createRequire(import.meta.url);
const node = Number.parseInt(process.versions.node, 10);

/**
 * The SQLite driver for this version of Node; no other file loads one.
 * Version 13 crashes on Node 20, and version 12 when a process of Node 24 ends: the other one is never loaded.
 */
export const Database = (
  node < 22 ? require('better-sqlite3') : require('better-sqlite3-13')
) as typeof Driver;

/** An open database. */
export type Database = Driver.Database;
