import { type WhatIf, settingName } from '../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import { type Paint, table, type Cell, plain } from '../terminal/text.js';
import { columnsFor, type SettingColumn } from './columns.js';
import { calendarFacts, dataFacts, settingFacts, type Tuned } from './facts.js';
import { isStraight } from '../../../analysis/covariates/effectOn.js';
import { explainedParts } from '../../../domain/alerts/alertSentence.js';
import type { ExplainedFacts } from '../../../domain/source/covariates.js';
import { groupsOf, type DataTable, type Value } from '../../../application/requests/dataTables.js';
import { type TableFormat, tableBytes } from '../../tables.js';

/** Spaces between two columns, and the width of the mark of the recommended setting. */
const gapWidth = 2;
const markWidth = 1;

/** Columns in groups that fit a line each. The first column, the setting, begins every group. */
const columnGroups = (
  columns: readonly SettingColumn[],
  widths: readonly number[],
  width: number,
): SettingColumn[][] => {
  const [setting, ...others] = columns;
  if (!setting) return [];
  const startWidth = markWidth + gapWidth + (widths[0] ?? 0);
  const groups: SettingColumn[][] = [[setting]];
  let used = startWidth;
  for (const [index, column] of others.entries()) {
    const needed = gapWidth + (widths[index + 1] ?? 0);
    if (used + needed > width && used > startWidth) {
      groups.push([setting]);
      used = startWidth;
    }
    groups.at(-1)?.push(column);
    used += needed;
  }
  return groups;
};

/**
 * The table of settings for a terminal, the recommended one marked. A table that is too wide continues below.
 * @param width columns of the terminal
 */
export const terminalTable = (tuned: Tuned, paint: Paint, width: number): string[] => {
  const { tried, whatIfs, recommended } = tuned;
  const columns = columnsFor(tuned);
  const textsOf = ({ text }: SettingColumn): string[] =>
    tried.map((one, index) => plain(text(one, whatIfs[index])));
  const widths = columns.map(column =>
    Math.max(column.head.length, ...textsOf(column).map(text => text.length)),
  );
  return columnGroups(columns, widths, width).flatMap((group, index) => {
    const cells = group.map(textsOf);
    const rows: Cell[][] = [
      ['', ...group.map(({ head }) => ({ text: head, paint: paint.dim }))],
      ...tried.map((_, row) => [
        row === recommended ? '→' : '',
        ...cells.map(column => ({
          text: column[row] ?? '',
          paint: row === recommended ? paint.bold : (text: string) => text,
        })),
      ]),
    ];
    return [...(index === 0 ? [] : ['']), ...table(rows, `ll${'r'.repeat(group.length - 1)}`)];
  });
};

/** The results as JSON: parameters, data, the recommended setting, and the numbers of each setting. */
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

/** The numbers of one setting as the fields of a CSV row. */
const csvFields = (tried: TriedSetting, whatIf: WhatIf | undefined, isRecommended: boolean) => {
  const facts = settingFacts(tried, whatIf);
  const { bounds, limits, recent } = facts;
  return {
    setting: facts.setting,
    recommended: isRecommended ? 1 : 0,
    modelCountAsked: facts.asked.modelCount,
    coverageAsked: facts.asked.coverage,
    modelCount: facts.modelCount,
    loss: facts.loss,
    predictability: facts.predictability,
    stability: facts.stability,
    hitRate: facts.hitRate,
    silhouette: facts.silhouette,
    targetCoverage: bounds.targetCoverage,
    guaranteedCoverage: bounds.guaranteedCoverage,
    measuredCoverage: bounds.measuredCoverage,
    calibrationDays: bounds.calibrationDays,
    falseAlertsPerYear: bounds.falseAlertsPerYear,
    dayMore: bounds.minimumDetectableChange?.wholeDay.more ?? null,
    dayLess: bounds.minimumDetectableChange?.wholeDay.less ?? null,
    eightHoursMore: bounds.minimumDetectableChange?.eightHours.more ?? null,
    eightHoursLess: bounds.minimumDetectableChange?.eightHours.less ?? null,
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
    ...whatIfFields(whatIf),
    ...covariateFields(tried),
  };
};

/** For each covariate: 1 when it is used, else 0, and the share by which it lowers the held-out error. */
const covariateFields = ({ explainedBy = [] }: TriedSetting) =>
  Object.fromEntries(
    explainedBy.flatMap(({ used, errorReduction }, index) => [
      [`covariate${index + 1}Used`, used ? 1 : 0],
      [`covariate${index + 1}ErrorReduction`, errorReduction],
    ]),
  );

/** The comparison with current alerts as fields of a CSV row; null where there is none. */
const whatIfFields = (whatIf: WhatIf | undefined) => ({
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
});

/** The numbers of all settings as CSV (RFC 4180): commas, a header, decimal points, an empty field for null. */
export const csvTable = ({ tried, whatIfs, recommended }: Tuned): string => {
  const rows = tried.map((one, index) => csvFields(one, whatIfs[index], index === recommended));
  const heads = Object.keys(rows[0] ?? {});
  return [heads.join(), ...rows.map(row => Object.values(row).join()), ''].join('\n');
};

const columns: DataTable['columns'] = {
  ...{ setting: 'text', date: 'date', kind: 'text', assignedModelId: 'integer', plannedModelId: 'integer' },
  ...{ plannedModel: 'text', reason: 'text', ordinary: 'boolean', outcome: 'text', alertKind: 'text' },
  ...{ direction: 'text', criticity: 'number', expectedFactor: 'number', explained: 'text' },
};

/** Rows of a setting: its reference days with their models, and its recent days with the results of their checks. */
function* rowsOf({ asked, models, assignments, days }: TriedSetting): Generator<readonly Value[]> {
  const setting = settingName(asked);
  const modelOf = (id: number | null) => models.find(model => model.id === id);
  const nameOf = (id: number | null): string | null => modelOf(id)?.name ?? null;
  for (const { date, modelId, plannedId } of assignments)
    yield [
      ...[setting, date, 'reference', modelId, plannedId, nameOf(plannedId)],
      ...[null, null, null, null, null, null, null, null],
    ];
  for (const { date, plannedModelId, reason, ordinary, outcome, finding, explainedBy } of days) {
    const limits = modelOf(plannedModelId)?.limits;
    const straight = limits && isStraight(limits);
    yield [
      ...[setting, date, 'recent', null, plannedModelId, nameOf(plannedModelId), reason, ordinary, outcome],
      ...[finding?.kind ?? null, finding?.direction ?? null, finding?.criticity ?? null],
      ...(explainedBy
        ? [factorOf(explainedBy), explainedParts({ ...explainedBy, straight }).join(', ')]
        : [null, null]),
    ];
  }
}

/** Mean that covariates make expected of a day, as a multiple of the mean of its model; null for a mean of 0. */
const factorOf = ({ planned, expected }: ExplainedFacts): number | null =>
  planned === 0 ? null : expected / planned;

/** Each day under each setting, as the bytes of a file. */
export const daysFile = async (tried: readonly TriedSetting[], format: TableFormat): Promise<Buffer> => {
  function* rows(): Generator<readonly Value[]> {
    for (const setting of tried) yield* rowsOf(setting);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of tableBytes(
    { columns },
    format,
    groupsOf(rows(), () => undefined),
  ))
    chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};
