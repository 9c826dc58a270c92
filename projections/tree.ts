import type { Database } from 'better-sqlite3';
import { cell } from './readModel.js';

// Merkle tree of the whole log (auditing/merkle.ts) with one leaf per event of any tenant and type. Other read
// models apply decoded events; this one is given hashes of the stored events, since unknown events are leaves as well.

/** Leaves and nodes that a batch of events adds to the tree. */
export type Growth = {
  /** Leaves in log order; `index` counts from 0. */
  readonly leaves: readonly {
    readonly index: number;
    readonly eventId: string;
    readonly stream: string;
    readonly revision: number;
  }[];
  /** Roots of the subtrees that became complete. `index` counts the subtrees of 2^level leaves from 0. */
  readonly nodes: readonly { readonly level: number; readonly index: number; readonly hash: Buffer }[];
};

/** Position of an event in the tree and in its stream. */
export type Leaf = Growth['leaves'][number];

export const treeModel = {
  name: 'tree',
  version: 1,
  schema: `
    create table tree_leaves (
      leaf_index integer primary key,
      event_id text not null,
      stream text not null,
      revision integer not null
    ) strict;
    create table tree_nodes (
      level integer not null,
      node_index integer not null,
      hash blob not null,
      primary key (level, node_index)
    ) strict, without rowid;`,
  queryIndexes: ['tree_leaves_by_event on tree_leaves (event_id)'],
  grow: (db: Database) => {
    const leaf = db.prepare(
      'insert into tree_leaves (leaf_index, event_id, stream, revision) values (?, ?, ?, ?)',
    );
    const node = db.prepare('insert into tree_nodes (level, node_index, hash) values (?, ?, ?)');
    return ({ leaves, nodes }: Growth): void => {
      for (const { index, eventId, stream, revision } of leaves) leaf.run(index, eventId, stream, revision);
      for (const { level, index, hash } of nodes) node.run(level, index, hash);
    };
  },
};

/** Queries on the tree. */
export const treeQueries = (db: Database) => {
  const columns = 'leaf_index as "index", event_id as eventId, stream, revision';
  const size = cell<[], number>(db, 'select coalesce(max(leaf_index) + 1, 0) from tree_leaves');
  const node = cell<[number, number], Buffer>(
    db,
    'select hash from tree_nodes where level = ? and node_index = ?',
  );
  const leaf = db.prepare<[number], Leaf>(`select ${columns} from tree_leaves where leaf_index = ?`);
  const byEvent = db.prepare<[string], Leaf>(
    `select ${columns} from tree_leaves where event_id = ? order by leaf_index limit 1`,
  );
  return {
    /** Number of events that the read models contain. */
    size: (): number => size() ?? 0,
    /** undefined also for a damaged row, whose hash is no bytes. */
    node: (level: number, index: number): Buffer | undefined => {
      const hash = node(level, index);
      return Buffer.isBuffer(hash) ? hash : undefined;
    },
    leaf: (index: number): Leaf | undefined => leaf.get(index),
    byEvent: (eventId: string): Leaf | undefined => byEvent.get(eventId),
  };
};

export type TreeQueries = ReturnType<typeof treeQueries>;
