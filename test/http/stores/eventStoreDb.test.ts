// Runs the HTTP tests on a real EventStoreDB.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { withoutEventStoreDb } from '../../helpers/eventStoreDb/eventStoreDb.js';

const here = dirname(fileURLToPath(import.meta.url));
const env = { ...process.env, TEST_STORE: 'eventstoredb' };

t.setTimeout(300_000);
for (const name of [
  'asOf',
  'badInputs',
  'concurrency',
  'explanation',
  'openApi',
  'realSeries',
  'story',
  'tokens',
])
  void t.spawn(
    process.execPath,
    ['--enable-source-maps', join(here, `${name}.test.js`)],
    { env, skip: withoutEventStoreDb, timeout: 200_000 },
    `on EventStoreDB: ${name}`,
  );
