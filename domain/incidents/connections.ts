import type { AlertState } from '../alerts/alertsState.js';
import type { AlertKind, Direction, Finding } from '../alerts/findings.js';
import { dayNumber, minutesPerDay } from '../dates.js';

/**
 * The part of an alert that is compared. `sense`: its direction, or `gap` and `frozen` without one. `minutes`: its
 * stretches in minutes after local midnight, `from` inclusive, `to` exclusive. `places`: time zone and label,
 * `zone key=value`, for each label that joins sources.
 */
export type AlertSpan = {
  readonly sense: Direction | 'gap' | 'frozen';
  readonly minutes: readonly (readonly [number, number])[];
  readonly places: readonly string[];
};

/**
 * Why an alert is in its incident. `opened`: it is the first; `neighbour`: an alert of its source on a neighbouring
 * date; `repeat`: the same direction at the same time of day within 28 days; `place`: the same direction at the same
 * time on a source with the same label; `replaced`: the alert before it on its date was invalidated.
 */
export const joinReasons = ['opened', 'neighbour', 'repeat', 'place', 'replaced'] as const;
export type JoinReason = (typeof joinReasons)[number];

/** Longest distance in days between alerts that repeat each other. */
export const repeatDays = 28;

/** An alert that is grouped. */
export type GroupedAlert = {
  readonly alertId: string;
  readonly sourceId: number;
  readonly date: string;
  readonly state: AlertState;
  readonly kind: AlertKind;
  /** 0–1. */
  readonly criticity: number;
  /** 0–1; absent without one. */
  readonly severity?: number;
  readonly span: AlertSpan;
};

/** Span of a finding. `size` is the number of slices of a day. */
export const spanOf = (
  { kind, direction, slices }: Pick<Finding, 'direction' | 'slices'> & { readonly kind: AlertKind },
  size: number,
  places: readonly string[],
): AlertSpan => {
  const minutesOf = (slice: number): number => (slice * minutesPerDay) / size;
  const minutes = slices.map(({ from, to }) => [minutesOf(from), minutesOf(to)] as const);
  return {
    sense: direction ?? (kind === 'frozen' ? 'frozen' : 'gap'),
    minutes: minutes.length > 0 ? minutes : [[0, minutesPerDay]],
    places,
  };
};

const overlap = (one: AlertSpan, other: AlertSpan, shift = 0): boolean =>
  one.minutes.some(([from, to]) =>
    other.minutes.some(([start, end]) => from < end + shift && start + shift < to),
  );

/** The label of two alerts that go on at the same instant in one place, as `key=value`. */
const sharedPlace = (one: GroupedAlert, other: GroupedAlert): string | undefined => {
  if (one.span.sense !== other.span.sense) return undefined;
  const place = one.span.places.find(name => other.span.places.includes(name));
  if (place === undefined) return undefined;
  const shift = (dayNumber(other.date) - dayNumber(one.date)) * minutesPerDay;
  return overlap(one.span, other.span, shift) ? place.slice(place.indexOf(' ') + 1) : undefined;
};

/** How two alerts are connected. `label`: the one that their sources share, null unless that is the reason. */
export type Connection = { readonly reason: JoinReason; readonly label: string | null };

/** How two alerts are connected; undefined when they are not. */
export const connection = (one: GroupedAlert, other: GroupedAlert): Connection | undefined => {
  if (one.sourceId !== other.sourceId) {
    const label = sharedPlace(one, other);
    return label === undefined ? undefined : { reason: 'place', label };
  }
  const days = Math.abs(dayNumber(one.date) - dayNumber(other.date));
  if (days <= 1) return { reason: 'neighbour', label: null };
  const isRepeat = days <= repeatDays && one.span.sense === other.span.sense && overlap(one.span, other.span);
  return isRepeat ? { reason: 'repeat', label: null } : undefined;
};
