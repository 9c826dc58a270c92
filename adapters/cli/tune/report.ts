import { recentCounts, settingName, type TriedDay, type TriedSetting } from '../../../analysis/tune.js';
import { completeness, type Day } from '../../../domain/day.js';
import type { BoundsFacts, Model } from '../../../domain/models.js';
import { timesText } from '../demo/alertsReport.js';
import { dayName, keysOf } from '../demo/report.js';
import { counted, plural } from '../demo/terminal.js';
import { dataFacts, type Tuned } from './bundle.js';
import { alertPlot, extentOf, modelPlot } from './dayPlots.js';
import { alertsTimeline, countPlots, levelPlots, type Plot } from './settingPlots.js';
import { styleOf } from './style.js';
import { escaped } from './svg.js';
import { columnsFor, percent } from './table.js';
import { yearPlot, type CalendarCell } from './yearPlot.js';

/** Alerts that are drawn, the worst of them. */
const alertsDrawn = 24;

/** Days of a calendar at most: two years and a little. */
const calendarDays = 740;

/** What the sections are made of: the results, and the setting whose models are shown. */
type Shown = {
  readonly tuned: Tuned;
  readonly setting: TriedSetting;
  readonly index: number;
  readonly keyOf: (modelId: number | null) => string;
  readonly modelOf: (modelId: number | null) => Model | undefined;
};

/**
 * The report: one HTML file that needs nothing else, no network and no script.
 * @param index the setting whose models and alerts are shown
 */
export const reportHtml = (tuned: Tuned, index = tuned.recommended): string => {
  const setting = tuned.tried[index] as TriedSetting;
  const { models } = setting;
  const shown: Shown = {
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
    const { gaps } = recentCounts({ days });
    const alerts = days.filter(({ finding }) => finding).length;
    const verb = alerts === 1 ? 'raises' : 'raise';
    sentences.push(
      `Of ${plural(recent.length, 'recent day')}, ${alerts === 0 ? 'none' : alerts} ${verb} an alert` +
        (gaps > 0 ? `, ${gaps} of them for want of data.` : '.'),
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

/**
 * What the measured level says of false alerts. Where no day was outside, the days can only rule out more than some:
 * the one-sided 95 % bound of Clopper and Pearson (1934), 1 − 0.05^(1/n).
 */
const levelText = ({ measuredLevel, calibrationDays, falseAlertsPerYear }: BoundsFacts): string => {
  if (calibrationDays === 0) return 'No reference day could be judged by limits learned without it.';
  if (measuredLevel === 1) {
    const most = Math.ceil(365 * (1 - 0.05 ** (1 / calibrationDays)));
    return (
      `All ${plural(calibrationDays, 'reference day')} stay within limits learned without them, so few false alerts are ` +
      `to be expected; ${plural(calibrationDays, 'day')} rule out only that they are more than ${most} a year.`
    );
  }
  const count =
    falseAlertsPerYear < 10 ? String(Number(falseAlertsPerYear.toFixed(1))) : counted(falseAlertsPerYear);
  return (
    `${percent(measuredLevel)} of ${plural(calibrationDays, 'reference day')} stay within limits learned without them, ` +
    `so about ${count} false alert${count === '1' ? '' : 's'} a year ${count === '1' ? 'is' : 'are'} to be expected.`
  );
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
    [
      String(Number(bounds.falseAlertsPerYear.toFixed(1))),
      'false alerts a year to expect, by left-out reference days',
    ],
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

const modelsSection = ({ tuned: { reference }, setting, keyOf }: Shown): string => {
  const { models, assignments, silhouette } = setting;
  const modelOfDate = new Map(assignments.map(({ date, modelId }) => [date, modelId]));
  const extent = extentOf(models, reference);
  const figures = models.map((model, index) => {
    const days = reference.filter(({ date }) => modelOfDate.get(date) === model.id);
    const apart = silhouette?.models[index];
    const facts = [
      plural(days.length, 'day'),
      `${inWords(days.length / Math.max(1, assignments.length))} of the reference`,
      ...(apart === undefined ? [] : [`silhouette ${apart.toFixed(2)}`]),
    ];
    const key = keyOf(model.id);
    return `<figure class="close"><h3>${chip(key, model.id)} ${escaped(model.name)}</h3><figcaption>${escaped(facts.join(' · '))}</figcaption>${modelPlot(model, key, days, extent)}</figure>`;
  });
  return section(
    'The typical days',
    'Each thin line is a reference day, the thick one their median curve, the shaded band the bounds within which a ' +
      'day planned to be so is ordinary. One scale for all, in the unit of the source; what lies far outside is cut off.',
    `<div class="multiples">${figures.join('\n')}</div>`,
  );
};

const holidayItem = '<li><span class="ringed"></span>public holiday</li>';

/** What a calendar's signs mean. */
const legendOf = (
  { setting: { models }, keyOf }: Shown,
  more: readonly string[],
  holidays: boolean,
): string =>
  `<ul class="legend">${[
    ...models.map(model => `<li>${chip(keyOf(model.id), model.id)}${escaped(model.name)}</li>`),
    ...(holidays ? [holidayItem] : []),
    ...more.map(item => `<li>${item}</li>`),
  ].join('')}</ul>`;

const calendarSection = (shown: Shown): string => {
  const { tuned, setting, keyOf, modelOf } = shown;
  const { reference, holidays } = tuned;
  const modelOfDate = new Map(setting.assignments.map(({ date, modelId }) => [date, modelId]));
  const reasons = new Map(setting.leftOut.map(({ date, reason }) => [date, reason]));
  const named = new Map((holidays?.holidays ?? []).map(({ date, name }) => [date, name]));
  const cells = reference.map(({ date }): CalendarCell => {
    const modelId = modelOfDate.get(date) ?? null;
    return {
      date,
      modelId,
      key: keyOf(modelId),
      words: modelOf(modelId)?.name ?? `left out: ${reasons.get(date) ?? 'not learned from'}`,
      holiday: named.get(date) ?? null,
    };
  });
  const leftOut = cells.some(({ modelId }) => modelId === null);
  return section(
    'The reference, day by day',
    'A column is a week, a square a day, its letter and colour the model that the day belongs to.',
    legendOf(
      shown,
      leftOut ? ['<span class="swatch" style="background:var(--rule)"></span>left out: too little data'] : [],
      holidays !== null,
    ) + `<div class="wide">${yearPlot(cells, 'The model of each reference day')}</div>`,
  );
};

const recentCalendarSection = (shown: Shown): string => {
  const { tuned, setting, keyOf, modelOf } = shown;
  if (tuned.recent.length === 0) return '';
  const named = new Map((tuned.holidays?.holidays ?? []).map(({ date, name }) => [date, name]));
  const days = setting.days.slice(-calendarDays);
  const cells = days.map(({ date, plannedModelId, finding, reason }): CalendarCell => ({
    date,
    modelId: plannedModelId,
    key: keyOf(plannedModelId),
    words: `${modelOf(plannedModelId)?.name ?? 'no model'}: ${reason}${finding ? ' · alert' : ''}`,
    holiday: named.get(date) ?? null,
    alert: finding !== null,
  }));
  const cut = days.length < setting.days.length ? ` The last ${calendarDays} days.` : '';
  return section(
    'The recent days: what was planned, and the alerts',
    `Its letter and colour are the model that a recent day is compared with; alerts have a dot and their full colour.${cut}`,
    `<ul class="legend"><li><span class="dotted"></span>alert</li>${tuned.holidays === null ? '' : holidayItem}</ul>` +
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
        `<div class="multiples${plots.length === 2 ? ' pair' : ''}">${plots
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
  const gaps = tried.some(({ days }) => days.some(({ finding }) => finding?.kind === 'gap'));
  const legend = [
    swatch('over', 'over a bound'),
    swatch('under', 'under a bound'),
    swatch('both', 'both'),
    ...(gaps ? [swatch('gap', 'gap')] : []),
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
        'planned for it, shaded its bounds; what breaks them is drawn thick. Each picture has a scale of its own.';
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

const alertFigure = (
  { keyOf, modelOf, tuned: { holidays } }: Shown,
  { date, plannedModelId, finding }: TriedDay,
  day: Day,
  verdict: keyof typeof verdictWords | null | undefined,
): string => {
  const planned = modelOf(plannedModelId);
  const broken = finding?.slices ?? [];
  const holiday = holidays?.holidays.find(named => named.date === date)?.name;
  const what =
    finding?.kind === 'gap'
      ? `gap: ${percent(completeness(day), 0)} of the day is there`
      : `${finding?.direction === 'both' ? 'over and under' : finding?.direction} ${timesText({ slices: broken }, day.activity.length, 52)}`;
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
  return `<figure class="close"><h3>${head}</h3><figcaption>${escaped(facts.join(' · '))}</figcaption>${alertPlot(day, planned, broken)}</figure>`;
};

const meaningsSection = ({ tuned }: Shown): string =>
  section(
    'What the numbers mean',
    'As the table of settings has them.',
    `<dl>${columnsFor(tuned)
      .map(({ head, meaning }) => `<dt>${escaped(head)}</dt><dd>${escaped(meaning)}</dd>`)
      .join('\n')}
<dt>criticity</dt><dd>0 to 1: just over a bound near 0, twice as far from the curve as the bound 0.5; for a gap, how much is missing of what reference days hold.</dd>
${
  tuned.stood === null
    ? ''
    : '<dt>stands now</dt><dd>The last alert of each recent day that no check has invalidated and that is of the data as they stand. Verdicts on data that were replaced later are left out, and so is what people planned by hand: the planning is automatic under every setting.</dd>'
}</dl>`,
  );

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
