import { recentCounts, settingName, type TriedSetting } from '../../../analysis/tune.js';
import type { WhatIf } from '../../../analysis/whatIf.js';
import { plain, table, type Cell, type Paint } from '../demo/terminal.js';
import { dataFacts, settingFacts, type Tuned } from './bundle.js';

/** A share as a percentage with one decimal: `97.3 %`; a dash where there is none. */
export const percent = (share: number | null, decimals = 1): string =>
  share === null ? '–' : `${(100 * share).toFixed(decimals)} %`;

/** A column of the table of settings: its head, its text for a setting, and what it means. */
export type Column = {
  readonly head: string;
  readonly text: (tried: TriedSetting, whatIf: WhatIf | undefined) => string;
  readonly meaning: string;
};

const fixed = (value: number | null | undefined, decimals: number): string =>
  value === null || value === undefined ? '–' : value.toFixed(decimals);

const settingColumns: readonly Column[] = [
  {
    head: 'setting',
    text: ({ asked }) => settingName(asked),
    meaning:
      '“chosen” lets the engine choose the number of models, as for a new source; 7 asks for seven models; 7@0.95 ' +
      'asks for seven models with bounds for the level 95 %. Without a level the engine’s default limits hold.',
  },
  {
    head: 'models',
    text: ({ models }) => String(models.length),
    meaning: 'Typical days that were learned; fewer than asked for where fewer differ.',
  },
  {
    head: 'error',
    text: ({ fit }) => percent(fit.loss),
    meaning:
      'Planned-day loss: a block of the reference (a month, or a fortnight of a short one) is left out, each of its ' +
      'days is compared with the curve planned for it; the mean absolute difference as a share of the mean absolute ' +
      'activity.',
  },
  {
    head: 'silhouette',
    text: ({ silhouette }) => fixed(silhouette?.mean, 2),
    meaning:
      'How far apart the models are, −1 to 1 (Rousseeuw 1987): mean over the reference days of (b − a) / max(a, b), ' +
      'a the mean distance to the days of its own model, b to those of the nearest other one. None with one model.',
  },
];

/** Columns that only some engines fill: they are shown where any setting has a number in them. */
const foretoldColumns: readonly Column[] = [
  {
    head: 'foretold',
    text: ({ hitRate }) => percent(hitRate, 0),
    meaning:
      'Share of the reference days whose nearest model was the one planned for them while their block was left out.',
  },
  {
    head: 'stable',
    text: ({ fit }) => fixed(fit.stability, 2),
    meaning: 'How alike the models are that are learned without a block: adjusted Rand index, at most 1.',
  },
];

const boundsColumns: readonly Column[] = [
  {
    head: 'asked',
    text: ({ bounds, asked }) => percent(asked.level ?? bounds.target),
    meaning: 'Level asked for: share of ordinary days that are to stay within all their limits all day.',
  },
  {
    head: 'measured',
    text: ({ bounds }) => percent(bounds.measuredLevel),
    meaning: 'Share of the reference days that stayed within limits learned without their block.',
  },
  {
    head: 'false/year',
    text: ({ bounds }) => fixed(bounds.falseAlertsPerYear, 1),
    meaning: 'Alerts that ordinary days will raise in a year, by the measured level.',
  },
];

const changeText = ({ more, less }: TriedSetting['bounds']['power']['wholeDay']): string =>
  more === null && less === null
    ? 'none'
    : [
        ...(more === null ? [] : [`+${Math.round(100 * more)} %`]),
        ...(less === null ? [] : [`−${Math.round(100 * less)} %`]),
      ].join(' / ');

const powerColumns: readonly Column[] = [
  {
    head: 'change shown',
    text: ({ bounds }) => changeText(bounds.power.wholeDay),
    meaning:
      'The smallest change of a whole day’s total, more or less, that four of five ordinary days would show; a side is ' +
      'not named where even a doubling, or a fall to nothing, would not.',
  },
];

const recentColumns: readonly Column[] = [
  {
    head: 'alerts',
    text: ({ days }) => String(days.filter(({ finding }) => finding).length),
    meaning:
      'Recent days with an alert under the setting: days beyond their bounds, and days with too many gaps.',
  },
];

const gapColumns: readonly Column[] = [
  {
    head: 'gaps',
    text: tried => String(recentCounts(tried).gaps),
    meaning:
      'Of the alerts, days that hold less than half of what reference days hold; they are not compared.',
  },
];

const of = (fate: WhatIf['all'] | undefined, part: 'kept' | 'lost'): string =>
  fate === undefined ? '–' : `${fate[part]} of ${fate.stood}`;

const whatIfColumns: readonly Column[] = [
  {
    head: 'gained',
    text: (_, whatIf) => String(whatIf?.gained ?? '–'),
    meaning: 'Days with an alert under the setting on which none stands now: nobody has judged these yet.',
  },
  {
    head: 'lost',
    text: (_, whatIf) => of(whatIf?.all, 'lost'),
    meaning: 'Days on which an alert stands now and the setting raises none, whatever its verdict.',
  },
  {
    head: 'confirmed kept',
    text: (_, whatIf) => of(whatIf?.confirmed, 'kept'),
    meaning:
      'Days that people confirmed (verdict anomaly) and that the setting raises too; the rest would be missed.',
  },
  {
    head: 'false saved',
    text: (_, whatIf) => of(whatIf?.falseAlarms, 'lost'),
    meaning: 'Days that people called no anomaly or expected, and on which the setting raises no alert.',
  },
];

/** The columns that say something of these results. */
export const columnsFor = ({ tried, recent, whatIfs }: Tuned): readonly Column[] => [
  ...settingColumns,
  ...(tried.some(({ hitRate, fit }) => hitRate > 0 || fit.stability > 0) ? foretoldColumns : []),
  ...boundsColumns,
  ...(tried.some(({ bounds: { power } }) => power.wholeDay.more !== null || power.wholeDay.less !== null)
    ? powerColumns
    : []),
  ...(recent.length > 0 ? recentColumns : []),
  ...(tried.some(({ days }) => days.some(({ outcome }) => outcome === 'gap')) ? gapColumns : []),
  ...(whatIfs.length > 0 ? whatIfColumns : []),
];

/** All columns there are, for --help. */
export const allColumns: readonly Column[] = [
  ...settingColumns,
  ...foretoldColumns,
  ...boundsColumns,
  ...powerColumns,
  ...recentColumns,
  ...gapColumns,
  ...whatIfColumns,
];

/** The table of settings for a terminal, the recommended one marked. */
export const terminalTable = (tuned: Tuned, paint: Paint): string[] => {
  const columns = columnsFor(tuned);
  const rows: Cell[][] = [
    ['', ...columns.map(({ head }) => ({ text: head, paint: paint.dim }))],
    ...tuned.tried.map((tried, index) => {
      const best = index === tuned.recommended;
      return [
        best ? '→' : '',
        ...columns.map(({ text }) => ({
          text: plain(text(tried, tuned.whatIfs[index])),
          paint: best ? paint.bold : (drawn: string) => drawn,
        })),
      ];
    }),
  ];
  return table(rows, `ll${'r'.repeat(columns.length - 1)}`);
};

/** The results as JSON: what the data were, the recommended setting, and the numbers of each. */
export const jsonTable = (tuned: Tuned): string => {
  const { name, tried, whatIfs, recommended, parameters } = tuned;
  const best = tried[recommended];
  return `${JSON.stringify(
    {
      name,
      engine: tried[0]?.engine ?? '',
      parameters,
      data: dataFacts(tuned),
      recommended: best ? settingName(best.asked) : null,
      settings: tried.map((one, index) => settingFacts(one, whatIfs[index])),
    },
    null,
    1,
  )}\n`;
};

/** The numbers of each setting as CSV (RFC 4180: commas, a header, decimal points, nothing where there is none). */
export const csvTable = ({ tried, whatIfs, recommended }: Tuned): string => {
  const rows = tried.map((one, index) => {
    const facts = settingFacts(one, whatIfs[index]);
    const { bounds, recent, whatIf } = facts;
    return {
      setting: facts.setting,
      recommended: index === recommended ? 1 : 0,
      modelCountAsked: facts.asked.modelCount,
      levelAsked: facts.asked.level,
      modelCount: facts.modelCount,
      loss: facts.loss,
      predictability: facts.predictability,
      stability: facts.stability,
      hitRate: facts.hitRate,
      silhouette: facts.silhouette,
      target: bounds.target,
      guaranteedLevel: bounds.guaranteedLevel,
      measuredLevel: bounds.measuredLevel,
      calibrationDays: bounds.calibrationDays,
      falseAlertsPerYear: bounds.falseAlertsPerYear,
      recentDays: recent.days,
      compared: recent.compared,
      abnormal: recent.abnormal,
      gaps: recent.gaps,
      within: recent.within,
      stood: whatIf?.all.stood ?? null,
      gained: whatIf?.gained ?? null,
      lost: whatIf?.all.lost ?? null,
      confirmedStood: whatIf?.confirmed.stood ?? null,
      confirmedKept: whatIf?.confirmed.kept ?? null,
      confirmedLost: whatIf?.confirmed.lost ?? null,
      falseStood: whatIf?.falseAlarms.stood ?? null,
      falseSaved: whatIf?.falseAlarms.lost ?? null,
      undecidedStood: whatIf?.undecided.stood ?? null,
      undecidedLost: whatIf?.undecided.lost ?? null,
    };
  });
  const heads = Object.keys(rows[0] ?? {});
  return [heads.join(), ...rows.map(row => Object.values(row).join()), ''].join('\n');
};
