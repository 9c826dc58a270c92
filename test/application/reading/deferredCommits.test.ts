import { guarded } from '../../../adapters/sqlite/database.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import t, { type Test } from 'tap';
import { system } from '../../../adapters/environment.js';
import { StorageFull, type StoreUnavailable } from '../../../application/ports/eventStore.js';
import { deferredCommits } from '../../../application/reading/deferredCommits.js';
import { openReadModels } from '../../../adapters/composition/openLog.js';
import { eventually } from '../../helpers/service.js';

const at = (position: bigint) => ({
  position,
  id: `event-${position}`,
  stream: 'catalog',
  revision: Number(position),
});

/** Read models in a file, and the checkpoint that another connection sees. */
const opened = (t: Test) => {
  const file = `${t.testdir()}/read-models.sqlite`;
  const { db, models, close } = openReadModels(file);
  const other = new Database(file, { readonly: true });
  t.teardown(() => {
    close();
    other.close();
  });
  const seen = other
    .prepare<[], number>(`select position from checkpoints where name = 'readModels'`)
    .pluck();
  return { db, models, committed: () => seen.get() };
};

const none = (t: Test) => ({
  failed: (error: Error) => t.fail(error.message),
  lost: () => t.fail('changes are lost'),
});

/** A clock that does not advance. */
const still = { ...system, elapsedMs: () => 0 };

t.test('deferred commits: changes are visible at once and committed together later', async t => {
  const { models, committed } = opened(t);
  const { write, close } = deferredCommits(models, none(t), still);
  for (const position of [1n, 2n, 3n]) {
    write(() => models.apply([], at(position)));
    t.equal(models.checkpoint('readModels').position, position);
  }
  t.equal(committed(), undefined);
  await eventually('a commit', () => committed() === 3 || undefined);
  write(() => models.apply([], at(4n)));
  t.equal(committed(), 3);
  close();
  t.equal(committed(), 4, 'closing commits changes');
  close();
});

t.test('deferred commits: a flush commits at once, so that another connection sees all changes', async t => {
  const { models, committed } = opened(t);
  const { write, flush, close } = deferredCommits(models, none(t), still);
  flush();
  write(() => models.apply([], at(1n)));
  write(() => models.apply([], at(2n)));
  t.equal(committed(), undefined);
  flush();
  t.equal(committed(), 2);
  close();
});

t.test('deferred commits: many changes are committed immediately', async t => {
  const { models, committed } = opened(t);
  let now = 0;
  const environment = { ...system, elapsedMs: () => now };
  const { write, close } = deferredCommits(models, none(t), environment);
  const writing = (position: bigint, ms: number): void =>
    write(() => {
      models.apply([], at(position));
      now += ms;
    });
  writing(1n, 15);
  now += 1000;
  t.equal(committed(), undefined, 'few changes are not committed');
  writing(2n, 15);
  t.equal(committed(), 2);
  writing(3n, 15);
  t.equal(committed(), 2, 'the count restarts after a commit');
  close();
});

t.test('deferred commits: a failed change is rolled back, pending changes stay', async t => {
  const { db, models, committed } = opened(t);
  const { write, close, failure } = deferredCommits(models, none(t), still);
  db.exec('create table filler (bytes blob)');
  const filling = (position: bigint, bytes: number): void =>
    write(() => {
      models.apply([], at(position));
      guarded(() => db.prepare('insert into filler values (zeroblob(?))').run(bytes));
    });
  filling(1n, 10);
  const pages = Number(db.pragma('page_count', { simple: true }));
  db.pragma(`max_page_count = ${pages + 4}`);
  filling(2n, 5000);
  t.throws(() => filling(3n, 50_000), StorageFull);
  t.equal(models.checkpoint('readModels').position, 2n, 'readers see earlier changes');
  t.throws(() => filling(3n, 50_000), StorageFull);
  t.equal(models.checkpoint('readModels').position, 2n);
  t.equal(failure(), undefined, 'no failed commit');
  close();
  t.equal(committed(), 2);
  db.pragma('max_page_count = 100000');
  filling(3n, 50_000);
  close();
  t.equal(committed(), 3);
});

t.test('deferred commits: a transaction rolled back by SQLite is repeated', async t => {
  const { db, models, committed } = opened(t);
  const { write, close } = deferredCommits(models, none(t), still);
  write(() => models.apply([], at(1n)));
  db.exec('rollback');
  write(() => models.saveCheckpoint('reactor', 1n));
  t.equal(models.checkpoint('readModels').position, 1n);
  db.exec('rollback');
  close();
  t.equal(committed(), 1);
  t.equal(models.checkpoint('reactor').position, 1n);
});

for (const undone of [true, false])
  t.test(`a commit that fails${undone ? ', its transaction undone' : ''}`, async t => {
    const { db, models, committed } = opened(t);
    let full = true;
    const commit = (): void => {
      if (full && undone && db.inTransaction) db.exec('rollback');
      if (full) throw new StorageFull('no room');
      models.commit();
    };
    const failures: StoreUnavailable[] = [];
    const { write, close, failure } = deferredCommits(
      { ...models, commit },
      { failed: error => failures.push(error), lost: () => t.fail('changes are lost') },
      still,
    );
    write(() => models.apply([], at(1n)));
    await eventually('a failure', () => failures.length === 1 || undefined);
    t.equal(models.checkpoint('readModels').position, 1n, 'readers see uncommitted changes');
    t.equal(failure(), failures[0]);
    for (let position = 2n; position <= 256n; position += 1n) write(() => models.apply([], at(position)));
    t.throws(() => write(() => models.apply([], at(257n))), StorageFull, 'memory is bounded');
    await eventually('another failure', () => failures.length === 2 || undefined);
    t.equal(models.checkpoint('readModels').position, 256n);
    t.equal(committed(), undefined);
    close();
    t.equal(failures.length, 3, 'close reports the failure');
    full = false;
    close();
    t.equal(committed(), 256);
    t.equal(failure(), undefined);
    write(() => models.apply([], at(257n)));
    close();
    t.equal(committed(), 257);
  });

t.test('deferred commits: changes that cannot be repeated are lost, which is reported once', async t => {
  const { db, models, committed } = opened(t);
  let full = false;
  let losses = 0;
  const { write, close, failure } = deferredCommits(
    models,
    { failed: () => {}, lost: () => (losses += 1) },
    still,
  );
  write(() => models.apply([], at(1n)));
  close();
  write(() => {
    if (full) throw new StorageFull('no room');
    models.apply([], at(2n));
  });
  full = true;
  db.exec('rollback');
  t.throws(() => write(() => models.apply([], at(3n))), StorageFull, 'no change is applied after lost ones');
  t.equal(losses, 1);
  t.equal(models.checkpoint('readModels').position, 1n);
  t.ok(failure());
  await eventually('another try', () => failure() === undefined || undefined);
  write(() => models.apply([], at(2n)));
  close();
  t.equal(committed(), 2);
  t.equal(failure(), undefined);
  t.equal(losses, 1);
});

t.test('deferred commits: a change that is lost while it is written is not taken as applied', t => {
  const { models, committed } = opened(t);
  let full = true;
  let [nowMs, losses] = [0, 0];
  const commit = (): void => {
    if (full) throw new StorageFull('no room');
    models.commit();
  };
  const { write, close } = deferredCommits(
    { ...models, commit },
    { failed: () => {}, lost: () => (losses += 1) },
    { ...system, elapsedMs: () => (nowMs += 30) },
  );
  let writings = 0;
  const change = (): void => {
    writings += 1;
    if (full && writings > 1) throw new StorageFull('no room');
    models.apply([], at(1n));
  };
  t.throws(() => write(change), StorageFull);
  t.equal(losses, 1);
  full = false;
  write(change);
  close();
  t.equal(committed(), 1);
  t.end();
});
