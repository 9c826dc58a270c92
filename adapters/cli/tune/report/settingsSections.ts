import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import type { Finding } from '../../../../domain/findings.js';
import { columnsFor, percent } from '../columns.js';
import type { Tuned } from '../facts.js';
import { alertsTimeline } from '../pictures/alertsTimeline.js';
import type { Plot } from '../pictures/linePlot.js';
import { escaped } from '../pictures/svg.js';
import { section, type Shown } from './shown.js';

/** Settings of one group follow each other: the chosen one, numbers of models, coverages. */
const groupOf = ({ asked }: TriedSetting): 'coverage' | 'chosen' | 'count' =>
  asked.coverage !== null ? 'coverage' : asked.modelCount === null ? 'chosen' : 'count';

/** The rows of the table of settings. */
const settingRows = (tuned: Tuned): string[] => {
  const columns = columnsFor(tuned);
  return tuned.tried.map((tried, index) => {
    const before = tuned.tried[index - 1];
    const isBest = index === tuned.recommended;
    const classes = [
      ...(isBest ? ['best'] : []),
      ...(before && groupOf(before) !== groupOf(tried) ? ['group'] : []),
    ].join(' ');
    const cells = columns.map(({ text }, column) => {
      const badge = isBest && column === 0 ? '<span class="badge">recommended</span>' : '';
      return `<td>${escaped(text(tried, tuned.whatIfs[index]))}${badge}</td>`;
    });
    return `<tr${classes === '' ? '' : ` class="${classes}"`}>${cells.join('')}</tr>`;
  });
};

/** The table of settings. */
export const settingsSection = ({ tuned }: Shown): string => {
  const heads = columnsFor(tuned).map(
    ({ head, meaning }) => `<th scope="col" title="${escaped(meaning)}">${escaped(head)}</th>`,
  );
  return section(
    'The settings that were tried',
    (tuned.whatIfs.length > 0
      ? 'Recommended: of the settings that keep the most confirmed alerts those that save the most false ones, and of these the one that gains the fewest; without verdicts the choice of the engine. It is selected and judged by the same verdicts, so few verdicts are a weak reason.'
      : 'Recommended is the choice of the engine, which a new source gets.') +
      ' The columns are explained at the end.',
    `<div class="wide"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${settingRows(tuned).join('')}</tbody></table></div>`,
  );
};

const figureOf = ({ title, drawn, notes }: Plot): string =>
  `<figure><h3>${escaped(title)}</h3>${drawn}<figcaption>${escaped(notes)}</figcaption></figure>`;

/** Plots next to each other; empty without plots. */
export const plotsSection = (title: string, notes: string, plots: readonly Plot[]): string =>
  plots.length === 0
    ? ''
    : section(
        title,
        escaped(notes),
        `<div class="multiples${plots.length % 2 === 0 ? ' pair' : ''}">${plots.map(figureOf).join('\n')}</div>`,
      );

/** A note when the engine did not use the target coverages; empty otherwise. */
export const coverageNote = ({ tuned: { tried } }: Shown): string => {
  const other = tried.find(
    ({ asked, bounds }) => asked.coverage !== null && bounds.targetCoverage !== asked.coverage,
  );
  if (!other) return '';
  const { targetCoverage: target } = other.bounds;
  return ` This engine ignores the target: its bounds have ${target === null ? 'no target' : `the target ${percent(target)}`}.`;
};

/** The alerts of the recent days under each setting; empty without recent days. */
export const timelineSection = ({ tuned }: Shown): string => {
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
    ...(has('frozen') ? [swatch('frozen', 'flatline')] : []),
    ...(has('drift') ? [swatch('drift', 'drift begins')] : []),
    ...(has('gap') ? [swatch('gap', 'gap')] : []),
    ...(stood === null
      ? []
      : [
          swatch('confirmed', 'current, confirmed'),
          swatch('refused', 'current, called false'),
          swatch('undecided', 'current, undecided'),
        ]),
  ];
  return section(
    'Alerts of the recent days under each setting',
    'Each row is a setting and each mark an alert. The number at the end of a row is the number of alerts.',
    `<ul class="legend">${legend.join('')}</ul><div class="wide">${alertsTimeline(tuned)}</div>`,
  );
};
