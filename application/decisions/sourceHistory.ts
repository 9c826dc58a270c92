import { isTotal } from '../../domain/day.js';
import { fold } from '../../domain/decider.js';
import type { EventOf, KnownEvent } from '../../domain/events.js';
import {
  calendar,
  decideAppliedRules,
  type CalendarEvent,
  type CalendarState,
} from '../../domain/planning/calendarRules.js';
import type { AppliedRuleEvent } from '../../domain/planning/specialDays.js';
import type { CovariateReading } from '../../domain/source/covariates.js';
import type { MinChange } from '../../domain/source/minChange.js';
import type { ExistingSource, SourceCreation } from '../../domain/source/sourceState.js';
import { streams, sourceOf } from '../../domain/streams.js';
import type { DayHistory, DayVersion } from '../../projections/dayHistory.js';
import type { Placed } from './tally.js';

type OfCalendar = EventOf<CalendarEvent['type']>;

/** Whether an event is one of `calendar-{tenant}`. */
export const isOfCalendar = (event: KnownEvent): event is OfCalendar =>
  event.type === 'CalendarRuleSaved' || event.type === 'CalendarRuleDeleted';

/** The rules for labels of each tenant of a log, at every revision. */
export const calendarHistory = () => {
  const states = new Map<string, CalendarState[]>();
  return {
    take: (event: OfCalendar): void => {
      const known = states.get(event.stream) ?? [];
      known.push(fold(calendar, known.at(-1) ?? calendar.initial, [event]));
      states.set(event.stream, known);
    },
    /** The rules for labels of a tenant at a revision; undefined before it. */
    at: (tenant: string, revision: number): CalendarState | undefined =>
      states.get(streams.calendar(tenant))?.[revision],
  };
};

/**
 * The data that an event about a rule for labels must have, decided again from the calendar that the source followed;
 * undefined when the calendar does not ask for the event.
 */
export const followedAgain = (
  { type, data }: EventOf<AppliedRuleEvent['type']>,
  { rules }: CalendarState,
  state: ExistingSource,
): object | undefined => {
  const { requestId, followed: revision = -1 } = data;
  const source = { specials: state.specials, labels: state.description.labels };
  const decided = decideAppliedRules({ type: 'FollowCalendar', requestId, revision, rules }, source);
  const ruleId = 'rule' in data ? data.rule.ruleId : data.ruleId;
  return decided.find(
    other =>
      other.type === type && ('rule' in other.data ? other.data.rule.ruleId : other.data.ruleId) === ruleId,
  )?.data;
};

/** Sources and days of a log so far. */
export type Histories = { readonly sources: SourceHistory; readonly days: DayHistory };

/** Value of a day of a source as a covariate, by the aggregation of the source. */
export const valueOf = ({ sources }: Histories, id: number, day: DayVersion): number | null =>
  isTotal(sources.created(id)?.aggregation ?? 'mean') ? day.sum : day.mean;

/** A day of a source at a revision: the recent one, else that of the reference. */
const dayAt = ({ days }: Histories, id: number, date: string, revision: number): DayVersion | undefined => {
  const versions = days.versions(id, date).filter(version => version.revision <= revision);
  const recent = versions.findLast(({ kind }) => kind === 'recent');
  return recent?.present === 1 ? recent : versions.findLast(({ kind }) => kind === 'reference');
};

/** Reads the value of a date as the service does, in one state of the covariate. */
export const readingAt = (
  history: Histories,
  { sourceId, revision }: CovariateReading,
  date: string,
  { lineage, at }: { readonly lineage: Lineage; readonly at: number },
): CovariateReading => {
  if (lineage.archived) return { sourceId, value: null, revision, archived: true };
  const [present, ...older] = lineage.ids.toReversed();
  for (const id of [...(present === undefined ? [] : [present]), ...older]) {
    const known = id === present ? revision : history.days.revisionAt(id, at);
    const day = dayAt(history, id, date, known);
    if (day) return { sourceId, value: valueOf(history, id, day), revision };
  }
  return { sourceId, value: null, revision };
};

/** Value of a covariate on a date at the nth event of the log. */
export const covariateValueAt = (
  history: Histories,
  sourceId: number,
  date: string,
  n: number,
): number | null => {
  const lineage = history.sources.lineageAt(sourceId, n);
  if (!lineage) return null;
  const revision = history.days.revisionAt(lineage.ids.at(-1) ?? sourceId, n);
  return readingAt(history, { sourceId, value: null, revision }, date, { lineage, at: n }).value;
};

/** A source and those that it was learned again as, oldest first, and whether the last one is archived. */
type Lineage = { readonly ids: readonly number[]; readonly archived: boolean };

/** Facts of a source. All positions are indices in the log, from 1. */
type Known = {
  readonly createdAt: number;
  readonly created: SourceCreation;
  readonly names: string[];
  /** The archive, from a position on; `relearnedAs` is the source that took its place. */
  readonly states: { readonly at: number; readonly archived: boolean; readonly relearnedAs: number | null }[];
  /** Target coverage of the models, from a position on; null for default limits and for models of people. */
  readonly coverages: { readonly at: number; readonly coverage: number | null }[];
  /** Lists of covariates with the time of the change that ended each; none for the present one. */
  readonly explainedBy: { readonly ids: string; until?: string }[];
  floor: MinChange | undefined;
};

const describeCovariates = ({ explainedBy }: Known, ids: string, at: string): void => {
  const last = explainedBy.at(-1);
  if (last?.ids === ids) return;
  if (last) last.until = at;
  explainedBy.push({ ids });
};

/** Creation, names, covariates, coverage and archive of the sources of a log, at every moment. */
export const sourceHistory = () => {
  const sources = new Map<number, Known>();
  const relearnings = new Map<number, Placed<EventOf<'SourceRelearned'>>>();

  const stateAt = (known: Known, at: number): Known['states'][number] | undefined =>
    known.states.findLast(state => state.at <= at);

  /**
   * @param withArchived also with archived successors of a restored source, as earlier builds read it
   * @returns undefined before the creation of the source
   */
  const lineageAt = (id: number, at: number, withArchived = false): Lineage | undefined => {
    const known = sources.get(id);
    if (!known || known.createdAt > at) return undefined;
    const { archived, relearnedAs } = stateAt(known, at) ?? { archived: false, relearnedAs: null };
    // Ids ascend: a forged log cannot lead in a circle.
    const next =
      relearnedAs === null || relearnedAs <= id ? undefined : lineageAt(relearnedAs, at, withArchived);
    const isRestored = !archived && next?.archived === true;
    return next && (withArchived || !isRestored)
      ? { ids: [id, ...next.ids], archived: next.archived }
      : { ids: [id], archived };
  };

  const knownIds = (id: number): number[] => {
    const from = sources.get(id)?.created.relearnedFrom;
    return from === undefined || from >= id ? [id] : [id, ...knownIds(from)];
  };

  return {
    take: ({ event, n }: Placed): void => {
      const id = sourceOf(event.stream);
      const known = sources.get(id);
      switch (event.type) {
        case 'SourceCreated': {
          const { data } = event;
          const explainedBy = [{ ids: String(data.explainedBy ?? []) }];
          const none = { states: [], coverages: [], floor: data.minChange };
          sources.set(id, { createdAt: n, created: data, names: [data.name], explainedBy, ...none });
          break;
        }
        case 'SourceDescribed':
          if (known?.names.includes(event.data.name) === false) known.names.push(event.data.name);
          if (known) describeCovariates(known, String(event.data.explainedBy ?? []), event.at);
          if (known) known.floor = event.data.minChange;
          break;
        case 'ReferenceExtended':
          if (known) known.floor = event.data.minChange ?? known.floor;
          break;
        case 'ModelsReset':
          known?.coverages.push({ at: n, coverage: event.data.bounds.targetCoverage });
          break;
        case 'ModelsReplaced':
          known?.coverages.push({ at: n, coverage: null });
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
    /** A source with those that it was learned again as, at a position; undefined before its creation. */
    lineageAt,
    /** Whether earlier builds did not read a restored source, because its successor is archived. */
    wasUnread: (id: number, at: number): boolean =>
      lineageAt(id, at, true)?.archived === true && lineageAt(id, at)?.archived === false,
    /** Whether a source itself is archived at a position. */
    isArchived: (id: number, at: number): boolean => {
      const known = sources.get(id);
      return known !== undefined && stateAt(known, at)?.archived === true;
    },
    /** Ids under which others may know a source: its own, and those that it was learned again from. */
    knownIds,
    created: (id: number): SourceCreation | undefined => sources.get(id)?.created,
    /** The last floor of a source; undefined without one. */
    floorOf: (id: number): MinChange | undefined => sources.get(id)?.floor,
    /** Whether a source ever had a name. */
    wasNamed: (id: number, name: string): boolean => sources.get(id)?.names.includes(name) === true,
    /** Whether a source had these covariates, in this order, at some time since an instant. */
    wasExplainedBy: (id: number, ids: readonly number[], sinceMs: number): boolean =>
      sources
        .get(id)
        ?.explainedBy.some(
          ({ ids: list, until }) =>
            list === String(ids) && (until === undefined || Date.parse(until) >= sinceMs),
        ) === true,
    /** Target coverages of a source from one position to another, both inclusive; null without one. */
    coverages: (id: number, from: number, to: number): (number | null)[] => {
      const all = sources.get(id)?.coverages.filter(({ at }) => at <= to) ?? [];
      const later = all.filter(({ at }) => at > from);
      return [all.findLast(({ at }) => at <= from), ...later].map(one => one?.coverage ?? null);
    },
    /** The event that asked for a source that was learned again from another one. */
    relearning: (id: number): Placed<EventOf<'SourceRelearned'>> | undefined => relearnings.get(id),
    /** Whether a source is another one, or was learned again from it, directly or through others. */
    descendsFrom: (id: number, from: number): boolean => knownIds(id).includes(from),
    /** The different states of a source from one position to another, both inclusive. */
    lineages: (id: number, from: number, to: number): Lineage[] => {
      const last = lineageAt(id, to, true);
      const changes = (last?.ids ?? []).flatMap(one => {
        const known = sources.get(one);
        return known ? [known.createdAt, ...known.states.map(({ at }) => at)] : [];
      });
      const moments = [from, ...changes.filter(at => from < at && at <= to)];
      return moments.flatMap(at => [false, true].flatMap(earlier => lineageAt(id, at, earlier) ?? []));
    },
  };
};

type SourceHistory = ReturnType<typeof sourceHistory>;
