// Appends with faults of the server.
import { randomBytes } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { AppendTooLarge, Conflict, type EventStore } from '../../../application/ports/eventStore.js';
import { beginningOf } from '../../../adapters/eventstoredb/logReader.js';
import { eventStoreDb, streamExpiry } from '../../../adapters/eventstoredb/store.js';
import {
  accessDenied,
  answerLost,
  brokenAfter,
  fakeEventStoreDb,
  notLeader,
  refuses,
  silent,
  slow,
  twice,
  unavailable,
  type CallFault,
} from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { id } from '../../helpers/data/samples.js';
import { listed, proposed } from '../../helpers/logs/storeContract.js';
import {
  limits,
  tryMs,
  patienceMs,
  bounded,
  prefix,
  type Parts,
  faultTest,
  ids,
  idsUpTo,
  breaks,
  finished,
} from '../../helpers/eventStoreDb/eventStoreDbFaults.js';

faultTest(
  'append: a silent server gives an unknown outcome; a retry stores it once',
  async (t, { server, store, hastiest }) => {
    server.always('append', silent);
    const append = (store: EventStore) =>
      bounded('an append', store.append('source-1', 'absent', [proposed(0), proposed(1)]));
    await t.rejects(append(hastiest), { name: 'OutcomeUnknown' });
    t.ok(server.count('append').calls > 1, 'it was tried more than once');
    t.strictSame(ids(server), []);
    server.always(
      'append',
      answerLost(() => {}),
    );
    await t.rejects(append(hastiest), { name: 'OutcomeUnknown' }, 'unknown also if it was stored');
    t.strictSame(ids(server), idsUpTo(2));
    server.always('append');
    t.equal(await append(store), 1);
    t.strictSame(ids(server), idsUpTo(2), 'stored once');
  },
);

faultTest('append: a server that answers too late', async (t, { server, store, hastiest }) => {
  server.always('append', slow(tryMs * 1.5));
  await t.rejects(bounded('an append', hastiest.append('source-1', 'absent', [proposed(0)])), {
    name: 'OutcomeUnknown',
  });
  await after(tryMs * 2);
  server.always('append', slow(30));
  t.equal(await store.append('source-1', 'absent', [proposed(0)]), 0, 'a slow answer within the limit');
  t.strictSame(ids(server), [id(0)]);
});

for (const name of ['UNAVAILABLE', 'a raw INTERNAL', 'a broken connection', 'silence'])
  faultTest(`append: the answer is lost after the write, by ${name}`, async (t, { server, connection }) => {
    const how = breaks(server)[name] ?? (() => {});
    const store = eventStoreDb(connection, 0n, {
      ...limits,
      tryMs,
      unknownMs: patienceMs,
      reachMs: patienceMs,
    });
    await store.append('source-1', 'absent', [proposed(0)]);
    server.next('append', answerLost(how));
    t.equal(await store.append('source-1', 0, [proposed(1), proposed(2)]), 2, 'without other writers');
    t.strictSame(ids(server), idsUpTo(3));
    server.next(
      'append',
      answerLost(line => {
        server.write(`${prefix}source-1`, { id: id(5) });
        how(line);
      }),
    );
    t.equal(
      await store.append('source-1', 2, [proposed(3), proposed(4)]),
      4,
      'another writer appended after it',
    );
    t.strictSame(ids(server), [0, 1, 2, 3, 4, 5].map(id));
    t.ok(server.count('append').calls >= 5, 'each append was retried');
  });

/** Appends to an existing stream with a fault; `reads` prepares faults of the following reads. */
const secondAppend = async (
  { server, store }: Parts,
  fault: CallFault,
  { second = store, reads = () => {} }: { readonly second?: EventStore; readonly reads?: () => void } = {},
): Promise<number> => {
  await store.append('source-1', 'absent', [proposed(0)]);
  // The store knows the revision of the stream from here on.
  await listed(second.read('source-1'));
  reads();
  server.forgetRepeats();
  server.next('append', fault);
  return bounded('an append', second.append('source-1', 0, [proposed(1), proposed(2)]));
};

for (const others of [0, 2])
  faultTest(
    `append: a lost answer, the retry is a conflict, ${others} events of others after it`,
    async (t, parts) => {
      const { server } = parts;
      const lost = answerLost(line => {
        if (others > 0) server.write(`${prefix}source-1`, { id: id(8) }, { id: id(9) });
        line.fail(unavailable);
      });
      t.equal(await secondAppend(parts, lost), 2, 'the append is found in the stream');
      t.equal(server.log.length, 3 + others);
      t.equal(server.count('read').calls, 2);
    },
  );

faultTest('append: a lost attempt that another writer overtook is a conflict', async (t, parts) => {
  const { server } = parts;
  const overtaken: CallFault = line => {
    server.write(`${prefix}source-1`, { id: id(1) }, { id: id(9) });
    line.fail(unavailable);
  };
  await t.rejects(secondAppend(parts, overtaken), { name: 'Conflict', expected: 0, actual: 2 });
  t.strictSame(ids(server), [0, 1, 9].map(id), 'although one of the ids exists');
});

faultTest('append: reads of an unknown outcome are retried', async (t, parts) => {
  const reads = () =>
    parts.server.next(
      'read',
      refuses(unavailable),
      brokenAfter(1, line => line.fail(unavailable)),
    );
  t.equal(
    await secondAppend(
      parts,
      answerLost(line => line.fail(unavailable)),
      { reads },
    ),
    2,
  );
  t.equal(parts.server.count('read').calls, 4);
});

faultTest('append: the outcome is unknown if the stream cannot be read', async (t, parts) => {
  const reads = () => parts.server.always('read', refuses(unavailable));
  await t.rejects(
    secondAppend(
      parts,
      answerLost(line => line.fail(unavailable)),
      { second: parts.hasty, reads },
    ),
    { name: 'OutcomeUnknown' },
  );
  t.equal(parts.server.log.length, 3);
});

faultTest(
  'append: an unreachable server is StoreUnavailable, soon',
  async (t, { server, connection, hasty: store }) => {
    await server.away();
    await t.rejects(bounded('an append', store.append('source-1', 'absent', [proposed(0)])), {
      name: 'StoreUnavailable',
    });
    await t.rejects(bounded('a read', listed(store.read('source-1'))), { name: 'StoreUnavailable' });
    await t.rejects(bounded('a read', listed(store.all(0n))), { name: 'StoreUnavailable' });
    await t.rejects(bounded('the beginning', beginningOf(connection)), { name: 'StoreUnavailable' });
    await t.rejects(bounded('metadata', streamExpiry(connection)('answers-1', 7)), {
      name: 'StoreUnavailable',
    });
    await server.back();
    t.equal(await store.append('source-1', 'absent', [proposed(0)]), 0, 'the server is reachable again');
  },
);

for (const before of [true, false])
  faultTest(
    `append: the server becomes reachable during retries, ${before ? 'used before' : 'never used'}`,
    async (t, parts) => {
      const { server, connection } = parts;
      const store = eventStoreDb(connection, 0n);
      if (before) await store.append('catalog', 'absent', [proposed(0)]);
      await server.away();
      const append = store.append('source-1', 'absent', [proposed(1)]);
      await after(300);
      await server.back();
      t.equal(await bounded('an append', append), 0);
      t.equal(server.log.at(-1)?.id, id(1));
    },
  );

faultTest('append: a server that refuses writes', async (t, { server, hasty: store }) => {
  server.always('append', refuses(accessDenied));
  await t.rejects(store.append('source-1', 'absent', [proposed(0)]), { name: 'StoreUnavailable' });
  server.always('append', refuses(unavailable));
  await t.rejects(
    store.append('source-1', 'absent', [proposed(0)]),
    { name: 'OutcomeUnknown' },
    'an error does not tell whether the append was stored',
  );
  t.strictSame(ids(server), []);
});

faultTest(
  'append: a server that is no longer the leader',
  async (t, { server: runner, connection, store }) => {
    const leader = await fakeEventStoreDb();
    t.teardown(leader.close);
    await store.append('source-1', 'absent', [proposed(0)]);
    leader.write(`${prefix}source-1`, { id: id(0) });
    runner.always('append', refuses(notLeader(leader.port)));
    runner.always('read', refuses(notLeader(leader.port)));
    t.equal(await store.append('source-1', 0, [proposed(1)]), 1, 'the client goes to the leader');
    t.strictSame(ids(leader), idsUpTo(2));
    t.equal((await listed(store.read('source-1'))).length, 2);
    t.equal(await beginningOf(connection), leader.log[1]?.position);
  },
);

faultTest(
  'append: a conflict has the revision of the stream, and is not retried',
  async (t, { server, store }) => {
    const assertConflict = async (expected: number | 'absent', actual: number | 'absent') => {
      const append = store.append('source-1', expected, [proposed(9)]);
      await t.rejects(append, new Conflict('source-1', expected, actual));
    };
    await assertConflict(3, 'absent');
    await store.append('source-1', 'absent', [proposed(0), proposed(1)]);
    await assertConflict('absent', 1);
    await assertConflict(0, 1);
    await assertConflict(5, 1);
    t.equal(server.count('append').calls, 3, 'no append beyond the end of the stream');
    t.equal(server.count('read').calls, 3, 'one read for each conflict');
  },
);

faultTest('append: the read of the previous hash is retried before the append', async (t, parts) => {
  const { server, store, hasty } = parts;
  await store.append('source-1', 'absent', [proposed(0)]);
  server.always('read', refuses(unavailable));
  await t.rejects(bounded('an append', hasty.append('source-1', 0, [proposed(1)])), {
    name: 'StoreUnavailable',
  });
  t.strictSame(ids(server), idsUpTo(1));
  server.always('read');
  server.next('read', refuses(unavailable), silent);
  const patient = eventStoreDb(parts.connection, 0n, { ...limits, reachMs: patienceMs });
  t.equal(await bounded('an append', patient.append('source-1', 0, [proposed(1)])), 1);
  t.equal(server.count('append').calls, 2);
});

faultTest(
  'append: too large ones are refused before they are sent, or by the server',
  async (t, { server, store }) => {
    const large = [proposed(0, 'x'.repeat(1_100_000))];
    await t.rejects(store.append('source-1', 'absent', large), AppendTooLarge);
    t.equal(server.count('append').calls, 0);
    const exception = 'maximum-append-size-exceeded';
    server.always('append', refuses({ code: 3, exception, fields: { 'maximum-append-size': '1024' } }));
    await t.rejects(store.append('source-1', 'absent', [proposed(0)]), AppendTooLarge);
    t.equal(server.count('append').calls, 1, 'once');
  },
);

faultTest('append: a duplicate answer is retried, and stored once', async (t, { server, store }) => {
  server.next('append', twice);
  t.equal(await store.append('source-1', 'absent', [proposed(0)]), 0);
  t.strictSame(ids(server), [id(0)]);
});

faultTest('append: the connection breaks during a large append', async (t, { server, store }) => {
  const large = randomBytes(350_000).toString('hex');
  const append = store.append('source-1', 'absent', [proposed(0, large), proposed(1), proposed(2)]);
  for (let n = 0; n < 4; n += 1) {
    await after(7);
    server.drop();
  }
  t.equal(await bounded('an append', append), 2);
  t.strictSame(ids(server), idsUpTo(3));
});

await finished();
