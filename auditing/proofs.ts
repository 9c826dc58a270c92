import { NotUsable, type Checkpoint } from './checkpoint.js';
import { isConsistent, isIncluded, leafHash } from './merkle.js';

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
