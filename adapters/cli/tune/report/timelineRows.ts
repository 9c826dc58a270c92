import { settingName } from '../../../../analysis/tuning/tune.js';
import type { TriedDay } from '../../../../analysis/tuning/trySetting.js';
import type { Verdict } from '../../../../domain/alerts/alertState.js';
import type { MarkKind, TimelineFigure } from '../../report/figures.js';
import { dayName } from '../../terminal/labels.js';
import type { Tuned } from '../facts.js';

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

const markOf = ({ date, finding }: TriedDay): Row['marks'] => {
  if (!finding) return [];
  const { kind, direction, criticity } = finding;
  const kindWords = [...(kind === 'activity' ? [] : [kind]), ...(direction === null ? [] : [direction])];
  return [
    {
      date,
      kind: kind === 'activity' ? (direction ?? 'both') : kind,
      title: `${dayName(date)} · ${kindWords.join(', ')} · criticity ${criticity.toFixed(2)}`,
    },
  ];
};

/** Alerts of the recent days: the current ones, where known, and one row a setting. */
export const timelineRows = ({ tried, validAlerts, recommended }: Tuned): Row[] => [
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
