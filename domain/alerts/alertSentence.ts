import { percent as percentText } from '../percent.js';
import { dayNumber, minutesPerDay, weekday, weekdayNames } from '../dates.js';
import type { ExplainedFacts } from '../source/covariates.js';
import { numberSuffix, type NumberTexts } from '../source/sourceDescription.js';
import type { FindingFacts, PlannedAs, Stretch, Deviation, Finding, SilenceFinding } from './findings.js';
import type { Silence } from './silence.js';
import { isTotal, type Aggregation } from '../day.js';

/** A finding of a date; `size` is the number of slices of a day, `texts` are those behind numbers of the source. */
export type DatedFinding = {
  readonly date: string;
  readonly size: number;
  readonly aggregation: Aggregation;
  readonly texts: NumberTexts;
  readonly finding:
    Pick<Finding, 'kind' | 'slices' | 'facts'> | Pick<SilenceFinding, 'kind' | 'slices' | 'silence'>;
};

/** Facts of a finding; undefined for a silence and in older events. */
export const factsOf = (finding: DatedFinding['finding']): FindingFacts | undefined =>
  finding.kind === 'noData' ? undefined : finding.facts;

/** A stretch with its local clock times `HH:MM`; a day ends at 24:00. */
export type ClockStretch = Stretch & { readonly fromTime: string; readonly toTime: string };

/** Local clock time of the start of a slice, `HH:MM`. */
export const clockTime = (slice: number, size: number): string => {
  const minutes = (slice * minutesPerDay) / size;
  return [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0')).join(':');
};

/** A stretch with its clock times; `size` is the number of slices of a day. */
export const clockStretch = ({ from, to }: Stretch, size: number): ClockStretch => ({
  from,
  to,
  fromTime: clockTime(from, size),
  toTime: clockTime(to, size),
});

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
  } & NumberTexts;

/** A deviation as clients see it. */
export const shownDeviation = (
  { actual, expected, slices, ...deviation }: Deviation,
  { size, aggregation, texts }: DatedFinding,
): ShownDeviation => {
  const factor = isTotal(aggregation) ? slices : 1;
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
    ...texts,
  };
};

const tenths = (value: number): number | null =>
  Number.isFinite(value) ? Math.round(value * 10) / 10 : null;

/** The reason of an alert in one English sentence, without a full stop. */
export const alertSentence = (dated: DatedFinding, deviation: ShownDeviation | null): string => {
  const { finding } = dated;
  if (finding.kind === 'noData') return silenceSentence(finding.silence);
  switch (finding.kind) {
    case 'gap':
      return gapSentence(dated, deviation);
    case 'frozen':
      return frozenSentence(dated);
    case 'drift':
      return deviation
        ? `The level has moved, as on the days before: ${deviationText(dated, deviation)}${explainedText(dated)}`
        : 'The level has moved, as on the days before';
    case 'activity':
      return deviation
        ? `${deviationText(dated, deviation)}${explainedText(dated)}`
        : 'The day breaks the limits of its planned model';
  }
};

const gapSentence = (dated: DatedFinding, deviation: ShownDeviation | null): string => {
  const facts = factsOf(dated.finding);
  const { completeness, gap } = facts ?? {};
  if (gap) {
    const rest = deviation ? `; the rest is ${deviationText(dated, deviation)}${explainedText(dated)}` : '';
    return `No data${times(gap, dated.size)}, longer than on any reference day of the kind${rest}`;
  }
  if (!completeness) return 'Less than half of the usual part of the day was observed';
  const { day, usual } = completeness;
  if (day === 0) return 'No data of this day';
  return `${percentText(day)} of the day was observed, of reference days ${percentText(usual)}`;
};

const silenceSentence = ({ since, lastDate, intervalMinutes, origin }: Silence): string => {
  const last = lastDate === null ? 'none came yet' : `the last day is ${lastDate}`;
  const expected = `${origin === 'given' ? '' : 'usually '}expected within ${durationText(intervalMinutes)}`;
  return `No data since ${since.slice(0, 16).replace('T', ' ')} UTC, ${expected}; ${last}`;
};

/** A duration in its two largest units. */
const durationText = (minutes: number): string => {
  const whole = Math.round(minutes);
  const parts = [
    [Math.floor(whole / minutesPerDay), 'day'],
    [Math.floor((whole % minutesPerDay) / 60), 'hour'],
    [whole % 60, 'minute'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .slice(0, 2)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ');
};

const frozenSentence = ({ date, size, texts, finding }: DatedFinding): string => {
  const facts = factsOf(finding);
  const [run] = finding.slices;
  const value = facts?.flatline ? ` ${number(facts.flatline.value)}${numberSuffix(texts)}` : '';
  return `The same value${value}${run ? times(run, size) : ` on ${date}`}, longer than on any reference day`;
};

const deviationText = (dated: DatedFinding, deviation: ShownDeviation): string => {
  const { actual, expected, percent, others, comparedWith } = deviation;
  const model = expectedDay(dated);
  const suffix = numberSuffix(dated.texts);
  const usual = comparedWith === 'model' ? model : `${model} at the level of the days before`;
  const amount =
    percent === null || Math.abs(percent) >= percentMax
      ? `${number(actual)}${suffix} instead of ${number(expected)}${suffix}, the level of ${usual},`
      : `${percentText(Math.max(1, Math.round(Math.abs(percent))) / 100)} ${percent < 0 ? 'under' : 'over'} ${usual}`;
  const more =
    others === 0 ? '' : `, and outside in ${others} other ${others === 1 ? 'stretch' : 'stretches'}`;
  return `${amount}${times(deviation, dated.size)}${more}`;
};

/** How covariates changed what was expected, and which had no value; empty without covariates. */
const explainedText = ({ finding, texts }: DatedFinding): string => {
  const explainedBy = factsOf(finding)?.explainedBy;
  if (!explainedBy) return '';
  return explainedParts(explainedBy, texts)
    .map(part => `, ${part}`)
    .join('');
};

/**
 * Parts of `explainedText`, each a phrase without its comma.
 * @param texts those behind numbers of the source
 */
export const explainedParts = (
  { planned, expected, covariates, missing = [] }: ExplainedFacts,
  texts: NumberTexts = {},
): string[] => {
  const share = expected / planned - 1;
  const difference = expected - planned;
  const change =
    planned > 0
      ? signed(share, percentText(share))
      : signed(difference, `${difference.toFixed(1)}${numberSuffix(texts)}`);
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
