import type { Alert, Model } from '../../api/types.js';
import type { Formats } from '../../messages/formats.js';
import type { Messages } from '../../messages/messages.js';

/**
 * The reason of an alert in one sentence. In English it is the service's own; other languages say the same numbers.
 */
export const sentenceOf = (
  alert: Alert,
  planned: Pick<Model, 'name'> | null | undefined,
  { alertSentence: texts }: Messages,
  formats: Formats,
): string => {
  if (formats.language === 'en') return alert.sentence;
  const weekday = formats.weekday(alert.date);
  if (alert.kind !== 'activity') return texts[alert.kind](weekday);
  const usual = planned?.name ?? weekday;
  const { deviation } = alert;
  if (!deviation) return texts.outside(usual, alert.direction ?? 'both');
  const { percent, absolute, fromTime, toTime } = deviation;
  const share = percent === null ? undefined : formats.percent(Math.abs(percent) / 100);
  const wholeDay = fromTime === '00:00' && toTime === '24:00';
  const hours = wholeDay ? undefined : ([fromTime, toTime] as const);
  return texts.activity(share, absolute >= 0 ? 'over' : 'under', usual, hours);
};
