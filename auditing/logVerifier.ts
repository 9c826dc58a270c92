import { isUtf8 } from 'node:buffer';
import type { Checkpoint } from './checkpoint.js';
import { eventHash } from './eventHash.js';
import { readLine, type Exported } from './exportLine.js';
import { frontier, leafHash, type Frontier } from './merkle.js';

/**
 * What is wrong with a log. Events are counted from 1 in the log; `stream` and `revision` are those of the event, or
 * of the one that is missing.
 */
export type Finding = {
  readonly code:
    'stored' | 'line' | 'sequence' | 'hash' | 'noHash' | 'fingerprint' | 'checkpoint' | 'truncated';
  /** The event that is wrong, or the first of those of which one is. */
  readonly event: number;
  /** Last of them: the same, where one alone is. */
  readonly to: number;
  /** The event before it in its stream, which may have been changed in its place, with its hash. */
  readonly orEvent?: number;
  readonly stream?: string;
  readonly revision?: number;
  readonly id?: string;
  readonly detail: string;
};

export type Verified = {
  readonly events: number;
  readonly streams: number;
  /** Events without a hash, written before there were any: only a checkpoint covers them. */
  readonly uncovered: number;
  /** Root of the tree over all of them, in hexadecimal. */
  readonly root: string;
  /** The first of the findings, in the order of the log. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
};

/** Reads a log from its beginning, and says what is wrong with it. */
export type Verifier = {
  /**
   * Takes the next line; answers what is wrong with it.
   * @param fingerprint  the leaf that the line must be, in hexadecimal, where that is known
   * @param faults       what is wrong with how the log has stored it, in words
   */
  readonly take: (
    line: Buffer | string,
    fingerprint?: string,
    faults?: readonly string[],
  ) => readonly Finding[];
  /** When there is no more. */
  readonly done: () => Verified;
  /** One that has read the same, and goes on by itself. */
  readonly fork: () => Verifier;
};

/** Where a stream has come to. */
type End = { readonly revision: number; readonly hash: string | null; readonly event: number };

type State = {
  readonly ends: Map<string, End>;
  readonly tree: Frontier;
  readonly findings: Finding[];
  findingCount: number;
  uncovered: number;
  /** Events up to which a checkpoint has been met. */
  proved: number;
  /** Whether the last event was the one of its fingerprint. */
  known: boolean;
};

/** Findings that are kept: the first ones say where to look. */
const findingsMax = 100;

/**
 * A verifier that trusts nothing but these checkpoints; without any it finds all but what leaves each stream a whole
 * chain from its first event: a stream cut off at its end or made anew, another order between streams. It holds as
 * much as there are streams.
 */
export const verifier = (checkpoints: readonly Checkpoint[] = [], begun?: State): Verifier => {
  const state: State = begun ?? {
    ends: new Map(),
    tree: frontier(),
    findings: [],
    findingCount: 0,
    uncovered: 0,
    proved: 0,
    known: true,
  };
  const { ends, tree } = state;

  const note = (findings: readonly Finding[]): readonly Finding[] => {
    state.findingCount += findings.length;
    state.findings.push(...findings.slice(0, findingsMax - state.findings.length));
    return findings;
  };

  /** What the chain of its stream says of an event. */
  const chainFindings = (event: Exported, at: number): Finding[] => {
    const { stream, revision, id, hash } = event;
    const before = ends.get(stream);
    const next = (before?.revision ?? -1) + 1;
    const here = { event: at, to: at, stream, revision, id };
    ends.set(stream, { revision, hash: hash ?? null, event: at });
    const hashesBegun = state.uncovered < at - 1;
    if (hash === undefined && !hashesBegun) state.uncovered += 1;
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
      return [{ ...here, code: 'sequence', detail: `revision ${revision} of ${stream} was there before` }];
    if (hash === undefined)
      return hashesBegun
        ? [{ ...here, code: 'noHash', detail: 'it has no hash, events before it have one' }]
        : [];
    if (hash === eventHash(event, before?.hash ?? null)) return [];
    return [
      {
        ...here,
        code: 'hash',
        // Which of both cannot be told: the hash of the one before is in this one's.
        ...(before && { orEvent: before.event }),
        detail: `the hash does not fit: it was changed${before ? `, or event ${before.event} before it in ${stream} together with its hash` : ''}`,
      },
    ];
  };

  /** What a checkpoint says that is due behind this event. */
  const checkpointFindings = (at: number): Finding[] => {
    const due = checkpoints.filter(({ size }) => size === at);
    if (due.length === 0) return [];
    const root = tree.root().toString('hex');
    const from = state.proved + 1;
    const wrong = due.filter(checkpoint => checkpoint.root !== root);
    if (wrong.length === 0) state.proved = at;
    return wrong.map(checkpoint => ({
      code: 'checkpoint',
      event: from,
      to: at,
      detail: `the events ${from} to ${at} are not those of the checkpoint of ${checkpoint.at}`,
    }));
  };

  return {
    take: (line, fingerprint, faults = []) => {
      const at = tree.size() + 1;
      const leaf = leafHash(line);
      tree.append(leaf);
      const text = typeof line === 'string' ? line : line.toString();
      const event = typeof line === 'string' || isUtf8(line) ? readLine(text) : 'is no UTF-8';
      const bare = { event: at, to: at };
      const named =
        typeof event === 'string'
          ? bare
          : { ...bare, stream: event.stream, revision: event.revision, id: event.id };
      const wasKnown = state.known;
      state.known = fingerprint === undefined || fingerprint === leaf.toString('hex');
      return note([
        ...faults.map(detail => ({ ...named, code: 'stored' as const, detail })),
        // Behind one that was added or taken out all stand at another place: the first says it.
        ...(wasKnown && !state.known
          ? [{ ...named, code: 'fingerprint' as const, detail: 'another event was here' }]
          : []),
        ...(typeof event === 'string'
          ? [{ ...bare, code: 'line' as const, detail: `the line ${event}` }]
          : chainFindings(event, at)),
        ...checkpointFindings(at),
      ]);
    },

    done: () => {
      const size = tree.size();
      const longest = Math.max(0, ...checkpoints.map(of => of.size));
      if (longest > size)
        note([
          {
            code: 'truncated',
            event: size + 1,
            to: longest,
            detail: `the log ends after ${size} events, a checkpoint has ${longest}`,
          },
        ]);
      return {
        events: size,
        streams: ends.size,
        uncovered: state.uncovered,
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
      }),
  };
};
