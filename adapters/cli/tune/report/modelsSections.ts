import type { Limits, Model } from '../../../../domain/planning/models.js';
import { dateOf, dayNumber } from '../../../../domain/dates.js';
import { plural } from '../../../../domain/text.js';
import { shareText } from '../columns.js';
import { limitsOf } from '../facts.js';
import {
  bandOf,
  modelWords,
  modelRange,
  observedOf,
  dayFigure,
  dayWords,
  drawnFinding,
  limitWords,
} from '../../report/dayFigure.js';
import { chart, escaped } from '../../report/html.js';
import { fillOf, chip, section, type TuneReport } from './words.js';
import { covariateResults } from '../covariates.js';
import { settingName } from '../../../../analysis/tuning/tune.js';
import { limitLevels, type LimitLevels } from '../../../../analysis/findings/limitLevels.js';
import {
  spread,
  usualRange,
  usualReferenceMax,
  usualWeeks,
  type UsualRange,
} from '../../../../analysis/findings/usualRange.js';
import { changedDates } from '../../../../analysis/changes/changedModel.js';
import { movedModel } from '../../../../analysis/covariates/effectOn.js';
import type { TriedDay } from '../../../../analysis/tuning/trySetting.js';
import { explainedParts } from '../../../../domain/alerts/alertSentence.js';
import type { Finding } from '../../../../domain/alerts/findings.js';
import { completeness, type Day } from '../../../../domain/day.js';
import { dayName, timesText } from '../../terminal/text.js';

/** A chart of each model with its reference days. */
export const modelsSection = ({ tuned: { reference }, setting, models, keyOf }: TuneReport): string => {
  const { assignments, silhouette } = setting;
  const planned = new Map(assignments.map(({ date, plannedId }) => [date, plannedId]));
  const range = modelRange(models, reference);
  const figures = models.map((model, index) => {
    const days = reference.filter(({ date }) => planned.get(date) === model.id);
    const separation = silhouette?.models[index] ?? null;
    const facts = [
      `${plural(days.length, 'day')} planned`,
      `${assignments.filter(({ modelId }) => modelId === model.id).length} nearest`,
      ...(separation === null ? [] : [`silhouette ${separation.toFixed(2)}`]),
    ];
    const key = keyOf(model.id);
    const drawn = chart(
      { kind: 'model', color: fillOf(model.id), model: bandOf(model), days: days.map(observedOf), ...range },
      modelWords(model),
    );
    return `<figure class="close" aria-label="${escaped(`Model ${model.name}`)}"><h3>${chip(key, model.id)} ${escaped(model.name)}</h3><figcaption>${escaped(facts.join(' · '))}</figcaption>${drawn}</figure>`;
  });
  const limits = limitsOf(models);
  return section(
    'The typical days',
    'Each thin line is a reference day for which this model is planned, the thick line is the day profile of the model, ' +
      'and the band shows its bounds. All charts have the same scale, in the unit of the source. Extreme values are cut off.',
    `${limits ? `<p class="quiet">${escaped(limitsText(limits))}</p>` : ''}<div class="multiples">${figures.join('\n')}</div>`,
  );
};

/** The limits besides the bounds, in sentences. */
const limitsText = ({ window, windowHours, day, windowChange, dayChange }: Limits): string => {
  const others = [
    ...(window < 1
      ? [
          `its mean over any ${windowHours} hours is at most ${shareText(window, 0)} of the way from the profile to them`,
        ]
      : []),
    ...(day < 1 ? [`its mean over the whole day at most ${shareText(day, 0)}`] : []),
  ];
  const sentences = [
    `A day is ordinary when no value is outside its bounds${others.length > 0 ? `, ${others.join(', and ')}` : ''}.`,
  ];
  if (others.length > 0)
    sentences.push(
      'So many small differences in one direction raise an alert, although each of them is inside the bounds.',
    );
  if (windowChange !== undefined && dayChange !== undefined)
    sentences.push(
      'When a day departs from its profile, the same two means are also compared with the days before; they change by ' +
        `at most ${shareText(windowChange, 0)} and ${shareText(dayChange, 0)}.`,
    );
  sentences.push(
    'Distances are relative to the bounds, so that night and noon count the same. In seasons that the reference does ' +
      'not have, all limits are up to a quarter wider.',
  );
  return sentences.join(' ');
};

/** Heads of the columns after the first, and whether their cells are words, which are read from the left. */
const columns: readonly (readonly [head: string, isWords: boolean])[] = [
  ['result', true],
  ['held-out error falls by', false],
  ['reason', true],
  ['effect', true],
];
const classOf = (isWords: boolean | undefined): string => (isWords ? ' class="words"' : '');

/** The result for each covariate under the shown setting; empty without covariates. */
export const covariatesSection = ({ setting }: TuneReport): string => {
  const results = covariateResults(setting);
  if (results.length === 0) return '';
  const rows = results.map(({ name, used, errorReduction, reason, words }) => {
    const cells = [used ? 'kept' : 'dropped', shareText(errorReduction), reason, words ?? '–'];
    const texts = cells.map((text, index) => `<td${classOf(columns[index]?.[1])}>${escaped(text)}</td>`);
    return `<tr><th scope="row">${escaped(name)}</th>${texts.join('')}</tr>`;
  });
  const heads = columns.map(([head, isWords]) => `<th scope="col"${classOf(isWords)}>${head}</th>`);
  return section(
    'Covariates',
    'Series that may explain the level of a day. One is kept where it lowers the error of the level of days whose fold was held out.',
    `<div class="wide" tabindex="0" role="region" aria-label="Covariates"><table><thead><tr><th scope="col">covariate</th>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
  );
};

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
        'profile predicted for it, and the band the usual range: 9 of 10 comparable days. The main stretch of the alert is ' +
        'shaded, with the limit that it broke as a line; without a line its course is unlike all comparable days. ' +
        'Each chart has its own scale.';
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

/** Longest text of the times of an alert. */
const timesLengthMax = 46;

/** Kind, direction, times and exceeded limits of a finding. */
const findingText = (finding: Finding, day: Day, longestRun: number | null): string => {
  const slices = day.activity.length;
  const times = timesText(finding.slices, slices, timesLengthMax);
  const limits = (finding.limits ?? []).map(limit => limitWords[limit]);
  const exceeds = limits.length > 0 ? ` · exceeds ${limits.join(', ')}` : '';
  const hours = (count: number): string => `${Number(((count * 24) / slices).toFixed(1))} h`;
  switch (finding.kind) {
    case 'gap': {
      const gap = finding.facts?.gap;
      if (!gap) return `gap: ${shareText(completeness(day), 0)} of the day observed`;
      const { from, to, longest } = gap;
      return `gap: no data for ${hours(to - from)} (${timesText([gap], slices, timesLengthMax)}), at most ${hours(longest)} on comparable days${exceeds}`;
    }
    case 'frozen': {
      const length = finding.slices.reduce((sum, { from, to }) => sum + to - from, 0);
      const longest = longestRun === null ? '' : `, at most ${hours(longestRun)} in the reference`;
      return `flatline: one value for ${hours(length)} (${times})${longest}`;
    }
    case 'drift':
    case 'activity': {
      const direction = finding.direction === 'both' ? 'over and under' : (finding.direction ?? 'course');
      const start = finding.kind === 'drift' ? `drift begins: ${direction}` : direction;
      return `${start} ${times}${exceeds}`;
    }
  }
};

/** Broken limits of a finding as lines. */
const brokenLevels = (planned: Model, { facts }: Finding): readonly LimitLevels[] => {
  const broken = new Set<string>((facts?.limits ?? []).map(({ limit }) => limit));
  return limitLevels(planned, facts?.widening ?? 1, facts?.baseline ?? null).filter(({ limit }) =>
    broken.has(limit),
  );
};

/** The usual range of a date as the service finds it: from reference days and ordinary days before of its model. */
const usualOn = (
  { tuned: { reference, recent }, setting: { assignments, days } }: TuneReport,
  { date, plannedModelId: id }: Pick<TriedDay, 'date' | 'plannedModelId'>,
): UsualRange | null => {
  if (id === null) return null;
  const learned = new Set(assignments.filter(one => one.plannedId === id).map(one => one.date));
  const first = dateOf(dayNumber(date) - 7 * usualWeeks);
  const isOrdinary = (one: TriedDay): boolean =>
    one.outcome === 'normal' && one.plannedModelId === id && one.date >= first && one.date < date;
  const ordinary = new Set(days.filter(isOrdinary).map(one => one.date));
  const like = reference.filter(day => learned.has(day.date));
  return usualRange([...spread(like, usualReferenceMax), ...recent.filter(day => ordinary.has(day.date))]);
};

/** The chart of one alert and its facts. `verdict` is null without one, undefined where there is no current alert. */
const alertFigure = (
  shown: TuneReport,
  { date, plannedModelId, finding }: TriedDay,
  day: Day,
  verdict: keyof typeof verdictWords | null | undefined,
): string => {
  const { keyOf, modelOf, named, setting, tuned } = shown;
  const { checks } = setting;
  const { explainedBy, accepted, straight } = finding?.facts ?? {};
  const { moved } = changedDates(tuned.accepted ?? [])(date);
  const model = modelOf(plannedModelId);
  const planned = model && moved(movedModel(model, explainedBy?.effect ?? 0));
  const holiday = named.get(date);
  const better = modelOf(finding?.betterModelId ?? null);
  const facts = [
    finding ? findingText(finding, day, checks?.longestRun ?? null) : '',
    `criticity ${(finding?.criticity ?? 0).toFixed(2)}`,
    ...(explainedBy ? explainedParts({ ...explainedBy, straight }) : []),
    ...(better ? [`fits ${keyOf(better.id)}`] : []),
    ...(holiday === undefined ? [] : [holiday]),
    ...(verdict === undefined ? [] : [verdict === null ? 'no verdict yet' : verdictWords[verdict]]),
  ];
  const head = planned
    ? `${chip(keyOf(planned.id), planned.id)} ${escaped(dayName(date))}`
    : escaped(dayName(date));
  const bounds = planned && finding ? brokenLevels(planned, finding) : null;
  const compared = {
    ...{ day, model: planned, finding: finding && drawnFinding(finding, bounds) },
    // How other series and accepted changes moved the days before is not known here.
    usual: explainedBy || accepted ? null : usualOn(shown, { date, plannedModelId }),
  };
  const drawn = chart(dayFigure(compared, planned ? fillOf(planned.id) : null), dayWords(compared));
  return `<figure class="close" aria-label="${escaped(`Day ${date}`)}"><h3>${head}</h3><figcaption>${escaped(facts.join(' · '))}</figcaption>${drawn}</figure>`;
};
