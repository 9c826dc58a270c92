import type { Alert, Model, RecentDay } from './client.js';
import type { Planted } from './makeYear.js';
import { dayName, keysOf, margin, titled, type Style } from './report.js';
import { clock, cut, plural, share, table, type Cell } from '../terminal/text.js';

/** Alerts in one report at most. */
const alertsShown = 40;

/** Characters of a line beside the times of day. */
const otherColumnsWidth = 64;

/** One line of the table, and what stands under it. */
type Row = {
  readonly date: string;
  readonly cells: readonly Cell[];
  readonly verdict: readonly string[] | undefined;
};

/** Slices `from` to `to` as times, neighbours joined, the longest first cut when there is no room for all. */
export const timesText = (alert: Pick<Alert, 'slices'>, slices: number, width: number): string => {
  const runs: { from: number; to: number }[] = [];
  for (const { from, to } of [...alert.slices].sort((a, b) => a.from - b.from)) {
    const last = runs.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else runs.push({ from, to });
  }
  const textOf = (shown: typeof runs) =>
    shown.map(({ from, to }) => `${clock(from, slices)}–${clock(to, slices)}`).join(', ');
  if (textOf(runs).length <= width) return textOf(runs);
  const longest = [...runs].sort((a, b) => b.to - b.from - (a.to - a.from));
  for (let count = runs.length - 1; count > 0; count -= 1) {
    const kept = new Set(longest.slice(0, count));
    const text = `${textOf(runs.filter(run => kept.has(run)))} +${runs.length - count}`;
    if (text.length <= width || count === 1) return cut(text, width);
  }
  return '';
};

/** Whether an alert is of what was planted: its day, its kind, and for an activity some of its hours. */
const isOf = (alert: Alert, planted: Planted, slices: number): boolean =>
  alert.date === planted.date &&
  (alert.kind === 'gap') === (planted.kind === 'gap') &&
  (alert.slices.length === 0 ||
    alert.slices.some(
      ({ from, to }) => (from * 24) / slices < planted.toHour && (to * 24) / slices > planted.fromHour,
    ));

/** What there is to say of the alerts of a recent time; `planted` where the data are made up. */
export type AlertsFound = {
  readonly alerts: readonly Alert[];
  readonly models: readonly Model[];
  readonly recent: readonly RecentDay[];
  readonly slices: number;
  readonly planted: readonly Planted[] | undefined;
};

/** The alerts, one a line, each with what was planted that day under it, and a line that sums them up. */
export const alertsReport = (
  { alerts, models, recent, slices, planted }: AlertsFound,
  { paint, width }: Style,
): string[] => {
  const keyOf = keysOf(models);
  const completeness = new Map(recent.map(day => [day.date, day.completeness]));
  const plantedOn = (date: string) => planted?.find(plant => plant.date === date);
  const most = [...alerts].sort((a, b) => b.criticity - a.criticity).slice(0, alertsShown);
  const timesWidth = Math.max(15, width - otherColumnsWidth);

  const timesOf = (alert: Alert): string => {
    const known = completeness.get(alert.date);
    if (alert.kind === 'gap' && known !== undefined) return `${Math.round(known * 100)} % is there`;
    return timesText(alert, slices, timesWidth);
  };
  const rowOf = (alert: Alert): Row => {
    const plant = plantedOn(alert.date);
    const found = plant !== undefined && isOf(alert, plant, slices);
    return {
      date: alert.date,
      cells: [
        dayName(alert.date),
        alert.kind,
        alert.direction ?? '',
        cut(timesOf(alert), timesWidth),
        share(alert.criticity),
        keyOf(alert.plannedModelId),
        alert.closestModelId === null ? '' : keyOf(alert.closestModelId),
        alert.betterModelId === null ? '' : `fits ${keyOf(alert.betterModelId)}`,
      ],
      verdict: plant
        ? [found ? 'found' : 'found otherwise', plant.what]
        : planted
          ? ['not planted']
          : undefined,
    };
  };
  const unseen = (planted ?? []).filter(({ date }) => !alerts.some(alert => alert.date === date));
  const rows: Row[] = [
    ...most.map(rowOf),
    ...unseen.map(({ date, what }) => ({ date, cells: [dayName(date)], verdict: ['NOT FOUND', what] })),
  ].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));

  const head = ['day', 'kind', 'bound', 'time of day', 'criticity', 'plan', 'like', ''];
  const lines = table(
    [head.map(text => ({ text, paint: paint.dim })), ...rows.map(({ cells }) => cells)],
    'llllrlll',
  ).map(line => `${margin}${line}`);
  const body = rows.flatMap(({ verdict }, index) => [
    lines[index + 1] ?? '',
    ...(verdict ? [`${margin}${paint.dim(cut(`└ ${verdict.join(': ')}`, width - margin.length))}`] : []),
  ]);

  const found = (planted ?? []).filter(plant => alerts.some(alert => isOf(alert, plant, slices)));
  const others = alerts.filter(({ date }) => !plantedOn(date)).length;
  const days = plural(recent.length, 'recent day');
  const sum = planted
    ? `${found.length} of ${planted.length} planted days found, ${plural(others, 'other alert')} in ${days}`
    : `${plural(alerts.length, 'alert')} in ${days}`;
  return [
    ...titled(
      `Alerts: ${plural(alerts.length, 'unusual day')}`,
      'Recent days that broke the bounds of their planned model: over or under, when (UTC), how critical ' +
        '(0–1), the model planned, the one the day is most like, and one whose bounds it fits whole. A gap has too few rows to be compared.',
      { paint, width },
    ),
    ...(rows.length > 0 ? [lines[0] ?? '', ...body] : [`${margin}none`]),
    ...(alerts.length > most.length
      ? [`${margin}… the ${alertsShown} most critical of ${alerts.length}`]
      : []),
    '',
    `${margin}${paint.bold(sum)}`,
  ];
};
