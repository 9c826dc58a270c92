import type { Chance } from '../helpers/crash/chance.js';
import { creationOf, importation, knownSources, randomRequestTo, relearning } from '../helpers/crash/load.js';
import { relearnedDaysMin } from '../../domain/source/reference.js';
import { chance } from '../helpers/crash/chance.js';
import { makeDays, type TrackedRequest, type Day, type RequestSpec } from '../helpers/crash/requests.js';
import type { Place } from './place.js';
import type { Owner, Scheduler } from './scheduler.js';

/** Slices of a day of a source. */
export const slices = 8;
/** Two parts of an import. */
const referenceDays = 32;
const sourcesMax = 3;
/** Maximum attempts of a request with a key. */
const triesMax = 12;

/** Few references, so that their analyses are cached for all seeds. */
export const references: readonly (readonly Day[])[] = [1, 2].map(n =>
  makeDays(n, '2024-01-01', referenceDays, slices, chance(n), ['normal']),
);

const randomRequest = async (place: Place, random: Chance): Promise<RequestSpec | undefined> => {
  const sources = knownSources(place);
  if (sources.length === 0 || (sources.length < sourcesMax && random.happens(0.08)))
    return creationOf(`source ${place.all.length + 1}`, slices, random.happens(0.4), random.one(references));
  return randomRequestTo(place, random, sources);
};

/** Retries a request with a key until its outcome is known. */
export const insist = async (
  place: Place,
  asked: TrackedRequest,
  pause: (ms: number) => Promise<void>,
): Promise<void> => {
  await place.send(asked);
  while (asked.key !== undefined && asked.state === 'unknown' && asked.tries < triesMax) {
    await pause(3000);
    await place.send(asked);
  }
};

/** Sends `count` requests, with pauses between them. */
export const client = async (
  place: Place,
  scheduler: Scheduler,
  random: Chance,
  { name, count }: { readonly name: string; readonly count: number },
): Promise<void> => {
  const owner: Owner = { name, alive: true };
  const pause = (ms: number) => scheduler.sleep(owner, random.next() * ms);
  for (let n = 0; n < count; n += 1) {
    await pause(random.happens(0.2) ? 3000 : 50);
    const keyed = place.all.filter(({ key, state }) => key !== undefined && state === 'acknowledged');
    if (keyed.length > 0 && random.happens(0.05)) await place.sendAgain(random.one(keyed));
    const spec = await randomRequest(place, random);
    if (spec) await insist(place, place.ask(spec, random.happens(0.7)), pause);
  }
};

/**
 * The fewest recent days that a source can be learned again from: the first date of a year, and its second half. Days
 * of other imports are in the year, too.
 */
const year: readonly Day[] = [
  ...makeDays(0, '2024-04-01', 1, slices, chance(0), ['normal']),
  ...makeDays(0, '2024-10-01', relearnedDaysMin - 1, slices, chance(0, 1), ['normal']),
];

/** Learns a source again when one is there: imports a year of recent days, then asks for it, twice at times. */
export const relearner = async (place: Place, scheduler: Scheduler, random: Chance): Promise<void> => {
  const owner: Owner = { name: 'relearner', alive: true };
  const pause = (ms: number) => scheduler.sleep(owner, random.next() * ms);
  for (let tries = 0; tries < triesMax && knownSources(place).length === 0; tries += 1) await pause(1000);
  const [source] = knownSources(place);
  if (!source) return;
  for (const days of [year.slice(0, 1), year.slice(1)]) {
    const asked = place.ask(importation(source, days, false), true);
    await insist(place, asked, pause);
    if (asked.state !== 'acknowledged') return;
  }
  const ask = () => insist(place, place.ask(relearning(source), true), pause);
  await (random.happens(0.3) ? Promise.all([ask(), ask()]) : ask());
};
