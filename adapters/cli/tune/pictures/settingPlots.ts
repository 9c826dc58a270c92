import { recentCounts, settingName, type TriedSetting } from '../../../../analysis/tuning/tune.js';
import { dateOf, dayNumber, month, monthNames, year } from '../../../../domain/dates.js';
import { dayName } from '../../terminal/labels.js';
import { at, escaped, frame, line, pathOf, picture, scale, text, ticks } from './svg.js';
import { percent } from '../table.js';
import type { Tuned } from '../bundle.js';

/** Two pictures stand side by side. */
const wide = 520;
const height = 240;

/** One point of a plot; the words are shown when one points at it. */
type Dot = { readonly x: number; readonly y: number; readonly words: string; readonly marked?: string };

/** A line with its dots; `kind` is its class. */
type Series = { readonly kind: 'first' | 'second'; readonly dots: readonly Dot[] };

type Axis = { readonly label: string; readonly text: (value: number) => string };

/** Lines over one axis. `least` is a value that the vertical axis shows in any case. */
const linePlot = (
  width: number,
  label: string,
  series: readonly Series[],
  x: Axis & { readonly ticks: readonly number[] },
  y: Axis & { readonly least?: readonly number[] },
  extra: (place: {
    readonly x: (value: number) => number;
    readonly y: (value: number) => number;
  }) => string = () => '',
): string => {
  const dots = series.flatMap(({ dots }) => dots);
  const xs = [...dots.map(dot => dot.x), ...x.ticks];
  const ys = [...dots.map(dot => dot.y), ...(y.least ?? [])];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const room = (high - low || Math.abs(high) * 0.1 || 1) * 0.12;
  const bottom = (y.least ?? []).includes(low) ? low : low - room;
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const side = (right - left || 1) * 0.04;
  const of = frame(
    width,
    height,
    { from: left - side, to: right + side, ticks: x.ticks, label: x.label, text: x.text },
    { from: bottom, to: high + 2 * room, label: y.label, text: y.text, count: 5 },
    { left: 66, right: 14, top: 12, bottom: 36 },
  );
  return picture(width, height, label, [
    of.drawn,
    extra(of),
    // The first is drawn last, so that it is seen where both are in one place.
    ...[...series].reverse().map(
      ({ kind, dots }) =>
        `<path class="line ${kind}" d="${pathOf(dots.map(dot => [of.x(dot.x), of.y(dot.y)]))}"/>${dots
          .map(dot => {
            const [cx, cy] = [of.x(dot.x), of.y(dot.y)];
            const shape =
              kind === 'first'
                ? `<circle class="dot first" cx="${at(cx)}" cy="${at(cy)}" r="3.5"/>`
                : `<rect class="dot second" x="${at(cx - 4.2)}" y="${at(cy - 4.2)}" width="8.4" height="8.4"/>`;
            return `<g><title>${escaped(dot.words)}</title>${shape}</g>`;
          })
          .join('')}`,
    ),
    ...dots
      .filter(({ marked }) => marked !== undefined)
      .map(dot => {
        const [cx, cy] = [of.x(dot.x), of.y(dot.y)];
        const end = cx > width - 130;
        return (
          line(cx, 20, cx, cy - 6.5, 'guide') +
          `<circle class="ring" cx="${at(cx)}" cy="${at(cy)}" r="6.5"/>` +
          text(cx + (end ? -5 : 5), 22, dot.marked ?? '', { anchor: end ? 'end' : 'start', kind: 'mark' })
        );
      }),
  ]);
};

/** Of the settings, those that compare numbers of models: each number once, ascending, at default limits. */
const byCount = (tried: readonly TriedSetting[]): TriedSetting[] => {
  const found = new Map<number, TriedSetting>();
  for (const one of tried) if (one.asked.level === null) found.set(one.models.length, one);
  return [...found.values()].sort((a, b) => a.models.length - b.models.length);
};

/** A picture and what stands over and under it. */
export type Plot = { readonly title: string; readonly drawn: string; readonly notes: string };

/** How the number of models fares: error, silhouette, predictability and stability. */
export const countPlots = ({ tried }: Tuned): Plot[] => {
  const counts = byCount(tried);
  const chosen = tried[0]?.models.length ?? 0;
  const numbers = counts.map(({ models }) => models.length);
  const [least, most] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
  const every = Math.max(1, Math.ceil((most - least + 1) / 12));
  const x = {
    label: 'number of models',
    text: String,
    ticks: Array.from(
      { length: Math.floor((most - least) / every) + 1 },
      (_, index) => least + index * every,
    ),
  };
  const dotsOf = (value: (of: TriedSetting) => number | null, shown: (value: number) => string): Dot[] =>
    counts.flatMap(of => {
      const y = value(of);
      const count = of.models.length;
      if (y === null) return [];
      return {
        x: count,
        y,
        words: `${count} models: ${shown(y)}`,
        ...(count === chosen ? { marked: `${chosen} chosen: ${shown(y)}` } : {}),
      };
    });
  const two = (value: number): string => value.toFixed(2);
  const percents = (value: number): string => percent(value);
  const loss = dotsOf(({ fit }) => fit.loss, percents);
  const apart = dotsOf(({ silhouette }) => silhouette?.mean ?? null, two);
  const foretold = dotsOf(({ fit }) => fit.predictability, two);
  const stable = dotsOf(({ fit }) => fit.stability, two);
  return [
    {
      title: 'Error of a planned day',
      drawn: linePlot(
        wide,
        'Planned-day loss against the number of models',
        [{ kind: 'first', dots: loss }],
        x,
        {
          label: 'mean error, % of activity',
          text: value => percent(value, 1),
        },
      ),
      notes: 'Lower is better: how far days of a left-out block are from the curve planned for them.',
    },
    ...(apart.length > 0
      ? [
          {
            title: 'Silhouette',
            drawn: linePlot(
              wide,
              'Silhouette against the number of models',
              [{ kind: 'first', dots: apart }],
              x,
              {
                label: 'mean silhouette',
                text: two,
              },
            ),
            notes: 'Higher is farther apart. It nearly always prefers two models, so it does not decide.',
          },
        ]
      : []),
    ...(foretold.length > 0
      ? [
          {
            title: 'Predictability',
            drawn: linePlot(
              wide,
              'Predictability against the number of models',
              [{ kind: 'first', dots: foretold }],
              x,
              {
                label: 'share of left-out days',
                text: two,
              },
            ),
            notes:
              'Share of left-out days that are nearest to the model planned for them. It falls as models come to be alike.',
          },
        ]
      : []),
    ...(stable.length > 0
      ? [
          {
            title: 'Stability',
            drawn: linePlot(
              wide,
              'Stability against the number of models',
              [{ kind: 'first', dots: stable }],
              x,
              {
                label: 'adjusted Rand index',
                text: two,
              },
            ),
            notes:
              'How alike the models are that are learned from half of the reference: 1 the same, 0 as by chance.',
          },
        ]
      : []),
  ];
};

/** What the levels that were asked for have come to, with the number of models that was chosen. */
export const levelPlots = ({ tried, recent }: Tuned): Plot[] => {
  const chosen = tried[0]?.models.length ?? 0;
  const levels = tried.filter(({ asked }) => asked.level !== null && asked.modelCount === chosen);
  if (levels.length === 0) return [];
  const asked = (of: TriedSetting): number => of.asked.level ?? 0;
  const x = {
    label: 'level asked for',
    text: (value: number) => percent(value, Number.isInteger(Math.round(value * 1e6) / 1e4) ? 0 : 1),
    ticks: levels.length > 5 ? ticks(asked(levels[0] as TriedSetting), 1, 5) : thinned(levels.map(asked)),
  };
  const dots = (value: (of: TriedSetting) => number | null, words: (y: number) => string): Dot[] =>
    levels.flatMap(of => {
      const y = value(of);
      return y === null ? [] : { x: asked(of), y, words: `${settingName(of.asked)}: ${words(y)}` };
    });
  const measured = dots(
    ({ bounds }) => bounds.measuredLevel,
    y => `${percent(y)} of left-out reference days within their limits`,
  );
  const within = dots(
    of => recentCounts(of).quiet,
    y => `${percent(y)} of ordinary recent days without an alert`,
  );
  const expected = dots(
    ({ bounds }) => bounds.falseAlertsPerYear,
    y => `${y.toFixed(1)} false alerts a year by the measured level`,
  );
  const raised = dots(
    of => {
      const { compared, alerts } = recentCounts(of);
      return compared > 0 ? (365 * alerts.activity) / compared : null;
    },
    y => `${y.toFixed(1)} alerts a year, as the recent days go`,
  );
  const series = (first: readonly Dot[], second: readonly Dot[]): Series[] => [
    { kind: 'first', dots: first },
    ...(second.length > 0 ? [{ kind: 'second' as const, dots: second }] : []),
  ];
  const squares = recent.length > 0;
  return [
    {
      title: 'Coverage: asked and measured',
      drawn: linePlot(
        wide,
        'Coverage measured against coverage asked for',
        series(measured, within),
        x,
        {
          label: 'days without an alert',
          text: value => percent(value, 0),
          least: [1, Math.min(...levels.map(asked))],
        },
        place => {
          const [from, to] = [Math.min(...levels.map(asked)), Math.max(...levels.map(asked))];
          return line(place.x(from), place.y(from), place.x(to), place.y(to), 'ideal');
        },
      ),
      notes:
        'Dashed: as asked. Circles: ordinary reference days, judged by models that have not seen them; the limits are set on ' +
        'these very days, so they must lie on the line but for rounding.' +
        (squares
          ? ' Squares: ordinary recent days, the true test; what was really unusual among them counts too and draws them down.'
          : ''),
    },
    {
      title: 'Alerts a year',
      drawn: linePlot(wide, 'Alerts a year against the level', series(expected, raised), x, {
        label: 'alerts in 365 days',
        text: value => String(Number(value.toPrecision(3))),
        least: [0],
      }),
      notes:
        'Circles: false alerts to expect by the measured level.' +
        (squares
          ? ' Squares: alerts for activity of the recent days, brought to a year: true ones and false ones.'
          : ''),
    },
  ];
};

/** Of levels in order, those that are far enough apart for their names to stand beside one another. */
const thinned = (levels: readonly number[]): number[] => {
  const kept: number[] = [];
  for (const level of levels) if (level - (kept.at(-1) ?? -1) >= 0.012) kept.push(level);
  return kept;
};

const rowHeight = 18;

/** A row of the timeline: what it is called, and its marks by date. */
type TimelineRow = {
  readonly name: string;
  readonly marked: boolean;
  readonly marks: readonly { readonly date: string; readonly kind: string; readonly words: string }[];
};

const verdictWords = {
  anomaly: 'confirmed',
  expected: 'false: expected',
  notAnomaly: 'false: no anomaly',
  newPattern: 'new pattern',
} as const;

/** The alerts of the recent days under each setting, a row each; first those that stand now, where they are known. */
export const alertsTimeline = ({ tried, recent, stood, recommended }: Tuned): string => {
  const rows: TimelineRow[] = [
    ...(stood === null
      ? []
      : [
          {
            name: 'stands now',
            marked: false,
            marks: stood.map(({ date, verdict }) => ({
              date,
              kind:
                verdict === 'anomaly'
                  ? 'confirmed'
                  : verdict === 'expected' || verdict === 'notAnomaly'
                    ? 'refused'
                    : 'undecided',
              words: `${dayName(date)} · ${verdict === null ? 'no verdict' : verdictWords[verdict]}`,
            })),
          },
        ]),
    ...tried.map(({ asked, days }, index) => ({
      name: settingName(asked),
      marked: index === recommended,
      marks: days.flatMap(({ date, finding }) =>
        finding
          ? {
              date,
              kind: finding.kind === 'activity' ? (finding.direction ?? 'both') : finding.kind,
              words: `${dayName(date)} · ${[...(finding.kind === 'activity' ? [] : [finding.kind]), ...(finding.direction === null ? [] : [finding.direction])].join(', ')} · criticity ${finding.criticity.toFixed(2)}`,
            }
          : [],
      ),
    })),
  ];
  const [whole, left, right, top] = [1060, 92, 44, 26];
  const first = dayNumber(recent[0]?.date ?? '1970-01-01');
  const last = dayNumber(recent.at(-1)?.date ?? '1970-01-01') + 1;
  const x = scale(first, last, left, whole - right);
  const bottom = top + rows.length * rowHeight;
  const markWidth = Math.max(3, x(first + 1) - x(first) - 0.5);
  const months: string[] = [];
  const every = Math.max(1, Math.ceil((last - first) / 500));
  let named = 0;
  for (let number = first; number < last; number += 1) {
    if (!dateOf(number).endsWith('-01') && number > first) continue;
    if (month(number) % every !== 0 && number > first) continue;
    months.push(line(x(number), top - 4, x(number), bottom, 'gridLine'));
    const words =
      number === first || month(number) === 0
        ? `${monthNames[month(number)]} ${year(number)}`
        : (monthNames[month(number)] ?? '');
    if (x(number) < named || x(number) > whole - right - 20) continue;
    months.push(text(x(number) + 3, top - 10, words));
    named = x(number) + 8 * words.length;
  }
  return picture(whole, bottom + 8, 'Alerts of the recent days under each setting', [
    ...rows.map(({ marked }, index) =>
      marked
        ? `<rect class="chosenRow" x="0" y="${top + index * rowHeight}" width="${whole}" height="${rowHeight}" rx="3"/>`
        : '',
    ),
    ...months,
    ...rows.flatMap(({ name, marked, marks }, index) => {
      const y = top + index * rowHeight;
      return [
        line(left, y + rowHeight, whole - right, y + rowHeight, 'gridLine'),
        text(left - 8, y + 13, `${marked ? '→ ' : ''}${name}`, {
          anchor: 'end',
          kind: marked ? 'row' : 'tick',
        }),
        ...marks.map(
          ({ date, kind, words }) =>
            `<rect class="tick-${kind}" x="${at(x(dayNumber(date)))}" y="${y + 3}" width="${at(markWidth)}" height="${rowHeight - 5}"><title>${escaped(words)}</title></rect>`,
        ),
        text(whole - right + 8, y + 13, String(marks.length), { kind: marked ? 'row' : 'tick' }),
      ];
    }),
  ]);
};
