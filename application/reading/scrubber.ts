import type { Logger } from 'pino';
import { lineOf } from '../../auditing/eventBytes.js';
import { verifier, type LogFinding } from '../../auditing/logVerifier.js';
import { EventDamaged, type Recorded } from '../../domain/events.js';
import { subjectOf, sourceOf, streams, streamsOfSource } from '../../domain/streams.js';
import { isDamage } from '../../projections/parked.js';
import type { ReadModels, Snapshot } from '../../projections/readModels.js';
import type { TableRow } from '../../projections/readModel.js';
import type { Leaf } from '../../projections/tree.js';
import { pause, type Environment } from '../ports/environment.js';
import { StoreUnavailable, type EventStore, eventsOfStreams } from '../ports/eventStore.js';
import { pacer } from '../ports/sharing/turns.js';
import type { Parking } from './parking.js';
import { growth } from './projectionRunner.js';
import { replay } from './replay.js';

/** A row of the read models that differs from the log. */
export type Difference = { readonly table: string; readonly key: string };

type LogParts = Pick<ScrubberParts, 'store' | 'models'> & {
  /** Awaited between events. */
  readonly pace: () => Promise<void> | undefined;
  /** Called with an event of each subject whose bytes, hash or place in its stream are wrong. */
  readonly damaged: (event: Recorded, error: EventDamaged) => void;
};

/** Events of which the tree is compared at once. */
const batchMax = 50;

const isSameLeaf = (one: Leaf, other: Leaf | undefined): boolean =>
  one.index === other?.index &&
  one.eventId === other.eventId &&
  one.stream === other.stream &&
  one.revision === other.revision;

/** The first row of the tree that differs from the events; `from`: index of the first of them. */
const treeDifference = (
  { tree, checkpoint }: LogParts['models'],
  events: readonly Recorded[],
  from: number,
): Difference | undefined => {
  const last = events.at(-1);
  if (last && checkpoint('readModels').position < last.position)
    throw new StoreUnavailable('the read models lost events meanwhile');
  try {
    const { leaves, nodes } = growth({ ...tree, size: () => from }, events);
    for (const leaf of leaves)
      // By the table and by its index.
      if (!isSameLeaf(leaf, tree.leaf(leaf.index)) || !isSameLeaf(leaf, tree.byEvent(leaf.eventId)))
        return { table: 'tree_leaves', key: String(leaf.index) };
    const node = nodes.find(({ level, index, hash }) => tree.node(level, index)?.equals(hash) !== true);
    return node && { table: 'tree_nodes', key: `${node.level}, ${node.index}` };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { table: 'tree_nodes', key: error.message };
  }
};

/** Why an event is damaged; undefined for a sound one, and one whose hash nothing tells about. */
const damageIn = (event: Recorded, take: (line: string) => readonly LogFinding[]): string | undefined => {
  if (event.damage !== undefined) return event.damage;
  const finding = take(lineOf(event)).find(({ code }) => code === 'hash' || code === 'sequence');
  return finding && `position ${event.position}: ${finding.detail}`;
};

/** The subject of the source that the source of an event was relearned from: its creation ends work of that one. */
const relearnedFrom = ({ type, data }: Recorded): string | undefined => {
  const before =
    type === 'SourceCreated' ? (data as { relearnedFrom?: unknown } | null)?.relearnedFrom : null;
  return typeof before === 'number' ? streams.source(before) : undefined;
};

/** Groups of subjects that share rows. */
const subjectGroups = () => {
  const bySubject = new Map<string, string[]>();
  return {
    /** The group of a subject; a new subject has one of its own. */
    groupOf: (subject: string): string[] => {
      const group = bySubject.get(subject) ?? [subject];
      bySubject.set(subject, group);
      return group;
    },
    /** Moves the subjects of a group into another one. */
    unite: (group: string[], other: readonly string[]): void => {
      if (group === other) return;
      group.push(...other);
      for (const subject of other) bySubject.set(subject, group);
    },
    groups: (): readonly (readonly string[])[] => [...new Set(bySubject.values())],
  };
};

/** Groups that are compared at once, those of few subjects together. */
const inTurns = (groups: readonly (readonly string[])[]): readonly (readonly string[])[] => {
  const turns: string[][] = [];
  for (const group of groups) {
    const last = turns.at(-1);
    if (last && last.length + group.length <= groupMax) last.push(...group);
    else turns.push([...group]);
  }
  return turns;
};

/**
 * Reads the log up to the checkpoint of the read models, verifies the hashes of its events, and compares the Merkle
 * tree and the checkpoint of the read models with it.
 * @returns the subjects of all events in groups that share rows, and the first difference
 * @throws StoreUnavailable
 */
const comparedLog = async ({
  store,
  models,
  pace,
  damaged,
}: LogParts): Promise<{
  readonly subjects: readonly (readonly string[])[];
  readonly difference: Difference | undefined;
}> => {
  const { position: end, event: through } = models.checkpoint('readModels');
  const { take } = verifier([]);
  const { groupOf, unite, groups } = subjectGroups();
  const reported = new Set<string>();
  let batch: Recorded[] = [];
  let before = 0;
  let last: Recorded | undefined;
  let difference: Difference | undefined;
  const compare = (): void => {
    // The leaf of a damaged event is unknown.
    if (reported.size === 0) difference ??= treeDifference(models, batch, before);
    before += batch.length;
    batch = [];
  };
  for await (const event of store.all(0n)) {
    if (event.position > end) break;
    const subject = subjectOf(event.stream);
    const group = groupOf(subject);
    const earlier = relearnedFrom(event);
    if (earlier !== undefined) unite(groupOf(earlier), group);
    const damage = damageIn(event, take);
    if (damage !== undefined && !reported.has(subject)) {
      reported.add(subject);
      damaged(event, new EventDamaged(event, damage));
    }
    batch.push(event);
    last = event;
    if (batch.length >= batchMax) compare();
    await pace();
  }
  compare();
  if (end > 0n && (last?.position !== end || last.id !== through?.id))
    difference ??= { table: 'checkpoints', key: 'readModels' };
  return { subjects: groups(), difference };
};

/** When and how fast read models are compared with the log. */
export type ScrubPace = {
  /** Share of the time of the main thread, in (0, 1]. */
  readonly share: number;
  /** Milliseconds between the ends and the beginnings of passes, and before the first one. */
  readonly everyMs: number;
};

/** Compares the read models with the log, again and again. */
export type Scrubber = {
  readonly start: () => void;
  /** Number of passes that found a difference since the start. */
  readonly differences: () => number;
  /** Whether the last whole pass found a difference. */
  readonly isDiffering: () => boolean;
  readonly stop: () => Promise<void>;
};

export type ScrubberParts = {
  readonly store: Pick<EventStore, 'all' | 'read'>;
  readonly models: Pick<ReadModels, 'tree' | 'checkpoint' | 'parked' | 'rows'>;
  /** Opens the present read models as they are. @throws StoreUnavailable, QueueFull */
  readonly snapshot: () => { readonly models: Compared; readonly close: Snapshot['close'] };
  /** Opens empty read models that disappear when they are closed. */
  readonly openTemporary: () => { readonly models: ReadModels; readonly close: () => void };
  /** Whether the read models have all events. */
  readonly isWhole: () => boolean;
  readonly parking: Pick<Parking, 'park'>;
  /** Replaces the read models by empty ones, which are built from the log; absent where that cannot be. */
  readonly empty?: ((why: unknown) => void) | undefined;
  readonly log: Pick<Logger, 'error' | 'info'>;
  readonly environment: Environment;
};

/** Subjects that are compared at once, when no more of them share rows. */
const groupMax = 20;

export type ComparisonParts = Omit<ScrubberParts, 'isWhole' | 'empty' | 'log' | 'environment'>;

/**
 * Compares all read models with the log; parks the subjects of damaged events.
 * @returns the first difference
 * @throws StoreUnavailable, QueueFull, errors of `pace`
 */
export const firstDifference = async (
  parts: ComparisonParts,
  pace: () => Promise<void> | undefined,
): Promise<Difference | undefined> => {
  const { store, models, parking } = parts;
  const { subjects, difference } = await comparedLog({ store, models, pace, damaged: parking.park });
  if (difference) return difference;
  for (const turn of inTurns(subjects)) {
    const found = await comparedSubjects(parts, turn, pace);
    if (found) return found;
  }
  return undefined;
};

/**
 * A scrubber of the read models: SQLite notices damage of its structure only, not of the content of rows. A difference
 * rebuilds the read models, unless the pass after a rebuild found one again: then a bug makes them differ.
 */
export const scrubber = (parts: ScrubberParts, { share, everyMs }: ScrubPace): Scrubber => {
  const { isWhole, empty, log, environment } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let differences = 0;
  let isDiffering = false;
  let running: Promise<void> | undefined;

  const report = (difference: Difference): void => {
    const wasDiffering = isDiffering;
    differences += 1;
    const where = { file: 'read-models.sqlite', ...difference };
    if (wasDiffering || !empty) {
      isDiffering = true;
      log.error(where, 'the read models differ from the log');
      return;
    }
    log.error(where, 'the read models differ from the log; rebuilding them');
    empty(new Error(`table ${difference.table} differs from the log at ${difference.key}`));
    // A replacement that failed is tried again by the next pass.
    isDiffering = true;
  };

  const pass = async (): Promise<void> => {
    if (!isWhole()) return;
    try {
      const found = await firstDifference(parts, pacer(share, environment, signal));
      if (found) return report(found);
      if (isDiffering) log.info('the read models equal the log again');
      isDiffering = false;
    } catch (error) {
      // A store that cannot be used is reported by those who need it.
      if (signal.aborted || error instanceof StoreUnavailable) return;
      log.error({ err: error }, 'the comparison of the read models with the log failed');
    }
  };

  const run = async (): Promise<void> => {
    for (;;) {
      await pause(environment, everyMs, signal);
      if (signal.aborted) return;
      await pass();
    }
  };

  return {
    start: () => void (running = run()),
    differences: () => differences,
    isDiffering: () => isDiffering,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

type Compared = Pick<ReadModels, 'parked' | 'checkpoint' | 'rows'>;

const streamsOf = (subject: string): readonly string[] =>
  subject.startsWith(streams.source(0).slice(0, -1)) ? streamsOfSource(sourceOf(subject)) : [subject];

/**
 * Returns a function that applies to `expected` the events of subjects that other read models have by now, and that it
 * has not yet. Subjects with a damaged event are left out.
 */
const follower = (store: Pick<EventStore, 'read'>, expected: ReadModels, subjects: readonly string[]) => {
  const next = new Map<string, number>();
  return async (models: Compared, pace?: () => Promise<void> | undefined): Promise<void> => {
    for (const subject of subjects) {
      const parked = models.parked.one(subject);
      if (parked && isDamage(parked)) continue;
      const end = parked?.applied ?? models.checkpoint('readModels').position;
      const isIncluded = ({ position, stream, revision }: Recorded): boolean => {
        if (position <= end) next.set(stream, revision + 1);
        return position <= end;
      };
      const events = eventsOfStreams(store, streamsOf(subject), stream => next.get(stream) ?? 0);
      const options = { tree: false, whileServing: true, isIncluded };
      await replay(expected, events, pace ? { ...options, yieldToEventLoop: pace } : options);
    }
  };
};

/**
 * Applies the events of subjects to empty read models and compares all of their rows, and the entries of the indexes,
 * with the present ones, which go on meanwhile: rows that differ are compared once more, in a snapshot that is open
 * for no longer than that, because SQLite keeps all changes of its time.
 * @returns the first row that differs
 */
const comparedSubjects = async (
  { store, models, snapshot, openTemporary }: ComparisonParts,
  subjects: readonly string[],
  pace: () => Promise<void> | undefined,
): Promise<Difference | undefined> => {
  const { models: expected, close } = openTemporary();
  try {
    const follow = follower(store, expected, subjects);
    await follow(models, pace);
    const { position } = models.checkpoint('readModels');
    const there = models.rows.names();
    const lost = expected.rows.names().find(name => !there.includes(name));
    if (lost !== undefined) return { table: lost, key: '' };
    const suspects: Pick<TableRow, 'table' | 'key'>[] = [];
    for (const row of expected.rows.all()) {
      if (!models.rows.has(row)) suspects.push({ table: row.table, key: row.key });
      await pace();
    }
    if (suspects.length === 0) return undefined;
    await follow(models, pace);
    const present = snapshot();
    try {
      if (present.models.checkpoint('readModels').position < position)
        throw new StoreUnavailable('the read models lost events meanwhile');
      await follow(present.models);
      return differenceOf(expected, present.models, suspects);
    } finally {
      present.close();
    }
  } finally {
    close();
  }
};

/** The first of some rows that differs. A row that is expected no more is left out. */
const differenceOf = (
  expected: Compared,
  present: Compared,
  suspects: readonly Pick<TableRow, 'table' | 'key'>[],
): Difference | undefined => {
  const found = suspects.find(one => {
    const row = expected.rows.inPlaceOf(one);
    return row && !present.rows.has(row);
  });
  return found && { table: found.table, key: found.key.map(String).join(', ') };
};
