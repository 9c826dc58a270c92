import { contaminatedShares, type Contaminated, type Injected, type Messages } from './injected.js';
import { causeNames } from './injected/causes.js';
import { faultNames } from './injected/faults.js';
import { peers } from './injected/peers.js';
import type { Measured } from './measure.js';
import { intervalOf, meanOf, type Part } from './score.js';
import { linesOf, none, percentOf, sumOf, textOf } from './table.js';

/** Results of a method on one series. */
type Found = Pick<Injected, 'ordinary' | 'events' | 'faults'>;

const rateOf = ({ count, of }: Part): number | null => (of === 0 ? null : count / of);

/** Days whose score is above a threshold. */
const above = (scores: readonly number[], threshold: number): Part => ({
  count: scores.filter(score => score > threshold).length,
  of: scores.length,
});

/** Results of a peer under the threshold that gives as many false alerts as the engine has, over all series. */
const foundBy = (all: readonly Injected[], peer: number): readonly Found[] => {
  const scores = all.flatMap(({ peers }) => peers[peer]?.ordinary ?? []).sort((a, b) => b - a);
  const threshold = scores[sumOf(all.map(({ ordinary }) => ordinary)).count] ?? 0;
  return all.map(({ peers }) => {
    const { ordinary = [], events = [], faults = [] } = peers[peer] ?? {};
    return {
      ordinary: above(ordinary, threshold),
      events: above(events, threshold),
      faults: faults.map(days => above(days, threshold)),
    };
  });
};

/** Mean over series of the share found of one fault. */
const meanShare = (found: readonly Found[], fault: number): number | null =>
  meanOf(found.map(({ faults }) => (faults[fault] ? rateOf(faults[fault]) : null)));

/** Mean of all faults, each a mean over series. */
const meanOfAll = (found: readonly Found[]): number | null =>
  meanOf(faultNames.map((_, fault) => meanShare(found, fault)));

/** Faults found by the engine and by each peer at the same pooled share of false alerts, in percent. */
export const injectedTable = (measured: readonly Measured[], seed: number): string => {
  const all = measured.flatMap(({ injected }) => injected ?? []);
  const hasPeers = all.every(one => one.peers.length > 0);
  const columns = [all, ...(hasPeers ? peers.map((_, peer) => foundBy(all, peer)) : [])];
  const events = (found: readonly Found[]): string => {
    const { count, of } = sumOf(found.map(({ events }) => events));
    return `${count}/${of}`;
  };
  const interval = intervalOf(all, meanOfAll, seed);
  return (
    textOf(
      linesOf([
        ['injected, % found', 'engine', ...(hasPeers ? peers.map(({ name }) => name) : [])],
        ...faultNames.map((name, fault) => [
          name,
          ...columns.map(found => percentOf(meanShare(found, fault))),
        ]),
        ['mean of the 19', ...columns.map(found => percentOf(meanOfAll(found)))],
        ['false', ...columns.map(found => percentOf(rateOf(sumOf(found.map(({ ordinary }) => ordinary)))))],
        ['known events', ...columns.map(events)],
      ]),
    ) + (interval ? `mean of the engine, 95 % over series: ${interval.map(percentOf).join(' to ')}\n` : '')
  );
};

const fraction = ({ count, of }: Part): string => `${count}/${of}`;

/** Events found with bad days in the reference, and their share of those without, over the series with events. */
export const contaminatedTable = (measured: readonly Measured[], seed: number): string => {
  const all = measured.flatMap(({ contaminated }) => (contaminated ? [contaminated] : []));
  const rows = contaminatedShares.map((share, place) => {
    const at = (one: readonly Contaminated[]): Contaminated => one[place]!;
    const part = (of: (one: Contaminated) => Part): Part => sumOf(all.map(one => of(at(one))));
    const total = (of: (one: Contaminated) => number): number =>
      all.reduce((sum, one) => sum + of(at(one)), 0);
    const kept = (some: readonly (readonly Contaminated[])[]): number | null => {
      const clean = some.reduce((sum, one) => sum + one[0]!.events.count, 0);
      return clean === 0 ? null : some.reduce((sum, one) => sum + at(one).events.count, 0) / clean;
    };
    const interval = intervalOf(all, kept, seed);
    return [
      `${100 * share} %`,
      fraction(part(({ events }) => events)),
      percentOf(kept(all)),
      interval ? interval.map(percentOf).join(' to ') : none,
      String(total(({ attainable }) => attainable)),
      percentOf(rateOf(part(({ ordinary }) => ordinary))),
      fraction(part(({ found }) => found)),
      String(total(({ others }) => others)),
      String(total(({ guard }) => (guard > 1 ? 1 : 0))),
    ];
  });
  const heads = [
    'events',
    '% of clean',
    '95 % over series',
    'attainable',
    'false',
    'outliers',
    'others',
    'guarded',
  ];
  return textOf(linesOf([[`bad days, ${all.length} series`, ...heads], ...rows]));
};

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
