// Runs the HTTP tests on a real EventStoreDB.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { withoutEventStoreDb } from '../../helpers/eventStoreDb/eventStoreDb.js';

const httpTests = join(dirname(fileURLToPath(import.meta.url)), '..');
// Without `tap run` each file would end after 30 seconds.
const env = { TAP_TIMEOUT: '400', ...process.env, TEST_STORE: 'eventstoredb' };

for (const name of [
  'alerts/explanation',
  'auditing/asOf.slow',
  'badInputs',
  'load/concurrency.slow',
  'imports/importForms',
  'openApi',
  'publicKeys',
  'retries',
  'story',
  'tokens',
]) {
  const file = join(httpTests, `${name}.test.js`);
  t.ok(existsSync(file), `${name} exists`);
  void t.spawn(
    process.execPath,
    ['--enable-source-maps', file],
    { env, skip: withoutEventStoreDb, timeout: 400_000 },
    `on EventStoreDB: ${name}`,
  );
}
