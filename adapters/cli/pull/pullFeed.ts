import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalClock } from '../../../application/ports/localClock.js';
import { counted, plural } from '../../../domain/text.js';
import { startOf, placeAt, sliceStart } from '../../../application/requests/points/sliceTimes.js';
import { dateOf, dayNumber, secondsPerDay } from '../../../domain/dates.js';
import { clockOf } from '../../timeZones.js';
import { plain } from '../terminal/text.js';
import type { Daybook, PulledSource, Samples } from './daybook.js';
import type { Feed } from './feeds.js';
import {
  queryRange,
  type AskedRange,
  type Series,
  dayAt,
  windowsOf,
  yearLater,
  type Span,
} from './queryRange.js';
import { PullFault } from './retries.js';
import type { SliceCount } from '../../../domain/day.js';

const none: Samples = { times: [], values: [] };

/** The last readings, from the start of the slice of the last one or the reading before it. */
const lastOf = ({ times, values }: Samples, size: SliceCount, clock: LocalClock): Samples => {
  const last = times.at(-1);
  if (last === undefined) return none;
  const start = sliceStart(clock, size, placeAt(clock, size, last));
  const from = Math.max(
    0,
    times.findLastIndex(at => at <= start),
  );
  return { times: times.slice(from), values: values.slice(from) };
};

/**
 * Returns a function that puts the last readings of the window before in front of those of a window, so that each
 * slice of a register has the readings around it in one import. Points that are no readings stay as they are.
 */
const overlapping = (
  { aggregation, activitySize }: PulledSource,
  clock: LocalClock,
): ((window: Samples) => Samples) => {
  let before = none;
  return ({ times, values }) => {
    if (aggregation !== 'counter') return { times, values };
    const joined = { times: [...before.times, ...times], values: [...before.values, ...values] };
    before = lastOf(joined, activitySize as SliceCount, clock);
    return joined;
  };
};

/** The parts that a pull needs. */
export type Pulling = {
  readonly daybook: Daybook;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Shows one line about a feed. */
  readonly say: (line: string) => void;
};

/** How far a feed was pulled. */
export type Pulled = {
  readonly source: PulledSource;
  readonly stepSeconds: number;
  /** End of the pulled span, in seconds since 1970, and its local date. */
  readonly end: number;
  readonly day: number;
};

/** Time until a value of the present is complete: VictoriaMetrics hides half a minute. */
export const settleSeconds = 30;
const defaultStepSeconds = 1800;
/** Pause before an empty answer is asked for again. */
const emptyPauseMs = 1000;
const latePoint = 'latePoint';

/** Counts of a pull. */
type Counts = { points: number; omitted: number; raised: number };

const clockFor = (timeZone: string): LocalClock => {
  const clock = clockOf(timeZone);
  if (!clock) throw new PullFault(2, `this machine does not know the time zone ${plain(timeZone)}`);
  return clock;
};

/** Reads windows of a feed one after the other; all must have the same series. */
const reader = (feed: Feed, step: number, { signal, say }: Pulling, seenBefore: boolean) => {
  const shift = feed.stamps === 'end' ? step : 0;
  let labels: string | undefined;
  let isSeen = seenBefore;
  const told = new Set<string>();
  const ask = ({ from, to }: AskedRange): Promise<Series> =>
    queryRange(feed, { from: from + shift, to: to + shift }, step, signal);
  return async (window: AskedRange): Promise<Series> => {
    let series = await ask(window);
    if (series.labels === undefined && isSeen) {
      // A server that has just lost a store may answer without its series.
      await sleep(emptyPauseMs, undefined, { signal });
      series = await ask(window);
    }
    for (const warning of series.warnings.filter(text => !told.has(text))) {
      told.add(warning);
      say(`warning of ${feed.url}: ${warning}`);
    }
    if (series.labels !== undefined && series.labels !== (labels ?? series.labels))
      throw new PullFault(
        1,
        `got the series ${series.labels} from ${new Date(1000 * window.from).toISOString()} on and ${labels} before, ` +
          'expected one: aggregate over the labels that change, such as sum without (instance) (…)',
      );
    labels ??= series.labels;
    isSeen ||= series.times.length > 0;
    return { ...series, times: series.times.map(at => at - shift) };
  };
};

/** Seconds that the end of a span is later for a register: the reading at midnight ends the day before. */
const closingSeconds = (aggregation: string | undefined): number => (aggregation === 'counter' ? 1 : 0);

/** End of what can be read now, exclusive, in seconds since 1970. */
const endOfData = (
  feed: Feed,
  { step, closing }: { readonly step: number; readonly closing: number },
  clock: LocalClock,
  { nowMs }: Pulling,
): number => {
  const shift = feed.stamps === 'end' ? step : 0;
  const settled = Math.floor(nowMs() / 1000) - settleSeconds - shift + 1;
  if (feed.until === undefined) return settled;
  return Math.min(settled, startOf(clock, dayNumber(feed.until) + 1) + closing);
};

/** The reference: whole days from the first one with data, a year at most. @throws PullFault */
const readReference = async (feed: Feed, step: number, clock: LocalClock, pulling: Pulling) => {
  if (feed.since === undefined)
    throw new PullFault(
      2,
      `there is no source "${plain(feed.title)}": give since, the first date of its reference`,
    );
  const read = reader(feed, step, pulling, false);
  const closing = closingSeconds(feed.choices['aggregation']);
  const span: Span = {
    from: startOf(clock, dayNumber(feed.since)),
    to: startOf(clock, dayAt(clock, endOfData(feed, { step, closing }, clock, pulling))) + closing,
  };
  const times: number[] = [];
  const values: number[] = [];
  let omitted = 0;
  let end = span.to;
  for (const window of windowsOf(clock, span, step)) {
    if (window.from >= end) break;
    const series = await read(window);
    const [first] = series.times;
    if (times.length === 0 && first !== undefined)
      end = Math.min(end, startOf(clock, yearLater(dayAt(clock, first))) + closing);
    const used = series.times.findIndex(at => at >= end);
    const count = used < 0 ? series.times.length : used;
    for (let index = 0; index < count; index += 1) {
      times.push(series.times[index] ?? 0);
      values.push(series.values[index] ?? 0);
    }
    omitted += series.omitted;
  }
  if (times.length === 0)
    throw new PullFault(
      1,
      `the query has no value on whole days from ${feed.since} on: check query and since`,
    );
  return { times, values, omitted };
};

/** Creates the source of a feed from its reference. Another run that creates it at the same time is no fault. */
const createdSource = async (feed: Feed, name: string, pulling: Pulling): Promise<PulledSource> => {
  const { daybook, say } = pulling;
  const size = Number(feed.choices['activitySize'] ?? Number.NaN);
  const step = feed.stepSeconds ?? (size >= 1 ? Math.round(secondsPerDay / size) : defaultStepSeconds);
  const { times, values, omitted } = await readReference(feed, step, clockFor(feed.timeZone), pulling);
  const query = new URLSearchParams({
    ...{ name, timeZone: feed.timeZone, ...feed.choices },
    ...{ separator: 'comma', decimal: '.', dateFormat: 'epochSeconds' },
  });
  for (const [key, value] of Object.entries(feed.labels)) query.append('label', `${key}:${value}`);
  const csv = times.map((at, index) => `${at},${values[index]}\n`).join('');
  const created = await daybook.create(query, csv);
  const source = created?.source ?? (await daybook.presentSource(name));
  if (!source)
    throw new PullFault(3, `the name "${plain(name)}" is being taken by another request: pull again`);
  if (!created) return source;
  const { from, to, days } = source.reference;
  say(
    `source ${source.id} created from ${plural(days, 'day')}, ${from} to ${to}, ${plural(times.length, 'point')}` +
      (omitted > 0 ? `, ${counted(omitted)} not finite left out` : ''),
  );
  for (const { code, detail, cure = '' } of created.warnings)
    say(plain(`warning ${code}: ${detail}. ${cure}`.trim()));
  return source;
};

/** The source of a feed, by its id once it is known; created if no source has had its name. @throws PullFault */
const sourceOf = async (feed: Feed, pulling: Pulling, before?: Pulled): Promise<PulledSource> => {
  const found = await pulling.daybook.presentSource(before?.source.id ?? feed.source);
  const source = found ?? (await createdSource(feed, feed.title, pulling));
  if (source.aggregation === 'counter' && feed.stamps === 'end')
    throw new PullFault(
      2,
      `got stamps end for source ${source.id}, which takes readings of a register, expected start: a reading is of its ` +
        'instant, so query the counter itself, without increase(…)',
    );
  return source;
};

/** Start of the points of a source: after its reference, and two days before the end of its data. */
export const resumedAt = (
  feed: Pick<Feed, 'since'>,
  { reference, lastData, counts }: Pick<PulledSource, 'reference' | 'lastData' | 'counts'>,
  clock: LocalClock,
  end: number,
): number => {
  // A source that collects its reference has no days in it yet.
  const afterReference = reference.days === 0 ? 0 : dayNumber(reference.to) + 1;
  // Without any day its last data are those of its creation.
  if (reference.days + counts.recentDays === 0 && feed.since !== undefined)
    return startOf(clock, dayNumber(feed.since));
  const last = Math.min(dayNumber(lastData.date), dayAt(clock, end));
  const resumed = Math.max(afterReference, last - 1, feed.since === undefined ? 0 : dayNumber(feed.since));
  return startOf(clock, resumed);
};

/** Sends the points of a span, window by window. */
const sendSpan = async (
  feed: Feed,
  { source, stepSeconds }: Pick<Pulled, 'source' | 'stepSeconds'>,
  span: Span,
  pulling: Pulling,
): Promise<Counts> => {
  const counts: Counts = { points: 0, omitted: 0, raised: 0 };
  const read = reader(feed, stepSeconds, pulling, true);
  const told = new Set<string>();
  const clock = clockFor(source.timeZone);
  const withLast = overlapping(source, clock);
  for (const window of windowsOf(clock, span, stepSeconds)) {
    const series = await read(window);
    counts.omitted += series.omitted;
    if (series.times.length === 0) continue;
    const { raised, warnings } = await pulling.daybook.sendPoints(source.id, withLast(series));
    counts.points += series.times.length;
    counts.raised += raised;
    for (const { code, detail, cure = '' } of warnings) {
      // History is late by its nature; its windows have whole days.
      if (code === latePoint || told.has(code)) continue;
      told.add(code);
      pulling.say(plain(`warning ${code}: ${detail}. ${cure}`.trim()));
    }
  }
  return counts;
};

/**
 * Pulls a feed once: creates its source if necessary, then sends points up to the present.
 * @param before the pull before; within a day only its last hour is read again
 * @throws PullFault, or the reason of the signal
 */
export const pullFeed = async (feed: Feed, pulling: Pulling, before?: Pulled): Promise<Pulled> => {
  const source = await sourceOf(feed, pulling, before);
  const clock = clockFor(source.timeZone);
  const stepSeconds = feed.stepSeconds ?? Math.round(secondsPerDay / source.activitySize);
  const closing = closingSeconds(source.aggregation);
  const end = endOfData(feed, { step: stepSeconds, closing }, clock, pulling);
  const day = dayAt(clock, end);
  const resumed = resumedAt(feed, source, clock, end);
  const isSameDay = before?.day === day && before.source.id === source.id;
  const from = isSameDay ? Math.max(resumed, before.end - Math.max(3600, 2 * stepSeconds)) : resumed;
  const counts = await sendSpan(feed, { source, stepSeconds }, { from, to: end }, pulling);
  pulling.say(
    `source ${source.id}: ${plural(counts.points, 'point')} from ${dateOf(dayAt(clock, from))} on` +
      (counts.omitted > 0 ? `, ${counted(counts.omitted)} not finite left out` : '') +
      (counts.raised > 0 ? `, ${plural(counts.raised, 'alert')} raised` : ''),
  );
  return { source, stepSeconds, end, day };
};
