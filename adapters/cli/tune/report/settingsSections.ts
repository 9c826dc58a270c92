import type { TriedSetting, TriedDay } from '../../../../analysis/tuning/trySetting.js';
import type { Finding } from '../../../../domain/alerts/findings.js';
import { columnsFor, shareText } from '../columns.js';
import type { Tuned } from '../facts.js';
import { chart, escaped } from '../../report/html.js';
import { plural } from '../../../../domain/text.js';
import { plotWords, type Plot } from './plots.js';
import { section, type TuneReport, candidatesText, recommendationText } from './words.js';
import { settingName } from '../../../../analysis/tuning/tune.js';
import type { Verdict } from '../../../../domain/alerts/alertsState.js';
import type { MarkKind, TimelineFigure } from '../../report/figures.js';
import { dayName } from '../../terminal/text.js';

type Row = TimelineFigure['rows'][number];

const verdictWords = {
  anomaly: 'confirmed',
  expected: 'false: expected',
  notAnomaly: 'false: no anomaly',
  newPattern: 'new pattern',
} as const;

const kindOfVerdict = (verdict: Verdict | null): MarkKind => {
  if (verdict === 'anomaly') return 'confirmed';
  return verdict === 'expected' || verdict === 'notAnomaly' ? 'refused' : 'undecided';
};

/** A day that is late or noisy has unusual activity without a direction. */
const markKindOf = ({ kind, direction }: Finding): MarkKind =>
  kind === 'activity' ? (direction ?? 'course') : kind;

const markOf = ({ date, finding }: TriedDay): Row['marks'] => {
  if (!finding) return [];
  const { kind, direction, criticity } = finding;
  const words = [markKindOf(finding), ...(kind === 'activity' || direction === null ? [] : [direction])];
  return [
    {
      date,
      kind: markKindOf(finding),
      title: `${dayName(date)} · ${words.join(', ')} · criticity ${criticity.toFixed(2)}`,
    },
  ];
};

/** Alerts of the recent days: the current ones, where known, and one row a setting. */
const timelineRows = ({ tried, validAlerts, recommended }: Tuned): Row[] => [
  ...(validAlerts === null
    ? []
    : [
        {
          name: 'current',
          highlighted: false,
          marks: validAlerts.map(({ date, verdict }) => ({
            date,
            kind: kindOfVerdict(verdict),
            title: `${dayName(date)} · ${verdict === null ? 'no verdict' : verdictWords[verdict]}`,
          })),
        },
      ]),
  ...tried.map(({ asked, days }, index) => ({
    name: settingName(asked),
    highlighted: index === recommended,
    marks: days.flatMap(markOf),
  })),
];

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
export const settingsSection = ({ tuned }: TuneReport): string => {
  const heads = columnsFor(tuned).map(
    ({ head, meaning }) => `<th scope="col" title="${escaped(meaning)}">${escaped(head)}</th>`,
  );
  return section(
    'The settings that were tried',
    `${recommendationText(tuned)} ${candidatesText(tuned)} The columns are explained at the end.`,
    `<div class="wide" tabindex="0" role="region" aria-label="Settings"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${settingRows(tuned).join('')}</tbody></table></div>`,
  );
};

const figureOf = ({ title, figure, notes }: Plot): string =>
  `<figure aria-label="${escaped(title)}"><h3>${escaped(title)}</h3>${chart(figure, plotWords(figure))}<figcaption>${escaped(notes)}</figcaption></figure>`;

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
export const coverageNote = ({ tuned: { tried } }: TuneReport): string => {
  const other = tried.find(
    ({ asked, bounds }) => asked.coverage !== null && bounds.targetCoverage !== asked.coverage,
  );
  if (!other) return '';
  const { targetCoverage: target } = other.bounds;
  return ` This engine ignores the target: its bounds have ${target === null ? 'no target' : `the target ${shareText(target)}`}.`;
};

/** The dates of the marks, for readers who do not see them. */
const datesTable = (rows: ReturnType<typeof timelineRows>): string => {
  const cells = rows.map(
    ({ name, marks }) =>
      `<tr><th scope="row">${escaped(name)}</th><td>${marks.length}</td><td class="words">${escaped(marks.map(({ date, kind }) => `${date} ${kind}`).join(', '))}</td></tr>`,
  );
  return `<details><summary>Dates of the alerts</summary><div class="wide" tabindex="0" role="region" aria-label="Dates of the alerts"><table><thead><tr><th scope="col">setting</th><th scope="col">alerts</th><th scope="col">dates</th></tr></thead><tbody>${cells.join('')}</tbody></table></div></details>`;
};

const swatch = (kind: string, words: string): string => `<li><span class="tick ${kind}"></span>${words}</li>`;

/** The alerts of the recent days under each setting; empty without recent days. */
export const timelineSection = ({ tuned }: TuneReport): string => {
  const { recent, validAlerts, tried } = tuned;
  const [first, last] = [recent[0]?.date, recent.at(-1)?.date];
  if (first === undefined || last === undefined) return '';
  const has = (kind: MarkKind): boolean =>
    tried.some(({ days }) => days.some(({ finding }) => finding && markKindOf(finding) === kind));
  const legend = [
    swatch('over', 'too high'),
    swatch('under', 'too low'),
    swatch('both', 'both'),
    ...(has('course') ? [swatch('course', 'course')] : []),
    ...(has('frozen') ? [swatch('frozen', 'flatline')] : []),
    ...(has('drift') ? [swatch('drift', 'drift begins')] : []),
    ...(has('gap') ? [swatch('gap', 'gap')] : []),
    ...(validAlerts === null
      ? []
      : [
          swatch('confirmed', 'current, confirmed'),
          swatch('refused', 'current, called false'),
          swatch('undecided', 'current, undecided'),
        ]),
  ];
  const rows = timelineRows(tuned);
  const words = rows.map(({ name, marks }) => `${name}: ${plural(marks.length, 'alert')}`).join('; ');
  const title = 'Alerts of the recent days under each setting';
  return section(
    title,
    'Each row is a setting and each mark an alert. The number at the end of a row is the number of alerts.',
    `<ul class="legend">${legend.join('')}</ul><figure aria-label="${title}">${chart({ kind: 'timeline', first, last, rows }, `${words}.`)}</figure>${datesTable(rows)}`,
  );
};
