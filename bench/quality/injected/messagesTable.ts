import type { Measured } from '../measure.js';
import { intervalOf } from '../score.js';
import { linesOf, none, textOf } from '../table.js';
import { causeNames } from './causes.js';
import type { Messages } from './messages.js';

const sum = (parts: readonly Messages[], of: keyof Messages): number =>
  parts.reduce((total, part) => total + part[of], 0);

/** First messages for each cause with an alert; null without one. */
const each = (parts: readonly Messages[], of: 'alerts' | 'incidents'): number | null => {
  const seen = sum(parts, 'seen');
  return seen === 0 ? null : sum(parts, of) / seen;
};

const shown = (value: number | null): string => (value === null ? none : value.toFixed(2));

/** First messages by kind of cause: one for each alert, as before incidents, and one for each incident. */
export const messagesTable = (measured: readonly Measured[], seed: number): string => {
  const all = measured.flatMap(({ messages }) => (messages ? [messages] : []));
  const rowOf = (name: string, parts: readonly Messages[]): readonly string[] => {
    const interval = intervalOf(parts, sample => each(sample, 'incidents'), seed);
    const counts = (['causes', 'seen', 'alerts', 'incidents'] as const).map(of => String(sum(parts, of)));
    const means = [shown(each(parts, 'alerts')), shown(each(parts, 'incidents'))];
    return [name, ...counts, ...means, interval ? interval.map(shown).join(' to ') : none];
  };
  const ofSeries = (kinds: readonly Messages[]): Messages => ({
    causes: sum(kinds, 'causes'),
    seen: sum(kinds, 'seen'),
    alerts: sum(kinds, 'alerts'),
    incidents: sum(kinds, 'incidents'),
  });
  const heads = [
    'causes',
    'seen',
    'alerts',
    'incidents',
    'alerts each',
    'incidents each',
    '95 % over series',
  ];
  return textOf(
    linesOf([
      [`messages, ${all.length} series`, ...heads],
      ...causeNames.map((name, kind) =>
        rowOf(
          name,
          all.flatMap(kinds => kinds[kind] ?? []),
        ),
      ),
      rowOf('all', all.map(ofSeries)),
    ]),
  );
};
