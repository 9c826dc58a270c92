import type { Alert, Model, RecentDay } from './client.js';
import type { Planted } from './makeYear.js';
import { dayName, keysOf, margin, titled, type Style } from './report.js';
import { clock, cut, plural, share, table, type Cell } from './terminal.js';

/** Alerts in one report at most. */
const alertsShown = 40;

/** Slices `from` to `to` as times, neighbours joined, the longest first cut when there is no room for all. */
const timesText = (alert: Alert, slices: number, width: number): string => {
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

/** The alerts, one a line, each with what was planted that day, and a line that sums them up. */
export const alertsReport = (
  { alerts, models, recent, slices, planted }: AlertsFound,
  style: Style,
): string[] => {
  const { paint, width } = style;
  const keyOf = keysOf(models);
  const completeness = new Map(recent.map(day => [day.date, day.completeness]));
  const most = [...alerts].sort((a, b) => b.criticity - a.criticity).slice(0, alertsShown);
  const shown = alerts.filter(alert => most.includes(alert));
  const timeWidth = Math.max(15, width - (planted ? 74 : 60));

  const rowOf = (alert: Alert) => {
    const plant = planted?.find(({ date }) => date === alert.date);
    const known = completeness.get(alert.date);
    const times =
      alert.slices.length > 0
        ? timesText(alert, slices, timeWidth)
        : alert.kind === 'gap' && known !== undefined
          ? `${Math.round(known * 100)} % there`
          : '';
    const like = alert.closestModelId === null ? '' : keyOf(alert.closestModelId);
    const better = alert.betterModelId === null ? '' : ' fits';
    const verdict = !planted
      ? ''
      : !plant
        ? { text: 'not planted', paint: paint.dim }
        : isOf(alert, plant, slices)
          ? { text: 'found', paint: paint.bold }
          : { text: 'otherwise', paint: paint.bold };
    const cells: Cell[] = [
      dayName(alert.date),
      alert.kind,
      alert.direction ?? '',
      times,
      share(alert.criticity),
      keyOf(alert.plannedModelId),
      `${like}${better}`,
      verdict,
    ];
    return { date: alert.date, cells, plant };
  };
  const unseen = (planted ?? [])
    .filter(({ date }) => !alerts.some(alert => alert.date === date))
    .map(plant => ({
      date: plant.date,
      cells: [
        dayName(plant.date),
        '',
        '',
        '',
        '',
        '',
        '',
        { text: 'not found', paint: paint.bold },
      ] as Cell[],
      plant,
    }));
  const rows = [...shown.map(rowOf), ...unseen].sort((a, b) =>
    a.date < b.date ? -1 : a.date > b.date ? 1 : 0,
  );
  const head = ['day', 'kind', 'bound', 'time of day', 'critic.', 'plan', 'like', planted ? 'planted' : ''];
  const lines = table(
    [head.map(text => ({ text, paint: paint.dim })), ...rows.map(({ cells }) => cells)],
    'llllrlll',
  ).map(line => `${margin}${line}`);

  const body = rows.flatMap(({ plant }, index) => [
    lines[index + 1] ?? '',
    ...(plant ? [`${margin}${' '.repeat(16)}${paint.dim(cut(`└ ${plant.what}`, width - 18))}`] : []),
  ]);
  const found = (planted ?? []).filter(plant => alerts.some(alert => isOf(alert, plant, slices)));
  const others = alerts.filter(({ date }) => !planted?.some(plant => plant.date === date)).length;
  const days = plural(recent.length, 'recent day');
  const sum = planted
    ? `${found.length} of ${planted.length} planted days found, ${plural(others, 'other alert')} in ${days}`
    : `${plural(alerts.length, 'alert')} in ${days}`;
  return [
    ...titled(
      `Alerts: ${plural(alerts.length, 'day')} out of bounds`,
      'Recent days that broke the bounds of their planned model: over or under, when (UTC), how critical ' +
        '(0–1), the model planned, the one the day is most like ("fits": it is within that one’s bounds).',
      style,
    ),
    ...(rows.length > 0 ? [lines[0] ?? '', ...body] : [`${margin}none`]),
    ...(alerts.length > shown.length
      ? [`${margin}… the ${alertsShown} most critical of ${alerts.length}`]
      : []),
    '',
    `${margin}${paint.bold(sum)}`,
  ];
};
