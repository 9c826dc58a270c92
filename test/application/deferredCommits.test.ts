import { guarded } from '../../adapters/sqlite/database.js';
import { Database } from '../../adapters/sqlite/driver.js';
import t, { type Test } from 'tap';
import { system } from '../../adapters/environment.js';
import { StorageFull, type StoreUnavailable } from '../../application/eventStore.js';
import { deferredCommits } from '../../application/projecting/deferredCommits.js';
import { openReadModels } from '../../adapters/composition/openLog.js';
import { eventually } from '../helpers/service.js';

const at = (position: bigint) => ({
  position,
  id: `event-${position}`,
  stream: 'catalog',
  revision: Number(position),
});

/** Read models in a file, and how far another connection sees that they have come. */
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

/** A clock that stands, however busy the machine is. */
const still = { ...system, elapsedMs: () => 0 };

t.test('what is written is there at once, and committed together a little later', async t => {
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
  t.equal(committed(), 4, 'closing commits');
  close();
});

t.test('much is committed at once', async t => {
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
  t.equal(committed(), undefined, 'a little is not, however long ago');
  writing(2n, 15);
  t.equal(committed(), 2);
  writing(3n, 15);
  t.equal(committed(), 2, 'and counted anew');
  close();
});

t.test('what a change cannot write is undone; what waited for its commit stays', async t => {
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
  t.equal(models.checkpoint('readModels').position, 2n, 'readers see what was written before');
  t.throws(() => filling(3n, 50_000), StorageFull);
  t.equal(models.checkpoint('readModels').position, 2n);
  t.equal(failure(), undefined, 'no commit has failed');
  close();
  t.equal(committed(), 2);
  db.pragma('max_page_count = 100000');
  filling(3n, 50_000);
  close();
  t.equal(committed(), 3);
});

t.test('a transaction that others undo is written again', async t => {
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
    t.equal(models.checkpoint('readModels').position, 1n, 'readers see what could not be committed');
    t.equal(failure(), failures[0]);
    for (let position = 2n; position <= 256n; position += 1n) write(() => models.apply([], at(position)));
    t.throws(() => write(() => models.apply([], at(257n))), StorageFull, 'memory is bounded');
    await eventually('another failure', () => failures.length === 2 || undefined);
    t.equal(models.checkpoint('readModels').position, 256n);
    t.equal(committed(), undefined);
    close();
    t.equal(failures.length, 3, 'who closes is told as well');
    full = false;
    close();
    t.equal(committed(), 256);
    t.equal(failure(), undefined);
    write(() => models.apply([], at(257n)));
    close();
    t.equal(committed(), 257);
  });

t.test(
  'what cannot be written again is lost, and told so once: the database is as it was committed',
  async t => {
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
    t.throws(() => write(() => models.apply([], at(3n))), StorageFull, 'nothing is written over a gap');
    t.equal(losses, 1);
    t.equal(models.checkpoint('readModels').position, 1n);
    t.ok(failure());
    await eventually('another try', () => failure() === undefined || undefined);
    write(() => models.apply([], at(2n)));
    close();
    t.equal(committed(), 2);
    t.equal(failure(), undefined);
    t.equal(losses, 1);
  },
);
