import type { Silence } from '../silence.js';
import type { PlannedAs } from '../findings.js';

/** A part of a duration: a whole number of a unit. */
export type DurationPart = readonly [count: number, unit: 'day' | 'hour' | 'minute'];

/**
 * Words of the sentences of alerts in one language. Numbers come as texts, with `decimal` and the unit of the source;
 * times are `HH:MM`, dates `YYYY-MM-DD`. Phrases that follow others begin with a space or a comma.
 */
export type SentenceTexts = {
  readonly language: 'en' | 'fr';
  /** A number with a decimal point as readers of the language write it. */
  readonly decimal: (number: string) => string;
  readonly list: (parts: readonly string[]) => string;
  /** The expected day behind "the" of the language; without `planned` the planned model of older events. */
  readonly usual: (date: string, planned: PlannedAs | undefined) => string;
  readonly atLevelBefore: (usual: string) => string;
  readonly atLevelOfDay: (usual: string) => string;
  readonly share: (percent: string, side: 'over' | 'under', usual: string) => string;
  readonly instead: (actual: string, expected: string, usual: string) => string;
  readonly allDay: string;
  readonly stretch: (from: string, to: string) => string;
  /** A stretch that lasts at the end of what is known of a date in progress. */
  readonly since: (from: string) => string;
  /** Other stretches outside the limits; `since` is the start of one that lasts. */
  readonly others: (count: number, since: string | undefined) => string;
  /** All stretches of a date in progress are over; `to` is the end of the last one, unless it is known. */
  readonly over: (to: string | undefined) => string;
  readonly drift: (deviation: string | undefined) => string;
  readonly outside: string;
  /** A day whose shape is like that of no other one; `difference` says how. */
  readonly shape: (difference: string) => string;
  /** The same after what else is unusual. */
  readonly shapeToo: (difference: string) => string;
  readonly clock: (duration: string, isLater: boolean) => string;
  readonly noise: string;
  readonly repeated: (value: string, when: string) => string;
  readonly gap: (when: string) => string;
  readonly rest: (deviation: string) => string;
  readonly observed: (day: string, usual: string) => string;
  readonly lessThanHalf: string;
  readonly noDay: string;
  readonly frozen: (value: string | undefined, when: string) => string;
  readonly onDate: (date: string) => string;
  readonly duration: (parts: readonly DurationPart[]) => string;
  /** `since` is `YYYY-MM-DD HH:MM` in UTC. */
  readonly silence: (
    silence: Pick<Silence, 'lastDate' | 'origin'> & { readonly since: string; readonly within: string },
  ) => string;
  readonly explained: (change: string, values: string) => string;
  readonly notAdjusted: (names: string) => string;
};
