import { engine, engines } from '../../analysis/engine.js';
import type { KnownEvent } from '../../domain/events.js';
import { differenceOf } from './difference.js';

/** A decision that is not what its events come to; `event` is counted from 1 in the log. */
export type DecisionFinding = {
  readonly code: 'decision';
  readonly event: number;
  readonly to: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly detail: string;
};

export type VerifiedDecisions = {
  /** Decisions that came out as they are in the log. */
  readonly proved: number;
  /** In the order of the log, those that were made first. */
  readonly findings: readonly DecisionFinding[];
  readonly findingCount: number;
  /** Decisions that this build cannot make again, and why the first of them. */
  readonly undecided: number;
  readonly undecidedBecause: string | null;
  /** The same by their reasons, in the order in which they were met. */
  readonly reasons: readonly Undecided[];
  /** Events at the end whose check, or models, are still to come. */
  readonly awaited: number;
};

/** Why decisions cannot be decided; `first` says it of the first of them. */
export type Undecided = { readonly because: string; readonly count: number; readonly first: string };

/** An event and its place in the log, from 1. */
export type Placed<Event extends KnownEvent = KnownEvent> = { readonly event: Event; readonly n: number };

/** By how much the clocks of two instances may differ. */
const clocksDifferMs = 60_000;

/** Findings that are kept. */
const findingsMax = 100;

/** What came of comparing decisions. */
export const tally = () => {
  const findings: DecisionFinding[] = [];
  let findingCount = 0;
  let proved = 0;
  /** Whether a check or models of people have named their engine: then all after them do. */
  let isNamed = false;
  const reasons = new Map<string, Undecided>();

  const find = ({ event: { id, stream, revision }, n }: Placed, detail: string): void => {
    findingCount += 1;
    if (findings.length < findingsMax)
      findings.push({ code: 'decision', event: n, to: n, stream, revision, id, detail });
  };
  const cannotDecide = (because: string, detail: string): void => {
    const { count, first } = reasons.get(because) ?? { count: 0, first: detail };
    reasons.set(because, { because, count: count + 1, first });
  };
  return {
    find,
    cannotDecide,
    /**
     * Says what of a decision by the service its cause does not lead to: who stands behind it, and when it was made.
     * Clocks of instances differ, so it may bear a time that is a little before its cause's.
     */
    attribute: (placed: Placed, cause: KnownEvent): void => {
      const { metadata, at } = placed.event;
      const expected = { by: 'reactor', cause: cause.id, correlation: cause.metadata.correlation };
      const difference = differenceOf(expected, { ...metadata });
      if (difference !== undefined) find(placed, `the service did not make it so: metadata ${difference}`);
      if (Date.parse(at) < Date.parse(cause.at) - clocksDifferMs)
        find(placed, `its time ${at} is before that of its cause, ${cause.at}`);
    },
    /** Whether this build has the engine that an event names; what has another cannot be decided. */
    isOurs: ({ event, n }: Placed, made: string | undefined): boolean => {
      const isModels = event.type === 'ModelsReset';
      if (made !== undefined && !engines.slice(isModels ? 0 : 1).includes(made)) {
        find({ event, n }, `it names the engine ${made}, which no release up to this one had for it`);
        return false;
      }
      if (made === undefined && (isModels || isNamed)) {
        find({ event, n }, 'it does not name its engine, as events before it do');
        return false;
      }
      isNamed ||= !isModels && made !== undefined;
      if (made === engine) return true;
      if (made === undefined)
        cannotDecide(
          'they do not name the engine that made them',
          `${event.type} ${event.id} does not name the engine that made it`,
        );
      else
        cannotDecide(
          'another engine made them',
          `${event.type} ${event.id} was made by ${made}, this build has ${engine}`,
        );
      return false;
    },
    /** Compares the data of an event with what they should be, as a store would keep that. */
    compare: (placed: Placed, expected: unknown): void => {
      const difference = differenceOf(JSON.parse(JSON.stringify(expected)), placed.event.data);
      if (difference === undefined) proved += 1;
      else find(placed, `${placed.event.type} is not what the events before it come to: ${difference}`);
    },
    result: (awaited: number): VerifiedDecisions => ({
      proved,
      findings: [...findings].sort((a, b) => a.event - b.event),
      findingCount,
      undecided: [...reasons.values()].reduce((sum, { count }) => sum + count, 0),
      undecidedBecause: [...reasons.values()][0]?.first ?? null,
      reasons: [...reasons.values()],
      awaited,
    }),
  };
};

export type Tally = ReturnType<typeof tally>;
