import { EventDamaged, type Recorded } from '../../../domain/events.js';
import { subjectOf } from '../../../domain/streams.js';
import { lineOf } from '../../../auditing/exportLine.js';
import { verifier, type LogFinding } from '../../../auditing/logVerifier.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { Leaf } from '../../../projections/tree.js';
import { StoreUnavailable, type EventStore } from '../../ports/eventStore.js';
import { growth } from '../projectionRunner.js';

/** A row of the read models that differs from the log. */
export type Difference = { readonly table: string; readonly key: string };

/** Result of the reading of a log. */
export type ComparedLog = {
  /** Subjects of all events. */
  readonly subjects: readonly string[];
  readonly difference: Difference | undefined;
};

export type LogParts = {
  readonly store: Pick<EventStore, 'all'>;
  readonly models: Pick<ReadModels, 'tree' | 'checkpoint'>;
  /** Awaited between events. */
  readonly pace: () => Promise<void> | undefined;
  /** Called with an event of each subject whose bytes, hash or place in its stream are wrong. */
  readonly damaged: (event: Recorded, error: EventDamaged) => void;
};

/** Events of which the tree is compared at once. */
const batchMax = 50;

const isSameLeaf = (one: Leaf, other: Leaf | undefined): boolean =>
  one.index === other?.index &&
  one.eventId === other.eventId &&
  one.stream === other.stream &&
  one.revision === other.revision;

/** The first row of the tree that differs from the events; `from`: index of the first of them. */
const treeDifference = (
  { tree, checkpoint }: LogParts['models'],
  events: readonly Recorded[],
  from: number,
): Difference | undefined => {
  const last = events.at(-1);
  if (last && checkpoint('readModels').position < last.position)
    throw new StoreUnavailable('the read models lost events meanwhile');
  try {
    const { leaves, nodes } = growth({ ...tree, size: () => from }, events);
    for (const leaf of leaves)
      // By the table and by its index.
      if (!isSameLeaf(leaf, tree.leaf(leaf.index)) || !isSameLeaf(leaf, tree.byEvent(leaf.eventId)))
        return { table: 'tree_leaves', key: String(leaf.index) };
    const node = nodes.find(({ level, index, hash }) => tree.node(level, index)?.equals(hash) !== true);
    return node && { table: 'tree_nodes', key: `${node.level}, ${node.index}` };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { table: 'tree_nodes', key: error.message };
  }
};

/** Why an event is damaged; undefined for a sound one, and one whose hash nothing tells about. */
const damageIn = (event: Recorded, take: (line: string) => readonly LogFinding[]): string | undefined => {
  if (event.damage !== undefined) return event.damage;
  const finding = take(lineOf(event)).find(({ code }) => code === 'hash' || code === 'sequence');
  return finding && `position ${event.position}: ${finding.detail}`;
};

/**
 * Reads the log up to the checkpoint of the read models, verifies the hashes of its events, and compares the Merkle
 * tree and the checkpoint of the read models with it.
 * @throws StoreUnavailable
 */
export const comparedLog = async ({ store, models, pace, damaged }: LogParts): Promise<ComparedLog> => {
  const { position: end, event: through } = models.checkpoint('readModels');
  const { take } = verifier([]);
  const subjects = new Set<string>();
  const reported = new Set<string>();
  let batch: Recorded[] = [];
  let before = 0;
  let last: Recorded | undefined;
  let difference: Difference | undefined;
  const compare = (): void => {
    // The leaf of a damaged event is unknown.
    if (reported.size === 0) difference ??= treeDifference(models, batch, before);
    before += batch.length;
    batch = [];
  };
  for await (const event of store.all(0n)) {
    if (event.position > end) break;
    const subject = subjectOf(event.stream);
    subjects.add(subject);
    const damage = damageIn(event, take);
    if (damage !== undefined && !reported.has(subject)) {
      reported.add(subject);
      damaged(event, new EventDamaged(event, damage));
    }
    batch.push(event);
    last = event;
    if (batch.length >= batchMax) compare();
    await pace();
  }
  compare();
  if (end > 0n && (last?.position !== end || last.id !== through?.id))
    difference ??= { table: 'checkpoints', key: 'readModels' };
  return { subjects: [...subjects], difference };
};
