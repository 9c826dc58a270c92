import { settingName } from '../../../../analysis/tuning/tune.js';
import type { TriedDay } from '../../../../analysis/tuning/trySetting.js';
import type { Verdict } from '../../../../domain/alerts.js';
import { dateOf, dayNumber, month, monthNames, year } from '../../../../domain/dates.js';
import { dayName } from '../../terminal/labels.js';
import type { Tuned } from '../facts.js';
import { at, escaped, line, picture, scale, text, type Scale } from './svg.js';

/** An alert; `kind` is its CSS class, `words` its tooltip. */
type Mark = { readonly date: string; readonly kind: string; readonly words: string };

/** A row of the timeline: a setting or the current alerts. */
type Row = { readonly name: string; readonly isRecommended: boolean; readonly marks: readonly Mark[] };

const verdictWords = {
  anomaly: 'confirmed',
  expected: 'false: expected',
  notAnomaly: 'false: no anomaly',
  newPattern: 'new pattern',
} as const;

const kindOfVerdict = (verdict: Verdict | null): 'confirmed' | 'refused' | 'undecided' => {
  if (verdict === 'anomaly') return 'confirmed';
  return verdict === 'expected' || verdict === 'notAnomaly' ? 'refused' : 'undecided';
};

const markOf = ({ date, finding }: TriedDay): Mark[] => {
  if (!finding) return [];
  const { kind, direction, criticity } = finding;
  const what = [...(kind === 'activity' ? [] : [kind]), ...(direction === null ? [] : [direction])];
  return [
    {
      date,
      kind: kind === 'activity' ? (direction ?? 'both') : kind,
      words: `${dayName(date)} · ${what.join(', ')} · criticity ${criticity.toFixed(2)}`,
    },
  ];
};

/** The current alerts, where known, and one row a setting. */
const rowsOf = ({ tried, stood, recommended }: Tuned): Row[] => [
  ...(stood === null
    ? []
    : [
        {
          name: 'current',
          isRecommended: false,
          marks: stood.map(({ date, verdict }) => ({
            date,
            kind: kindOfVerdict(verdict),
            words: `${dayName(date)} · ${verdict === null ? 'no verdict' : verdictWords[verdict]}`,
          })),
        },
      ]),
  ...tried.map(({ asked, days }, index) => ({
    name: settingName(asked),
    isRecommended: index === recommended,
    marks: days.flatMap(markOf),
  })),
];

const [width, left, right, top] = [1060, 92, 44, 26];
const rowHeight = 18;

/** Lines and names of the months. */
const monthLines = (first: number, last: number, x: Scale, bottom: number): string[] => {
  const parts: string[] = [];
  const every = Math.max(1, Math.ceil((last - first) / 500));
  let nameEnd = 0;
  for (let number = first; number < last; number += 1) {
    if (!dateOf(number).endsWith('-01') && number > first) continue;
    if (month(number) % every !== 0 && number > first) continue;
    parts.push(line(x(number), top - 4, x(number), bottom, 'gridLine'));
    const name = monthNames[month(number)] ?? '';
    const words = number === first || month(number) === 0 ? `${name} ${year(number)}` : name;
    if (x(number) < nameEnd || x(number) > width - right - 20) continue;
    parts.push(text(x(number) + 3, top - 10, words));
    nameEnd = x(number) + 8 * words.length;
  }
  return parts;
};

/** Name, marks and number of marks of one row. */
const rowParts = ({ name, isRecommended, marks }: Row, y: number, x: Scale, markWidth: number): string[] => {
  const kind = isRecommended ? 'row' : 'tick';
  return [
    line(left, y + rowHeight, width - right, y + rowHeight, 'gridLine'),
    text(left - 8, y + 13, `${isRecommended ? '→ ' : ''}${name}`, { anchor: 'end', kind }),
    ...marks.map(
      mark =>
        `<rect class="tick-${mark.kind}" x="${at(x(dayNumber(mark.date)))}" y="${y + 3}" width="${at(markWidth)}" height="${rowHeight - 5}"><title>${escaped(mark.words)}</title></rect>`,
    ),
    text(width - right + 8, y + 13, String(marks.length), { kind }),
  ];
};

/** The alerts of the recent days, one row a setting; first the current alerts, where known. */
export const alertsTimeline = (tuned: Tuned): string => {
  const { recent } = tuned;
  const rows = rowsOf(tuned);
  const first = dayNumber(recent[0]?.date ?? '1970-01-01');
  const last = dayNumber(recent.at(-1)?.date ?? '1970-01-01') + 1;
  const x = scale(first, last, left, width - right);
  const bottom = top + rows.length * rowHeight;
  const markWidth = Math.max(3, x(first + 1) - x(first) - 0.5);
  return picture(width, bottom + 8, 'Alerts of the recent days under each setting', [
    ...rows.map(({ isRecommended }, index) =>
      isRecommended
        ? `<rect class="chosenRow" x="0" y="${top + index * rowHeight}" width="${width}" height="${rowHeight}" rx="3"/>`
        : '',
    ),
    ...monthLines(first, last, x, bottom),
    ...rows.flatMap((row, index) => rowParts(row, top + index * rowHeight, x, markWidth)),
  ]);
};
