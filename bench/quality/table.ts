import { sortedQuantile } from '../../analysis/math/statistics.js';
import { pooledNumbers, type Measured, hoursAfter, type Today } from './measure.js';
import { meanOf, pooled, type Part, type Score } from './score.js';
import { modelCounts, type LostSamples, type Loss } from './planning.js';

/** Cells by row, the first row with the heads; the first column left-aligned, the others right-aligned. */
export type Cells = readonly (readonly string[])[];

/** Rows as lines with columns two spaces apart, of equal length. */
export const linesOf = (rows: Cells): string[] => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map(cells => (cells[column] ?? '').length)),
  );
  return rows.map(cells =>
    widths
      .map((width, column) =>
        column === 0 ? (cells[0] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
      )
      .join('  '),
  );
};

/** Lines as text, each with its end. */
export const textOf = (lines: readonly string[]): string => lines.map(line => `${line.trimEnd()}\n`).join('');

export const none = '–';
const share = (value: number | null, digits: number): string =>
  value === null ? none : value.toFixed(digits);
/** A share in percent, a dash without any. */
export const percent = ({ count, of }: Part): string =>
  of === 0 ? none : `${((100 * count) / of).toFixed(1)} %`;
const fraction = ({ count, of }: Part): string => (of === 0 ? none : `${count}/${of}`);

const scoreHeads = ['false', 'events', 'power'] as const;
const engineHeads = [
  ...scoreHeads,
  'attainable',
  'event runs',
  'alerts',
  'incidents',
  'holidays',
  'error',
] as const;
const cellsOf = (score: Score | null | undefined): string[] =>
  score
    ? [
        percent(score.ordinary),
        fraction(score.events),
        share(meanOf(score.power), 2),
        score.attainable === null ? none : fraction({ count: score.attainable, of: score.events.of }),
        fraction(score.eventRuns),
        fraction(score.alerts),
        fraction(score.incidents),
        fraction(score.holidays),
        share(score.error, 3),
      ]
    : engineHeads.map(() => none);

/** Whether a method is the engine's own; baselines have no plans to compare, so they show less. */
const isEngine = (method: string): boolean => method.endsWith('calendar');

/** One row per series and a pooled row: false alerts, events found and power of each method. */
export const qualityTable = (all: readonly Measured[], methods: readonly string[]): string => {
  const days = all.map(({ scores }) => scores[methods[0] ?? '']?.ordinary.of ?? 0);
  const names = linesOf([
    ['series', 'calendar', 'days'],
    ...all.map(({ name, calendar }, index) => [name, calendar ?? none, String(days[index])]),
    ['pooled', '', String(days.reduce((sum, count) => sum + count, 0))],
  ]);
  const blocks = methods.map(method => {
    const heads = isEngine(method) ? engineHeads : scoreHeads;
    const scores = all.map(measured => measured.scores[method]);
    const whole = pooled(scores.flatMap(score => score ?? []));
    const rows = [heads, ...[...scores, whole].map(score => cellsOf(score).slice(0, heads.length))];
    // An empty first column aligns all others to the right.
    const lines = linesOf(rows.map(cells => ['', ...cells])).map(line => line.slice(2));
    const width = Math.max(method.length, ...lines.map(line => line.length));
    return [method.padEnd(width), ...lines.map(line => line.padStart(width))];
  });
  const title = ''.padEnd(names[0]?.length ?? 0);
  return textOf(
    [title, ...names].map((line, row) => [line, ...blocks.map(block => block[row])].join('  |  ')),
  );
};

/** A pooled row for each kind of changed reference. */
export const robustTable = (all: readonly Measured[], names: readonly string[]): string =>
  textOf(
    linesOf([
      ['pooled', 'series', 'days', ...engineHeads, 'worst series'],
      ...names.map(name => {
        const tried = all.flatMap(measured => {
          const score = measured.robust[name];
          return score ? [{ name: measured.name, score }] : [];
        });
        const rate = ({ ordinary: { count, of } }: Score): number => (of === 0 ? 0 : count / of);
        const worst = [...tried].sort((a, b) => rate(b.score) - rate(a.score))[0];
        const whole = pooled(tried.map(({ score }) => score));
        return [
          name,
          String(tried.length),
          String(whole.ordinary.of),
          ...cellsOf(whole),
          worst ? `${worst.name} ${percent(worst.score.ordinary)}` : none,
        ];
      }),
    ]),
  );

/** Errors of plans and of simpler plans, and how often the planned model was the nearest. */
export const planningTable = (all: readonly Measured[], method: string): string => {
  const heads = ['planned', 'weekday', '364 days', 'planned, all', 'weekday, all'];
  const hitHeads = modelCounts.flatMap(count => [`k=${count}`, 'by month', 'holidays']);
  const planned = all.flatMap(({ name, scores, planning }) =>
    planning ? [{ name, score: scores[method], planning }] : [],
  );
  const errors = (entries: typeof planned): string[] =>
    [
      entries.map(({ score }) => score?.error ?? null),
      entries.map(({ planning }) => planning.weekdayError),
      entries.map(({ planning }) => (planning.hasYear ? planning.yearError : null)),
      entries.map(({ score }) => score?.errorOfAll ?? null),
      entries.map(({ planning }) => planning.weekdayErrorOfAll),
    ].map(values => share(meanOf(values), 3));
  const hits = (entries: typeof planned): string[] =>
    modelCounts.flatMap((_, index) =>
      (['days', 'byMonth', 'holidays'] as const).map(kind =>
        percent({
          count: entries.reduce((sum, { planning }) => sum + (planning.hits[index]?.[kind].count ?? 0), 0),
          of: entries.reduce((sum, { planning }) => sum + (planning.hits[index]?.[kind].of ?? 0), 0),
        }),
      ),
    );
  const rowOf = (name: string, entries: typeof planned): string[] => [
    name,
    ...errors(entries),
    ...hits(entries),
  ];
  return textOf(
    linesOf([
      ['planning', ...heads, ...hitHeads],
      ...planned.map(of => rowOf(of.name, [of])),
      rowOf('pooled', planned),
      rowOf(
        'pooled, with a day 364 days before',
        planned.filter(({ planning }) => planning.hasYear),
      ),
    ]),
  );
};

/** Fewest ordinary days for a rate of a series that says something. */
const ordinaryMin = 100;

/** Series with enough ordinary days, and their scores by one method. */
const judged = (
  all: readonly Measured[],
  method: string,
): { readonly name: string; readonly score: Score }[] =>
  all.flatMap(({ name, scores }) => {
    const score = scores[method];
    return score && score.ordinary.of >= ordinaryMin ? [{ name, score }] : [];
  });

const rateOf = ({ ordinary: { count, of } }: Score): number => (of === 0 ? 0 : count / of);

/** Differences of stated and real numbers are relative to the larger one, so that a real number of 0 counts too. */
const difference = (stated: number, real: number): number => {
  const larger = Math.max(stated, real);
  return larger === 0 ? 0 : Math.abs(stated - real) / larger;
};

/** Median of values; null for none. */
export const medianOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : sortedQuantile(Float64Array.from(values).sort(), 0.5);

/** Shares of stated changes that are found: for the learned limits, and for those of each day. */
const changesHeads = ['changes found', 'at present limits'] as const;

/** Guarantees of the bounds of each series, next to the same numbers of its ordinary recent days. */
export const guaranteeTable = (all: readonly Measured[], method: string): string => {
  const known = judged(all, method).flatMap(({ name, score }) => {
    const { stated } = score;
    if (!stated || stated.falseAlertsPerYear === null) return [];
    const rate = rateOf(score);
    const { changes } = stated;
    const found = [changes?.learned, changes?.present].map(part => (part?.of ? part.count / part.of : null));
    const coverage = [stated.coverage, 1 - rate];
    return { name, coverage, alerts: [stated.falseAlertsPerYear, 365 * rate], found };
  });
  const rows = known.map(({ name, coverage, alerts, found }) => [
    name,
    ...coverage.map(value => share(value, 3)),
    ...alerts.map(value => share(value, 1)),
    ...found.map(value => share(value, 2)),
  ]);
  const median = (value: (of: (typeof known)[number]) => number, digits: number): string =>
    share(medianOf(known.map(value)), digits);
  const ratio = medianOf(known.map(({ alerts: [stated = 0, real = 0] }) => real / stated));
  return (
    textOf(
      linesOf([
        ['stated and real', 'coverage', 'recent', 'alerts a year', 'recent', ...changesHeads],
        ...rows,
        [
          'median',
          median(({ coverage }) => coverage[0]!, 3),
          median(({ coverage }) => coverage[1]!, 3),
          median(({ alerts }) => alerts[0]!, 1),
          median(({ alerts }) => alerts[1]!, 1),
          ...changesHeads.map((_, at) => share(medianOf(known.flatMap(({ found }) => found[at] ?? [])), 2)),
        ],
      ]),
    ) +
    `\nreal over stated alerts: median ${share(ratio, 2)}; ` +
    `median difference ${median(({ alerts: [stated = 0, real = 0] }) => difference(stated, real), 2)} ` +
    `of the larger number; series with at least ${ordinaryMin} ordinary days\n`
  );
};

/** Pooled numbers of a method with their bootstrap intervals over series, and the worst series. */
export const intervalTable = (all: readonly Measured[], method: string, seed: number): string => {
  const rows = pooledNumbers(all, method, seed).map(({ name, value, interval }) => [
    name,
    share(value, 3),
    interval ? `${share(interval[0], 3)} to ${share(interval[1], 3)}` : none,
  ]);
  const worst = judged(all, method).sort((a, b) => rateOf(b.score) - rateOf(a.score))[0];
  return (
    textOf(linesOf([['pooled', 'value', '95 % over series'], ...rows])) +
    (worst ? `worst series: ${worst.name}, ${percent(worst.score.ordinary)} false\n` : '')
  );
};

/** Sums of counted parts. */
export const sumOf = (parts: readonly Part[]): Part => ({
  count: parts.reduce((total, { count }) => total + count, 0),
  of: parts.reduce((total, { of }) => total + of, 0),
});

/** Largest accepted share of dates with another model. */
const otherMax = 0.02;

/** A share in percent without its sign. */
export const percentOf = (value: number | null): string => (value === null ? none : (100 * value).toFixed(1));
const worst = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.max(...values);
const worstOrMedian = (values: readonly number[]): string =>
  `${percentOf(medianOf(values))} (${percentOf(worst(values))})`;

const lossCells = (tried: readonly LostSamples[]): string[] => {
  const all = tried.flatMap(({ losses }) => losses);
  const each = (value: (loss: Loss) => number): number[] => all.map(value);
  const moved = medianOf(all.flatMap(({ moved }) => moved ?? []));
  return [
    worstOrMedian(each(({ other }) => other)),
    worstOrMedian(each(({ sameClusters }) => sameClusters)),
    worstOrMedian(each(({ outside }) => outside)),
    moved === null ? none : moved.toFixed(2),
    `${all.filter(({ other }) => other <= otherMax).length}/${all.length}`,
  ];
};

/** Event days that are found while they go on, by hours since their first abnormal slice. */
export const todayTable = (all: readonly Measured[]): string => {
  const tried = all.flatMap(({ name, today }) => (today ? [{ name, today }] : []));
  const rowOf = (name: string, { found, added }: Today): string[] => [
    name,
    ...found.map(fraction),
    String(found[0]?.of ?? 0),
    fraction(added),
  ];
  const pool: Today = {
    found: hoursAfter.map((_, index) => sumOf(tried.flatMap(({ today }) => today.found[index] ?? []))),
    added: sumOf(tried.map(({ today }) => today.added)),
  };
  return textOf(
    linesOf([
      ['today', ...hoursAfter.map(hours => `${hours} h`), 'end of day', 'added alerts'],
      ...tried.map(({ name, today }) => rowOf(name, today)),
      rowOf('pooled', pool),
    ]),
  );
};

/**
 * Plans before and after samples are lost: a block for a requested number of models, and one for the engine's choice.
 * Shares are in percentOf of the dates, as the median of the losses and the largest.
 */
export const lostTable = (all: readonly Measured[]): string => {
  const blocks = (all[0]?.lost ?? []).map((_, place) => {
    const tried = all.flatMap(({ name, lost }) => (lost[place] ? [{ name, lost: lost[place] }] : []));
    const requested = tried[0]?.lost.requested ?? null;
    const title = requested === null ? 'lost samples, chosen number' : `lost samples, ${requested} models`;
    return textOf(
      linesOf([
        [title, 'models', 'then', 'other model', 'same clusters', 'outside bounds', 'moved', 'up to 2 %'],
        ...tried.map(({ name, lost }) => [
          name,
          String(lost.modelCount),
          lost.losses.map(({ modelCount }) => modelCount).join(' '),
          ...lossCells([lost]),
        ]),
        ['pooled', '', '', ...lossCells(tried.map(({ lost }) => lost))],
      ]),
    );
  });
  return blocks.join('\n');
};
