import {
  recentCounts,
  settingName,
  type TriedDay,
  type TriedSetting,
} from '../../../../analysis/tuning/tune.js';
import { placeName } from '../../../../analysis/calendar/holidays.js';
import type { BrokenLimit, Finding } from '../../../../domain/alerts.js';
import { completeness, usable, type Day } from '../../../../domain/day.js';
import type { BoundsFacts, Limits, Model } from '../../../../domain/models.js';
import { dayName, modelKeys as keysOf, timesText } from '../../terminal/labels.js';
import { counted, plural } from '../../terminal/text.js';
import { dataFacts, limitsOf, type Tuned } from '../bundle.js';
import { alertPlot, drawnModel, extentOf, modelPlot } from '../pictures/dayPlots.js';
import { alertsTimeline, countPlots, levelPlots, type Plot } from '../pictures/settingPlots.js';
import { styleOf } from './style.js';
import { escaped } from '../pictures/svg.js';
import { changeText, columnsFor, percent } from '../table.js';
import { yearPlot, type CalendarCell } from '../pictures/yearPlot.js';

/** Alerts that are drawn, the worst of them. */
const alertsDrawn = 24;

/** Days of a calendar at most: two years and a little. */
const calendarDays = 740;

/** What the sections are made of: the results, and the setting whose models are shown. */
type Shown = {
  readonly tuned: Tuned;
  readonly setting: TriedSetting;
  readonly index: number;
  /** Those of the setting, as they are drawn. */
  readonly models: readonly Model[];
  /** Names of holidays and special days, by date. */
  readonly named: ReadonlyMap<string, string>;
  readonly keyOf: (modelId: number | null) => string;
  readonly modelOf: (modelId: number | null) => Model | undefined;
};

/**
 * The report: one HTML file that needs nothing else, no network and no script.
 * @param index the setting whose models and alerts are shown
 */
export const reportHtml = (tuned: Tuned, index = tuned.recommended): string => {
  const setting = tuned.tried[index] as TriedSetting;
  const least = leastOf(tuned, setting);
  const models = setting.models.map(model => drawnModel(model, least));
  const shown: Shown = {
    models,
    named: new Map(
      [...(tuned.holidays?.holidays ?? []), ...tuned.specials].map(({ date, name }) => [date, name]),
    ),
    tuned,
    setting,
    index,
    keyOf: keysOf(models),
    modelOf: id => models.find(model => model.id === id),
  };
  const body = [
    header(shown),
    modelsSection(shown),
    calendarSection(shown),
    leftOutSection(shown),
    recentCalendarSection(shown),
    settingsSection(shown),
    plotsSection(
      'How many typical days?',
      'Every number of models at the engine’s default limits.',
      countPlots(tuned),
    ),
    plotsSection(
      'How strict should the bounds be?',
      `Levels with ${plural(tuned.tried[0]?.models.length ?? 0, 'model')}, the number that was chosen.${levelNote(shown)}`,
      levelPlots(tuned),
    ),
    timelineSection(shown),
    alertsSection(shown),
    meaningsSection(shown),
    installSection(shown),
    footer(shown),
  ].join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(tuned.name)}: typical days and settings</title>
<style>${styleOf(models)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
};

/** The smallest value that any day has, reference or recent. */
const leastOf = ({ recent }: Tuned, { checks }: TriedSetting): number =>
  recent.reduce((least, day) => {
    const flags = usable(day);
    return day.activity.reduce((low, value, slice) => (flags[slice] ? Math.min(low, value) : low), least);
  }, checks?.minimum ?? Number.NEGATIVE_INFINITY);

/** Where the holidays are from, in words. */
export const calendarText = ({ parameters, holidays }: Pick<Tuned, 'parameters' | 'holidays'>): string => {
  if (!holidays)
    return parameters.calendar === 'none'
      ? 'no holidays, as asked for'
      : 'no holidays: those of no country explain the odd days of the reference';
  const { code, evidence } = holidays;
  return `public holidays of ${placeName(code)} (${code})${evidence === null ? '' : `, inferred: ${evidence}`}`;
};

/** The request that lets the service learn a setting itself. */
export const resetPath = ({ origin }: Pick<Tuned, 'origin'>, { asked, models }: TriedSetting): string =>
  `POST /v1/model/reset/${origin.kind === 'store' ? origin.sourceId : '{source_id}'}/${models.length}` +
  (asked.level === null ? '' : `?sensitivity=${asked.level}`);

const section = (title: string, notes: string, content: string): string =>
  `<section>\n<h2>${escaped(title)}</h2>\n<p class="quiet">${notes}</p>\n${content}\n</section>`;

const chip = (key: string, modelId: number): string =>
  `<span class="chip" style="background:var(--m${modelId});color:var(--k${modelId})">${escaped(key)}</span>`;

const dateRange = (days: readonly Day[]): string => `${days[0]?.date} to ${days.at(-1)?.date}`;

/** A share in words that people use: `12 %`; small ones with a decimal. */
const inWords = (share: number): string => percent(share, share < 0.1 ? 1 : 0);

const header = ({ tuned, setting, index }: Shown): string => {
  const { name, reference, recent, recommended, tried } = tuned;
  const slices = reference[0]?.activity.length ?? 0;
  const minutes = 1440 / Math.max(1, slices);
  const slice = minutes % 60 === 0 ? plural(minutes / 60, 'hour') : `${minutes} minutes`;
  const days = [
    `learned from ${plural(reference.length, 'reference day')}, ${dateRange(reference)}`,
    ...(recent.length > 0 ? [`tried on ${plural(recent.length, 'recent day')}, ${dateRange(recent)}`] : []),
    `${slices} values a day (${slice} each)`,
    calendarText(tuned).replace(/, inferred.*/, ', inferred'),
    `engine ${setting.engine}`,
  ];
  const other =
    index === recommended
      ? ''
      : ` This report shows the setting “${settingName(setting.asked)}”; recommended is “${settingName((tried[recommended] as TriedSetting).asked)}”.`;
  return `<header>
<h1>${escaped(name)}</h1>
<p class="quiet items">${days.map(words => `<span>${escaped(words)}</span>`).join(' · ')}</p>
<p class="lead">${escaped(summaryOf(tuned, setting, index) + other)}</p>
<div class="facts">${factsOf(tuned, setting, index)
    .map(([value, words]) => `<div><b>${escaped(value)}</b><span>${escaped(words)}</span></div>`)
    .join('')}</div>
</header>`;
};

/** What came of a setting, in sentences. */
export const summaryOf = (
  { recent, whatIfs }: Pick<Tuned, 'recent' | 'whatIfs'>,
  { models, fit, bounds, days }: TriedSetting,
  index: number,
): string => {
  const foretell = models.length === 1 ? '1 model foretells' : `${models.length} models foretell`;
  const sentences = [
    `${foretell} a left-out day within ${inWords(fit.loss)} of the usual activity on average.`,
    levelText(bounds),
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
      `It keeps ${whatIf.confirmed.kept} of ${plural(whatIf.confirmed.stood, 'alert')} that people confirmed ` +
        `and saves ${whatIf.falseAlarms.lost} of ${whatIf.falseAlarms.stood} that they called false.`,
    );
  return sentences.join(' ');
};

/** Alerts by kind in words, empty where all are of activity. */
const kindsText = (days: readonly TriedDay[]): string => {
  const { alerts } = recentCounts({ days });
  if (alerts.frozen + alerts.drift + alerts.gap === 0) return '';
  return [
    ...(alerts.activity > 0 ? [`${alerts.activity} for their activity`] : []),
    ...(alerts.frozen > 0 ? [`${alerts.frozen} for a sensor that stands still`] : []),
    ...(alerts.drift > 0 ? [`${alerts.drift} because the source has moved as a whole`] : []),
    ...(alerts.gap > 0 ? [`${alerts.gap} for want of data`] : []),
  ].join(', ');
};

/**
 * What the measured level says of false alerts. Where no day was outside, the days can only rule out more than some:
 * the one-sided 95 % bound of Clopper and Pearson (1934), 1 − 0.05^(1/n).
 */
const levelText = ({ measuredLevel, calibrationDays, falseAlertsPerYear }: BoundsFacts): string => {
  if (calibrationDays === 0) return 'No reference day could be judged by limits learned without it.';
  // The measured level counts the day to come as one that breaks them: inside / (days + 1).
  const inside = Math.round(measuredLevel * (calibrationDays + 1));
  if (inside >= calibrationDays) {
    const most = Math.ceil(365 * (1 - 0.05 ** (1 / calibrationDays)));
    return (
      `All ${plural(calibrationDays, 'ordinary reference day')} keep limits that were learned without them, so few false ` +
      `alerts are to be expected; so many days rule out only that they are more than ${most} a year.`
    );
  }
  const kept = `${counted(inside)} of ${plural(calibrationDays, 'ordinary reference day')} keep limits that were learned without them`;
  if (falseAlertsPerYear === null) return `${kept}.`;
  const count =
    falseAlertsPerYear < 10 ? String(Number(falseAlertsPerYear.toFixed(1))) : counted(falseAlertsPerYear);
  return `${kept}, so about ${count} false alert${count === '1' ? '' : 's'} a year ${count === '1' ? 'is' : 'are'} to be expected.`;
};

const factsOf = (
  { recent, whatIfs }: Tuned,
  { models, fit, bounds, days }: TriedSetting,
  index: number,
): (readonly [string, string])[] => {
  const whatIf = whatIfs[index];
  const alerts = days.filter(({ finding }) => finding).length;
  return [
    [String(models.length), models.length === 1 ? 'typical day' : 'typical days'],
    [inWords(fit.loss), 'mean error of the curve planned for a left-out day'],
    ...(bounds.falseAlertsPerYear === null
      ? []
      : [
          [
            String(Number(bounds.falseAlertsPerYear.toFixed(1))),
            'false alerts a year to expect, by left-out reference days',
          ] as const,
        ]),
    ...(bounds.power === null
      ? []
      : [
          [
            changeText(bounds.power.eightHours).replace(' / ', '/'),
            'of a day’s total, more or less within 8 busy hours: what 4 of 5 days would show',
          ] as const,
        ]),
    ...(recent.length > 0
      ? [[String(alerts), `alerts in ${plural(recent.length, 'recent day')}`] as const]
      : []),
    ...(whatIf
      ? ([
          [`${whatIf.confirmed.kept} of ${whatIf.confirmed.stood}`, 'confirmed alerts kept'],
          [`${whatIf.falseAlarms.lost} of ${whatIf.falseAlarms.stood}`, 'false alarms saved'],
        ] as const)
      : []),
  ];
};

const modelsSection = ({ tuned: { reference }, setting, models, keyOf }: Shown): string => {
  const { assignments, silhouette } = setting;
  const planned = new Map(assignments.map(({ date, plannedId }) => [date, plannedId]));
  const extent = extentOf(models, reference);
  const figures = models.map((model, index) => {
    const days = reference.filter(({ date }) => planned.get(date) === model.id);
    const apart = silhouette?.models[index] ?? null;
    const facts = [
      `${plural(days.length, 'day')} planned`,
      `${model.days} nearest`,
      ...(apart === null ? [] : [`silhouette ${apart.toFixed(2)}`]),
    ];
    const key = keyOf(model.id);
    return `<figure class="close"><h3>${chip(key, model.id)} ${escaped(model.name)}</h3><figcaption>${escaped(facts.join(' · '))}</figcaption>${modelPlot(model, key, days, extent)}</figure>`;
  });
  const limits = limitsOf(models);
  return section(
    'The typical days',
    'Each thin line is a reference day for which the calendar plans this model, the thick one their median curve, the ' +
      'shaded band their bounds. One scale for all, in the unit of the source; what lies far outside is cut off.',
    `${limits ? `<p class="quiet">${escaped(limitsText(limits))}</p>` : ''}<div class="multiples">${figures.join('\n')}</div>`,
  );
};

/** What a day must keep beside the bounds, in words. */
const limitsText = ({ window, windowHours, day, windowChange, dayChange }: Limits): string => {
  const beside = [
    ...(window < 1
      ? [
          `its mean over any ${windowHours} hours goes no farther than ${percent(window, 0)} of the way from the curve to them`,
        ]
      : []),
    ...(day < 1 ? [`its mean over the whole day no farther than ${percent(day, 0)}`] : []),
  ];
  return (
    `A day is ordinary when no value leaves its bounds${beside.length > 0 ? `, ${beside.join(', and ')}` : ''}. ` +
    (beside.length > 0
      ? 'So many small differences in one direction raise an alert although each of them is within the band. '
      : '') +
    (windowChange !== undefined && dayChange !== undefined
      ? `Of a day that leads away from the curve the same two means are also taken against the days before, and go no farther than ${percent(windowChange, 0)} and ${percent(dayChange, 0)}. `
      : '') +
    'Ways are measured in proportion, not in the unit, so that a night counts like a noon. In seasons that the reference ' +
    'has not seen all limits are up to a quarter wider.'
  );
};

/** What a ring round a date means, as far as there are any. */
const ringItems = ({ holidays, specials }: Tuned): string[] =>
  holidays === null && specials.length === 0
    ? []
    : [
        `<li><span class="ringed"></span>${specials.length === 0 ? 'public holiday' : holidays === null ? 'special day' : 'public holiday, special day'}</li>`,
      ];

/** What a calendar's signs mean. */
const legendOf = ({ tuned, models, keyOf }: Shown, more: readonly string[]): string =>
  `<ul class="legend">${[
    ...models.map(model => `<li>${chip(keyOf(model.id), model.id)}${escaped(model.name)}</li>`),
    ...ringItems(tuned),
    ...more.map(item => `<li>${item}</li>`),
  ].join('')}</ul>`;

/** Whether a day was left out since it is unusual, and not for want of data. */
const isUnusual = (reason: string): boolean => reason.startsWith('unusual');

const calendarSection = (shown: Shown): string => {
  const { tuned, setting, named, keyOf, modelOf } = shown;
  const { reference } = tuned;
  const assigned = new Map(setting.assignments.map(one => [one.date, one]));
  const reasons = new Map(setting.leftOut.map(({ date, reason }) => [date, reason]));
  const nameOf = (modelId: number): string => modelOf(modelId)?.name ?? '';
  const cells = reference.map(({ date }): CalendarCell => {
    const of = assigned.get(date);
    const holiday = named.get(date) ?? null;
    if (!of) {
      const reason = reasons.get(date) ?? 'not learned from';
      const mark = isUnusual(reason) ? ('unusual' as const) : ('empty' as const);
      return { date, modelId: null, key: '', words: `left out: ${reason}`, holiday, mark };
    }
    const { modelId, plannedId } = of;
    const other = modelId === plannedId ? null : modelId;
    const words = `${nameOf(plannedId)}${other === null ? '' : `, nearer to ${nameOf(other)}`}`;
    return { date, modelId: plannedId, key: keyOf(plannedId), words, holiday, nearest: other };
  });
  const marks = new Set(cells.map(({ mark }) => mark));
  const { hitRate, models } = setting;
  const others = cells.some(({ nearest }) => nearest !== null && nearest !== undefined);
  const hits =
    hitRate === null || models.length === 1
      ? ''
      : ` Planning hit rate: ${inWords(hitRate)} of left-out days are nearest to the very model planned for them; where models are alike it is low and costs little.`;
  return section(
    'The reference, day by day',
    escaped(
      'A column is a week, a square a day, its letter and colour the model that the calendar plans for it.' +
        (others ? ' A corner of another colour: the day itself is nearer to that model.' : '') +
        `${hits} Holidays: ${calendarText(tuned)}.`,
    ),
    legendOf(shown, [
      ...(marks.has('unusual') ? ['<span class="swatch strange">×</span>left out: unusual'] : []),
      ...(marks.has('empty')
        ? ['<span class="swatch" style="background:var(--rule)"></span>left out: too little data']
        : []),
    ]) + `<div class="wide">${yearPlot(cells, 'The model planned for each reference day')}</div>`,
  );
};

/** Days that are listed at most. */
const leftOutListed = 60;

const leftOutSection = ({ setting: { leftOut }, named }: Shown): string => {
  if (leftOut.length === 0) return '';
  const items = leftOut.slice(0, leftOutListed).map(({ date, reason }) => {
    const name = named.get(date);
    return `<li><b>${escaped(dayName(date))}</b>${name === undefined ? '' : ` (${escaped(name)})`} ${escaped(reason)}</li>`;
  });
  const more =
    leftOut.length > leftOutListed ? `<p class="quiet">And ${leftOut.length - leftOutListed} more.</p>` : '';
  return section(
    'Reference days that were left out',
    'No curve and no bound follows these: something odd happened on them, or hardly anything was observed. Whoever knows ' +
      'why may name such days as special days, so that the next of their kind is expected.',
    `<ul class="listed">${items.join('\n')}</ul>${more}`,
  );
};

const kindWords = {
  activity: 'alert',
  frozen: 'alert: the sensor stands still',
  drift: 'alert: the source has moved',
  gap: 'alert: too little data',
} as const satisfies Record<Finding['kind'], string>;

const recentCalendarSection = (shown: Shown): string => {
  const { tuned, setting, named, keyOf, modelOf } = shown;
  if (tuned.recent.length === 0) return '';
  const days = setting.days.slice(-calendarDays);
  const cells = days.map(({ date, outcome, plannedModelId, finding, reason }): CalendarCell => ({
    date,
    modelId: plannedModelId,
    key: keyOf(plannedModelId),
    words: [
      `${modelOf(plannedModelId)?.name ?? 'no model'}: ${reason}`,
      ...(finding ? [kindWords[finding.kind]] : outcome === 'drift' ? ['still moved as told before'] : []),
    ].join(' · '),
    holiday: named.get(date) ?? null,
    alert: finding !== null,
  }));
  const cut = days.length < setting.days.length ? ` The last ${calendarDays} days.` : '';
  return section(
    'The recent days: what was planned, and the alerts',
    `Its letter and colour are the model that a recent day is compared with; alerts have a dot and their full colour.${cut}`,
    `<ul class="legend"><li><span class="dotted"></span>alert</li>${ringItems(tuned).join('')}</ul>` +
      `<div class="wide">${yearPlot(cells, 'The planned model and the alerts of each recent day')}</div>`,
  );
};

const settingsSection = ({ tuned }: Shown): string => {
  const columns = columnsFor(tuned);
  const group = ({ asked }: TriedSetting): string =>
    asked.level !== null ? 'level' : asked.modelCount === null ? 'chosen' : 'count';
  const rows = tuned.tried.map((tried, index) => {
    const before = tuned.tried[index - 1];
    const best = index === tuned.recommended;
    const kinds = [
      ...(best ? ['best'] : []),
      ...(before && group(before) !== group(tried) ? ['group'] : []),
    ].join(' ');
    const cells = columns.map(({ text }, column) => {
      const words = escaped(text(tried, tuned.whatIfs[index]));
      return `<td>${words}${best && column === 0 ? '<span class="badge">recommended</span>' : ''}</td>`;
    });
    return `<tr${kinds === '' ? '' : ` class="${kinds}"`}>${cells.join('')}</tr>`;
  });
  return section(
    'The settings that were tried',
    tuned.whatIfs.length > 0
      ? 'Recommended: of the settings that keep the most confirmed alerts those that save the most false ones, of these the one that gains the fewest; without verdicts, the engine’s own choice. It is picked and judged by the same verdicts: of few of them it is a hint, no proof. What each column means stands at the end.'
      : 'Recommended is the engine’s own choice, which a new source gets. What each column means stands at the end.',
    `<div class="wide"><table><thead><tr>${columns
      .map(({ head, meaning }) => `<th scope="col" title="${escaped(meaning)}">${escaped(head)}</th>`)
      .join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
  );
};

const plotsSection = (title: string, notes: string, plots: readonly Plot[]): string =>
  plots.length === 0
    ? ''
    : section(
        title,
        escaped(notes),
        `<div class="multiples${plots.length % 2 === 0 ? ' pair' : ''}">${plots
          .map(
            plot =>
              `<figure><h3>${escaped(plot.title)}</h3>${plot.drawn}<figcaption>${escaped(plot.notes)}</figcaption></figure>`,
          )
          .join('\n')}</div>`,
      );

/** Whether the engine aims at the levels that were asked for; one that does not must be seen to. */
const levelNote = ({ tuned: { tried } }: Shown): string => {
  const deaf = tried.find(({ asked, bounds }) => asked.level !== null && bounds.target !== asked.level);
  return deaf
    ? ` This engine does not follow them: its bounds aim at ${deaf.bounds.target === null ? 'no level' : percent(deaf.bounds.target)} whatever is asked.`
    : '';
};

const timelineSection = ({ tuned }: Shown): string => {
  const { recent, stood, tried } = tuned;
  if (recent.length === 0) return '';
  const swatch = (kind: string, words: string): string =>
    `<li><svg width="12" height="12" aria-hidden="true"><rect class="tick-${kind}" x="1" y="1" width="10" height="10"/></svg>${words}</li>`;
  const has = (kind: Finding['kind']): boolean =>
    tried.some(({ days }) => days.some(({ finding }) => finding?.kind === kind));
  const legend = [
    swatch('over', 'too high'),
    swatch('under', 'too low'),
    swatch('both', 'both'),
    ...(has('frozen') ? [swatch('frozen', 'frozen sensor')] : []),
    ...(has('drift') ? [swatch('drift', 'drift begins')] : []),
    ...(has('gap') ? [swatch('gap', 'gap')] : []),
    ...(stood === null
      ? []
      : [
          swatch('confirmed', 'stands now, confirmed'),
          swatch('refused', 'stands now, called false'),
          swatch('undecided', 'stands now, undecided'),
        ]),
  ];
  return section(
    'Alerts of the recent days under each setting',
    'A row is a setting, a mark an alert, the number at its end how many there are.',
    `<ul class="legend">${legend.join('')}</ul><div class="wide">${alertsTimeline(tuned)}</div>`,
  );
};

const alertsSection = (shown: Shown): string => {
  const { tuned, setting } = shown;
  if (tuned.recent.length === 0) return '';
  const alerts = setting.days.filter(({ finding }) => finding !== null);
  const worst = [...alerts]
    .sort((a, b) => (b.finding?.criticity ?? 0) - (a.finding?.criticity ?? 0) || (a.date < b.date ? -1 : 1))
    .slice(0, alertsDrawn);
  const days = new Map(tuned.recent.map(day => [day.date, day]));
  const verdicts = new Map((tuned.stood ?? []).map(({ date, verdict }) => [date, verdict]));
  const figures = worst.flatMap(alert => {
    const day = days.get(alert.date);
    return day ? alertFigure(shown, alert, day, verdicts.get(alert.date)) : [];
  });
  const notes =
    alerts.length === 0
      ? `No recent day raises an alert under the setting “${settingName(setting.asked)}”.`
      : `${alerts.length > alertsDrawn ? `The ${alertsDrawn} most critical of ${alerts.length} alerts` : plural(alerts.length, 'alert')} ` +
        `under the setting “${settingName(setting.asked)}”, the most critical first. The day is the solid line, dashed is the curve ` +
        'planned for it, shaded its bounds; what breaks a limit is drawn thick: single values, or the stretch whose mean is ' +
        'too far away. Each picture has a scale of its own.';
  return section(
    'Alerts, looked at closely',
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
  windowChange: '8-hour limit against the days before',
  dayChange: 'day limit against the days before',
} as const satisfies Record<BrokenLimit, string>;

/** What is wrong with a day, in words. */
const whatText = (finding: Finding, day: Day, longestRun: number | null): string => {
  const slices = day.activity.length;
  const times = timesText(finding.slices, slices, 46);
  const hours = (count: number): string => `${Number(((count * 24) / slices).toFixed(1))} h`;
  switch (finding.kind) {
    case 'gap':
      return `gap: ${percent(completeness(day), 0)} of the day is there`;
    case 'frozen': {
      const length = finding.slices.reduce((sum, { from, to }) => sum + to - from, 0);
      const longest = longestRun === null ? '' : `, at most ${hours(longestRun)} in the reference`;
      return `frozen: one value for ${hours(length)} (${times})${longest}`;
    }
    case 'drift':
    case 'activity': {
      const direction = finding.direction === 'both' ? 'over and under' : (finding.direction ?? '');
      const limits = (finding.limits ?? []).map(limit => limitWords[limit]);
      const where = finding.kind === 'drift' ? `drift begins: ${direction}` : direction;
      return `${where} ${times}${limits.length > 0 ? ` · breaks ${limits.join(', ')}` : ''}`;
    }
  }
};

const alertFigure = (
  { keyOf, modelOf, named, setting: { checks } }: Shown,
  { date, plannedModelId, finding }: TriedDay,
  day: Day,
  verdict: keyof typeof verdictWords | null | undefined,
): string => {
  const planned = modelOf(plannedModelId);
  const holiday = named.get(date);
  const what = finding ? whatText(finding, day, checks?.longestRun ?? null) : '';
  const better = modelOf(finding?.betterModelId ?? null);
  const facts = [
    what,
    `criticity ${(finding?.criticity ?? 0).toFixed(2)}`,
    ...(better ? [`fits ${keyOf(better.id)} whole`] : []),
    ...(holiday === undefined ? [] : [holiday]),
    ...(verdict === undefined ? [] : [verdict === null ? 'no verdict yet' : verdictWords[verdict]]),
  ];
  const head = planned
    ? `${chip(keyOf(planned.id), planned.id)} ${escaped(dayName(date))}`
    : escaped(dayName(date));
  return `<figure class="close"><h3>${head}</h3><figcaption>${escaped(facts.join(' · '))}</figcaption>${alertPlot(day, planned, finding)}</figure>`;
};

const meaningsSection = ({ tuned }: Shown): string =>
  section(
    'What the numbers mean',
    'As the table of settings has them.',
    `<dl>${columnsFor(tuned)
      .map(({ head, meaning }) => `<dt>${escaped(head)}</dt><dd>${escaped(meaning)}</dd>`)
      .join('\n')}
<dt>criticity</dt><dd>0 to 1, higher for a day less probable: 1 − p^¼, p the share of ordinary days that would be as far from their models. One in a hundred has 0.68, one in ten thousand 0.9. For a gap it is how much is missing of what reference days hold, for a frozen sensor how much longer it stands still than it ever did.</dd>
${
  tuned.stood === null
    ? ''
    : '<dt>stands now</dt><dd>The last alert of each recent day that no check has invalidated and that is of the data as they stand. Verdicts on data that were replaced later are left out, and so is what people planned by hand: the planning is automatic under every setting.</dd>'
}</dl>`,
  );

const installSection = ({ tuned, setting }: Shown): string => {
  const source = tuned.origin.kind === 'store' ? String(tuned.origin.sourceId) : '{source_id}';
  return section(
    'To use this setting',
    `Let the service learn it: the same days, number of models${setting.asked.level === null ? '' : ' and sensitivity'} give the same models, and everything shown here holds.`,
    `<pre>${escaped(resetPath(tuned, setting))}</pre>
<p class="quiet">Or install <code>models.json</code>, as it is or changed by hand, with <code>POST /v1/model/bulk-replace/${escaped(source)}</code>. Models that people install have bounds alone, and these alone decide: the limits on the mean of eight hours and of the day and on their change are lost, and with them frozen sensors, drift, and the measured level and error above. Expect other alerts than shown here.</p>`,
  );
};

const footer = ({ tuned, setting }: Shown): string => {
  const { origin, parameters } = tuned;
  const facts = dataFacts(tuned);
  const whence =
    origin.kind === 'files'
      ? [origin.reference, ...(origin.recent === null ? [] : [origin.recent])]
      : [`--from-store <data folder> --source ${origin.sourceId}`];
  return `<footer class="small">
<p>Everything here can be computed again, to the byte, from the same data, with engine ${escaped(setting.engine)} and seed ${parameters.seed}:</p>
<pre>daybook tune --replay bundle.json ${escaped(whence.join(' '))}</pre>
<p class="quiet hash">SHA-256 of the reference days ${facts.reference.sha256}${facts.recent.days > 0 ? `<br>SHA-256 of the recent days ${facts.recent.sha256}` : ''}</p>
</footer>`;
};
