import type { Chance } from '../helpers/crash/chance.js';
import { creationOf, knownSources, wishOf } from '../helpers/crash/load.js';
import { chance } from '../helpers/crash/chance.js';
import { makeDays, type Asked, type Day, type Wish } from '../helpers/crash/wishes.js';
import type { Place } from './place.js';
import type { Owner, Scheduler } from './scheduler.js';

const slices = 8;
/** Two parts of an import. */
const referenceDays = 32;
const sourcesMax = 3;
/** A client that was told nothing tries again so often under its key. */
const triesMax = 12;

/** References are few, so that their analyses are worked out once for all seeds. */
const references: readonly (readonly Day[])[] = [1, 2].map(n =>
  makeDays(n, '2024-01-01', referenceDays, slices, chance(n), ['normal']),
);

const wishFor = async (place: Place, random: Chance): Promise<Wish | undefined> => {
  const sources = knownSources(place);
  if (sources.length === 0 || (sources.length < sourcesMax && random.happens(0.08)))
    return creationOf(`source ${place.all.length + 1}`, slices, random.happens(0.4), random.one(references));
  return wishOf(place, random, sources);
};

/** Sends until an answer says what became of it, where a key allows that. */
const insist = async (place: Place, asked: Asked, pause: (ms: number) => Promise<void>): Promise<void> => {
  await place.send(asked);
  while (asked.key !== undefined && asked.state === 'unknown' && asked.tries < triesMax) {
    await pause(3000);
    await place.send(asked);
  }
};

/** One client: asks so many times, with rests between. */
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
    const wish = await wishFor(place, random);
    if (wish) await insist(place, place.ask(wish, random.happens(0.7)), pause);
  }
};
