import type { Recorded } from '../../../domain/events.js';
import { sourceOf, streams } from '../../../domain/streams.js';
import { isDamage } from '../../../projections/parked.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { EventStore } from '../../ports/eventStore.js';
import { eventsOfSource } from '../sourceEvents.js';
import { replay } from '../replay.js';
import type { Difference } from './comparedLog.js';

export type SubjectsParts = {
  readonly store: Pick<EventStore, 'read'>;
  /** Read models that stay as they are. */
  readonly models: Pick<ReadModels, 'parked' | 'checkpoint' | 'rows'>;
  /** Opens empty read models that disappear when they are closed. */
  readonly openTemporary: () => { readonly models: ReadModels; readonly close: () => void };
  /** Awaited between events and rows. */
  readonly pace: () => Promise<void> | undefined;
};

const eventsOf = (store: Pick<EventStore, 'read'>, subject: string): AsyncIterable<Recorded> =>
  subject.startsWith(streams.source(0).slice(0, -1))
    ? eventsOfSource(store, sourceOf(subject))
    : store.read(subject);

/**
 * Applies the events of subjects to empty read models and compares all of their rows, and the entries of the indexes,
 * with the stored ones. Subjects with a damaged event are left out.
 * @returns the first row that differs
 */
export const comparedSubjects = async (
  { store, models, openTemporary, pace }: SubjectsParts,
  subjects: readonly string[],
): Promise<Difference | undefined> => {
  const { models: expected, close } = openTemporary();
  try {
    for (const subject of subjects) {
      const parked = models.parked.one(subject);
      if (parked && isDamage(parked)) continue;
      const end = parked?.applied ?? models.checkpoint('readModels').position;
      await replay(expected, eventsOf(store, subject), {
        tree: false,
        whileServing: true,
        isIncluded: ({ position }) => position <= end,
        yieldToEventLoop: pace,
      });
    }
    const there = models.rows.names();
    const lost = expected.rows.names().find(name => !there.includes(name));
    if (lost !== undefined) return { table: lost, key: '' };
    for (const row of expected.rows.all()) {
      if (!models.rows.has(row)) return { table: row.table, key: row.key.map(String).join(', ') };
      await pace();
    }
    return undefined;
  } finally {
    close();
  }
};
