import { tableDigests, tablesThatDiffer, replay } from '../../application/reading/replay.js';
import { firstDifference } from '../../application/reading/scrubber.js';
import { openTemporaryReadModels } from '../../adapters/composition/openLog.js';
import { readModels } from '../../projections/readModels.js';
import { expectRequests, expectSources } from '../helpers/crash/expectations.js';
import { chained } from '../../auditing/eventBytes.js';
import { decode, type Recorded } from '../../domain/events.js';
import { streams, tenantOf } from '../../domain/streams.js';
import { Database } from '../../adapters/sqlite/driver.js';
import { logHistory } from '../../application/decisions/logHistory.js';
import { relearnMismatch } from '../../application/decisions/mismatches.js';
import { dayHistory } from '../../projections/dayHistory.js';
import { hasFinding, readFindings } from './findings.js';
import { isUnprocessed } from '../helpers/crash/ledger.js';
import { emptyReadModels } from './emptyReadModels.js';
import type { Place } from './place.js';
import type { Disk } from './simulatedStore.js';

/** Asserts the invariants of an idle system. */
export const expectAll = async (place: Place, disk: Disk): Promise<void> => {
  expectRequests(place);
  // One source per seed is enough: all days of all its years are read.
  const looked = 1 + (place.all.length % Math.max(1, place.ledger.sources.size));
  await expectSources({ ...place, looksAt: id => id === looked });
  await expectRebuilt(place, disk);
  await expectNoDifference(place, disk);
  expectReferences(place, disk);
  expectHashes(place, disk);
  expectFindings(place, disk);
};

/** Findings of dates in progress are those of the whole days, and each alert that is open has one. */
const expectFindings = ({ ledger, note }: Place, { log }: Disk): void => {
  const { faults, outcomeOn } = readFindings(log.flatMap(event => decode(event) ?? []));
  for (const fault of faults) note(fault);
  for (const { id, alerts } of ledger.sources.values())
    for (const alert of alerts.values()) {
      const outcome = outcomeOn(id, alert.date);
      if (isUnprocessed(alert) && !hasFinding(outcome))
        note(`source ${id}: ${alert.date} has an alert that is ${alert.state}, but is ${outcome}`);
    }
};

/** The read models of every instance equal a rebuild from the log. */
const expectRebuilt = async ({ instances, note }: Place, disk: Disk): Promise<void> => {
  const db = emptyReadModels();
  try {
    const events = async function* (): AsyncGenerator<Recorded> {
      yield* disk.log;
    };
    await replay(readModels(db), events(), { tree: true });
    const rebuilt = tableDigests(db);
    for (const { name, db: own } of instances)
      for (const table of tablesThatDiffer(tableDigests(own()), rebuilt))
        note(`${name}: its table ${table} differs from a rebuild`);
  } finally {
    db.close();
  }
};

/** One in so many places is compared: it costs as much as a rebuild. */
const comparedOf = 16;

/** The comparison of a running service with the log finds no difference and no damage. */
const expectNoDifference = async ({ instances, all, note }: Place, { log }: Disk): Promise<void> => {
  if (all.length % comparedOf !== 0) return;
  const store = {
    async *all(): AsyncGenerator<Recorded> {
      yield* log;
    },
    async *read(stream: string, from = 0): AsyncGenerator<Recorded> {
      yield* log.filter(event => event.stream === stream && event.revision >= from);
    },
  };
  for (const { name, db } of instances) {
    const models = readModels(db());
    const park = (_: Recorded, error: unknown): void => note(`${name}: ${String(error)}`);
    const snapshot = () => ({ models, close: () => {} });
    const parts = { store, models, snapshot, openTemporary: openTemporaryReadModels, parking: { park } };
    const found = await firstDifference(parts, () => undefined);
    if (found) note(`${name}: its table ${found.table} differs from the log at ${found.key}`);
  }
};

/** The hash chain of every stream is valid. */
const expectHashes = ({ note }: Place, disk: Disk): void => {
  const last = new Map<string, string>();
  for (const { stream, revision, position: _, hash = '', ...event } of disk.log) {
    const texts = { event, data: JSON.stringify(event.data), metadata: JSON.stringify(event.metadata) };
    const [expected] = chained(stream, revision, last.get(stream) ?? null, [texts]);
    if (hash !== expected) note(`event ${event.id} of ${stream} has a wrong hash`);
    last.set(stream, hash);
  }
};

/** The reference of a source that was learned again are recent days of the other one, at one revision. */
const expectReferences = ({ note }: Place, { log }: Disk): void => {
  if (!log.some(({ type }) => type === 'SourceRelearned')) return;
  const db = new Database(':memory:');
  try {
    const history = logHistory(dayHistory(db));
    for (const recorded of log) {
      const event = decode(recorded);
      if (!event || event.stream === streams.catalog || tenantOf(event.stream) !== undefined) continue;
      const placed = { event, n: Number(event.position) };
      history.take(placed);
      if (event.type !== 'SourceCreated') continue;
      const fault = relearnMismatch(history, { ...placed, event });
      if (fault) note(`${event.stream}: ${typeof fault === 'string' ? fault : fault.detail}`);
    }
  } finally {
    db.close();
  }
};
