import { dot, line, pointer, rect, text } from '@observablehq/plot';
import type { CalendarFigure } from '../../adapters/cli/report/figures.js';
import { drawn, type Drawing, pointTips } from './chartParts.js';

/** A date of a calendar. Colours are those of CSS. */
type CalendarDay = CalendarFigure['days'][number];

/** Least and largest size of a square with its gap, and room around them, in pixels at a `scale` of 1. */
const stepMin = 15;
const stepMax = 20;
const left = 32;
const right = 8;
const top = 20;

/** `scale` is the size of text of the page over 16 pixels. */
type Size = { readonly width: number; readonly scale: number };
/** Height of the names of the months between two rows of weeks, in squares. */
const between = 1.9;
const dayMs = 86_400_000;

const numberOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs;
/** 0 for Monday. The first of January 1970 was a Thursday. */
const weekdayOf = (number: number): number => (((number + 3) % 7) + 7) % 7;

const monthName = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
const monthAndYear = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** Weeks go from left to right, in as many rows as the width needs. Lengths are in squares. */
type Grid = {
  readonly columns: number;
  readonly rows: number;
  readonly step: number;
  readonly place: (number: number) => { readonly column: number; readonly y: number };
};

const gridOf = (first: number, last: number, { width, scale }: Size): Grid => {
  const monday = first - weekdayOf(first);
  const weeks = Math.floor((last - monday) / 7) + 1;
  const least = stepMin * scale;
  const room = Math.max(8 * least, width - (left + right) * scale);
  const rows = Math.ceil(weeks / Math.floor(room / least));
  const columns = Math.ceil(weeks / rows);
  return {
    columns,
    rows,
    step: Math.min(stepMax * scale, room / columns),
    place: number => {
      const week = Math.floor((number - monday) / 7);
      return { column: week % columns, y: Math.floor(week / columns) * (7 + between) };
    },
  };
};

/** First days of months after the first date. */
const monthStarts = (first: number, last: number): number[] => {
  const starts: number[] = [];
  for (let number = first; number <= last; number += 1)
    if (new Date(number * dayMs).getUTCDate() === 1) starts.push(number);
  return starts;
};

/** Borders between months: down the left side of the first day, and round the days before it. */
const borderMarks = (starts: readonly number[], { place }: Grid) =>
  starts.map(number => {
    const [{ column, y }, row] = [place(number), weekdayOf(number)];
    const points =
      row === 0
        ? [
            [column, y],
            [column, y + 7],
          ]
        : [
            [column + 1, y],
            [column + 1, y + row],
            [column, y + row],
            [column, y + 7],
          ];
    return line(points, { stroke: 'var(--ink)', strokeWidth: 1.2 });
  });

/** Names of months above their first whole week, where there is room for them. */
const nameMarks = (first: number, starts: readonly number[], { place }: Grid) => {
  const names = [...(starts[0] === first ? [] : [first]), ...starts].map((number, index) => {
    const date = new Date(number * dayMs);
    const week = index === 0 ? number : number + ((7 - weekdayOf(number)) % 7);
    const { column, y } = place(week);
    const isNamed = index === 0 || date.getUTCMonth() === 0;
    return { column, y, name: (isNamed ? monthAndYear : monthName).format(date) };
  });
  const shown = names.filter(({ column, y, name }, index) => {
    const next = names[index + 1];
    return !next || next.y !== y || next.column - column >= (name.length > 4 ? 4 : 2.5);
  });
  return text(shown, { x: 'column', y: 'y', text: 'name', textAnchor: 'start', dx: 1, dy: -9 });
};

const weekdayMarks = ({ rows }: Grid) =>
  text(
    Array.from({ length: rows }, (_, band) =>
      ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'].map((name, row) => ({
        name,
        y: band * (7 + between) + row + 0.5,
      })),
    ).flat(),
    { x: () => 0, y: 'y', text: 'name', textAnchor: 'end', dx: -8 },
  );

/** Dates with the places and colours of their squares. */
const cellsOf = (days: readonly CalendarDay[], grid: Grid) =>
  days.map(day => {
    const number = numberOf(day.date);
    const { column, y } = grid.place(number);
    const row = y + weekdayOf(number);
    const faint = day.alert === false;
    return {
      ...day,
      x1: column,
      x2: column + 1,
      y1: row,
      y2: row + 1,
      x: column + 0.5,
      y: row + 0.5,
      fill: day.color ?? 'var(--day-ordinary)',
      opacity: faint ? 0.4 : 1,
      letter: faint ? 'var(--ink)' : (day.ink ?? 'var(--muted)'),
    };
  });

type Cell = ReturnType<typeof cellsOf>[number];

const square = { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', rx: 2 } as const;

/** Squares with their keys; a corner shows the nearest model, a ring a special date. */
const squareMarks = (cells: readonly Cell[], grid: Grid) => [
  rect(cells, { ...square, inset: 1, fill: 'fill', fillOpacity: 'opacity' }),
  rect(
    cells.filter(({ corner }) => corner !== null),
    {
      ...square,
      inset: 1,
      insetTop: grid.step * 0.66,
      insetLeft: grid.step * 0.66,
      rx: 0,
      fill: 'corner',
      stroke: 'var(--surface)',
      strokeWidth: 0.8,
    },
  ),
  text(cells, { x: 'x', y: 'y', text: 'key', fill: 'letter', fontSize: '0.5625rem', fontWeight: 600 }),
  rect(
    cells.filter(({ ringed }) => ringed),
    { ...square, inset: 0.5, stroke: 'var(--ink)', strokeWidth: 1.8 },
  ),
];

/** Dots on dates with an alert. */
const alertMarks = (cells: readonly Cell[]) =>
  dot(
    cells.filter(({ alert }) => alert === true),
    {
      x: 'x2',
      y: 'y1',
      dx: -2,
      dy: 2,
      r: 4,
      fill: 'var(--ink)',
      stroke: 'var(--surface)',
      strokeWidth: 1.4,
    },
  );

/** A frame around the square under the pointer. */
const pointedMark = (cells: readonly Cell[], grid: Grid) =>
  rect(
    cells,
    pointer({
      ...square,
      px: 'x',
      py: 'y',
      maxRadius: grid.step,
      inset: -0.5,
      stroke: 'var(--accent)',
      strokeWidth: 2,
    }),
  );

/** Each date as a square with the colour and the key of its model, as a calendar of weeks. */
export const calendarChart = (days: readonly CalendarDay[], { width, scale }: Size): Drawing => {
  const first = numberOf(days[0]?.date ?? '1970-01-01');
  const last = numberOf(days.at(-1)?.date ?? '1970-01-01');
  const grid = gridOf(first, last, { width, scale });
  const cells = cellsOf(days, grid);
  const starts = monthStarts(first, last);
  const heightInSquares = grid.rows * (7 + between) - between;
  return drawn({
    width: (left + right) * scale + grid.columns * grid.step,
    height: top * scale + heightInSquares * grid.step + 6,
    marginLeft: left * scale,
    marginRight: right * scale,
    marginTop: top * scale,
    marginBottom: 6,
    x: { domain: [0, grid.columns], axis: null },
    y: { domain: [heightInSquares, 0], axis: null },
    color: { type: 'identity' },
    opacity: { type: 'identity' },
    marks: [
      weekdayMarks(grid),
      ...squareMarks(cells, grid),
      ...borderMarks(starts, grid),
      nameMarks(first, starts, grid),
      alertMarks(cells),
      pointedMark(cells, grid),
      pointTips(cells, grid.step),
    ],
  });
};
