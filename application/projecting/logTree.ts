import type { Recorded } from '../../domain/events.js';
import type { Growth, TreeQueries } from '../../projections/tree.js';
import { lineOf } from '../../auditing/exportLine.js';
import { leafHash, merkleTree, type MerkleTree, type Nodes } from '../../auditing/merkle.js';

const nodesOf = (tree: TreeQueries): Pick<Nodes, 'size' | 'at'> => ({
  size: tree.size,
  at: (level, index) => {
    const hash = tree.node(level, index);
    if (!hash) throw new RangeError(`the tree has no node ${index} of level ${level}`);
    return hash;
  },
});

/** Merkle tree of the log in the read models, for roots and proofs. */
export const logTree = (tree: TreeQueries): Omit<MerkleTree, 'append'> =>
  merkleTree({
    ...nodesOf(tree),
    put: () => {
      throw new Error('only events extend the Merkle tree of the log');
    },
  });

/** Leaves and nodes that the next events of the log, as they were stored, add to its tree. */
export const growth = (tree: TreeQueries, events: readonly Recorded[]): Growth => {
  const stored = nodesOf(tree);
  const sizeBefore = stored.size();
  const added: Map<number, Growth['nodes'][number]>[] = [];
  const leaves: Growth['leaves'][number][] = [];
  const growing = merkleTree({
    size: () => sizeBefore + leaves.length,
    at: (level, index) => added[level]?.get(index)?.hash ?? stored.at(level, index),
    put: (level, index, hash) => void (added[level] ??= new Map()).set(index, { level, index, hash }),
  });
  for (const event of events) {
    growing.append(leafHash(lineOf(event)));
    const { id: eventId, stream, revision } = event;
    leaves.push({ index: sizeBefore + leaves.length, eventId, stream, revision });
  }
  return { leaves, nodes: added.flatMap(nodes => [...nodes.values()]) };
};
