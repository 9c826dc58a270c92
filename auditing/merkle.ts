import { createHash } from 'node:crypto';

// The Merkle tree of RFC 9162 §2.1 (the same as in RFC 6962) with SHA-256. Its leaves are the events of the log in
// their order; a root says all of them, and proofs of a few hashes show that an event, or an earlier tree, is in it.

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Root of the tree without leaves. */
export const emptyRoot = sha256();

/** Hash of a leaf; a text is its UTF-8. */
export const leafHash = (entry: Buffer | string): Buffer => sha256(leafPrefix, entry);

/** Hash of a node above two others. */
export const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256(nodePrefix, left, right);

/** The largest power of two below n, n ≥ 2. */
const split = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1);

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));

const half = (n: number): number => Math.floor(n / 2);

/** Hashes of a proof, in the order of RFC 9162. */
export type Proof = readonly Buffer[];

/** A tree that grows by leaves and knows nothing but its root, in room for log2(n) hashes. */
export type Frontier = {
  /** Takes the hash of the next leaf: one node on average, log2(n) at most. */
  readonly append: (leaf: Buffer) => void;
  readonly size: () => number;
  readonly root: () => Buffer;
  /** Another tree with the same leaves, which grows by itself. */
  readonly copy: () => Frontier;
};

/** A tree of which only the root is wanted. */
export const frontier = (begun: readonly Buffer[] = [], sizeThere = 0): Frontier => {
  /** Roots of the full subtrees that the leaves make, largest first: one for each bit of the size. */
  const peaks = [...begun];
  let size = sizeThere;
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

/** The roots of the full subtrees of a tree: `index`, from 0, counts those of 2^level leaves from the left. */
export type Nodes = {
  /** Leaves of the tree. */
  readonly size: () => number;
  /** Of a full subtree within that size. */
  readonly at: (level: number, index: number) => Buffer;
  readonly put: (level: number, index: number, hash: Buffer) => void;
};

/** Nodes in memory: two hashes a leaf. */
export const nodesInMemory = (): Nodes => {
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

/** A tree that grows by leaves and answers proofs for any of its sizes so far, in log2(n) nodes read and hashed. */
export type MerkleTree = {
  readonly append: (leaf: Buffer) => void;
  readonly size: () => number;
  /** Root of the first `size` leaves; of all when not given. */
  readonly root: (size?: number) => Buffer;
  /** Shows that leaf `index` (from 0) is in the tree of the first `size` leaves (RFC 9162 §2.1.3.1). */
  readonly inclusion: (index: number, size?: number) => Proof;
  /** Shows that the tree of the first `older` leaves begins that of the first `size` (RFC 9162 §2.1.4.1). */
  readonly consistency: (older: number, size?: number) => Proof;
};

/** @throws RangeError from its proofs, for a leaf or a size that the tree does not have */
export const merkleTree = (nodes: Nodes = nodesInMemory()): MerkleTree => {
  const { size } = nodes;

  /** Root of the leaves from `from` up to `to`; as the RFC splits, a full subtree begins at a multiple of its size. */
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

  /** @param known  whether the verifier knows the root of these leaves already: that of the older tree */
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
      // A node at an odd index is the right one of a pair, whose root is known now.
      while (index % 2 === 1) {
        hash = nodeHash(nodes.at(level, index - 1), hash);
        [level, index] = [level + 1, half(index)];
        nodes.put(level, index, hash);
      }
    },
    size,
    root: (of = size()) => {
      within('size', of, 0, size());
      return over(0, of);
    },
    inclusion: (index, of = size()) => {
      within('size', of, 1, size());
      within('index', index, 0, of - 1);
      return path(index, 0, of);
    },
    consistency: (older, of = size()) => {
      within('size', of, 1, size());
      within('older', older, 1, of);
      return subproof(older, 0, of, true);
    },
  };
};

const isCount = (...counts: readonly number[]): boolean =>
  counts.every(count => Number.isSafeInteger(count) && count >= 0);
/** Whether a proof shows that `leaf` is at `index` in the tree of `size` leaves under `root` (RFC 9162 §2.1.3.2). */
export const isIncluded = (
  leaf: Buffer,
  index: number,
  size: number,
  proof: Proof,
  root: Buffer,
): boolean => {
  if (!isCount(index, size) || index >= size) return false;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const beside of proof) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(beside, hash);
      // A node without one to its right is the same on the levels above, until there is one to its left.
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = nodeHash(hash, beside);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && hash.equals(root);
};

/**
 * Whether a proof shows that the tree of `older` leaves under `olderRoot` is how that of `size` leaves under `root`
 * begins (RFC 9162 §2.1.4.2).
 */
export const isConsistent = (
  older: number,
  olderRoot: Buffer,
  size: number,
  root: Buffer,
  proof: Proof,
): boolean => {
  if (!isCount(older, size) || older === 0 || older > size) return false;
  if (older === size) return proof.length === 0 && olderRoot.equals(root);
  const [first, ...rest] = isPowerOfTwo(older) ? [olderRoot, ...proof] : proof;
  if (!first) return false;
  let [at, last] = [older - 1, size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [was, is] = [first, first];
  for (const beside of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [was, is] = [nodeHash(beside, was), nodeHash(beside, is)];
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else is = nodeHash(is, beside);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && was.equals(olderRoot) && is.equals(root);
};
