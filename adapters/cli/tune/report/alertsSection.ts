import { settingName } from '../../../../analysis/tuning/tune.js';
import { movedModel } from '../../../../analysis/covariates/effectShape.js';
import type { TriedDay } from '../../../../analysis/tuning/trySetting.js';
import { explainedParts } from '../../../../domain/alerts/details/alertSentence.js';
import type { BrokenLimit, Finding } from '../../../../domain/alerts/findings.js';
import { completeness, type Day } from '../../../../domain/day.js';
import { dayName, timesText } from '../../terminal/labels.js';
import { plural } from '../../../../application/texts/counted.js';
import { shareText } from '../columns.js';
import { dayFigure, dayWords } from '../../report/dayFigure.js';
import { chart, escaped } from '../../report/html.js';
import { fillOf } from './modelColors.js';
import { chip, section, type TuneReport } from './shown.js';

/** Number of alerts with a chart, the most critical ones. */
const alertsDrawn = 24;

/** Charts of the most critical alerts; empty without recent days. */
export const alertsSection = (shown: TuneReport): string => {
  const { tuned, setting } = shown;
  if (tuned.recent.length === 0) return '';
  const alerts = setting.days.filter(({ finding }) => finding !== null);
  const mostCritical = [...alerts]
    .sort((a, b) => (b.finding?.criticity ?? 0) - (a.finding?.criticity ?? 0) || (a.date < b.date ? -1 : 1))
    .slice(0, alertsDrawn);
  const days = new Map(tuned.recent.map(day => [day.date, day]));
  const verdicts = new Map((tuned.validAlerts ?? []).map(({ date, verdict }) => [date, verdict]));
  const figures = mostCritical.flatMap(alert => {
    const day = days.get(alert.date);
    return day ? alertFigure(shown, alert, day, verdicts.get(alert.date)) : [];
  });
  const name = settingName(setting.asked);
  const count =
    alerts.length > alertsDrawn
      ? `The ${alertsDrawn} most critical of ${alerts.length} alerts`
      : plural(alerts.length, 'alert');
  const notes =
    alerts.length === 0
      ? `No recent day raises an alert under the setting “${name}”.`
      : `${count} under the setting “${name}”, the most critical first. The solid line is the day, the dashed line the ` +
        'profile predicted for it, and the band shows the bounds. Parts outside a limit are shaded: single values, or ' +
        'the run whose mean is outside. Each chart has its own scale.';
  return section(
    'The alerts in detail',
    escaped(notes),
    figures.length === 0 ? '' : `<div class="multiples">${figures.join('\n')}</div>`,
  );
};

const verdictWords = {
  anomaly: 'confirmed: anomaly',
  expected: 'called false: expected',
  notAnomaly: 'called false: no anomaly',
  newPattern: 'new pattern',
} as const;

const limitWords = {
  slice: 'bounds',
  window: '8-hour limit',
  day: 'day limit',
  windowChange: '8-hour change limit',
  dayChange: 'day change limit',
} as const satisfies Record<BrokenLimit, string>;

/** Longest text of the times of an alert. */
const timesLengthMax = 46;

/** Kind, direction, times and exceeded limits of a finding. */
const findingText = (finding: Finding, day: Day, longestRun: number | null): string => {
  const slices = day.activity.length;
  const times = timesText(finding.slices, slices, timesLengthMax);
  const hours = (count: number): string => `${Number(((count * 24) / slices).toFixed(1))} h`;
  switch (finding.kind) {
    case 'gap':
      return `gap: ${shareText(completeness(day), 0)} of the day observed`;
    case 'frozen': {
      const length = finding.slices.reduce((sum, { from, to }) => sum + to - from, 0);
      const longest = longestRun === null ? '' : `, at most ${hours(longestRun)} in the reference`;
      return `flatline: one value for ${hours(length)} (${times})${longest}`;
    }
    case 'drift':
    case 'activity': {
      const direction = finding.direction === 'both' ? 'over and under' : (finding.direction ?? '');
      const limits = (finding.limits ?? []).map(limit => limitWords[limit]);
      const start = finding.kind === 'drift' ? `drift begins: ${direction}` : direction;
      return `${start} ${times}${limits.length > 0 ? ` · exceeds ${limits.join(', ')}` : ''}`;
    }
  }
};

/** The chart of one alert and its facts. `verdict` is null without one, undefined where there is no current alert. */
const alertFigure = (
  { keyOf, modelOf, named, setting: { checks } }: TuneReport,
  { date, plannedModelId, finding }: TriedDay,
  day: Day,
  verdict: keyof typeof verdictWords | null | undefined,
): string => {
  const explainedBy = finding?.facts?.explainedBy;
  const model = modelOf(plannedModelId);
  const planned = model && movedModel(model, explainedBy?.effect ?? 0);
  const holiday = named.get(date);
  const better = modelOf(finding?.betterModelId ?? null);
  const facts = [
    finding ? findingText(finding, day, checks?.longestRun ?? null) : '',
    `criticity ${(finding?.criticity ?? 0).toFixed(2)}`,
    ...(explainedBy ? explainedParts(explainedBy) : []),
    ...(better ? [`fits ${keyOf(better.id)}`] : []),
    ...(holiday === undefined ? [] : [holiday]),
    ...(verdict === undefined ? [] : [verdict === null ? 'no verdict yet' : verdictWords[verdict]]),
  ];
  const head = planned
    ? `${chip(keyOf(planned.id), planned.id)} ${escaped(dayName(date))}`
    : escaped(dayName(date));
  const compared = { day, model: planned, finding };
  const drawn = chart(dayFigure(compared, planned ? fillOf(planned.id) : null), dayWords(compared));
  return `<figure class="close" aria-label="${escaped(`Day ${date}`)}"><h3>${head}</h3><figcaption>${escaped(facts.join(' · '))}</figcaption>${drawn}</figure>`;
};
