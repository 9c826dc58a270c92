import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import { usable, type Day } from '../../../../domain/day.js';
import { modelKeys } from '../../terminal/text.js';
import { plural } from '../../../../domain/text.js';
import { type Tuned, dataFacts } from '../facts.js';
import { reportPage, escaped } from '../../report/html.js';
import { drawnModel } from '../../report/dayFigure.js';
import { alertsSection, covariatesSection, modelsSection } from './modelsSections.js';
import { leftOutSection, recentSection, referenceSection } from './calendarSections.js';
import { countPlots, coveragePlots } from './plots.js';
import {
  modelColors,
  type TuneReport,
  roughly,
  section,
  calendarText,
  summaryOf,
  resetPath,
} from './words.js';
import { coverageNote, plotsSection, settingsSection, timelineSection } from './settingsSections.js';
import { settingName } from '../../../../analysis/tuning/tune.js';
import { changeText, columnsFor } from '../columns.js';

const criticityMeaning =
  '0 to 1, higher for a less probable day: 1 − p^¼, with p the share of ordinary days that would be as far from their ' +
  'models. One in a hundred has 0.68, one in ten thousand 0.9. For a gap it is the missing share of the data of ' +
  'reference days, or that of the rest of the day if it is larger, for a flatline how much longer it is than the longest one in the reference.';

const currentMeaning =
  'The last alert of each recent day that no check has invalidated and that was raised on the current data. Verdicts ' +
  'on data that was replaced later are not used. Planning by users is not used either: under every setting the ' +
  'planning is automatic.';

/** Explains the numbers. */
const meaningsSection = ({ tuned }: TuneReport): string => {
  const meanings: (readonly [term: string, meaning: string])[] = [
    ...columnsFor(tuned).map(({ head, meaning }) => [head, meaning] as const),
    ['criticity', criticityMeaning],
    ...(tuned.validAlerts === null ? [] : [['current', currentMeaning] as const]),
  ];
  return section(
    'Meaning of the numbers',
    'In the order of the table of settings.',
    `<dl>${meanings
      .map(([term, meaning]) => `<dt>${escaped(term)}</dt><dd>${escaped(meaning)}</dd>`)
      .join('\n')}</dl>`,
  );
};

/** How to use the setting in the service. */
const installSection = ({ tuned, setting }: TuneReport): string => {
  const source = tuned.origin.kind === 'store' ? String(tuned.origin.sourceId) : '{source_id}';
  const more = setting.asked.coverage === null ? '' : ' and target coverage';
  const given = `number of models${more}${tuned.covariates.length === 0 ? '' : ', with the same covariates in explainedBy,'}`;
  return section(
    'Using this setting',
    `Let the service learn it. The same days and the same ${given} give the same models, and all numbers of this report apply.`,
    `<pre>${escaped(resetPath(tuned, setting))}</pre>
<p class="quiet">Or install <code>models.json</code>, unchanged or edited, with <code>POST /v1/model/bulk-replace/${escaped(source)}</code>. Installed models have bounds only. The limits on means and changes are lost, and with them flatlines, drift, and the measured coverage and error of this report. Expect other alerts than shown here.</p>`,
  );
};

/** An argument as a shell of POSIX reads it. */
export const shellArgument = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** How to reproduce the report, and the digests of the data. */
const footer = ({ tuned, setting }: TuneReport): string => {
  const { origin, parameters } = tuned;
  const { reference, recent } = dataFacts(tuned);
  const data =
    origin.kind === 'files'
      ? [
          ...[origin.reference, ...(origin.recent === null ? [] : [origin.recent])].map(shellArgument),
          ...(origin.explainedBy ?? []).map(
            ({ name, file }) => `--explained-by ${shellArgument(`${name}=${file}`)}`,
          ),
        ]
      : [`--source ${origin.sourceId} --log <log>`];
  return `<footer class="small">
<p>These results can be reproduced to the byte from the same data, with engine ${escaped(setting.engine)} and seed ${parameters.seed}:</p>
<pre>daybook tune --replay bundle.json ${escaped(data.join(' '))}</pre>
<p class="quiet hash">SHA-256 of the reference days ${reference.sha256}${recent.days > 0 ? `<br>SHA-256 of the recent days ${recent.sha256}` : ''}</p>
</footer>`;
};

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
const header = ({ tuned, setting, index }: TuneReport): string => {
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

/** The smallest value of any day, reference or recent. */
const minimumOf = ({ recent }: Tuned, { checks }: TriedSetting): number =>
  recent.reduce((least, day) => {
    const flags = usable(day);
    return day.activity.reduce((low, value, slice) => (flags[slice] ? Math.min(low, value) : low), least);
  }, checks?.minimum ?? Number.NEGATIVE_INFINITY);

const shownOf = (tuned: Tuned, index: number): TuneReport => {
  const setting = tuned.tried[index] as TriedSetting;
  const minimum = minimumOf(tuned, setting);
  const models = setting.models.map(model => drawnModel(model, minimum));
  const named = [...(tuned.holidays?.holidays ?? []), ...tuned.specials];
  return {
    tuned,
    setting,
    index,
    models,
    named: new Map(named.map(({ date, name }) => [date, name])),
    keyOf: modelKeys(models),
    modelOf: id => models.find(model => model.id === id),
  };
};

const sectionsOf = (shown: TuneReport): string[] => {
  const { tuned } = shown;
  const chosenCount = plural(tuned.tried[0]?.fit.modelCount ?? 0, 'model');
  return [
    header(shown),
    modelsSection(shown),
    covariatesSection(shown),
    referenceSection(shown),
    leftOutSection(shown),
    recentSection(shown),
    settingsSection(shown),
    plotsSection(
      'How many typical days?',
      'All numbers of models, with the default limits of the engine.',
      countPlots(tuned),
    ),
    plotsSection(
      'Which coverage?',
      `Target coverages with ${chosenCount}, the chosen number.${coverageNote(shown)}`,
      coveragePlots(tuned),
    ),
    timelineSection(shown),
    alertsSection(shown),
    meaningsSection(shown),
    installSection(shown),
    footer(shown),
  ];
};

/**
 * The report as one HTML file that needs no network and no other file.
 * @param index the setting whose models and alerts are shown
 * @throws Error when the script of the reports is not built
 */
export const reportHtml = (tuned: Tuned, index = tuned.recommended): string => {
  const shown = shownOf(tuned, index);
  return reportPage({
    kind: 'tune',
    title: `${tuned.name}: typical days and settings`,
    style: modelColors(shown.models),
    main: sectionsOf(shown).join('\n'),
  });
};
