import { engine, engines, rulesOf } from '../../analysis/engine.js';
import { processManagerName, type KnownEvent } from '../../domain/events.js';
import { canonicalJson } from '../../auditing/eventBytes.js';
import { Rejection } from '../../domain/rejection.js';

/** Whether an error is caused by the data of the log and not by this machine. */
export const isOfData = (error: unknown): error is Error =>
  error instanceof RangeError ||
  error instanceof TypeError ||
  error instanceof Rejection ||
  (error instanceof Error && error.name === 'SqliteError');

const shownMax = 60;
const shownOf = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  const text = canonicalJson(value);
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
};

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * First difference of two JSON values in canonical form, with its JSON Pointer (RFC 6901); `undefined` when they are
 * equal.
 */
export const differenceOf = (expected: unknown, got: unknown, pointer = ''): string | undefined => {
  if (isBranch(expected) && isBranch(got) && Array.isArray(expected) === Array.isArray(got)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
    for (const name of names) {
      const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const difference = differenceOf(expected[name], got[name], place);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  const should = shownOf(expected);
  const is = shownOf(got);
  return should === is && canonical(expected) === canonical(got)
    ? undefined
    : `at ${pointer === '' ? 'its root' : pointer} got ${is}, expected ${should}`;
};

const canonical = (value: unknown): string | undefined =>
  value === undefined ? undefined : canonicalJson(value);

/** A decision that does not follow from the earlier events; `event` is its index in the log, from 1. */
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
  /** Decisions that were reproduced. */
  readonly proved: number;
  /** The first findings, in the order of the log. */
  readonly findings: readonly DecisionFinding[];
  readonly findingCount: number;
  /** Decisions that this build cannot repeat, and the reason for the first. */
  readonly undecided: number;
  readonly undecidedBecause: string | null;
  /** The same by reason, in order of first occurrence. */
  readonly reasons: readonly Undecided[];
  /** Events at the end of the log whose check or models are pending. */
  readonly awaited: number;
};

/** Reason why decisions cannot be repeated; `first` describes the first of them. */
export type Undecided = { readonly because: string; readonly count: number; readonly first: string };

/** An event and its index in the log, from 1. */
export type Placed<Event extends KnownEvent = KnownEvent> = { readonly event: Event; readonly n: number };

/**
 * Mismatch of an event with another source: a sentence when they differ, `notInLog` when the log does not have the
 * other source or this build cannot read it, `undefined` when they agree.
 */
export type Mismatch = { readonly detail: string } | 'notInLog' | undefined;

/** Parts of a cause that its decision repeats. */
type Cause = Pick<KnownEvent, 'id' | 'at'> & {
  readonly metadata: Pick<KnownEvent['metadata'], 'correlation'>;
};

/** Accepted difference between the clocks of two instances, in ms. */
const clocksDifferMs = 60_000;

/** Maximum findings that are listed. */
const findingsMax = 100;

/** Counts decisions and collects findings. */
export const tally = () => {
  const findings: DecisionFinding[] = [];
  let findingCount = 0;
  let proved = 0;
  /** Whether an event other than ModelsReset has named its engine: all later ones must. */
  let isNamed = false;
  /** Latest engine that an event has named, as its place among the released ones. */
  let latest = -1;
  const reasons = new Map<string, Undecided>();

  const report = ({ event: { id, stream, revision }, n }: Placed, detail: string): void => {
    findingCount += 1;
    if (findings.length < findingsMax)
      findings.push({ code: 'decision', event: n, to: n, stream, revision, id, detail });
  };
  const cannotDecide = (because: string, detail: string): void => {
    const { count, first } = reasons.get(because) ?? { count: 0, first: detail };
    reasons.set(because, { because, count: count + 1, first });
  };
  return {
    report,
    cannotDecide,
    /**
     * Compares the metadata and time of a decision with its cause. Its time may be slightly earlier, because clocks of
     * instances differ.
     * @param by expected author. For a request of a person the author of the event itself: a name is sealed in two ways
     */
    attribute: (
      placed: Placed,
      { id, at: causedAt, metadata: { correlation } }: Cause,
      by = processManagerName,
    ): void => {
      const { metadata, at } = placed.event;
      const expected = { by, cause: id, correlation };
      const difference = differenceOf(expected, { ...metadata });
      if (difference !== undefined)
        report(placed, `its metadata differ from those of its cause: ${difference}`);
      if (Date.parse(at) < Date.parse(causedAt) - clocksDifferMs)
        report(placed, `its time ${at} is before the time of its cause, ${causedAt}`);
    },
    /** Whether an event names an engine whose rules this build has; others are reported or counted as undecided. */
    isOurs: ({ event, n }: Placed, made: string | undefined): boolean => {
      const isModels = event.type === 'ModelsReset';
      if (made !== undefined && !engines.slice(isModels ? 0 : 1).includes(made)) {
        report({ event, n }, `it names the engine ${made}, which no release up to this one used`);
        return false;
      }
      if (made === undefined && (isModels || isNamed)) {
        report({ event, n }, 'it does not name its engine, but earlier events do');
        return false;
      }
      isNamed ||= !isModels && made !== undefined;
      const place = made === undefined ? latest : engines.indexOf(made);
      const isDowngrade = place < latest;
      latest = Math.max(latest, place);
      if (made !== undefined && rulesOf(made) && !isDowngrade) return true;
      if (isDowngrade)
        cannotDecide(
          'they name an older engine than decisions before them',
          `${event.type} ${event.id} was computed by ${made}, an earlier decision by ${engines[latest]}`,
        );
      else if (made === undefined)
        cannotDecide('they do not name their engine', `${event.type} ${event.id} does not name its engine`);
      else
        cannotDecide(
          'they were computed by another engine',
          `${event.type} ${event.id} was computed by ${made}, this build has ${engine}`,
        );
      return false;
    },
    /** Compares the data of an event with the expected data, as a store would write them. */
    compare: (placed: Placed, expected: unknown): void => {
      const difference = differenceOf(JSON.parse(JSON.stringify(expected)), placed.event.data);
      if (difference === undefined) proved += 1;
      else report(placed, `${placed.event.type} does not follow from the earlier events: ${difference}`);
    },
    /** Reports that an event does not agree with another source of the log, or cannot be compared with it. */
    agree: (placed: Placed, mismatch: Mismatch): void => {
      const { type, id } = placed.event;
      if (mismatch === 'notInLog')
        cannotDecide('another source that they rest on is not in the log', `${type} ${id}`);
      else if (mismatch) report(placed, `${type} does not agree with another source: ${mismatch.detail}`);
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
