import { utcClock } from '../../application/ports/localClock.js';
import { daysOfReadings } from '../../application/requests/imports/registerFolder.js';
import { dateOf } from '../../domain/dates.js';
import type { EventOf } from '../../domain/events.js';
import type { Chance } from '../helpers/crash/chance.js';
import { creationOf } from '../helpers/crash/load.js';
import type { RequestSpec, SentPoint, TrackedRequest } from '../helpers/crash/requests.js';
import type { Place } from './place.js';
import { requestOf, secondsPerSlice } from './points.js';
import type { Owner, Scheduler } from './scheduler.js';
import { insist, references, slices } from './workload.js';

// Readings of a register, in tiny bodies and in any order: their slices are those of one import of all of them.

/** Start of the first and of the last date with readings; the clocks begin on 2026-01-01. */
const from = Date.parse('2025-12-28T00:00:00Z') / 1000;
const to = from + 3 * 86_400;
/** Shortest time between two readings, in seconds; the register rises by a known amount in it. */
const step = 1500;
const methods = ['zero', 'linear'] as const;

/** The value of the register at an instant: the rise differs from slice to slice and is an ordinary one. */
const shownAt = (at: number): number => {
  const steps = (at - from) / step;
  return 1000 + 5 * steps + (Math.floor(steps / 7) % 4);
};

const creationOfMeter = (n: number, random: Chance): RequestSpec => {
  const spec = creationOf(`source ${n}`, slices, false, random.one(references));
  const interpolationMethod = random.one(methods);
  const given = { ...(JSON.parse(spec.body ?? '') as object), aggregation: 'counter', interpolationMethod };
  return {
    ...spec,
    body: JSON.stringify(given),
    isRegister: true,
    about: { ...spec.about, interpolationMethod },
  };
};

const meterOf = ({ all }: Pick<Place, 'all'>): number | undefined =>
  all.find(({ kind, state, isRegister }) => kind === 'create' && isRegister && state === 'acknowledged')
    ?.answer.source?.id;

/** Creates a source of a register, and sends readings of it: new ones, and the same again. */
export const meterSender = async (place: Place, scheduler: Scheduler, random: Chance): Promise<void> => {
  const owner: Owner = { name: 'meter', alive: true };
  const pause = (ms: number) => scheduler.sleep(owner, random.next() * ms);
  if (meterOf(place) === undefined)
    await insist(place, place.ask(creationOfMeter(place.all.length + 1, random), true), pause);
  const id = meterOf(place);
  if (id === undefined) return;
  for (let count = 6 + random.below(10); count > 0; count -= 1) {
    await pause(random.happens(0.2) ? 12_000 : 200);
    const near = from + random.below((to - from) / step) * step;
    const instants = Array.from({ length: 1 + random.below(4) }, () => near + random.below(12) * step);
    const points = [...new Set(instants)].map((at): SentPoint => ({ at, value: shownAt(at) }));
    await insist(place, place.ask({ ...requestOf(id, points), isRegister: true }, true), pause);
  }
};

/** The acknowledged readings of each register, by instant; without those of which a request has no answer. */
const readingsOf = (requests: readonly TrackedRequest[]): ReadonlyMap<number, readonly SentPoint[]> => {
  const sent = requests.filter(({ kind, isRegister }) => kind === 'points' && isRegister);
  const unsure = new Set(sent.flatMap(({ state, sourceId }) => (state === 'acknowledged' ? [] : sourceId)));
  const known = new Map<number, Map<number, SentPoint>>();
  for (const { sourceId = 0, points = [] } of sent)
    if (!unsure.has(sourceId))
      known.set(
        sourceId,
        new Map([...(known.get(sourceId) ?? []), ...points.map(one => [one.at, one] as const)]),
      );
  return new Map([...known].map(([id, points]) => [id, [...points.values()].sort((a, b) => a.at - b.at)]));
};

/**
 * Slices of registers whose value in the log is not that of one import of all readings.
 * @param events all imports of points, in the order of the log
 */
export const wrongRegisters = (
  requests: readonly TrackedRequest[],
  events: readonly EventOf<'PointsImported'>[],
): readonly string[] => {
  const stored = new Map<string, number>();
  for (const { stream, data } of events)
    for (const { date, observed, filled = [], gaps = [] } of data.days) {
      const place = (slice: number): string => `${stream.slice(5)} ${date} ${slice}`;
      for (const [first, values] of [...observed, ...filled])
        values.forEach((value, index) => stored.set(place(first + index), value));
      for (const [first, end] of gaps)
        for (let slice = first; slice < end; slice += 1) stored.delete(place(slice));
    }
  return [...readingsOf(requests)].flatMap(([id, readings]) => {
    const methodOf = requests.find(({ answer }) => answer.source?.id === id)?.about?.['interpolationMethod'];
    const rule = { activitySize: slices, clock: utcClock, expectedMax: undefined } as const;
    const interpolationMethod = methodOf === 'linear' ? 'linear' : 'zero';
    const [first, last] = [readings[0]?.at ?? 0, readings.at(-1)?.at ?? 0];
    return daysOfReadings(readings, { ...rule, interpolationMethod }).sampled.flatMap(
      ({ dayNumber, values }) =>
        [...values].flatMap((value, slice) => {
          const start = dayNumber * 86_400 + slice * secondsPerSlice;
          if (Number.isNaN(value) || start < first || start + secondsPerSlice > last) return [];
          const found = stored.get(`${id} ${dateOf(dayNumber)} ${slice}`);
          return found !== undefined && Math.abs(found - value) < 1e-6
            ? []
            : [`slice ${id} ${dateOf(dayNumber)} ${slice} of a register is ${found}, expected ${value}`];
        }),
    );
  });
};
