import { setTimeout as after } from 'node:timers/promises';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { system } from '../../adapters/environment.js';
import { StoreUnavailable } from '../../adapters/eventStore.js';
import { lateCommits } from '../../adapters/lateCommits.js';
import { openReadModels } from '../../adapters/open.js';
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

/** A clock that stands, however busy the machine is. */
const still = { ...system, elapsedMs: () => 0 };

t.test('what is written is there at once, and committed together a little later', async t => {
  const { models, committed } = opened(t);
  const { write, close } = lateCommits(models, error => t.fail(error.message), still);
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
  const { write } = lateCommits(models, error => t.fail(error.message), { ...system, elapsedMs: () => now });
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
});

t.test('what a change cannot write is undone, and what waited for its commit', async t => {
  const { models, committed } = opened(t);
  const { write, close } = lateCommits(models, error => t.fail(error.message), still);
  write(() => models.apply([], at(1n)));
  close();
  write(() => models.apply([], at(2n)));
  t.throws(
    () =>
      write(() => {
        models.apply([], at(3n));
        throw new Database.SqliteError('no room', 'SQLITE_FULL');
      }),
    StoreUnavailable,
  );
  t.equal(models.checkpoint('readModels').position, 1n, 'the writer has to look how far it has come');
  write(() => models.apply([], at(2n)));
  t.equal(committed(), 1, 'late again');
  close();
  t.equal(committed(), 2);
});

for (const undone of [true, false])
  t.test(`a commit that fails${undone ? ', its transaction undone' : ''}`, async t => {
    const { db, models, committed } = opened(t);
    let full = true;
    const commit = (): void => {
      if (full && undone && db.inTransaction) db.exec('rollback');
      if (full) throw new Database.SqliteError('no room', 'SQLITE_FULL');
      models.commit();
    };
    const failures: StoreUnavailable[] = [];
    const { write, close } = lateCommits({ ...models, commit }, error => failures.push(error), still);
    write(() => models.apply([], at(1n)));
    await eventually('a failure', () => failures.length === 1 || undefined);
    const next = (): void => write(() => models.apply([], at(2n)));
    t.throws(next, StoreUnavailable, 'there is still no room');
    close();
    t.equal(failures.length, 2, 'who closes is told as well');
    full = false;
    t.throws(next, /what was written before/, 'the writer has to look how far it has come');
    t.equal(models.checkpoint('readModels').position, undone ? 0n : 1n);
    next();
    close();
    t.equal(committed(), 2);
    await after(150);
    t.equal(failures.length, 2);
  });
