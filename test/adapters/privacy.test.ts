import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from '../helpers/property.js';
import t, { type Test } from 'tap';
import { openLog } from '../../adapters/composition/openLog.js';
import { streamDeletion } from '../../adapters/eventstoredb/store.js';
import {
  checkKeys,
  copyKeys,
  people,
  type PersonKeys,
  erased,
  openedJson,
  seal,
  secretBytes,
} from '../../adapters/privacy/people.js';
import { Database } from '../../adapters/sqlite/driver.js';
import { keyFile, keyStreams } from '../../adapters/privacy/keys.js';
import type { KeptKey, Person } from '../../application/ports/people.js';
import type { Proposed } from '../../domain/events.js';
import { memoryStore } from '../../adapters/memoryStore.js';
import { newAddress, withoutEventStoreDb } from '../helpers/eventStoreDb/eventStoreDb.js';
import { proposed } from '../helpers/logs/storeContract.js';

const anna: Person = { tenant: 'north', subject: 'anna' };

/** The nth sample key. */
const keyOf = (n: number, person: Person = anna): KeptKey => ({
  ...person,
  id: n.toString(16).padStart(32, '0'),
  secret: Buffer.alloc(secretBytes, n),
});
const byId = (...keys: readonly KeptKey[]) => new Map(keys.map(key => [key.id, key]));

t.test('seal: only its key opens a sealed text', async t => {
  const [key, other] = [keyOf(1), keyOf(2)];
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (any, at) => {
      const text = any.replaceAll(/\p{Surrogate}/gu, '?');
      const sealed = seal(text, key);
      const json = JSON.stringify({ by: sealed, reason: `set by ${sealed}, twice ${sealed}` });
      const opened = JSON.parse(openedJson(json, byId(key))) as unknown;
      const expected = { by: text, reason: `set by ${text}, twice ${text}` };
      if (JSON.stringify(opened) !== JSON.stringify(expected)) throw new Error('another text');
      if (seal(text, key) !== sealed) throw new Error('each sealing gives another ciphertext');
      const bytes = sealed.split(':')[3] ?? '';
      const place = at % (bytes.length - 1);
      const bent = bytes.slice(0, place) + (bytes[place] === 'A' ? 'B' : 'A') + bytes.slice(place + 1);
      for (const [wrong, keys] of [
        [sealed, byId()],
        [sealed, byId({ ...other, id: key.id })],
        [`sealed:1:${key.id}:${bent}`, byId(key)],
        [`sealed:1:${other.id}:${bytes}`, byId({ ...key, id: other.id })],
      ] as const)
        if (openedJson(JSON.stringify(wrong), keys) !== JSON.stringify(erased)) throw new Error('opened');
    }),
    { numRuns: 200 },
  );
  t.not(seal('a', key), seal('b', key));
  t.not(seal('a', key).split(':')[3], seal('a', other).split(':')[3]);
  const clear = JSON.stringify({ by: 'bea', comment: 'sealed: not at all, sealed:1:ab:cd' });
  t.equal(openedJson(clear, byId(key)), clear, 'plain text is unchanged');
});

/** Contract of every store of keys. */
const keysContract = (
  name: string,
  open: (t: Test) => Promise<() => PersonKeys>,
  skip: string | false,
): void => {
  t.test(`keys in ${name}`, { skip }, async t => {
    const another = await open(t);
    const keys = another();
    t.equal(await keys.byPerson(anna), undefined);
    t.equal(await keys.byId(keyOf(1).id), undefined);
    t.strictSame(await keys.keep(keyOf(1)), keyOf(1));
    t.match(await keys.keep(keyOf(2)), keyOf(1), 'a person has one key');
    const bea = { ...anna, tenant: 'south' };
    t.match(await keys.keep(keyOf(3, bea)), keyOf(3, bea), 'a name of another tenant is another person');
    const reader = another();
    for (const side of [keys, reader]) {
      t.match(await side.byPerson(anna), keyOf(1));
      t.match(await side.byId(keyOf(1).id), keyOf(1));
      t.equal(await side.byId(keyOf(2).id), undefined);
    }
    await keys.destroy(keyOf(1).id);
    await reader.destroy(keyOf(1).id);
    await keys.destroy(keyOf(9).id);
    for (const side of [keys, reader, another()]) {
      t.equal(await side.byPerson(anna), undefined);
      t.equal(await side.byId(keyOf(1).id), undefined);
    }
    t.match(await keys.keep(keyOf(4)), keyOf(4), 'after an erasure the name gets a new key');
    t.match(await another().byPerson(anna), keyOf(4));
    t.match(await another().byPerson(bea), keyOf(3, bea));
  });
};

keysContract(
  'a file',
  async t => {
    const file = join(t.testdir(), 'people.sqlite');
    return () => {
      const keys = keyFile(file);
      t.teardown(keys.close);
      return keys;
    };
  },
  false,
);
keysContract(
  'EventStoreDB',
  async t => {
    const log = await openLog(newAddress());
    t.teardown(log.close);
    const { shared } = log;
    if (!shared) throw new Error('a log that is not shared');
    return () => keyStreams(log, streamDeletion(shared.connection));
  },
  withoutEventStoreDb,
);

t.test('a key that an instance knows by its person only is destroyed there as well', async t => {
  const { append, read } = memoryStore();
  const deleted = new Set<string>();
  const shared = {
    append,
    read: (stream: string) => read(deleted.has(stream) ? `deleted-${stream}` : stream),
  };
  const open = () => keyStreams(shared, async stream => void deleted.add(stream));
  const [keys, other] = [open(), open()];
  await keys.keep(keyOf(1));
  t.match(await other.byPerson(anna), keyOf(1));
  await keys.destroy(keyOf(1).id);
  await other.destroy(keyOf(1).id);
  t.equal(await other.byPerson(anna), undefined);
});

t.test('two instances that destroy one key leave the next key of its person', async t => {
  const { append, read } = memoryStore();
  const deleted = new Map<string, number>();
  const shared = {
    append: async (stream: string, expected: number | 'absent', events: readonly Proposed[]) =>
      append(stream, deleted.get(stream) ?? expected, events),
    read: (stream: string) => read(stream, (deleted.get(stream) ?? -1) + 1),
  };
  const remove = async (stream: string, revision = 0) => {
    for await (const event of shared.read(stream)) if (event.revision > revision) return;
    deleted.set(stream, revision);
  };
  const keys = keyStreams(shared, remove);
  await keys.keep(keyOf(1));
  // The other instance is late: the first one has destroyed the key meanwhile, and the person has a new one.
  const other = keyStreams(shared, async (stream, revision) => {
    await keys.destroy(keyOf(1).id);
    await keys.keep(keyOf(2));
    await remove(stream, revision);
  });
  await other.destroy(keyOf(1).id);
  t.match(await keyStreams(shared, remove).byPerson(anna), { id: keyOf(2).id });
});

t.test('a key that is destroyed during a read is not kept from it', async t => {
  const { append, read } = memoryStore();
  let isDeleted = false;
  let goOn = (): void => {};
  const slow = new Promise<void>(resolve => (goOn = resolve));
  const shared = {
    append,
    read: async function* (stream: string) {
      if (isDeleted) return;
      yield* read(stream);
      await slow;
    },
  };
  await keyStreams({ append, read }, async () => {}).keep(keyOf(1));
  const keys = keyStreams(shared, async () => {});
  const reading = keys.byPerson(anna);
  await new Promise(resolve => setImmediate(resolve));
  isDeleted = true;
  await keys.destroy(keyOf(1).id);
  goOn();
  t.match(await reading, keyOf(1), 'the read began before');
  t.equal(await keys.byPerson(anna), undefined);
});

t.test('a key that is destroyed while another process reads the file is overwritten later', async t => {
  const file = join(t.testdir(), 'people.sqlite');
  const secret = keyOf(1).secret.subarray(0, 16);
  const found = () =>
    [file, `${file}-wal`].filter(one => existsSync(one) && readFileSync(one).includes(secret));
  const keys = keyFile(file);
  await keys.keep(keyOf(1));
  const reader = new Database(file);
  reader.exec('begin');
  reader.prepare('select count(*) from person_keys').get();
  await keys.destroy(keyOf(1).id);
  t.not(found().length, 0, 'the reader keeps it');
  reader.close();
  const again = keyFile(file);
  t.strictSame(found(), [], 'the next start overwrites it');
  again.close();
  keys.close();
});

t.test('a destroyed key is in none of the files', async t => {
  const dir = t.testdir();
  const keys = keyFile(join(dir, 'people.sqlite'));
  t.teardown(keys.close);
  const secret = Buffer.from('0123456789abcdef'.repeat(4));
  const isThere = (): boolean =>
    ['people.sqlite', 'people.sqlite-wal'].some(name => readFileSync(join(dir, name)).includes(secret));
  await keys.keep({ ...keyOf(1), secret });
  t.ok(isThere());
  for (const name of ['people.sqlite', 'people.sqlite-wal'])
    t.equal(statSync(join(dir, name)).mode & 0o777, 0o600, name);
  await keys.destroy(keyOf(1).id);
  t.notOk(isThere());
});

t.test('a damaged key is refused: its person is not shown as erased', async t => {
  const file = join(t.testdir(), 'people.sqlite');
  const bea: Person = { tenant: 'north', subject: 'bea' };
  const [keyOfAnna, keyOfBea] = [keyOf(1), keyOf(2, bea)];
  const first = keyFile(file);
  for (const key of [keyOfAnna, keyOfBea]) await first.keep(key);
  first.close();
  /** Keys of the file after a change of its rows. */
  const changed = (sql: string) => {
    const db = new Database(file);
    db.exec(sql);
    db.close();
    const keys = keyFile(file);
    t.teardown(keys.close);
    return keys;
  };
  const older = changed('drop table key_sums');
  t.strictSame(await older.byPerson(anna), keyOfAnna, 'a file of an older version');
  older.close();
  const damaged = changed(
    `update person_keys set secret = cast(x'00' || substr(secret, 2) as blob) where id = '${keyOfAnna.id}'`,
  );
  const fault = {
    name: 'StoreUnavailable',
    message: /people\.sqlite has a damaged key of a person: restore/,
  };
  const json = JSON.stringify({ by: seal('anna', keyOfAnna) });
  await t.rejects(people(damaged, person => keyOf(3, person)).openedJson('north', json), fault);
  await t.rejects(damaged.byPerson(anna), fault);
  await t.rejects(damaged.keep(keyOf(3)), fault);
  t.strictSame(await damaged.byId(keyOfBea.id), keyOfBea, 'other people go on');
  t.equal(await damaged.idOf(anna), keyOfAnna.id, 'the person can be erased');
  await damaged.destroy(keyOfAnna.id);
  t.strictSame(await damaged.keep(keyOf(3)), keyOf(3), 'after an erasure the person has a new key');
});

t.test('people of another tenant are not visible', async t => {
  const keys = keyFile(':memory:');
  t.teardown(keys.close);
  let made = 0;
  const known = people(keys, person => keyOf((made += 1), person));
  const both = await Promise.all([known.keyOf(anna), sleep(0).then(() => known.keyOf(anna))]);
  t.equal(both[0].id, both[1].id);
  const sealed = JSON.stringify({ by: await known.sealed(anna, 'anna') });
  t.equal(await known.openedJson('north', sealed), '{"by":"anna"}');
  t.equal(await known.openedJson('south', sealed), '{"by":"erased"}');
  await known.destroy(both[0].id);
  t.equal(await known.openedJson('north', sealed), '{"by":"erased"}');
});

t.test('copied keys: all except those of erased people', async t => {
  const [source, target] = [keyFile(':memory:'), keyFile(':memory:')];
  t.teardown(source.close);
  t.teardown(target.close);
  const bea = { ...anna, subject: 'bea' };
  const [gone, again, other] = [keyOf(1), keyOf(2), keyOf(3, bea)];
  const store = memoryStore();
  const by = (key: KeptKey) => ({ by: seal(key.subject, key), cause: '', correlation: '' });
  await store.append('catalog', 'absent', [
    { ...proposed(1), metadata: by(gone) },
    { ...proposed(2, { comment: seal('no', other) }), metadata: by(gone) },
    { ...proposed(3, { personId: gone.id }, 'PersonErased'), metadata: by(other) },
    { ...proposed(4), metadata: by(again) },
  ]);
  for (const key of [again, other]) await source.keep(key);
  await target.keep(gone);
  await checkKeys(store.all(0n), source, target);
  t.match(await target.byPerson(anna), gone, 'a look changes nothing');
  t.equal(await copyKeys(store.all(0n), source, target), 2);
  t.match(await target.byPerson(anna), again);
  t.match(await target.byPerson(bea), other);
  t.equal(await target.byId(gone.id), undefined);
  const ofOtherLog = keyFile(':memory:');
  t.teardown(ofOtherLog.close);
  await ofOtherLog.keep(keyOf(4));
  for (const copy of [checkKeys, copyKeys])
    await t.rejects(async () => copy(store.all(0n), source, ofOtherLog), {
      name: 'OtherKeys',
      message: /tenant "north"/,
    });
});
