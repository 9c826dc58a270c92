import { weekday, weekdayNames, dayNumber } from '../dates.js';
import { percent as percentText } from '../percent.js';
import type { ExplainedFacts } from '../source/covariates.js';
import type { Aggregation } from '../day.js';
import type {
  BrokenLimit,
  BrokenRun,
  Deviation,
  Finding,
  FindingFacts,
  PlannedAs,
  SilenceFinding,
  Stretch,
} from './findings.js';
import type { Silence } from './silence.js';

/** A stretch with its local clock times `HH:MM`; a day ends at 24:00. */
export type ClockStretch = Stretch & { readonly fromTime: string; readonly toTime: string };

/**
 * How far a day was from what was expected over its main stretch. `actual` and `expected` are means per slice, or
 * totals for sources that are summed, in the unit of the source; `absolute` is their difference.
 */
export type ShownDeviation = ClockStretch &
  Omit<Deviation, 'from' | 'to'> & {
    readonly aggregation: Aggregation;
    readonly absolute: number;
    /** 100 · absolute / expected in tenths; null when nothing above 0 was expected. */
    readonly percent: number | null;
  };

/** A broken limit as clients see it; its numbers are means per slice. */
export type ShownLimit = ClockStretch & {
  readonly limit: BrokenLimit;
  readonly score: number | null;
  readonly allowed: number | null;
  readonly actual: number;
  readonly bound: number;
};

/** Content of a finding, ready to be shown. */
export type AlertDetails = {
  readonly sentence: string;
  readonly slices: readonly (BrokenRun & ClockStretch)[];
  readonly deviation: ShownDeviation | null;
  readonly brokenLimits: readonly ShownLimit[];
  /** For a gap: observed share of the day, and median of the reference days. */
  readonly completeness: { readonly day: number; readonly usual: number } | null;
  /** For a flatline: its value, and the length in slices of the longest of the reference. */
  readonly flatline: { readonly value: number; readonly longest: number } | null;
  /** For `noData`: since when there are no data, and when they were overdue. */
  readonly silence: Silence | null;
  /** How covariates changed what was expected; absent for models without covariates. */
  readonly explainedBy?: ExplainedFacts;
};

/** A finding of a date; `size` is the number of slices of a day. */
export type DatedFinding = {
  readonly date: string;
  readonly size: number;
  readonly aggregation: Aggregation;
  readonly finding:
    Pick<Finding, 'kind' | 'slices' | 'facts'> | Pick<SilenceFinding, 'kind' | 'slices' | 'silence'>;
};

const minutesPerDay = 1440;

/** Local clock time of the start of a slice, `HH:MM`. */
export const clockTime = (slice: number, size: number): string => {
  const minutes = (slice * minutesPerDay) / size;
  return [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0')).join(':');
};

const clockStretch = ({ from, to }: Stretch, size: number): ClockStretch => ({
  from,
  to,
  fromTime: clockTime(from, size),
  toTime: clockTime(to, size),
});

const shownDeviation = (
  { actual, expected, slices, ...deviation }: Deviation,
  { size, aggregation }: DatedFinding,
): ShownDeviation => {
  const factor = aggregation === 'sum' ? slices : 1;
  const absolute = factor * (actual - expected);
  return {
    ...deviation,
    ...clockStretch(deviation, size),
    slices,
    aggregation,
    actual: factor * actual,
    expected: factor * expected,
    absolute,
    percent: expected > 0 ? tenths((100 * (actual - expected)) / expected) : null,
  };
};

const tenths = (value: number): number | null =>
  Number.isFinite(value) ? Math.round(value * 10) / 10 : null;

/**
 * Details of a finding for people and charts.
 * @param older deviation of a finding without facts, as far as it can be derived
 */
export const alertDetails = (dated: DatedFinding, older: Deviation | null): AlertDetails => {
  const { finding, size } = dated;
  const facts = factsOf(finding);
  const deviation = facts ? facts.deviation : older;
  const shown = deviation && shownDeviation(deviation, dated);
  return {
    sentence: sentenceOf(dated, shown),
    slices: finding.slices.map(run => ({ ...run, ...clockStretch(run, size) })),
    deviation: shown,
    brokenLimits: (facts?.limits ?? []).map(({ from, to, ...limit }) => ({
      ...limit,
      ...clockStretch({ from, to }, size),
    })),
    completeness: facts?.completeness ?? null,
    flatline: facts?.flatline ?? null,
    silence: finding.kind === 'noData' ? finding.silence : null,
    ...(facts?.explainedBy && { explainedBy: facts.explainedBy }),
  };
};

const factsOf = (finding: DatedFinding['finding']): FindingFacts | undefined =>
  finding.kind === 'noData' ? undefined : finding.facts;

/** The reason of an alert in one English sentence, without a full stop. */
const sentenceOf = (dated: DatedFinding, deviation: ShownDeviation | null): string => {
  const { finding } = dated;
  if (finding.kind === 'noData') return silenceSentence(finding.silence);
  const { kind, facts } = finding;
  switch (kind) {
    case 'gap':
      return gapSentence(facts?.completeness);
    case 'frozen':
      return frozenSentence(dated);
    case 'drift':
      return deviation
        ? `The level has moved, as on the days before: ${deviationText(dated, deviation)}${explainedText(facts)}`
        : 'The level has moved, as on the days before';
    case 'activity':
      return deviation
        ? `${deviationText(dated, deviation)}${explainedText(facts)}`
        : 'The day breaks the limits of its planned model';
  }
};

const gapSentence = (completeness: { readonly day: number; readonly usual: number } | undefined): string =>
  completeness?.day === 0
    ? 'No data of this day'
    : completeness
      ? `${percentText(completeness.day)} of the day was observed, of reference days ${percentText(completeness.usual)}`
      : 'Less than half of the usual part of the day was observed';

const silenceSentence = ({ since, lastDate, intervalMinutes, origin }: Silence): string => {
  const last = lastDate === null ? 'none came yet' : `the last day is ${lastDate}`;
  const expected = `${origin === 'given' ? '' : 'usually '}expected within ${durationText(intervalMinutes)}`;
  return `No data since ${since.slice(0, 16).replace('T', ' ')} UTC, ${expected}; ${last}`;
};

/** A duration in its two largest units. */
const durationText = (minutes: number): string => {
  const whole = Math.round(minutes);
  const parts = [
    [Math.floor(whole / 1440), 'day'],
    [Math.floor((whole % 1440) / 60), 'hour'],
    [whole % 60, 'minute'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .slice(0, 2)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ');
};

const frozenSentence = ({ date, size, finding }: DatedFinding): string => {
  const facts = factsOf(finding);
  const [run] = finding.slices;
  const value = facts?.flatline ? ` ${number(facts.flatline.value)}` : '';
  return `The same value${value}${run ? times(run, size) : ` on ${date}`}, longer than on any reference day`;
};

const deviationText = (dated: DatedFinding, deviation: ShownDeviation): string => {
  const { actual, expected, percent, others, comparedWith } = deviation;
  const model = expectedDay(dated);
  const usual = comparedWith === 'model' ? model : `${model} at the level of the days before`;
  const amount =
    percent === null || Math.abs(percent) >= percentMax
      ? `${number(actual)} instead of ${number(expected)}, the level of ${usual},`
      : `${percentText(Math.max(1, Math.round(Math.abs(percent))) / 100)} ${percent < 0 ? 'under' : 'over'} ${usual}`;
  const more =
    others === 0 ? '' : `, and outside in ${others} other ${others === 1 ? 'stretch' : 'stretches'}`;
  return `${amount}${times(deviation, dated.size)}${more}`;
};

/** How covariates changed what was expected, and which had no value; empty without covariates. */
const explainedText = (facts: FindingFacts | undefined): string =>
  facts?.explainedBy
    ? explainedParts(facts.explainedBy)
        .map(part => `, ${part}`)
        .join('')
    : '';

/** Parts of `explainedText`, each a phrase without its comma. */
export const explainedParts = ({ planned, expected, covariates, missing = [] }: ExplainedFacts): string[] => {
  const [share, difference] = [expected / planned - 1, expected - planned];
  const change = planned > 0 ? signed(share, percentText(share)) : signed(difference, difference.toFixed(1));
  const values = covariates.map(({ name, value }) => `${minus(value.toFixed(1))} (${name})`);
  return [
    ...(values.length > 0 ? [`expected ${change} for ${values.join(' and ')}`] : []),
    ...(missing.length > 0 ? [`not adjusted to ${missing.join(' and ')}, which had no value`] : []),
  ];
};

const minus = (text: string): string => text.replace('-', '\u2212');
const signed = (value: number, text: string): string => (value > 0 ? `+${minus(text)}` : minus(text));

/** A sentence shows the two values instead of a percentage from this magnitude on. */
export const percentMax = 1000;

const times = ({ from, to }: Stretch, size: number): string =>
  from === 0 && to === size ? ' all day' : ` from ${clockTime(from, size)} to ${clockTime(to, size)}`;

const expectedDay = ({ date, finding }: DatedFinding): string => {
  const facts = factsOf(finding);
  return facts ? plannedDay(facts.plannedAs, date) : 'the planned model';
};

const plannedDay = ({ origin, type, name }: PlannedAs, date: string): string => {
  if (origin === 'manual') return 'the model planned by hand';
  switch (type) {
    case 'ordinary':
      return `the usual ${weekdayNames[weekday(dayNumber(date))] ?? 'day'}`;
    case 'holiday':
      return 'the usual public holiday';
    case 'bridge':
      return 'the usual bridge day';
    case 'christmas':
      return 'the usual day around Christmas';
    case 'special':
      return `the usual special day "${name ?? ''}"`;
  }
};

/** A number in three significant digits. */
const number = (value: number): string => String(Number(value.toPrecision(3)));
