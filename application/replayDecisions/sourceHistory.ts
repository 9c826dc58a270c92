import { sourceOf, type EventOf } from '../../domain/events.js';
import type { SourceCreation } from '../../domain/source/sourceFacts.js';
import type { Placed } from './tally.js';

/** A source and those that it was learned again as, oldest first, and whether the last one is archived. */
export type Lineage = { readonly ids: readonly number[]; readonly archived: boolean };

/** Facts of a source. All positions are indices in the log, from 1. */
type Known = {
  readonly createdAt: number;
  readonly created: SourceCreation;
  readonly names: string[];
  /** The archive, from a position on; `relearnedAs` is the source that took its place. */
  readonly states: { readonly at: number; readonly archived: boolean; readonly relearnedAs: number | null }[];
};

/** Creation, names and archive of the sources of a log, at every moment. */
export const sourceHistory = () => {
  const sources = new Map<number, Known>();
  const relearnings = new Map<number, Placed<EventOf<'SourceRelearned'>>>();

  const stateAt = (known: Known, at: number): Known['states'][number] | undefined =>
    known.states.findLast(state => state.at <= at);

  /** @returns undefined before the creation of the source */
  const lineageAt = (id: number, at: number): Lineage | undefined => {
    const known = sources.get(id);
    if (!known || known.createdAt > at) return undefined;
    const { archived, relearnedAs } = stateAt(known, at) ?? { archived: false, relearnedAs: null };
    const next = relearnedAs === null ? undefined : lineageAt(relearnedAs, at);
    return next ? { ids: [id, ...next.ids], archived: next.archived } : { ids: [id], archived };
  };

  return {
    take: ({ event, n }: Placed): void => {
      const id = sourceOf(event.stream);
      const known = sources.get(id);
      switch (event.type) {
        case 'SourceCreated': {
          const { data } = event;
          sources.set(id, { createdAt: n, created: data, names: [data.name], states: [] });
          break;
        }
        case 'SourceDescribed':
          if (known?.names.includes(event.data.name) === false) known.names.push(event.data.name);
          break;
        case 'SourceRelearned':
          relearnings.set(event.data.created.sourceId, { event, n });
          break;
        case 'SourceArchived':
        case 'SourceRestored': {
          const before = known?.states.at(-1)?.relearnedAs ?? null;
          const relearnedAs = event.type === 'SourceArchived' ? event.data.relearnedAs : undefined;
          const archived = event.type === 'SourceArchived';
          known?.states.push({ at: n, archived, relearnedAs: relearnedAs ?? before });
          break;
        }
      }
    },
    created: (id: number): SourceCreation | undefined => sources.get(id)?.created,
    /** Whether a source ever had a name. */
    wasNamed: (id: number, name: string): boolean => sources.get(id)?.names.includes(name) === true,
    /** The event that asked for a source that was learned again from another one. */
    relearning: (id: number): Placed<EventOf<'SourceRelearned'>> | undefined => relearnings.get(id),
    /** Whether a source is another one, or was learned again from it, directly or through others. */
    descendsFrom: (id: number, from: number): boolean => {
      for (let at: number | undefined = id; at !== undefined; at = sources.get(at)?.created.relearnedFrom)
        if (at === from) return true;
      return false;
    },
    /** The different states of a source from one position to another, both inclusive. */
    lineages: (id: number, from: number, to: number): Lineage[] => {
      const last = lineageAt(id, to);
      const changes = (last?.ids ?? []).flatMap(one => {
        const known = sources.get(one);
        return known ? [known.createdAt, ...known.states.map(({ at }) => at)] : [];
      });
      const moments = [from, ...changes.filter(at => from < at && at <= to)];
      return moments.flatMap(at => lineageAt(id, at) ?? []);
    },
  };
};

export type SourceHistory = ReturnType<typeof sourceHistory>;
