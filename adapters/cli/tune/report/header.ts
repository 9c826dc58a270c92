import { settingName } from '../../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import type { Day } from '../../../../domain/day.js';
import { plural } from '../../../../application/texts/counted.js';
import { changeText } from '../columns.js';
import type { Tuned } from '../facts.js';
import { escaped } from '../../report/html.js';
import { roughly, type TuneReport } from './shown.js';
import { calendarText, summaryOf } from './words.js';

const dateRange = (days: readonly Day[]): string => `${days[0]?.date} to ${days.at(-1)?.date}`;

/** The data and the engine, in short texts. */
const dataItems = (tuned: Tuned, { engine }: TriedSetting): string[] => {
  const { reference, recent } = tuned;
  const slices = reference[0]?.activity.length ?? 0;
  const minutes = 1440 / Math.max(1, slices);
  const slice = minutes % 60 === 0 ? plural(minutes / 60, 'hour') : `${minutes} minutes`;
  return [
    `learned from ${plural(reference.length, 'reference day')}, ${dateRange(reference)}`,
    ...(recent.length > 0 ? [`tried on ${plural(recent.length, 'recent day')}, ${dateRange(recent)}`] : []),
    `${slices} values a day (${slice} each)`,
    calendarText(tuned).replace(/, inferred.*/, ', inferred'),
    `engine ${engine}`,
  ];
};

/** Title, summary and the most important numbers. */
export const header = ({ tuned, setting, index }: TuneReport): string => {
  const { name, recommended, tried } = tuned;
  const other =
    index === recommended
      ? ''
      : ` This report shows the setting “${settingName(setting.asked)}”; recommended is “${settingName((tried[recommended] as TriedSetting).asked)}”.`;
  const items = dataItems(tuned, setting).map(words => `<span>${escaped(words)}</span>`);
  const facts = factsOf(tuned, setting, index).map(
    ([value, words]) => `<div><b>${escaped(value)}</b><span>${escaped(words)}</span></div>`,
  );
  return `<header>
<h1>${escaped(name)}</h1>
<p class="quiet items">${items.join(' · ')}</p>
<p class="lead">${escaped(summaryOf(tuned, setting, index) + other)}</p>
<div class="facts">${facts.join('')}</div>
</header>`;
};

type Fact = readonly [value: string, words: string];

/** The most important numbers of a setting. */
const factsOf = (
  { recent, whatIfs }: Tuned,
  { models, fit, bounds, days }: TriedSetting,
  index: number,
): Fact[] => {
  const whatIf = whatIfs[index];
  const { falseAlertsPerYear, minimumDetectableChange: change } = bounds;
  const alerts = days.filter(({ finding }) => finding).length;
  const facts: Fact[] = [
    [String(models.length), models.length === 1 ? 'typical day' : 'typical days'],
    [roughly(fit.loss), 'mean error of the predicted profile, on held-out days'],
  ];
  if (falseAlertsPerYear !== null)
    facts.push([
      String(Number(falseAlertsPerYear.toFixed(1))),
      'expected false alerts a year, from held-out days',
    ]);
  if (change !== null)
    facts.push([
      changeText(change.eightHours).replace(' / ', '/'),
      'of a day’s total within 8 busy hours: minimum detectable change',
    ]);
  if (recent.length > 0) facts.push([String(alerts), `alerts in ${plural(recent.length, 'recent day')}`]);
  if (whatIf)
    facts.push(
      [`${whatIf.confirmed.kept} of ${whatIf.confirmed.stood}`, 'confirmed alerts kept'],
      [`${whatIf.falseAlarms.lost} of ${whatIf.falseAlarms.stood}`, 'false alerts saved'],
    );
  return facts;
};
