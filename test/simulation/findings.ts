import { dateOf, dayNumber } from '../../domain/dates.js';
import type { EventOf, KnownEvent } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import type { Outcome } from '../../domain/alerts/findings.js';

// Findings of dates in progress: the whole day has them too, so no alert is raised that the whole day would not raise.

type Values = readonly (number | undefined)[];
type Check = EventOf<'DaysChecked'>['data'];
type CheckedDate = Check['days'][number];

/** An early finding, and everything that it depends on as text. */
type Early = { readonly elapsed: number; readonly basis: string };

/** Facts of a source: its days by revision, early findings, and the last outcome of each date. */
type Known = {
  readonly days: Map<string, { readonly revision: number; readonly values: Values }[]>;
  readonly early: Map<string, Early>;
  readonly outcomes: Map<string, Outcome>;
};

/** Whether a day with this outcome may have a finding, and so an alert: the first day of a drift has one. */
export const hasFinding = (outcome: Outcome | undefined): boolean =>
  outcome === 'abnormal' || outcome === 'gap' || outcome === 'drift';

const takePoints = ({ days }: Known, { revision, data }: EventOf<'PointsImported'>): void => {
  for (const { date, observed } of data.days) {
    const history = days.get(date) ?? [];
    const values = Array.from(
      { length: data.rule.activitySize },
      (_, slice) => history.at(-1)?.values[slice],
    );
    for (const [from, given] of observed) given.forEach((value, at) => (values[from + at] = value));
    days.set(date, [...history, { revision, values }]);
  }
};

/** All that a finding of the first slices of a date depends on, but the limits that adapt to days before, as text. */
const basisOf = ({ days }: Known, check: Check, day: CheckedDate, elapsed: number): string => {
  const valuesOn = (date: string): Values =>
    days.get(date)?.findLast(({ revision }) => revision <= (check.knowledge?.days ?? -1))?.values ?? [];
  const before = valuesOn(dateOf(dayNumber(day.date) - 1));
  const soFar = valuesOn(day.date).slice(0, elapsed);
  return JSON.stringify([check.modelsVersion, check.engine, day.plannedModelId, before, soFar]);
};

/** Takes the outcome of a date; returns the fault that an early finding is gone while its slices have stayed. */
const takeDate = (known: Known, check: Check, day: CheckedDate): string | undefined => {
  const { date, elapsed, outcome } = day;
  known.outcomes.set(date, outcome);
  if (!known.days.has(date)) return undefined;
  const early = known.early.get(date);
  const isSame = early && basisOf(known, check, day, early.elapsed) === early.basis;
  known.early.delete(date);
  if (elapsed !== undefined && hasFinding(outcome))
    known.early.set(date, { elapsed, basis: basisOf(known, check, day, elapsed) });
  return isSame && !hasFinding(outcome)
    ? `${date} had a finding with ${early.elapsed} slices, and is ${outcome} with ${elapsed ?? 'all'} of them`
    : undefined;
};

/**
 * Reads the checks of dates with points.
 * @param events in the order of the log
 * @returns early findings that are gone while their slices stayed, and the last outcomes by source and date
 */
export const readFindings = (
  events: readonly KnownEvent[],
): {
  readonly faults: readonly string[];
  readonly outcomeOn: (id: number, date: string) => Outcome | undefined;
} => {
  const sources = new Map<number, Known>();
  const faults: string[] = [];
  for (const event of events) {
    if (event.type !== 'PointsImported' && event.type !== 'DaysChecked') continue;
    const id = sourceOf(event.stream);
    const known = sources.get(id) ?? { days: new Map(), early: new Map(), outcomes: new Map() };
    sources.set(id, known);
    if (event.type === 'PointsImported') takePoints(known, event);
    else
      for (const day of event.data.days) {
        const fault = takeDate(known, event.data, day);
        if (fault) faults.push(`source ${id}: ${fault}`);
        // Limits adapt to the whole days before a date.
        if (day.elapsed === undefined)
          for (const date of known.early.keys()) if (date > day.date) known.early.delete(date);
      }
  }
  return { faults, outcomeOn: (id, date) => sources.get(id)?.outcomes.get(date) };
};
