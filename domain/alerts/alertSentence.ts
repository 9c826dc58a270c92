import { percent as percentText } from '../text.js';
import { minutesPerDay } from '../dates.js';
import type { ExplainedFacts } from '../source/covariates.js';
import { numberSuffix, type NumberTexts } from '../source/sourceDescription.js';
import type {
  Deviation,
  Finding,
  FindingFacts,
  ShapeDifference,
  SilenceFinding,
  Stretch,
} from './findings.js';
import type { Silence } from './silence.js';
import { changeSentence } from '../incidents/incidentSentence.js';
import { isTotal, type Aggregation } from '../day.js';
import { en } from '../words/en.js';
import { inOtherLanguages, type InOtherLanguages } from '../words/languages.js';
import type { DurationPart } from '../words/sentenceTexts.js';
import type { SentenceTexts } from '../words/en.js';

/** A finding of a date; `size` is the number of slices of a day, `texts` are those behind numbers of the source. */
export type DatedFinding = {
  readonly date: string;
  readonly size: number;
  readonly aggregation: Aggregation;
  readonly texts: NumberTexts;
  readonly finding:
    | Pick<Finding, 'kind' | 'slices' | 'severity' | 'facts'>
    | Pick<SilenceFinding, 'kind' | 'slices' | 'severity' | 'silence'>;
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
    /** 100 · absolute / expected in tenths; null on a straight scale and when nothing above 0 was expected. */
    readonly percent: number | null;
  } & NumberTexts;

/** A deviation as clients see it. */
export const shownDeviation = (
  { actual, expected, slices, ...deviation }: Deviation,
  { size, aggregation, texts, finding }: DatedFinding,
): ShownDeviation => {
  const isStraight = factsOf(finding)?.straight === true;
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
    percent: expected > 0 && !isStraight ? tenths((100 * (actual - expected)) / expected) : null,
    ...texts,
  };
};

const tenths = (value: number): number | null =>
  Number.isFinite(value) ? Math.round(value * 10) / 10 : null;

/** The sentence of `alertSentence` in the other languages, with the same facts. */
export const otherSentences = (dated: DatedFinding, deviation: ShownDeviation | null): InOtherLanguages =>
  inOtherLanguages(texts => alertSentence(dated, deviation, texts));

/** The reason of an alert in one sentence without a full stop, in English unless there are other texts. */
export const alertSentence = (
  dated: DatedFinding,
  deviation: ShownDeviation | null,
  texts: SentenceTexts = en,
): string => {
  const { finding } = dated;
  if (finding.kind === 'noData') return silenceSentence(finding.silence, texts);
  const why = deviation
    ? `${deviationText(dated, deviation, texts)}${explainedText(dated, texts)}${acceptedText(dated, texts)}`
    : undefined;
  switch (finding.kind) {
    case 'gap':
      return gapSentence(dated, why, texts);
    case 'frozen':
      return frozenSentence(dated, texts);
    case 'drift':
      return texts.drift(why);
    case 'activity':
      return activitySentence(dated, why, deviation?.percent, texts);
  }
};

const activitySentence = (
  dated: DatedFinding,
  why: string | undefined,
  percent: number | null | undefined,
  texts: SentenceTexts,
): string => {
  const { shape, limits = [] } = factsOf(dated.finding) ?? {};
  if (!shape) return why ?? texts.outside;
  const isAlone = limits.every(({ limit }) => limit === 'shape');
  const difference = shapeText(shape, dated, texts);
  if (isAlone) return difference === undefined ? texts.shape(why ?? texts.outside) : texts.unlike(difference);
  // The course of a day with next to nothing is nothing to read from.
  const isNamed = difference !== undefined && (percent ?? 0) > nearlyNothing;
  return (why ?? texts.outside) + (isNamed ? texts.also(difference) : '');
};

/** Percentage of a day that is nearly empty. */
const nearlyNothing = -90;

/** How the shape of a day differs from all others; undefined for another course, which the deviation describes. */
const shapeText = (
  { type, minutes = 0, flatline }: ShapeDifference,
  dated: DatedFinding,
  texts: SentenceTexts,
): string | undefined => {
  switch (type) {
    case 'clock':
      return texts.clock(texts.duration(durationParts(Math.abs(minutes))), minutes > 0);
    case 'noise':
      return texts.noise;
    case 'frozen':
      return (
        flatline &&
        texts.repeated(
          number(flatline.value, texts) + numberSuffix(dated.texts),
          when(flatline, dated, texts),
        )
      );
    case 'shape':
      return undefined;
  }
};

const gapSentence = (dated: DatedFinding, why: string | undefined, texts: SentenceTexts): string => {
  const { completeness, gap } = factsOf(dated.finding) ?? {};
  if (gap) return texts.gap(when(gap, dated, texts)) + (why === undefined ? '' : texts.rest(why));
  if (!completeness) return texts.lessThanHalf;
  const { day, usual } = completeness;
  return day === 0 ? texts.noDay : texts.observed(percentText(day), percentText(usual));
};

const silenceSentence = (
  { since, lastDate, intervalMinutes, origin }: Silence,
  texts: SentenceTexts,
): string =>
  texts.silence({
    since: since.slice(0, 16).replace('T', ' '),
    within: texts.duration(durationParts(intervalMinutes)),
    lastDate,
    origin,
  });

/** A duration in its two largest units. */
const durationParts = (minutes: number): readonly DurationPart[] => {
  const whole = Math.round(minutes);
  const parts: readonly DurationPart[] = [
    [Math.floor(whole / minutesPerDay), 'day'],
    [Math.floor((whole % minutesPerDay) / 60), 'hour'],
    [whole % 60, 'minute'],
  ];
  return parts.filter(([count]) => count > 0).slice(0, 2);
};

const frozenSentence = (dated: DatedFinding, texts: SentenceTexts): string => {
  const { date, finding } = dated;
  const flatline = factsOf(finding)?.flatline;
  const [run] = finding.slices;
  const value = flatline && number(flatline.value, texts) + numberSuffix(dated.texts);
  const over = run ? overText(dated, run, texts) : '';
  const text = flatline?.of === 'daysBefore' ? texts.frozenSoFar : texts.frozen;
  return text(value, run ? when(run, dated, texts) : texts.onDate(date)) + over;
};

const deviationText = (dated: DatedFinding, deviation: ShownDeviation, texts: SentenceTexts): string => {
  const { actual, expected, percent, others, comparedWith } = deviation;
  const compared = { date: dated.date, planned: factsOf(dated.finding)?.plannedAs, comparedWith };
  const amount = (): string => {
    if (percent === null || actual < 0 || Math.abs(percent) >= percentMax || Math.abs(percent) < percentMin) {
      const [was, instead] = distinctNumbers([actual, expected], texts);
      const suffix = numberSuffix(dated.texts);
      return texts.instead(was + suffix, instead + suffix, compared);
    }
    if (percent >= timesMin) return texts.times(times(1 + percent / 100, texts), compared);
    return texts.share(
      percentText(Math.round(Math.abs(percent)) / 100),
      percent < 0 ? 'under' : 'over',
      compared,
    );
  };
  const more = others === 0 ? '' : texts.others(others, sinceOfOther(dated, deviation));
  return `${amount()}${when(deviation, dated, texts)}${more}${overText(dated, deviation, texts)}`;
};

/** Slices of a date in progress that had elapsed; undefined for a whole day. */
const elapsedOf = ({ finding }: DatedFinding): number | undefined => factsOf(finding)?.soFar?.elapsed;

/** Whether a stretch lasts at the end of what is known of a date in progress. */
const isLasting = ({ to }: Stretch, dated: DatedFinding): boolean => to >= (elapsedOf(dated) ?? Infinity);

/** Start of another stretch than the main one that lasts. */
const sinceOfOther = (dated: DatedFinding, main: Stretch): string | undefined => {
  const lasting = dated.finding.slices.find(run => isLasting(run, dated));
  return lasting && !isLasting(main, dated) ? clockTime(lasting.from, dated.size) : undefined;
};

/** On a date in progress without a lasting stretch: since when the day is normal, or has no data. */
const overText = (dated: DatedFinding, named: Stretch, texts: SentenceTexts): string => {
  const { finding, size } = dated;
  const stretches = [named, ...finding.slices];
  if (elapsedOf(dated) === undefined || stretches.some(run => isLasting(run, dated))) return '';
  const end = Math.max(...stretches.map(({ to }) => to));
  const { dataEnd = Infinity } = factsOf(finding)?.soFar ?? {};
  const isNormal = end < dataEnd;
  const since = isNormal ? end : dataEnd;
  return texts.over(since === named.to ? undefined : clockTime(since, size), isNormal);
};

/** How covariates changed what was expected, and which had no value; empty without covariates. */
const explainedText = ({ finding, texts: behind }: DatedFinding, texts: SentenceTexts): string => {
  const { explainedBy, straight } = factsOf(finding) ?? {};
  if (!explainedBy) return '';
  return explainedParts({ ...explainedBy, straight }, behind, texts)
    .map(part => `, ${part}`)
    .join('');
};

/** The accepted changes with which the day was expected, the latest last. */
const acceptedText = ({ finding }: DatedFinding, texts: SentenceTexts): string =>
  (factsOf(finding)?.accepted ?? []).map(change => `, ${changeSentence(change, texts)}`).join('');

/** `straight` on a scale whose percents have no meaning. */
type ExplainedOnScale = ExplainedFacts & { readonly straight?: boolean | undefined };

/**
 * Parts of `explainedText`, each a phrase without its comma.
 * @param behind texts behind numbers of the source
 */
export const explainedParts = (
  { planned, expected, covariates, missing = [], straight = false }: ExplainedOnScale,
  behind: NumberTexts = {},
  texts: SentenceTexts = en,
): string[] => {
  const share = expected / planned - 1;
  const difference = expected - planned;
  const isShare = planned > 0 && expected >= 0 && !straight;
  const change = isShare
    ? signed(share, percentText(share))
    : signed(difference, `${number(difference, texts)}${numberSuffix(behind)}`);
  const values = covariates.map(({ name, value }) => `${minus(covariateText(value, texts))} (${name})`);
  const isChanged = difference !== 0 && Math.abs(difference) >= changeMin * Math.abs(planned);
  return [
    ...(values.length > 0 && isChanged ? [texts.explained(change, texts.list(values))] : []),
    ...(missing.length > 0 ? [texts.notAdjusted(texts.list(missing))] : []),
  ];
};

/** Smallest change of what was expected that a sentence states, as a share: a smaller one would read as 0 %. */
const changeMin = 0.005;

/** A value of a covariate: one digit after the point, below 1 three significant digits. */
const covariateText = (value: number, texts: SentenceTexts): string =>
  Math.abs(value) < 1 ? number(value, texts) : texts.decimal(value.toFixed(1));

const minus = (text: string): string => text.replace('-', '\u2212');
const signed = (value: number, text: string): string => (value > 0 ? `+${minus(text)}` : minus(text));

/** A sentence shows the two values instead of a percentage from this magnitude on, and below the smallest one. */
const percentMax = 1000;
const percentMin = 0.5;
/** Percentage from which on a sentence says how many times as much a day is. */
const timesMin = 100;

/** The times of a stretch. */
const when = (stretch: Stretch, dated: DatedFinding, texts: SentenceTexts): string => {
  const { from, to } = stretch;
  const { size } = dated;
  if (isLasting(stretch, dated)) return texts.since(clockTime(from, size));
  const isAllDay = from === 0 && to === size;
  if (!isAllDay) return texts.stretch(clockTime(from, size), clockTime(to, size));
  return factsOf(dated.finding)?.gap ? texts.restOfDay : texts.allDay;
};

/** A factor in two significant digits. */
const times = (factor: number, { decimal }: SentenceTexts): string =>
  decimal(String(Number(factor.toPrecision(2))));

/** Two numbers in three significant digits, or as many more as show that they differ. */
const distinctNumbers = (
  [one, other]: readonly [number, number],
  { decimal }: SentenceTexts,
): readonly [string, string] => {
  let digits = 3;
  const rounded = (value: number): number => Number(value.toPrecision(digits));
  while (digits < digitsMax && rounded(one) === rounded(other)) digits += 1;
  return [decimal(String(rounded(one))), decimal(String(rounded(other)))];
};
const digitsMax = 7;

/** A number in three significant digits. */
const number = (value: number, { decimal }: SentenceTexts): string =>
  decimal(String(Number(value.toPrecision(3))));
