import type { Chance } from '../helpers/crash/chance.js';
import { creationOf } from '../helpers/crash/load.js';
import type { Cut, Day, RequestSpec, SentPoint, TrackedRequest } from '../helpers/crash/requests.js';
import type { Place } from './place.js';
import { offsets, requestOf, secondsPerSlice } from './points.js';
import { beginning, type Owner, type Scheduler } from './scheduler.js';
import { insist, references, slices } from './workload.js';

// Points of the present dates of a source: the clocks leap towards its local midnight and over the close of the date.

const hourMs = 3_600_000;
/** Zones without summer time whose midnight comes some hours after the clocks begin. */
const zones = [
  { timeZone: 'America/Argentina/Buenos_Aires', hours: -3 },
  { timeZone: 'America/Phoenix', hours: -7 },
  { timeZone: 'Pacific/Honolulu', hours: -10 },
] as const;
const latenesses = [
  { lateness: 'PT1M', latenessMs: 60_000 },
  { lateness: 'PT2H', latenessMs: 2 * hourMs },
  { lateness: 'PT4H', latenessMs: 4 * hourMs },
] as const;
export const latenessMaxMs = 4 * hourMs;
/** Leaps of a writer end so long after the beginning; more dates of imports would make a rhythm. */
const leapsEndMs = 20 * hourMs;
/** Time from a leap to the edge that it goes to, in ms: the clock of an instance is read every 10 s. */
const leadMs = 11_000;
/** Largest distance of a request from an edge, in ms: clocks of instances differ by as much. */
const nearMs = 700;

/** Creation of a source whose date is in progress when the clocks begin. */
const creationOfPresent = (n: number, days: readonly Day[], random: Chance): RequestSpec => {
  const { timeZone, hours } = random.one(zones);
  const isSum = random.happens(0.3);
  const spec = creationOf(`source ${n}`, slices, false, days);
  const body = {
    ...(JSON.parse(spec.body ?? '') as object),
    timeZone,
    lateness: random.one(latenesses).lateness,
    aggregation: isSum ? 'sum' : 'mean',
  };
  return { ...spec, body: JSON.stringify(body), cut: { offsetSeconds: hours * 3600, isSum } };
};

/** A source with points of its present dates; `latenessMs` as it was created with. */
type Present = { readonly id: number; readonly cut: Cut; readonly latenessMs: number };

const presentOf = ({ state, answer, cut, body = '' }: TrackedRequest): Present | undefined => {
  if (state !== 'acknowledged' || !answer.source || !cut) return undefined;
  const { lateness } = JSON.parse(body) as { lateness: string };
  const { latenessMs = 0 } = latenesses.find(one => one.lateness === lateness) ?? {};
  return { id: answer.source.id, cut, latenessMs };
};

/** Number of the slice that is in progress at an instant, counted by the local clock from 1970. */
const sliceAt = ({ cut }: Present, at: number): number =>
  Math.floor((at + cut.offsetSeconds) / secondsPerSlice);

/** The value of a slice in the references of weekdays (test/helpers/crash/requests.ts). */
const usualIn = (slice: number): number =>
  Math.round(100 * (1 - Math.abs(2 * ((slice % slices) / slices) - 1)));

/** Points of the present slice and of slices before it, at times of the day before: ordinary ones, high ones and peaks. */
const pointsOf = (
  n: number,
  source: Present,
  { wallMs, own }: { readonly wallMs: number; readonly own: readonly number[] },
  random: Chance,
): RequestSpec | undefined => {
  const now = Math.floor(wallMs / 1000) - 1;
  const extra = random.one([0, 0, 0, 20, 60, 900]);
  const points = new Map<number, SentPoint>();
  for (let count = 1 + random.below(5); count > 0; count -= 1) {
    const slice = sliceAt(source, now) - (random.happens(0.6) ? 0 : random.below(8));
    const at = slice * secondsPerSlice - source.cut.offsetSeconds + random.one(own);
    if (at <= now) points.set(at, { at, value: usualIn(slice) + extra + random.below(6) + n / 65_536 });
  }
  return points.size > 0 ? requestOf(source.id, [...points.values()], source.cut) : undefined;
};

/** The next end of a slice, the next midnight or the next close of a date, in ms since 1970. */
const edgeAfter = (source: Present, wallMs: number, random: Chance): number => {
  const { cut, latenessMs } = source;
  const perDay = 86_400 / secondsPerSlice;
  const now = sliceAt(source, wallMs / 1000);
  const edgeOf = (slice: number): number => (slice * secondsPerSlice - cut.offsetSeconds) * 1000;
  const midnightFrom = (slice: number): number => edgeOf(Math.ceil(slice / perDay) * perDay);
  const edges = [edgeOf(now + 1), midnightFrom(now + 1), midnightFrom(now - perDay + 1) + latenessMs].filter(
    edge => edge > wallMs,
  );
  return random.one(edges);
};

/**
 * Lets the clocks leap somewhere, or before an edge: then timers are set for it, and the writer waits until one instance
 * may have passed it and another not.
 */
const leap = async (source: Present, { scheduler, random, wait }: Writer): Promise<void> => {
  const now = scheduler.wallMs();
  if (random.happens(0.3)) return scheduler.leap(random.below(2 * hourMs));
  const edge = edgeAfter(source, now, random);
  scheduler.leap(Math.max(0, edge - leadMs - now));
  await wait(Math.max(0, edge - scheduler.wallMs() + random.below(2 * nearMs) - nearMs));
};

type Writer = {
  readonly place: Place;
  readonly scheduler: Scheduler;
  readonly random: Chance;
  /** Waits for at most so long. */
  readonly pause: (ms: number) => Promise<void>;
  /** Waits for so long. */
  readonly wait: (ms: number) => Promise<void>;
  /** Instants of a slice that only this writer has, in seconds after its start. */
  readonly own: readonly number[];
  readonly leaps: boolean;
};

/** Sends points, repeats its last ones under another key, corrects them, and lets the clocks leap. */
const write = async (source: Present, writer: Writer): Promise<void> => {
  const { place, scheduler, random, pause, own, leaps } = writer;
  let last: RequestSpec | undefined;
  for (let count = 3 + random.below(6); count > 0; count -= 1) {
    await pause(random.happens(0.2) ? 3000 : 200);
    const wallMs = scheduler.wallMs();
    const n = place.all.length + 1;
    const spec =
      last?.points && random.happens(0.2)
        ? requestOf(source.id, last.points, source.cut)
        : pointsOf(n, source, { wallMs, own }, random);
    last = spec ?? last;
    if (spec) await insist(place, place.ask(spec, true), pause);
    if (!leaps || scheduler.wallMs() > beginning + leapsEndMs) continue;
    if (random.happens(0.6)) await leap(source, writer);
  }
};

/** Sends points of the present dates of a source, which it creates at first; two writers have instants of their own. */
export const presentSender = async (place: Place, scheduler: Scheduler, random: Chance): Promise<void> => {
  const owner: Owner = { name: 'present', alive: true };
  const wait = (ms: number) => scheduler.sleep(owner, ms);
  const pause = (ms: number) => wait(random.next() * ms);
  const known = (): Present | undefined =>
    place.all.map(asked => (asked.kind === 'create' ? presentOf(asked) : undefined)).find(Boolean);
  if (!known()) {
    const spec = creationOfPresent(place.all.length + 1, random.one(references), random);
    await insist(place, place.ask(spec, true), pause);
  }
  const source = known();
  if (!source) return;
  const parts = { place, scheduler, random, pause, wait };
  const alone = [{ ...parts, own: offsets, leaps: true }];
  const both = [0, 1].map(one => ({
    ...parts,
    own: offsets.filter((_, index) => index % 2 === one),
    leaps: one === 0,
  }));
  await Promise.all((random.happens(0.5) ? both : alone).map(writer => write(source, writer)));
};

/** Lets the clocks leap until all slices with points have elapsed, and corrections are due. */
export const passPresent = (scheduler: Scheduler): void =>
  scheduler.leap(secondsPerSlice * 1000 + latenessMaxMs + 60_000);
