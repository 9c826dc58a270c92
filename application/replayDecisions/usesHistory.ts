import { isCause } from '../../domain/alerts/causes.js';
import type { EventOf, KnownEvent } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import type { DayHistory } from '../../projections/dayHistory.js';

const none: ReadonlySet<number> = new Set();

/** Covariates of the sources of a log so far: who uses them, pending checks, and the values that checks knew. */
export const usesHistory = (days: DayHistory) => {
  /** Sources whose current models use a source. */
  const users = new Map<number, Set<number>>();
  /** The reverse, with every source that ever had covariates. */
  const used = new Map<number, readonly number[]>();
  /** Causes of the checks that are not complete, by source. */
  const pending = new Map<number, Set<string>>();

  const use = (id: number, covariates: readonly { readonly sourceId: number }[]): void => {
    const ids = covariates.map(({ sourceId }) => sourceId);
    for (const before of used.get(id) ?? []) users.get(before)?.delete(id);
    for (const now of ids) users.set(now, (users.get(now) ?? new Set()).add(id));
    if (ids.length > 0 || used.has(id)) used.set(id, ids);
  };

  const check = (id: number, { cause, last, days: checked }: EventOf<'DaysChecked'>['data']): void => {
    if (last) pending.get(id)?.delete(cause.id);
    if (used.has(id)) for (const day of checked) days.know(id, day);
  };

  return {
    /** Takes the next event, which the history of days has. */
    take: (event: KnownEvent): void => {
      const id = sourceOf(event.stream);
      if (isCause(event)) pending.set(id, (pending.get(id) ?? new Set()).add(event.id));
      if (event.type === 'ModelsReset') use(id, event.data.checks?.covariates ?? []);
      else if (event.type === 'ModelsReplaced') use(id, []);
      else if (event.type === 'DaysChecked') check(id, event.data);
    },
    /** Ids of the sources whose current models use a source. */
    usersOf: (covariateId: number): ReadonlySet<number> => users.get(covariateId) ?? none,
    isCheckPending: (id: number): boolean => (pending.get(id)?.size ?? 0) > 0,
  };
};
