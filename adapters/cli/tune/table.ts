import { recentCounts, type RecentCounts } from '../../../analysis/tuning/recentCounts.js';
import { settingName } from '../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import type { WhatIf } from '../../../analysis/tuning/compareAlerts.js';
import type { Paint } from '../terminal/colors.js';
import { table, type Cell } from '../terminal/table.js';
import { plain } from '../terminal/text.js';
import { calendarFacts, dataFacts, settingFacts, type Tuned } from './bundle.js';

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
      'asks for seven models with limits for the level 95 %: the share of ordinary days that are to stay without an ' +
      'alert. Without a level the engine’s default limits hold, which follow the data and aim at none.',
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
      'How far apart the models are, −1 to 1 (Rousseeuw 1987): mean over the reference days, each as days of its season ' +
      'and weekday make it expected, of (b − a) / max(a, b), a the mean distance to the days of its own model, b to those ' +
      'of the nearest other one. None with one model.',
  },
  {
    head: 'foretold',
    text: ({ hitRate }) => percent(hitRate, 0),
    meaning:
      'Planning hit rate: share of the reference days that are nearest to the very model planned for them while their block ' +
      'was left out. Many models are alike, so with more of them it falls, which costs little.',
  },
  {
    head: 'stable',
    text: ({ fit }) => fixed(fit.stability, 2),
    meaning:
      'How alike the models are that are learned from half of the reference: adjusted Rand index (Hubert and Arabie ' +
      '1985), 1 for the same, 0 as by chance.',
  },
];

const boundsColumns: readonly Column[] = [
  {
    head: 'measured',
    text: ({ bounds }) => percent(bounds.measuredLevel),
    meaning:
      'Share of the ordinary reference days that kept all limits, curves and tolerances being learned without their ' +
      'block. The limits of a level are set on these very days, so there it is about what was asked, and the recent days ' +
      'are the test.',
  },
  {
    head: 'false/year',
    text: ({ bounds }) => fixed(bounds.falseAlertsPerYear, 1),
    meaning: 'Alerts that ordinary days will raise in a year, by the measured level.',
  },
];

type Power = NonNullable<TriedSetting['bounds']['power']>;

/** A change in words: `+40 / −35 %`, `±15 %`, `+60 %` where nothing less would show. */
export const changeText = (change: Power['wholeDay'] | undefined): string => {
  if (!change) return '–';
  const [more, less] = [change.more, change.less].map(by => (by === null ? null : Math.round(100 * by)));
  if (more === less) return more === null ? 'none' : `±${more} %`;
  return `${[...(more === null ? [] : [`+${more}`]), ...(less === null ? [] : [`−${less}`])].join(' / ')} %`;
};

const powerColumns: readonly Column[] = [
  {
    head: 'day change',
    text: ({ bounds }) => changeText(bounds.power?.wholeDay),
    meaning:
      'The smallest change of a whole day, all its hours alike, that four of five ordinary days would show, more or less; ' +
      'a side is not named where even a doubling, or a fall to nothing, would not.',
  },
  {
    head: '8 h change',
    text: ({ bounds }) => changeText(bounds.power?.eightHours),
    meaning: 'The same of a change in the eight busiest hours alone, as a share of the day’s total.',
  },
];

const kindColumn = (head: string, kind: keyof RecentCounts['alerts'], meaning: string): Column => ({
  head,
  text: tried => String(recentCounts(tried).alerts[kind]),
  meaning,
});

const recentColumns: readonly Column[] = [
  {
    head: 'alerts',
    text: ({ days }) => String(days.filter(({ finding }) => finding).length),
    meaning: 'Recent days with an alert under the setting, of all kinds.',
  },
  {
    head: 'quiet',
    text: tried => percent(recentCounts(tried).quiet),
    meaning:
      'Share of the ordinary recent days (no holiday, special day or day round Christmas) without an alert; what was ' +
      'truly unusual counts against it. The test of a level on days that nothing was learned from.',
  },
];

/** Columns of the kinds of alerts that are no unusual activity: each is shown where any setting has one. */
const kindColumns: readonly Column[] = [
  kindColumn(
    'frozen',
    'frozen',
    'Of the alerts, days on which one value stands longer than one and a half times what the reference ever had: a ' +
      'sensor that repeats itself.',
  ),
  kindColumn(
    'drift',
    'drift',
    'Of the alerts, days from which on the source as a whole is elsewhere than in the reference: told once, not each day.',
  ),
  kindColumn(
    'gaps',
    'gap',
    'Of the alerts, days that hold less than half of what reference days hold; they are not compared.',
  ),
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
  ...boundsColumns,
  ...powerColumns,
  ...(recent.length > 0 ? recentColumns : []),
  ...kindColumns.filter(({ text }) => tried.some(one => text(one, undefined) !== '0')),
  ...(whatIfs.length > 0 ? whatIfColumns : []),
];

/** All columns there are, for --help. */
export const allColumns: readonly Column[] = [
  ...settingColumns,
  ...boundsColumns,
  ...powerColumns,
  ...recentColumns,
  ...kindColumns,
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
      calendar: calendarFacts(tuned),
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
    const { bounds, limits, recent, whatIf } = facts;
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
      dayMore: bounds.power?.wholeDay.more ?? null,
      dayLess: bounds.power?.wholeDay.less ?? null,
      eightHoursMore: bounds.power?.eightHours.more ?? null,
      eightHoursLess: bounds.power?.eightHours.less ?? null,
      windowLimit: limits?.window ?? null,
      dayLimit: limits?.day ?? null,
      recentDays: recent.days,
      compared: recent.compared,
      ordinary: recent.ordinary,
      quiet: recent.quiet,
      activity: recent.alerts.activity,
      frozen: recent.alerts.frozen,
      drift: recent.alerts.drift,
      gaps: recent.alerts.gap,
      drifting: recent.drifting,
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
