import { dayMs } from '../dates.js';
import type { Decider } from '../decider.js';
import { emptyKeyed, lookUp, put, type Keyed } from '../keyed.js';
import { Rejection } from '../rejection.js';

/** Scope of a mute: a source, sources with all labels, or an incident. */
export type MuteScope =
  | { readonly sourceId: number }
  | { readonly labels: Readonly<Record<string, string>> }
  | { readonly incidentId: string };

/** A time without first announcements. Instants are ISO 8601 UTC, `from` inclusive, `until` exclusive. */
export type Mute = {
  readonly muteId: string;
  readonly scope: MuteScope;
  readonly from: string;
  readonly until: string;
  /** Sealed. */
  readonly reason: string;
};

/** Events of `mutes-{tenant}`. A mute ends at its `until`, or when it is deleted. */
export type MuteEvent =
  | { readonly type: 'MuteCreated'; readonly data: Mute }
  | { readonly type: 'MuteDeleted'; readonly data: { readonly muteId: string } }
  | { readonly type: 'MuteEnded'; readonly data: { readonly muteId: string } };

/** Commands of `mutes-{tenant}`. */
export type MuteCommand =
  | { readonly type: 'CreateMute'; readonly mute: Mute; readonly at: string }
  | { readonly type: 'DeleteMute'; readonly muteId: string }
  | { readonly type: 'EndMute'; readonly muteId: string; readonly at: string };

/** Longest time between the creation of a mute and its end, in days. */
export const muteDaysMax = 400;

/** Largest number of mutes of a tenant that have not ended. */
export const mutesMax = 200;

/** Mutes that have not ended, with their ends, and those that have: null. */
type MutesState = { readonly count: number; readonly mutes: Keyed<string | null> };

/** @throws Rejection `muteInvalid` */
const requireTimes = ({ from, until }: Mute, at: string): void => {
  const refusal = (code: string, pointer: string, detail: string): Rejection =>
    new Rejection('muteInvalid', 'the times of the mute are not valid', [{ code, pointer, detail }]);
  if (until <= from)
    throw refusal('untilBeforeFrom', '/until', `got ${until}, expected an instant after ${from}`);
  if (until <= at)
    throw refusal('untilOver', '/until', `got ${until}, expected an instant after the present, ${at}`);
  const latest = new Date(Date.parse(at) + muteDaysMax * dayMs).toISOString();
  if (until > latest)
    throw refusal(
      'untilTooLate',
      '/until',
      `got ${until}, expected at most ${muteDaysMax} days away: ${latest}`,
    );
};

const decideCreation = (
  mute: Mute,
  at: string,
  { count, mutes: known }: MutesState,
): readonly MuteEvent[] => {
  if (lookUp(known, mute.muteId) !== undefined) return [];
  requireTimes(mute, at);
  if (count >= mutesMax)
    throw new Rejection('tooManyMutes', `got mute ${count + 1} of the tenant, expected at most ${mutesMax}`);
  return [{ type: 'MuteCreated', data: mute }];
};

/** Rules of `mutes-{tenant}`: a mute always ends. */
export const mutes: Decider<MuteCommand, MuteEvent, MutesState> = {
  initial: { count: 0, mutes: emptyKeyed },
  decide: (command, state) => {
    switch (command.type) {
      case 'CreateMute':
        return decideCreation(command.mute, command.at, state);
      case 'DeleteMute': {
        const until = lookUp(state.mutes, command.muteId);
        if (until === undefined) throw new Rejection('muteNotFound', `no mute ${command.muteId}`);
        return until === null ? [] : [{ type: 'MuteDeleted', data: { muteId: command.muteId } }];
      }
      case 'EndMute': {
        const until = lookUp(state.mutes, command.muteId) ?? null;
        const isOver = until !== null && until <= command.at;
        return isOver ? [{ type: 'MuteEnded', data: { muteId: command.muteId } }] : [];
      }
    }
  },
  evolve: ({ count, mutes: known }, { type, data }) =>
    type === 'MuteCreated'
      ? { count: count + 1, mutes: put(known, data.muteId, data.until) }
      : { count: count - 1, mutes: put(known, data.muteId, null) },
};

/** A source as mutes see it. `ids`: its own, and those of the sources that it was learned again from. */
export type MutedSource = {
  readonly ids: readonly number[];
  readonly labels: Readonly<Record<string, string>>;
};

const coversSource = (scope: MuteScope, { ids, labels }: MutedSource): boolean => {
  if ('sourceId' in scope) return ids.includes(scope.sourceId);
  return 'labels' in scope && Object.entries(scope.labels).every(([key, value]) => labels[key] === value);
};

const latest = (instants: readonly string[]): string | null => instants.toSorted().at(-1) ?? null;

/** An incident as mutes see it. `sources` may be only the first ones of `sourceCount`. */
export type MutedIncident = {
  readonly incidentId: string;
  readonly sources: readonly MutedSource[];
  readonly sourceCount: number;
};

/** A mute that was created at an instant. */
export type CreatedMute = Pick<Mute, 'scope' | 'from' | 'until'> & { readonly createdAt: string };

/** Whether a mute has begun and not ended. One that began at its creation stays begun when a clock is set back. */
export const isActive = ({ from, until, createdAt }: CreatedMute, now: string): boolean =>
  (from <= now || from <= createdAt) && now < until;

/**
 * The instant until which an incident is muted; null when it is not. A mute of the incident covers it, and so do mutes
 * that together cover all of its sources; a source that is not named counts as not covered.
 * @param now ISO 8601 UTC
 */
export const mutedUntil = (
  mutes: readonly CreatedMute[],
  { incidentId, sources, sourceCount }: MutedIncident,
  now: string,
): string | null => {
  const active = mutes.filter(mute => isActive(mute, now));
  const own = active.filter(({ scope }) => 'incidentId' in scope && scope.incidentId === incidentId);
  const bySource = sources.map(one =>
    latest(active.filter(({ scope }) => coversSource(scope, one)).map(({ until }) => until)),
  );
  const all = bySource.filter(until => until !== null).sort();
  const common = all.length === sourceCount ? all.slice(0, 1) : [];
  return latest([...own.map(({ until }) => until), ...common]);
};
