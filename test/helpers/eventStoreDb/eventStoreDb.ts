import { randomBytes } from 'node:crypto';
import type { LogAddress } from '../../../adapters/settings/logAddress.js';

/** Address of a real EventStoreDB, if configured. */
const url = process.env['EVENTSTOREDB_URL'];

/** `skip` of tests that need one: false, or the reason. */
export const withoutEventStoreDb =
  url === undefined ? 'EVENTSTOREDB_URL is not set: no EventStoreDB to test with' : false;

/** Address of a new, empty log on the EventStoreDB. */
export const newAddress = (): Extract<LogAddress, { kind: 'eventstoredb' }> => {
  if (url === undefined) throw new Error('EVENTSTOREDB_URL is not set');
  return { kind: 'eventstoredb', url, prefix: `t${randomBytes(8).toString('hex')}-` };
};
