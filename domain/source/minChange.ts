import type { Fault } from '../rejection.js';

/**
 * The floor of a source: the smallest change that raises an alert. A change must reach each number that is set;
 * null or 0 asks for nothing.
 */
export type MinChange = {
  /** In the unit of the source: distance of the means of a stretch, by slice. */
  readonly absolute: number | null;
  /** Percent of what was expected over the stretch. */
  readonly percent: number | null;
  /** Whether the service proposed it from the reference; false for numbers that a person gave. */
  readonly proposed: boolean;
};

/** A merge patch of a floor. */
export type MinChangePatch = Partial<Pick<MinChange, 'absolute' | 'percent'>>;

/** Largest numbers of a floor. */
export const absoluteMax = 1e15;
export const percentMax = 1000;

/** A floor after a merge patch; null removes it. Numbers that stay count as given by a person, too. */
export const patchedMinChange = (
  before: MinChange | null,
  patch: MinChangePatch | null,
): MinChange | null => {
  if (patch === null) return null;
  const { absolute = before?.absolute ?? null, percent = before?.percent ?? null } = patch;
  return absolute === null && percent === null ? null : { absolute, percent, proposed: false };
};

/** Faults of the numbers of a floor; pointers are relative to it. */
export const minChangeFaults = (floor: MinChange | null): readonly Fault[] => {
  const fault = (name: 'absolute' | 'percent', max: number): readonly Fault[] => {
    const value = floor?.[name] ?? 0;
    return value >= 0 && value <= max
      ? []
      : [
          {
            code: 'minChange',
            pointer: `/${name}`,
            detail: `got ${value}, expected a number from 0 to ${max}`,
          },
        ];
  };
  return [...fault('absolute', absoluteMax), ...fault('percent', percentMax)];
};

/** Means of a day and of what was expected, over a stretch of slices. */
export type Change = { readonly actual: number; readonly expected: number };

/** Share that rounding of means may take from a change. */
const rounding = 1e-9;

/** Whether a change is smaller than a floor: than one of its numbers that are set. */
export const isBelow = ({ absolute, percent }: MinChange, { actual, expected }: Change): boolean => {
  const size = Math.abs(actual - expected) * (1 + rounding);
  return size < (absolute ?? 0) || size < ((percent ?? 0) / 100) * Math.abs(expected);
};
