// States that a start folds while it reads the log: commands need not read it once more.
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { sqliteStore } from '../../../adapters/sqlite/sqliteStore.js';
import { foldedInPassing, foldedStates } from '../../../application/commands/foldedStates.js';
import { alerts } from '../../../domain/alerts/alerts.js';
import { audit } from '../../../domain/audit.js';
import { catalog } from '../../../domain/catalog.js';
import { days } from '../../../domain/days.js';
import type { Decider } from '../../../domain/decider.js';
import { decode, type Recorded } from '../../../domain/events.js';
import { incidents } from '../../../domain/incidents/incidents.js';
import { mutes } from '../../../domain/incidents/mutes.js';
import { tenantSettings } from '../../../domain/incidents/tenantSettings.js';
import { calendar } from '../../../domain/planning/calendarRules.js';
import { source } from '../../../domain/source/source.js';
import { tokens } from '../../../domain/tokens.js';
import { webhooks } from '../../../domain/webhooks/webhooks.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { listed } from '../../helpers/logs/storeContract.js';
import { repositoryRoot } from '../../helpers/repository.js';
import { ordinaryDay } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

const pool = sharedAnalyst();
const logs = join(repositoryRoot(), 'test/fixtures/logs');

type Folding = Pick<Decider<never, never, object>, 'initial' | 'evolve'>;

/** Rules of each kind of stream. */
const rules = {
  ...{ catalog, source, days, alerts, audit, webhooks, incidents, calendar, mutes, tokens },
  settings: tenantSettings,
};

async function* inOrder(events: readonly Recorded[]): AsyncGenerator<Recorded> {
  yield* events;
}

t.test('events in passing give the states of whole streams', async t => {
  for (const version of readdirSync(logs)) {
    const file = join(t.testdir(), 'events.sqlite');
    copyFileSync(join(logs, version, 'events.db'), file);
    const store = sqliteStore(file);
    const passing = foldedStates();
    const log = await listed(foldedInPassing(passing, store.all(0n)));
    t.strictSame(log, await listed(store.all(0n)), 'all events pass');
    const streams = [...new Set(log.map(({ stream }) => stream))];
    t.ok(streams.length > 5);
    for (const stream of streams) {
      const events = await listed(store.read(stream));
      const { initial, evolve } = rules[stream.split('-')[0] as keyof typeof rules] as unknown as Folding;
      const state = events.map(decode).reduce((state, event) => evolve(state, event as never), initial);
      t.strictSame(passing.get(stream), { state, revision: events.length - 1 }, stream);
    }
    await store.close();
  }
});

t.test('a stream whose beginning did not pass, or with a fault, is left to its commands', async t => {
  const event = (revision: number, v = 1): Recorded => ({
    id: `0f${revision}`,
    type: 'SourceIdReserved',
    v,
    data: { sourceId: revision + 1, requestId: 'r' },
    metadata: { by: 'anna', cause: 'c', correlation: 'c' },
    at: '2024-01-01T00:00:00.000Z',
    stream: 'catalog',
    revision,
    position: BigInt(revision + 1),
  });
  const states = foldedStates();
  await listed(foldedInPassing(states, inOrder([event(4), event(5)])));
  t.equal(states.get('catalog'), undefined);
  await listed(foldedInPassing(states, inOrder([event(0), event(1), event(2, 99), event(3)])));
  t.match(states.get('catalog'), { revision: 1, state: { nextSourceId: 3 } }, 'up to the fault');
});

t.test(
  'states are kept by their bytes: those of long streams take the place of several short ones',
  async t => {
    const bytesMax = 100_000;
    const states = foldedStates(bytesMax);
    const short = (n: number) => `alerts-${n}`;
    for (let n = 1; n <= 90; n += 1) states.set(short(n), { state: {}, revision: 0 });
    t.equal(Array.from({ length: 90 }, (_, n) => states.get(short(n + 1))).filter(Boolean).length, 90);
    const long = { state: { recent: 'x'.repeat(bytesMax / 2) }, revision: 400 };
    states.set('days-1', long);
    t.equal(states.get('days-1'), long);
    const kept = Array.from({ length: 90 }, (_, n) => states.get(short(n + 1)));
    t.ok(
      kept.slice(0, 30).every(state => state === undefined),
      'those used first go',
    );
    t.ok(kept.slice(-30).every(Boolean));
    const grown = { ...long, revision: 401 };
    states.set('days-1', grown);
    t.equal(states.get('days-1'), grown, 'the size of a state that has grown little is that from before');
  },
);

t.test('the first import of a new instance reads none of the events that its start has read', async t => {
  const clock = drivenClock('2024-03-10T06:00:00.000Z');
  const first = await serviceBy(t, clock, pool);
  const id = await first.create('Gate');
  const imported = (date: string) => ({ sourceId: id, days: [ordinaryDay(date)] });
  for (const date of ['2024-03-01', '2024-03-02', '2024-03-03'])
    await first.ask('POST', '/v1/import/days', imported(date));
  const read: string[] = [];
  const { log } = first.parts.stores;
  const counting: typeof log = {
    ...log,
    read: async function* (...given) {
      for await (const event of log.read(...given)) {
        read.push(`${event.stream} ${event.revision}`);
        yield event;
      }
    },
  };
  const known = new Set((await first.events()).map(({ stream, revision }) => `${stream} ${revision}`));
  await t.test('second instance', async t => {
    const second = await serviceBy(t, clock, pool, { share: own => ({ ...own, log: counting }) });
    const answer = await second.ask<{ days: object[] }>('POST', '/v1/import/days', imported('2024-03-04'));
    t.equal(answer.days.length, 1);
    t.strictSame(
      read.filter(one => known.has(one)),
      [],
    );
  });
});
