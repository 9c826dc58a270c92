import type { Recorded } from '../domain/events.js';
import type { Growth, TreeQueries } from '../projections/tree.js';
import { lineOf } from './exportLine.js';
import { leafHash, merkleTree, type MerkleTree, type Nodes } from './merkle.js';

const nodesOf = (tree: TreeQueries): Pick<Nodes, 'size' | 'at'> => ({
  size: tree.size,
  at: (level, index) => {
    const hash = tree.node(level, index);
    if (!hash) throw new RangeError(`the tree has no node ${index} of level ${level}`);
    return hash;
  },
});

/** The tree of the log as the read models have it, for roots and proofs. */
export const logTree = (tree: TreeQueries): Omit<MerkleTree, 'append'> =>
  merkleTree({
    ...nodesOf(tree),
    put: () => {
      throw new Error('the tree of the log grows by its events alone');
    },
  });

/** What events, the next of the log in their order and as they were stored, add to its tree. */
export const growth = (tree: TreeQueries, events: readonly Recorded[]): Growth => {
  const there = nodesOf(tree);
  const begun = there.size();
  const made = new Map<string, Growth['nodes'][number]>();
  const leaves: Growth['leaves'][number][] = [];
  const growing = merkleTree({
    size: () => begun + leaves.length,
    at: (level, index) => made.get(`${level}/${index}`)?.hash ?? there.at(level, index),
    put: (level, index, hash) => void made.set(`${level}/${index}`, { level, index, hash }),
  });
  for (const event of events) {
    growing.append(leafHash(lineOf(event)));
    const { id: eventId, stream, revision } = event;
    leaves.push({ index: begun + leaves.length, eventId, stream, revision });
  }
  return { leaves, nodes: [...made.values()] };
};
