import { meansOver } from '../../domain/alerts/deviation.js';
import type { Finding, Stretch } from '../../domain/alerts/findings.js';
import { usable, type Day } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import { isBelow, type Change, type MinChange } from '../../domain/source/minChange.js';
import { isOnChange } from '../findings/limitLevels.js';
import type { Checked } from './comparison.js';

/** Each slice of the runs; none when only means broke a limit, since the runs are theirs then. */
const slicesOutside = ({ limits, slices }: Finding): readonly Stretch[] =>
  limits && !limits.some(limit => limit === 'slice' || limit === 'shape')
    ? []
    : slices.flatMap(({ from, to }) =>
        Array.from({ length: to - from }, (_, index) => ({ from: from + index, to: from + index + 1 })),
      );

/** Changes of a finding: its main stretch, each slice outside the bounds, and each stretch whose mean broke a limit. */
const changesOf = (day: Day, { activity }: Model, finding: Finding): readonly Change[] => {
  const { deviation = null, limits = [] } = finding.facts ?? {};
  const main = deviation ? [deviation] : [];
  if (deviation && deviation.comparedWith !== 'model') return main;
  const compared = { activity: day.activity, expected: activity, usable: usable(day) };
  const means = limits.filter(({ limit }) => limit !== 'slice' && limit !== 'shape' && !isOnChange(limit));
  return [
    ...main,
    ...[...slicesOutside(finding), ...means].flatMap(stretch => meansOver(compared, stretch) ?? []),
  ];
};

/**
 * The result of a check under the floor of its source. A finding of kind `activity` or `drift` whose changes are all
 * below the floor is none: the day is `normal`, and `belowFloor` says why. A proposed floor does not narrow the bounds
 * that people supplied.
 * @param model the planned model as it is expected on the date
 */
export const withFloor = (checked: Checked, day: Day, model: Model, floor: MinChange | null): Checked => {
  const { finding } = checked;
  if (!floor || (finding?.kind !== 'activity' && finding?.kind !== 'drift')) return checked;
  if (floor.proposed && !model.limits) return checked;
  const changes = changesOf(day, model, finding);
  return changes.length > 0 && changes.every(change => isBelow(floor, change))
    ? { outcome: 'normal', finding: null, belowFloor: true }
    : checked;
};
