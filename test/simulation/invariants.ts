import { tableDigests, tablesThatDiffer } from '../../application/projecting/tableDigests.js';
import { replay } from '../../application/projecting/replay.js';
import { readModels } from '../../projections/readModels.js';
import { expectRequests, expectSources } from '../helpers/crash/demands.js';
import { chained } from '../../auditing/eventHash.js';
import type { Recorded } from '../../domain/events.js';
import { emptyReadModels } from './emptyReadModels.js';
import type { Place } from './place.js';
import type { Disk } from './simulatedStore.js';

/** What must hold whenever nothing is under way. */
export const expectAll = async (place: Place, disk: Disk): Promise<void> => {
  expectRequests(place);
  // One source is enough for one seed: of each all days of all years are read.
  const looked = 1 + (place.all.length % Math.max(1, place.ledger.sources.size));
  await expectSources({ ...place, looksAt: id => id === looked });
  await expectRebuilt(place, disk);
  expectHashes(place, disk);
};

/** The read models of every instance are those that the log makes. */
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
        note(`${name}: its table ${table} is not the one that the log makes`);
  } finally {
    db.close();
  }
};

/** Each event has the hash of what it says and of the one before it in its stream. */
const expectHashes = ({ note }: Place, disk: Disk): void => {
  const last = new Map<string, string>();
  for (const { stream, revision, position: _, hash = '', ...event } of disk.log) {
    const texts = { event, data: JSON.stringify(event.data), metadata: JSON.stringify(event.metadata) };
    const [expected] = chained(stream, revision, last.get(stream) ?? null, [texts]);
    if (hash !== expected) note(`event ${event.id} of ${stream} has a wrong hash`);
    last.set(stream, hash);
  }
};
