import { dateOf } from '../../domain/dates.js';
import type { EventOf } from '../../domain/events.js';
import type { Chance } from '../helpers/crash/chance.js';
import { knownSources, type Known } from '../helpers/crash/load.js';
import type { Cut, RequestSpec, SentPoint, TrackedRequest } from '../helpers/crash/requests.js';
import type { Place } from './place.js';
import type { Owner, Scheduler } from './scheduler.js';
import { insist } from './workload.js';

// Points of dates that no other request has, and the values that their slices have to have in the end.

/** Closed dates that the buffer keeps, and dates that came too late for it: the clocks begin on 2026-01-01. */
const keptDates = ['2025-12-28', '2025-12-29', '2025-12-30'];
const lateDates = ['2025-12-01', '2025-12-02'];
/** Length of a slice. */
export const secondsPerSlice = 10_800;
/** Instants of a slice that points have, in seconds after its start: few, so that they are repeated and corrected. */
export const offsets = [0, 600, 4200, 10_799];

const utcMeans: Cut = { offsetSeconds: 0, isSum: false };

const secondsOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000;
const isLate = (at: number): boolean => lateDates.includes(dateOf(Math.floor(at / 86_400)));

/** A request with points of one or two dates; the fraction of a value is the number of the request. */
const pointsOf = (n: number, source: Known, random: Chance): RequestSpec => {
  const points = new Map<number, SentPoint>();
  const dates = random.happens(0.25) ? lateDates : keptDates;
  for (let count = 1 + random.below(6); count > 0; count -= 1) {
    const at = secondsOf(random.one(dates)) + random.below(8) * secondsPerSlice + random.one(offsets);
    points.set(at, { at, value: random.below(200) + n / 65_536 });
  }
  return requestOf(source.id, [...points.values()]);
};

/** A request with points of a source. */
export const requestOf = (sourceId: number, points: readonly SentPoint[], cut?: Cut): RequestSpec => ({
  kind: 'points',
  method: 'POST',
  path: '/v1/import/points',
  media: 'application/json',
  body: JSON.stringify({
    sourceId,
    points: points.map(({ at, value }) => ({ at: new Date(at * 1000).toISOString(), value })),
  }),
  sourceId,
  points,
  ...(cut && { cut }),
});

/** Sends points, one request after the other: new ones, the same again under another key, and corrections. */
export const pointSender = async (place: Place, scheduler: Scheduler, random: Chance): Promise<void> => {
  const owner: Owner = { name: 'points', alive: true };
  const pause = (ms: number) => scheduler.sleep(owner, random.next() * ms);
  for (let count = 4 + random.below(10); count > 0; count -= 1) {
    await pause(random.happens(0.2) ? 12_000 : 200);
    const sources = knownSources(place);
    if (sources.length === 0) continue;
    const sent = place.all.filter(({ kind, state }) => kind === 'points' && state === 'acknowledged');
    const last = sent.at(-1);
    const spec =
      last?.points && random.happens(0.2)
        ? requestOf(last.sourceId ?? 0, last.points)
        : pointsOf(place.all.length + 1, random.one(sources), random);
    await insist(place, place.ask(spec, true), pause);
  }
};

/** The slice of a local time, as a text: source, date and number. */
const sliceOf = (sourceId: number, at: number): string =>
  `${sourceId} ${dateOf(Math.floor(at / 86_400))} ${Math.floor((at % 86_400) / secondsPerSlice)}`;

/** Points of a slice and how their source makes its value; `unsure` if one of them may not have been stored. */
type Slice = { readonly points: ReadonlyMap<number, number>; readonly isSum: boolean } | 'unsure';

/** Adds the points of a request to those of slices; a slice whose points are not known for certain has none. */
const addPoints = (
  slices: Map<string, Slice>,
  { sourceId = 0, points = [], state, cut: { offsetSeconds, isSum } = utcMeans }: TrackedRequest,
): void => {
  const replaced = new Set<string>();
  for (const { at, value } of points) {
    const slice = sliceOf(sourceId, at + offsetSeconds);
    const known = slices.get(slice);
    if (state !== 'acknowledged' || known === 'unsure') slices.set(slice, 'unsure');
    else {
      const before = isLate(at) && !replaced.has(slice) ? [] : (known?.points ?? []);
      slices.set(slice, { isSum, points: new Map([...before, [at, value]]) });
    }
    replaced.add(slice);
  }
};

const valueOf = ({ points, isSum }: Exclude<Slice, 'unsure'>): number => {
  const ascending = [...points].sort(([one], [other]) => one - other);
  const sum = ascending.reduce((sum, [, value]) => sum + value, 0);
  return isSum ? sum : sum / ascending.length;
};

/**
 * Slices whose value in the log is not the mean or the sum of the points that were acknowledged, each instant once.
 * @param requests in the order in which they were sent, one at a time
 * @param events   all imports of points, in the order of the log
 */
export const wrongSlices = (
  requests: readonly TrackedRequest[],
  events: readonly EventOf<'PointsImported'>[],
): readonly string[] => {
  const expected = new Map<string, Slice>();
  for (const asked of requests) if (asked.kind === 'points' && !asked.isRegister) addPoints(expected, asked);
  const registers = new Set(
    requests.flatMap(({ isRegister, sourceId }) => (isRegister && sourceId ? `${sourceId}` : [])),
  );
  const stored = new Map<string, number>();
  for (const { stream, data } of events)
    if (!registers.has(stream.slice(5)))
      for (const { date, observed } of data.days)
        for (const [from, values] of observed)
          values.forEach((value, index) => stored.set(`${stream.slice(5)} ${date} ${from + index}`, value));
  const wrong = [...expected].flatMap(([slice, known]) =>
    known === 'unsure' || stored.get(slice) === valueOf(known)
      ? []
      : [`slice ${slice} is ${stored.get(slice)}, expected ${valueOf(known)}`],
  );
  const unknown = [...stored.keys()].filter(slice => !expected.has(slice));
  return [...wrong, ...unknown.map(slice => `slice ${slice} has a value without points`)];
};
