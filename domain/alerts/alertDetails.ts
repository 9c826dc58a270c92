import { type InOtherLanguages, inOtherLanguages } from '../words/languages.js';
import type { ExplainedFacts } from '../source/covariates.js';
import {
  alertSentence,
  clockStretch,
  clockTime,
  factsOf,
  otherSentences,
  shownDeviation,
  type ClockStretch,
  type DatedFinding,
  type ShownDeviation,
} from './alertSentence.js';
import type { BrokenRun, Deviation, FlatlineFacts, LimitFacts, ShapeDifference } from './findings.js';
import type { Silence } from './silence.js';
import { percent } from '../text.js';
import { en, type SentenceTexts } from '../words/en.js';

/** Most times its allowance that are named. */
const timesMax = 1000;

/** From this share of the allowance on a loss is named as a multiple of it, which has two significant digits. */
const multipleMin = 0.995;

/** A severity (0–1) as the loss over the loss that the limits allow, such as "1.5 times its allowance". */
export const lossText = (
  severity: number,
  { loss, decimal }: Pick<SentenceTexts, 'loss' | 'decimal'>,
): string => {
  const times = Math.min(timesMax, severity / Math.max(1 / (timesMax + 1), 1 - severity));
  if (times < multipleMin) return loss.part(percent(times));
  const number = String(Number(times.toPrecision(2)));
  return number === '1' ? loss.all : loss.times(decimal(number));
};

/** The loss of a day in English and in other languages. */
export type LossTexts = { readonly loss: string; readonly losses: InOtherLanguages };

/** The loss of a finding in words; undefined without a severity, as in alerts of engines up to 8. */
export const lossTexts = (severity: number | null | undefined): LossTexts | undefined =>
  severity == null
    ? undefined
    : { loss: lossText(severity, en), losses: inOtherLanguages(texts => lossText(severity, texts)) };

/** The largest severity of the alerts of an incident, and its loss in words; null when none has one. */
export const worstLoss = (severity: number | null | undefined) => ({
  worstSeverity: severity ?? null,
  ...(lossTexts(severity) ?? { loss: null, losses: null }),
});

/** A broken limit as clients see it; its numbers are means per slice. */
export type ShownLimit = LimitFacts & ClockStretch;

/** Content of a finding, ready to be shown. */
export type AlertDetails = Partial<LossTexts> & {
  /** In English. */
  readonly sentence: string;
  readonly sentences: InOtherLanguages;
  readonly slices: readonly (BrokenRun & ClockStretch)[];
  readonly deviation: ShownDeviation | null;
  readonly brokenLimits: readonly ShownLimit[];
  /** For a gap: observed share of the day, and median of the reference days. */
  readonly completeness: { readonly day: number; readonly usual: number } | null;
  /** A stretch without data that is longer than the longest of the reference days of the same model, in slices. */
  readonly gap: (ClockStretch & { readonly longest: number }) | null;
  /** Only for a flatline. */
  readonly flatline: FlatlineFacts | null;
  /** How the shape of the day differs from all others; absent while the limit on the shape is kept. */
  readonly shape?: ShapeDifference;
  /** For `noData`: since when there are no data, and when they were overdue. */
  readonly silence: Silence | null;
  /** On a date in progress: the end of the elapsed slices, `HH:MM`, and whether the finding lasts at that time. */
  readonly soFar?: { readonly until: string; readonly ongoing: boolean };
  /** How covariates changed what was expected; absent for models without covariates. */
  readonly explainedBy?: ExplainedFacts;
};

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
    sentence: alertSentence(dated, shown),
    sentences: otherSentences(dated, shown),
    ...lossTexts(dated.finding.severity),
    slices: finding.slices.map(run => ({ ...run, ...clockStretch(run, size) })),
    deviation: shown,
    brokenLimits: (facts?.limits ?? []).map(({ from, to, ...limit }) => ({
      ...limit,
      ...clockStretch({ from, to }, size),
    })),
    completeness: facts?.completeness ?? null,
    gap: facts?.gap ? { ...clockStretch(facts.gap, size), longest: facts.gap.longest } : null,
    flatline: facts?.flatline ?? null,
    ...(facts?.shape && { shape: facts.shape }),
    silence: finding.kind === 'noData' ? finding.silence : null,
    ...(facts?.soFar && {
      soFar: {
        until: clockTime(facts.soFar.dataEnd ?? facts.soFar.elapsed, size),
        ongoing: facts.soFar.ongoing,
      },
    }),
    ...(facts?.explainedBy && { explainedBy: facts.explainedBy }),
  };
};
