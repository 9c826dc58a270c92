import { randomBytes } from 'node:crypto';
import type { LogAddress } from '../../adapters/settings.js';

/** Where a real EventStoreDB is, if anybody has said so. */
const url = process.env['EVENTSTOREDB_URL'];

/** For tests that need one: false, or the reason for which they are skipped. */
export const withoutEventStoreDb =
  url === undefined ? 'EVENTSTOREDB_URL names no EventStoreDB to test against' : false;

/** The address of an empty log of its own on the EventStoreDB. */
export const newAddress = (): Extract<LogAddress, { kind: 'eventstoredb' }> => {
  if (url === undefined) throw new Error('EVENTSTOREDB_URL is not set');
  return { kind: 'eventstoredb', url, prefix: `t${randomBytes(8).toString('hex')}-` };
};
