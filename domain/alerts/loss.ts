import { percent } from '../text.js';
import { en } from '../words/en.js';
import { inOtherLanguages, type InOtherLanguages } from '../words/languages.js';
import type { SentenceTexts } from '../words/en.js';

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
