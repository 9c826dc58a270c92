import { setTimeout as sleep } from 'node:timers/promises';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Chance } from './chance.js';
import {
  csvOf,
  jsonOf,
  makeDays,
  makeModels,
  referenceDays,
  type TrackedRequest,
  type Day,
  type RequestSpec,
} from './requests.js';
import type { World } from './world.js';

/** A source; `isLocal` for one with a time zone, whose days are sent as JSON: rows of CSV would be times of UTC. */
export type Known = { readonly id: number; readonly size: number; readonly isLocal?: true };

export const recentFrom = dayNumber('2025-01-01');
export const recentSpan = 90;
export const bigFrom = '2001-01-01';
export const sourcesMax = 14;

export const creation = (n: number, size: number, csv: boolean, random: Chance): RequestSpec =>
  creationOf(`source ${n}`, size, csv, makeDays(n, '2024-01-01', referenceDays, size, random, ['normal']));

/** Request that creates a source with these reference days. */
export const creationOf = (name: string, size: number, csv: boolean, days: readonly Day[]): RequestSpec => {
  const about = { name, activitySize: size, interpolationMethod: 'zero' };
  return csv
    ? {
        kind: 'create',
        method: 'POST',
        path: `/v1/import-csv/create-source?name=${encodeURIComponent(name)}&activitySize=${size}&interpolationMethod=zero`,
        media: 'text/csv',
        body: csvOf(days),
        days,
        size,
        about,
      }
    : {
        kind: 'create',
        method: 'POST',
        path: '/v1/import/create-source',
        media: 'application/json',
        body: JSON.stringify({ name, referenceYear: 2024, days: jsonOf(days) }),
        days,
        size,
        about,
      };
};

export const importation = (source: Known, days: readonly Day[], csv: boolean): RequestSpec => ({
  kind: 'import',
  method: 'POST',
  path: csv ? `/v1/import-csv/${source.id}/days` : '/v1/import/days',
  media: csv ? 'text/csv' : 'application/json',
  body: csv ? csvOf(days) : JSON.stringify({ sourceId: source.id, days: jsonOf(days) }),
  days,
});

/** An import whose last day or line is invalid: none of its days may be visible. */
export const badImportation = (source: Known, days: readonly Day[], csv: boolean): RequestSpec => {
  const { days: _, ...spec } = importation(source, days, csv);
  const body = csv
    ? `${spec.body}"2025-12-31T00:00:00";"1.5"\n`
    : JSON.stringify({
        sourceId: source.id,
        days: [...jsonOf(days), { date: '2025-12-31', activity: [1, 2, 3] }],
      });
  return { ...spec, kind: 'bad', body };
};

export const reset = (source: Known, random: Chance): RequestSpec => ({
  kind: 'reset',
  method: 'POST',
  path: `/v1/model/reset/${source.id}/${1 + random.below(3)}`,
});

export const replacement = (n: number, source: Known, random: Chance): RequestSpec => ({
  kind: 'replace',
  method: 'POST',
  path: `/v1/model/bulk-replace/${source.id}`,
  media: 'application/json',
  body: JSON.stringify({ models: makeModels(n, source.size, random) }),
});

export const nextNumber = ({ all }: Pick<World, 'all'>): number => all.length + 1;

/**
 * Sources with an acknowledged creation that were not learned again; the first is the large one. Registers are left out:
 * random days are no readings.
 */
export const knownSources = ({ all }: Pick<World, 'all'>): readonly Known[] => {
  const made = all.filter(
    ({ kind, state, isRegister }) =>
      ['create', 'relearn'].includes(kind) && state === 'acknowledged' && !isRegister,
  );
  const old = new Set(made.map(({ about }) => about?.['relearnedFrom']));
  return made.flatMap(({ answer: { source }, size = 0, cut }) =>
    source && !old.has(source.id) ? [{ id: source.id, size, ...(cut && { isLocal: true as const }) }] : [],
  );
};

/** Request that learns a source again. */
export const relearning = ({ id, size }: Known): RequestSpec => ({
  kind: 'relearn',
  method: 'POST',
  path: `/v1/source/${id}/relearn`,
  size,
  about: { relearnedFrom: id },
});

/** A random next request, or undefined if none is possible. */
export const randomRequest = async (
  place: Pick<World, 'all' | 'get'>,
  random: Chance,
): Promise<RequestSpec | undefined> => {
  const [, ...small] = knownSources(place);
  if (small.length === 0 || (random.happens(0.04) && small.length < sourcesMax))
    return creation(nextNumber(place), random.one([8, 24]), random.happens(0.4), random);
  return randomRequestTo(place, random, small);
};

/** A random next request to one of these sources. */
export const randomRequestTo = async (
  place: Pick<World, 'all' | 'get'>,
  random: Chance,
  small: readonly Known[],
): Promise<RequestSpec | undefined> => {
  const asCsv = random.happens(0.4);
  const roll = 4 + random.below(96);
  const source = random.one(small);
  const csv = asCsv && source.isLocal === undefined;
  const daysOf = (n: number): readonly Day[] => {
    const count = random.happens(0.15) ? 32 + random.below(58) : 1 + random.below(10);
    const from = dateOf(recentFrom + random.below(recentSpan - count + 1));
    const gaps = csv ? (['gap'] as const) : [];
    return makeDays(n, from, count, source.size, random, ['normal', 'normal', 'normal', 'spike', ...gaps]);
  };
  if (roll < 42) return importation(source, daysOf(nextNumber(place)), csv);
  if (roll < 47) return badImportation(source, daysOf(nextNumber(place)), csv);
  if (roll < 55) return reset(source, random);
  if (roll < 61) return replacement(nextNumber(place), source, random);
  if (roll < 77) {
    const date = dateOf(recentFrom + random.below(20));
    if (roll >= 75)
      return { kind: 'takeBack', method: 'DELETE', path: `/v1/day/${source.id}/${date}`, about: { date } };
    const path = `/v1/planning/${source.id}/${date}`;
    if (roll >= 71) return { kind: 'clear', method: 'DELETE', path, about: { date } };
    const { models = [] } =
      (await place.get<{ models: { id: number }[] }>(`/v1/model/list/${source.id}`)) ?? {};
    if (models.length === 0) return undefined;
    const modelId = random.one(models).id;
    const body = JSON.stringify({ modelId });
    return { kind: 'plan', method: 'PUT', path, media: 'application/json', body, about: { date, modelId } };
  }
  const raised = place.all.slice(-200).flatMap(({ answer }) => answer.alerts?.raised ?? []);
  if (raised.length === 0) return undefined;
  const alertId = random.one(raised.slice(-12)).id;
  const kind = random.one(['acknowledge', 'resolve', 'resolve', 'reopen'] as const);
  const path = `/v1/alert/${alertId}/${kind}`;
  if (kind !== 'resolve') return { kind, method: 'POST', path, about: { alertId } };
  const verdict = random.one(['anomaly', 'expected', 'notAnomaly', 'newPattern']);
  const body = JSON.stringify({ verdict, comment: null });
  return { kind, method: 'POST', path, media: 'application/json', body, about: { alertId, verdict } };
};

/** Sends requests with pauses until it is stopped or a request gets no answer. */
export const client = async (
  place: World,
  random: Chance,
  stopped: () => boolean,
  restMs = 0,
): Promise<void> => {
  while (!stopped() && !place.isDown()) {
    if (random.happens(0.04)) {
      const keyed = place.all.filter(({ key, state }) => key !== undefined && state === 'acknowledged');
      const one = keyed[Math.max(0, keyed.length - 1 - random.below(40))];
      if (one) await place.sendAgain(one);
    }
    const spec = await randomRequest(place, random);
    if (spec && !stopped() && !place.isDown()) {
      await place.send(place.ask(spec, random.happens(0.5)));
      if (restMs > 0) await sleep(restMs);
    } else await sleep(1);
  }
};

/** Requests with a key and an unknown outcome. */
export const cutOff = ({ all }: World): readonly TrackedRequest[] =>
  all.filter(({ key, state }) => key !== undefined && state === 'unknown');
