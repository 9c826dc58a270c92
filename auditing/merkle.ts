import { hash } from 'node:crypto';
import { NotUsable, type Checkpoint } from './checkpoint.js';

// Merkle tree of RFC 9162 §2.1 (as in RFC 6962) with SHA-256. Its leaves are the events of the log in order. Short
// proofs show that the tree contains an event, or extends an earlier tree.

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

const sha256 = (input: Buffer | string): Buffer => hash('sha256', input, 'buffer');

/** Root of the tree without leaves. */
export const emptyRoot = sha256('');

/** Hash of a leaf; a string is encoded as UTF-8. */
export const leafHash = (entry: Buffer | string): Buffer =>
  sha256(typeof entry === 'string' ? `\0${entry}` : Buffer.concat([leafPrefix, entry]));

/** Hash of a node from its children. */
export const nodeHash = (left: Buffer, right: Buffer): Buffer =>
  sha256(Buffer.concat([nodePrefix, left, right]));

/** The largest power of two below n, n ≥ 2. */
const split = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1);

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));

const half = (n: number): number => Math.floor(n / 2);

/** Hashes of a proof, in the order of RFC 9162. */
export type Proof = readonly Buffer[];

/** An append-only tree that only yields its root; it stores log2(n) hashes. */
export type Frontier = {
  /** Appends a leaf hash. Computes one node hash on average, at most log2(n). */
  readonly append: (leaf: Buffer) => void;
  readonly size: () => number;
  readonly root: () => Buffer;
  /** An independent copy. */
  readonly copy: () => Frontier;
};

/** A tree of which only the root is needed. */
export const frontier = (initialPeaks: readonly Buffer[] = [], initialSize = 0): Frontier => {
  /** Roots of the complete subtrees, largest first: one for each bit of the size. */
  const peaks = [...initialPeaks];
  let size = initialSize;
  return {
    append: leaf => {
      let hash = leaf;
      for (let rest = size; rest % 2 === 1; rest = half(rest))
        hash = nodeHash(peaks.pop() ?? emptyRoot, hash);
      peaks.push(hash);
      size += 1;
    },
    size: () => size,
    root: () => (peaks.length === 0 ? emptyRoot : peaks.reduceRight((right, left) => nodeHash(left, right))),
    copy: () => frontier(peaks, size),
  };
};

/** Roots of the complete subtrees; `index` counts the subtrees of 2^level leaves from 0. */
export type Nodes = {
  /** Number of leaves. */
  readonly size: () => number;
  /** Root of a complete subtree within the size. */
  readonly at: (level: number, index: number) => Buffer;
  readonly put: (level: number, index: number, hash: Buffer) => void;
};

/** Nodes in memory: two hashes per leaf. */
const nodesInMemory = (): Nodes => {
  const levels: Buffer[][] = [[]];
  return {
    size: () => levels[0]?.length ?? 0,
    at: (level, index) => {
      const hash = levels[level]?.[index];
      if (!hash) throw new RangeError(`the tree has no node ${index} of level ${level}`);
      return hash;
    },
    put: (level, index, hash) => {
      (levels[level] ??= [])[index] = hash;
    },
  };
};

/** An append-only tree with proofs for all of its sizes so far, with log2(n) nodes read and hashed. */
export type MerkleTree = {
  readonly append: (leaf: Buffer) => void;
  readonly size: () => number;
  /** Root of the first `size` leaves, by default of all. */
  readonly root: (size?: number) => Buffer;
  /** Proof that leaf `index` (from 0) is in the tree of the first `size` leaves (RFC 9162 §2.1.3.1). */
  readonly inclusion: (index: number, size?: number) => Proof;
  /** Proof that the tree of the first `size` leaves extends the tree of the first `older` (RFC 9162 §2.1.4.1). */
  readonly consistency: (older: number, size?: number) => Proof;
};

/** @throws RangeError by its proofs, for a leaf or a size that the tree does not have */
export const merkleTree = (nodes: Nodes = nodesInMemory()): MerkleTree => {
  const { size } = nodes;

  /** Root of the leaves from `from` to `to` (exclusive); a complete subtree begins at a multiple of its size. */
  const over = (from: number, to: number): Buffer => {
    const count = to - from;
    if (count === 0) return emptyRoot;
    if (isPowerOfTwo(count)) return nodes.at(Math.log2(count), from / count);
    const middle = from + split(count);
    return nodeHash(over(from, middle), over(middle, to));
  };

  const path = (index: number, from: number, to: number): Buffer[] => {
    if (to - from === 1) return [];
    const middle = from + split(to - from);
    return index < middle
      ? [...path(index, from, middle), over(middle, to)]
      : [...path(index, middle, to), over(from, middle)];
  };

  /** @param known  whether the verifier knows the root of these leaves: that of the older tree */
  const subproof = (older: number, from: number, to: number, known: boolean): Buffer[] => {
    if (older === to) return known ? [] : [over(from, to)];
    const middle = from + split(to - from);
    return older <= middle
      ? [...subproof(older, from, middle, known), over(middle, to)]
      : [...subproof(older, middle, to, false), over(from, middle)];
  };

  const within = (name: string, value: number, from: number, to: number): void => {
    if (!Number.isInteger(value) || value < from || value > to)
      throw new RangeError(`${name}: got ${value}, expected ${from} to ${to}`);
  };

  return {
    append: leaf => {
      let [level, index, hash] = [0, size(), leaf];
      nodes.put(level, index, hash);
      // A node with an odd index is a right child, so its parent is complete.
      while (index % 2 === 1) {
        hash = nodeHash(nodes.at(level, index - 1), hash);
        [level, index] = [level + 1, half(index)];
        nodes.put(level, index, hash);
      }
    },
    size,
    root: (treeSize = size()) => {
      within('size', treeSize, 0, size());
      return over(0, treeSize);
    },
    inclusion: (index, treeSize = size()) => {
      within('size', treeSize, 1, size());
      within('index', index, 0, treeSize - 1);
      return path(index, 0, treeSize);
    },
    consistency: (older, treeSize = size()) => {
      within('size', treeSize, 1, size());
      within('older', older, 1, treeSize);
      return subproof(older, 0, treeSize, true);
    },
  };
};

const isCount = (...counts: readonly number[]): boolean =>
  counts.every(count => Number.isSafeInteger(count) && count >= 0);

/** A tree: number of its leaves, and its root. */
export type TreeHead = { readonly size: number; readonly root: Buffer };

/** Whether a proof shows that `leaf` is at `index` of a tree (RFC 9162 §2.1.3.2). */
export const isIncluded = (leaf: Buffer, index: number, { size, root }: TreeHead, proof: Proof): boolean => {
  if (!isCount(index, size) || index >= size) return false;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sibling, hash);
      // A node without a right sibling is passed to the next levels until it has a left sibling.
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = nodeHash(hash, sibling);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && hash.equals(root);
};

/** Whether a proof shows that the tree `newer` extends the tree `older` (RFC 9162 §2.1.4.2). */
export const isConsistent = (older: TreeHead, newer: TreeHead, proof: Proof): boolean => {
  if (!isCount(older.size, newer.size) || older.size === 0 || older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  const [first, ...rest] = isPowerOfTwo(older.size) ? [older.root, ...proof] : proof;
  if (!first) return false;
  let [at, last] = [older.size - 1, newer.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [was, is] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [was, is] = [nodeHash(sibling, was), nodeHash(sibling, is)];
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else is = nodeHash(is, sibling);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && was.equals(older.root) && is.equals(newer.root);
};

/** Proof that an event is in a log, for verifiers with a checkpoint of `treeSize` events (RFC 9162 §2.1.3). */
export type InclusionProof = {
  /** Export line of the event, whose UTF-8 is the leaf. */
  readonly leaf: string;
  /** Index of the leaf, from 0. */
  readonly leafIndex: number;
  readonly treeSize: number;
  /** SHA-256 in hexadecimal, from the leaf to the root. */
  readonly inclusionPath: readonly string[];
};

/** Proof that a log of `to` events extends one of `from`, for verifiers with both checkpoints (RFC 9162 §2.1.4). */
export type ConsistencyProof = {
  readonly from: number;
  readonly to: number;
  readonly consistencyPath: readonly string[];
};

export type LogProof = InclusionProof | ConsistencyProof;

const hashesOf = (path: readonly string[]): Buffer[] => path.map(hash => Buffer.from(hash, 'hex'));

const isPath = (value: unknown): boolean =>
  Array.isArray(value) && value.every(hash => typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash));
const areCounts = (...values: readonly unknown[]): boolean => values.every(Number.isSafeInteger);

/**
 * Parses a proof.
 * @throws NotUsable
 */
export const readProof = (text: string): LogProof => {
  let value: Partial<InclusionProof & ConsistencyProof> | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    value = null;
  }
  const { leaf, leafIndex, treeSize, inclusionPath, from, to, consistencyPath } = value ?? {};
  if (typeof leaf === 'string' && areCounts(leafIndex, treeSize) && isPath(inclusionPath))
    return value as InclusionProof;
  if (areCounts(from, to) && isPath(consistencyPath)) return value as ConsistencyProof;
  throw new NotUsable(
    'expected a proof: leaf, leafIndex, treeSize, inclusionPath, or from, to, consistencyPath',
  );
};

/** Tree sizes whose checkpoints are needed to verify a proof. */
export const sizesOf = (proof: LogProof): readonly number[] =>
  'leaf' in proof ? [proof.treeSize] : [proof.from, proof.to];

/** Whether a proof is valid for the checkpoints of its sizes, in order. */
export const holds = (proof: LogProof, [first, last = first]: readonly Checkpoint[]): boolean => {
  if (!first || !last || first.origin !== last.origin) return false;
  const was = Buffer.from(first.root, 'hex');
  const is = Buffer.from(last.root, 'hex');
  if (!('leaf' in proof)) {
    const { from, to, consistencyPath } = proof;
    return isConsistent({ size: from, root: was }, { size: to, root: is }, hashesOf(consistencyPath));
  }
  const { leaf, leafIndex, treeSize, inclusionPath } = proof;
  return isIncluded(leafHash(leaf), leafIndex, { size: treeSize, root: was }, hashesOf(inclusionPath));
};
