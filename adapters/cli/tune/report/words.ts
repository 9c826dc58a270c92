import { placeName } from '../../../../analysis/calendar/holidays.js';
import { recentCounts } from '../../../../analysis/tuning/recentCounts.js';
import type { TriedDay, TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import type { BoundsFacts } from '../../../../domain/models.js';
import { counted, plural } from '../../terminal/text.js';
import type { Tuned } from '../facts.js';
import { roughly } from './shown.js';

/** The origin of the holidays. */
export const calendarText = ({ parameters, holidays }: Pick<Tuned, 'parameters' | 'holidays'>): string => {
  if (!holidays)
    return parameters.calendar === 'none'
      ? 'no holidays, as requested'
      : 'no holidays: those of no country explain the odd days of the reference';
  const { code, evidence } = holidays;
  return `public holidays of ${placeName(code)} (${code})${evidence === null ? '' : `, inferred: ${evidence}`}`;
};

/** The request that makes the service learn a setting. */
export const resetPath = ({ origin }: Pick<Tuned, 'origin'>, { asked, models }: TriedSetting): string =>
  `POST /v1/model/reset/${origin.kind === 'store' ? origin.sourceId : '{source_id}'}/${models.length}` +
  (asked.coverage === null ? '' : `?coverage=${asked.coverage}`);

/** The results of a setting in sentences. */
export const summaryOf = (
  { recent, whatIfs }: Pick<Tuned, 'recent' | 'whatIfs'>,
  { models, fit, bounds, days }: TriedSetting,
  index: number,
): string => {
  const predict = models.length === 1 ? '1 model predicts' : `${models.length} models predict`;
  const sentences = [
    `${predict} a held-out day with an average error of ${roughly(fit.loss)} of the usual activity.`,
    coverageText(bounds),
  ];
  if (recent.length > 0) {
    const alerts = days.filter(({ finding }) => finding).length;
    const verb = alerts === 1 ? 'raises' : 'raise';
    const kinds = kindsText(days);
    sentences.push(
      `Of ${plural(recent.length, 'recent day')}, ${alerts === 0 ? 'none' : alerts} ${verb} an alert` +
        (kinds === '' ? '.' : `: ${kinds}.`),
    );
  }
  const whatIf = whatIfs[index];
  if (whatIf && whatIf.confirmed.stood + whatIf.falseAlarms.stood > 0)
    sentences.push(
      `It keeps ${whatIf.confirmed.kept} of ${plural(whatIf.confirmed.stood, 'confirmed alert')} ` +
        `and saves ${whatIf.falseAlarms.lost} of ${plural(whatIf.falseAlarms.stood, 'false alert')}.`,
    );
  return sentences.join(' ');
};

/** Numbers of alerts by kind; empty when all alerts are for activity. */
const kindsText = (days: readonly TriedDay[]): string => {
  const { alerts } = recentCounts({ days });
  if (alerts.frozen + alerts.drift + alerts.gap === 0) return '';
  return [
    ...(alerts.activity > 0 ? [`${alerts.activity} for activity`] : []),
    ...(alerts.frozen > 0 ? [`${alerts.frozen} for a flatline`] : []),
    ...(alerts.drift > 0 ? [`${alerts.drift} for a drift`] : []),
    ...(alerts.gap > 0 ? [`${alerts.gap} for missing data`] : []),
  ].join(', ');
};

/**
 * The measured coverage and the false alerts to expect. When no day was outside the limits, the days only give an
 * upper bound: the one-sided 95 % bound of Clopper and Pearson (1934), 1 − 0.05^(1/n).
 */
const coverageText = ({ measuredCoverage, calibrationDays, falseAlertsPerYear }: BoundsFacts): string => {
  if (calibrationDays === 0) return 'No reference day could be judged by limits learned without it.';
  // The measured coverage counts one more day, outside the limits: inside / (days + 1).
  const inside = Math.round(measuredCoverage * (calibrationDays + 1));
  const days = plural(calibrationDays, 'ordinary reference day');
  if (inside >= calibrationDays) {
    const most = Math.ceil(365 * (1 - 0.05 ** (1 / calibrationDays)));
    return (
      `All ${days} are inside limits learned without them, so few false alerts are expected. From so many days it ` +
      `only follows that there are at most ${most} a year.`
    );
  }
  const kept = `${counted(inside)} of ${days} are inside limits learned without them`;
  if (falseAlertsPerYear === null) return `${kept}.`;
  const count =
    falseAlertsPerYear < 10 ? String(Number(falseAlertsPerYear.toFixed(1))) : counted(falseAlertsPerYear);
  return `${kept}, so about ${count} false alert${count === '1' ? ' is' : 's are'} expected a year.`;
};
