import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { memoryStore } from '../../adapters/memoryStore.js';
import { apiExportVerifier, type ApiEvent } from '../../auditing/apiExport.js';
import { fillByCommands } from '../helpers/logs/auditLog.js';
import { run } from '../helpers/process.js';
import { listed } from '../helpers/logs/storeContract.js';
import { exactList } from '../helpers/exactList.js';

const store = memoryStore();
await fillByCommands(store, 120, 5);
const all: readonly ApiEvent[] = (await listed(store.all(0n))).map(({ position, ...event }) => ({
  position: String(position),
  ...event,
}));
const size = all.length;

const factsOf = (events: readonly unknown[]) => {
  const check = apiExportVerifier();
  for (const event of events) check.take(event);
  return check.done();
};
const at = (n: number): ApiEvent => all[n] as ApiEvent;
const changed = (n: number, change: (event: ApiEvent) => object): readonly unknown[] =>
  all.map((event, index) => (index === n ? change(event) : event));
/** An event with a later event in its stream: two hashes depend on it. */
const inner = all.findIndex(
  ({ stream, revision }) =>
    revision === 2 && all.some(event => event.stream === stream && event.revision === 3),
);

t.test('API export: a complete export has no findings', async t => {
  t.match(factsOf(all), {
    ...{ events: size, checked: size, named: 0, detached: 0, withoutHash: 0 },
    ...{ missingRevisions: 0, missingPositions: '0', findings: exactList(), first: '1', last: String(size) },
  });
  t.match(factsOf([]), { events: 0, first: null, missingPositions: '0', findingCount: 0 });
});

t.test('API export: names of people prevent only the check of hashes', async t => {
  const named = all.map(event => ({ ...event, metadata: { ...event.metadata, by: 'Anna' } }));
  t.match(factsOf(named), { checked: 0, named: size, findingCount: 0 });
});

t.test('API export: missing events are counted', async t => {
  const { stream } = at(inner);
  const after = all.filter(event => event.stream === stream && event.revision > 2).length;
  t.ok(after > 0);
  t.match(factsOf(all.filter((_, index) => index !== inner)), {
    ...{ checked: size - 2, detached: 1, missingRevisions: 1, missingPositions: '1', findingCount: 0 },
  });
  const later = all.slice(20);
  t.match(factsOf(later), { first: '21', missingPositions: '0', findingCount: 0 });
  t.ok(factsOf(later).missingRevisions > 0);
});

t.test('API export: invalid events are findings', async t => {
  const service = changed(inner, event => ({ ...event, metadata: { ...event.metadata, by: 'reactor' } }));
  t.match(factsOf(service), { findingCount: 1, findings: exactList({ code: 'hash', n: inner + 1 }) });
  const two = [...all];
  [two[4], two[5]] = [at(5), at(4)];
  t.match(factsOf(two), { findings: exactList({ code: 'order', n: 6 }, { code: 'sequence', n: 6 }) });
  const twice = factsOf(changed(5, event => ({ ...event, position: at(4).position })));
  t.match(
    twice,
    { findings: exactList({ code: 'order', n: 6 }), findingCount: 1 },
    'one position for two events',
  );
  t.match(factsOf([...all, { ...at(3), position: '9999' }]), { findings: exactList({ code: 'sequence' }) });
  for (const broken of [null, 1, 'x', {}, { ...at(1), position: 3 }, { ...at(1), metadata: null }])
    t.match(factsOf([broken]), { events: 1, findings: exactList({ code: 'event', n: 1 }) });
  t.match(factsOf(changed(2, event => ({ ...event, data: { half: '\ud83d' } }))), { named: 1 });
});

t.test('verify: an export of the API is recognised and never called proved', async t => {
  const dir = t.testdir();
  const verify = async (text: string, ...more: readonly string[]) => {
    writeFileSync(join(dir, 'export'), text);
    return run(['verify', '--log', 'export', ...more], {}, { cwd: dir });
  };
  const ndjson = all.map(event => `${JSON.stringify(event)}\n`).join('');
  const page = (events: readonly unknown[], nextCursor?: string) => JSON.stringify({ events, nextCursor });
  for (const text of [
    ndjson,
    page(all),
    JSON.stringify({ events: all }, null, 2),
    `${page(all.slice(0, 9), '9.9')}\n${page(all.slice(9))}\n`,
    `${page(all.slice(9).reverse(), '9.9')}\n${page(all.slice(0, 9).reverse())}\n`,
  ]) {
    const { code, stdout } = await verify(text);
    t.equal(code, 3, stdout);
    t.match(stdout, /^This is an export of the API .*: \d+ events in \d+ streams, positions 1 to \d+\./);
    t.match(stdout, new RegExp(`\n${size} events fit to the event before them`));
    t.match(stdout, /Verdict: no problem was found, but not proved: an export of the API cannot be proved/);
    t.notMatch(stdout, /More events follow/);
  }
  t.match((await verify(page(all.slice(0, 9), '9.9'))).stdout, /More events follow/);
  t.match((await verify(page(all.filter((_, n) => n % 2 > 0)))).stdout, /revisions of these streams are not/);
  const service = changed(inner, event => ({ ...event, metadata: { ...event.metadata, by: 'reactor' } }));
  t.match(await verify(page(service)), { code: 1, stdout: /\nVerdict: 1 problem found\.\n$/ });
  t.match(
    await verify(page([...service].reverse())),
    { code: 1, stdout: new RegExp(`\nevent ${size - inner} of the file: the hash of`) },
    'newest first: the place is that of the file',
  );
  t.match(JSON.parse((await verify(ndjson, '--json')).stdout), {
    ...{ clean: false, kind: 'apiExport', verdict: 'unproved', events: size, checked: size, isOpen: false },
  });
  const csv = await verify('position,id,stream,revision,type,v,at,by,cause,correlation,hash,data\r\n');
  t.match(csv, { code: 3, stderr: /CSV export of the API/ });
  t.match(await verify('{"events":[{'), { code: 2, stderr: /got broken JSON/ });
  t.match(await verify('{"position":"1"\n'), { code: 2, stderr: /got broken JSON/ });
});
