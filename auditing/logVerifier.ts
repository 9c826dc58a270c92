import { isUtf8 } from 'node:buffer';
import type { Checkpoint } from './checkpoint.js';
import { eventHash, readLine, type Exported } from './eventBytes.js';
import { frontier, leafHash, type Frontier } from './merkle.js';

/**
 * A fault of a log. Events are counted from 1; `stream` and `revision` are those of the event, or of the missing one.
 */
export type LogFinding = {
  readonly code:
    'stored' | 'line' | 'sequence' | 'hash' | 'noHash' | 'fingerprint' | 'checkpoint' | 'truncated';
  /** The faulty event, or the first of a range that contains it. */
  readonly event: number;
  /** The last event of the range. */
  readonly to: number;
  /** The event before it in its stream, which may have been changed together with its hash. */
  readonly orEvent?: number;
  readonly stream?: string;
  readonly revision?: number;
  readonly id?: string;
  readonly detail: string;
};

export type Verified = {
  readonly events: number;
  readonly streams: number;
  /** Events without a hash: only a checkpoint covers them. */
  readonly withoutHash: number;
  /** The given checkpoints whose root is that of the first events. */
  readonly matched: readonly Checkpoint[];
  /** Root of the tree of all events, in hexadecimal. */
  readonly root: string;
  /** The first findings, in the order of the log. */
  readonly findings: readonly LogFinding[];
  readonly findingCount: number;
};

/** Verifies a log from its beginning. */
export type Verifier = {
  /**
   * Verifies the next line and returns its findings.
   * @param leaf    expected leaf hash in hexadecimal, where it is known
   * @param faults  faults of how the log stores the event, as messages
   */
  readonly take: (line: Buffer | string, leaf?: string, faults?: readonly string[]) => readonly LogFinding[];
  /** To be called after the last line. */
  readonly done: () => Verified;
  /** An independent copy of this verifier. */
  readonly fork: () => Verifier;
};

/** Last event of a stream. */
type End = { readonly revision: number; readonly hash: string | null; readonly event: number };

type State = {
  readonly ends: Map<string, End>;
  readonly tree: Frontier;
  readonly findings: LogFinding[];
  findingCount: number;
  withoutHash: number;
  readonly matched: Checkpoint[];
  /** Number of events proved by a checkpoint. */
  proved: number;
  /** Whether the last event had its expected leaf hash. */
  known: boolean;
};

/** Maximum findings that are listed. */
const findingsMax = 100;

/** Findings about an event and the hash chain of its stream. */
const chainFindings = (state: State, event: Exported, at: number): LogFinding[] => {
  const { ends } = state;
  const { stream, revision, id, hash } = event;
  const before = ends.get(stream);
  const next = (before?.revision ?? -1) + 1;
  const here = { event: at, to: at, stream, revision, id };
  ends.set(stream, { revision, hash: hash ?? null, event: at });
  const hashesBegun = state.withoutHash < at - 1;
  if (hash === undefined && !hashesBegun) state.withoutHash += 1;
  if (revision > next)
    return [
      {
        code: 'sequence',
        event: (before?.event ?? 0) + 1,
        to: at,
        stream,
        revision: next,
        detail: `revision ${next} of ${stream} is missing before revision ${revision}`,
      },
    ];
  if (revision < next)
    return [{ ...here, code: 'sequence', detail: `revision ${revision} of ${stream} is there twice` }];
  if (hash === undefined)
    return hashesBegun
      ? [{ ...here, code: 'noHash', detail: 'it has no hash, but earlier events have one' }]
      : [];
  if (hash === eventHash(event, before?.hash ?? null)) return [];
  return [
    {
      ...here,
      code: 'hash',
      // The hash covers the hash of the event before it, so either event may have been changed.
      ...(before && { orEvent: before.event }),
      detail: `it does not match its hash: it was changed${before ? `, or event ${before.event} before it in ${stream} together with its hash` : ''}`,
    },
  ];
};

/** Findings about the checkpoints that end with this event. */
const checkpointFindings = (state: State, checkpoints: readonly Checkpoint[], at: number): LogFinding[] => {
  const due = checkpoints.filter(({ size }) => size === at);
  if (due.length === 0) return [];
  const root = state.tree.root().toString('hex');
  const from = state.proved + 1;
  const wrong = due.filter(checkpoint => checkpoint.root !== root);
  if (wrong.length === 0) state.proved = at;
  state.matched.push(...due.filter(checkpoint => checkpoint.root === root));
  return wrong.map(checkpoint => ({
    code: 'checkpoint',
    event: from,
    to: at,
    detail: `the events ${from} to ${at} differ from the checkpoint of ${checkpoint.at}`,
  }));
};

/**
 * A verifier that trusts the given checkpoints. Without checkpoints it cannot find changes that leave every stream an
 * unbroken chain: removed last events, streams written again, another order between streams. Its memory grows with the
 * number of streams.
 */
export const verifier = (checkpoints: readonly Checkpoint[] = [], begun?: State): Verifier => {
  const state: State = begun ?? {
    ends: new Map(),
    tree: frontier(),
    findings: [],
    findingCount: 0,
    withoutHash: 0,
    matched: [],
    proved: 0,
    known: true,
  };
  const { ends, tree } = state;

  const note = (findings: readonly LogFinding[]): readonly LogFinding[] => {
    state.findingCount += findings.length;
    state.findings.push(...findings.slice(0, findingsMax - state.findings.length));
    return findings;
  };

  return {
    take: (line, expectedLeaf, faults = []) => {
      const at = tree.size() + 1;
      const leaf = leafHash(line);
      tree.append(leaf);
      const text = typeof line === 'string' ? line : line.toString();
      const event = typeof line === 'string' || isUtf8(line) ? readLine(text) : 'is not UTF-8';
      const bare = { event: at, to: at };
      const named =
        typeof event === 'string'
          ? bare
          : { ...bare, stream: event.stream, revision: event.revision, id: event.id };
      const wasKnown = state.known;
      state.known = expectedLeaf === undefined || expectedLeaf === leaf.toString('hex');
      return note([
        ...faults.map(detail => ({ ...named, code: 'stored' as const, detail })),
        // After an added or removed event all later events are shifted; only the first is reported.
        ...(wasKnown && !state.known
          ? [{ ...named, code: 'fingerprint' as const, detail: 'the checkpoint had another event here' }]
          : []),
        ...(typeof event === 'string'
          ? [{ ...bare, code: 'line' as const, detail: `the line ${event}` }]
          : chainFindings(state, event, at)),
        ...checkpointFindings(state, checkpoints, at),
      ]);
    },

    done: () => {
      const size = tree.size();
      const longest = Math.max(0, ...checkpoints.map(({ size }) => size));
      if (longest > size)
        note([
          {
            code: 'truncated',
            event: size + 1,
            to: longest,
            detail: `the log ends after ${size} events, but a checkpoint has ${longest}`,
          },
        ]);
      return {
        events: size,
        streams: ends.size,
        withoutHash: state.withoutHash,
        matched: [...state.matched],
        root: tree.root().toString('hex'),
        findings: state.findings,
        findingCount: state.findingCount,
      };
    },

    fork: () =>
      verifier(checkpoints, {
        ...state,
        ends: new Map(ends),
        tree: tree.copy(),
        findings: [...state.findings],
        matched: [...state.matched],
      }),
  };
};
