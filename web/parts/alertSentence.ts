import type { Alert, Model } from '../api/client.js';
import type { Formats } from '../messages/formats.js';
import type { Messages } from '../messages/en.js';
import { numberSuffix } from '../charts/numbers.js';
import { unbroken } from '../messages/percent.js';

/** From this percentage on, a sentence has the two values instead. */
const percentMax = 1000;

/**
 * The reason of an alert in one sentence. In English it is the service's own; other languages say the same numbers.
 */
export const sentenceOf = (
  alert: Alert,
  planned: Pick<Model, 'name'> | null | undefined,
  { alertSentence: texts }: Messages,
  formats: Formats,
): string => {
  if (formats.language === 'en') return unbroken(alert.sentence);
  const weekday = formats.weekday(alert.date);
  if (alert.kind !== 'activity') return texts[alert.kind](weekday);
  const usual = planned?.name ?? weekday;
  const { deviation } = alert;
  if (!deviation) return texts.outside(usual, alert.direction ?? 'both');
  const { percent, absolute, actual, expected, fromTime, toTime } = deviation;
  const hours = fromTime === '00:00' && toTime === '24:00' ? undefined : ([fromTime, toTime] as const);
  const direction = absolute >= 0 ? 'over' : 'under';
  const number = (value: number): string => formats.number(value) + numberSuffix(deviation);
  const sentence =
    percent === null || Math.abs(percent) >= percentMax
      ? texts.instead(number(actual), number(expected), usual, hours)
      : texts.activity(formats.percent(Math.abs(percent) / 100), direction, usual, hours);
  return sentence + explainedOf(alert, texts, formats);
};

/** How other sources changed what was expected; empty without any. */
const explainedOf = (
  { explainedBy, deviation }: Pick<Alert, 'explainedBy' | 'deviation'>,
  texts: Messages['alertSentence'],
  { number, percent }: Formats,
): string => {
  if (!explainedBy || explainedBy.covariates.length === 0) return '';
  const { planned, expected, covariates } = explainedBy;
  const change =
    planned > 0 ? percent(expected / planned - 1) : number(expected - planned) + numberSuffix(deviation);
  const values = covariates.map(({ name, value }) => `${number(value)} (${name})`);
  return texts.explained(expected > planned ? `+${change}` : change, values);
};
