import type { Messages } from '../messages/en.js';
import type { Formats } from '../messages/formats.js';

/** Numbers of an alert or an incident that say how bad it is. `severity` is absent or null for those of old engines. */
export type Graded = { readonly criticity: number; readonly severity?: number | null | undefined };

/** Severities from which a mark has its second and its third level: a quarter of the allowance, and all of it. */
const levelsFrom = [0.2, 0.5] as const;
/** The same of criticity, for alerts without a severity: most are above one half. */
const criticitiesFrom = [0.7, 0.85] as const;

/** Three levels that people tell apart, by what was lost. */
export const levelOf = ({ severity, criticity }: Graded): 1 | 2 | 3 => {
  const [value, [second, third]] = severity == null ? [criticity, criticitiesFrom] : [severity, levelsFrom];
  return value < second ? 1 : value < third ? 2 : 3;
};

/** An incident as its worst alert is graded. */
export const gradedIncident = ({
  criticity,
  worstSeverity,
}: {
  readonly criticity: number;
  readonly worstSeverity: number | null;
}): Graded => ({ criticity, severity: worstSeverity });

/** Order by what was lost, the worst first; those without a severity come last, by criticity. */
export const byLoss = (a: Graded, b: Graded): number =>
  (b.severity ?? -1) - (a.severity ?? -1) || b.criticity - a.criticity;

/** Most times its allowance that are named. */
const timesMax = 1000;

/** The loss in words, over the loss that the limits allow; undefined without a severity. */
export const lossWords = (
  { severity }: Pick<Graded, 'severity'>,
  { loss: texts }: Messages,
  { locale, percent }: Formats,
): { readonly long: string; readonly short: string } | undefined => {
  if (severity == null) return undefined;
  const times = Math.min(timesMax, severity / Math.max(1 / (timesMax + 1), 1 - severity));
  const part = percent(times);
  if (times < 0.995) return { long: texts.part(part), short: part };
  const number = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 }).format(times);
  return { long: number === '1' ? texts.all : texts.times(number), short: texts.short(number) };
};
