import fc from 'fast-check';
import t from 'tap';
import { Database } from '../../adapters/sqlite/driver.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { KnownEvent } from '../../domain/events.js';
import {
  compareEpisodes,
  type EpisodeFilter,
  type EpisodeRecord,
} from '../../projections/alerts/episodePages.js';
import { episodeId } from '../../projections/alerts/episodes.js';
import { readModels, type ReadModels } from '../../projections/readModels.js';
import { factsOf, findingOf, id, instant } from '../helpers/data/samples.js';
import { exactList } from '../helpers/exactList.js';

// Episodes are compared with runs of dates that are computed from all alerts each time.

const firstDay = dayNumber('2024-02-26');
const dateAt = (offset: number): string => dateOf(firstDay + offset);

const everything: EpisodeFilter = {
  ...{ tenant: 'default', sourceId: undefined, from: undefined, to: undefined, kinds: undefined },
  states: ['open', 'acknowledged', 'resolved'],
  ...{ sort: 'date', descending: false },
};

/** The episodes that fit a filter, in its order. */
const episodesOf = (
  { sources, alerts: { episodes } }: ReadModels,
  filter: EpisodeFilter,
): readonly EpisodeRecord[] => {
  const sourceIds = filter.sourceId === undefined ? sources.ids(filter.tenant) : [filter.sourceId];
  const keys = sourceIds.flatMap(sourceId => episodes.keys(sourceId, filter)).sort(compareEpisodes);
  const ordered = filter.descending ? keys.reverse() : keys;
  return ordered.flatMap(({ sourceId, first }) => episodes.one(episodeId(sourceId, first)) ?? []);
};

/** Read models of two sources, and functions that change their alerts: at once, or in batches at each `flush`. */
const place = (isInBatches = false) => {
  const db = new Database(':memory:');
  const models = readModels(db);
  const revisions = new Map<string, number>();
  let batch: KnownEvent[] = [];
  let position = 0;
  const flush = (): void => {
    const last = batch.at(-1);
    if (last) models.apply(batch, last);
    batch = [];
  };
  const apply = (stream: string, type: KnownEvent['type'], data: object): void => {
    position += 1;
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    const event = {
      ...{ id: id(position), type, v: 1, data, at: instant(position), stream, revision },
      metadata: { by: 'reactor', cause: id(1), correlation: id(1) },
      position: BigInt(position),
    } as KnownEvent;
    batch.push(event);
    if (!isInBatches) flush();
  };
  for (const sourceId of [1, 2])
    apply(`source-${sourceId}`, 'SourceCreated', { ...factsOf(sourceId), requestId: id(9), seed: 1 });
  return {
    db,
    models,
    flush,
    raise: (sourceId: number, date: string, n: number, criticity = 0.5): string => {
      const alertId = `${sourceId}-${date.replaceAll('-', '')}-${n}`;
      apply(`alerts-${sourceId}`, 'AlertRaised', {
        ...findingOf(1, criticity),
        ...{ alertId, date, importId: id(2), dayDigest: 'a', modelsVersion: 1 },
      });
      return alertId;
    },
    move: (
      sourceId: number,
      type: 'AlertInvalidated' | 'AlertAcknowledged' | 'AlertResolved',
      alertId: string,
    ) =>
      apply(`alerts-${sourceId}`, type, {
        alertId,
        date: alertId.replace(/^\d+-(\d{4})(\d\d)(\d\d)-\d+$/, '$1-$2-$3'),
        ...(type === 'AlertInvalidated' ? { reason: 'DaysImported' } : {}),
        ...(type === 'AlertResolved' ? { verdict: 'expected', comment: null } : {}),
      }),
  };
};

/** Runs of consecutive dates as pairs of first and last date. */
const runsOf = (dates: readonly string[]): string[] => {
  const runs: string[][] = [];
  for (const date of [...new Set(dates)].sort()) {
    const last = runs.at(-1);
    if (last && dayNumber(last.at(-1) ?? '') + 1 === dayNumber(date)) last.push(date);
    else runs.push([date]);
  }
  return runs.map(run => `${run[0]} ${run.at(-1)}`);
};

t.test('episodes: the runs of dates with alerts, after changes in any order and any batches', async t => {
  const step = fc.tuple(fc.constantFrom(1, 2), fc.nat(12), fc.boolean(), fc.boolean());
  let merged = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), steps => {
      const { db, models, raise, move, flush } = place(true);
      const standing = new Map<string, string[]>();
      const counts = new Map<string, number>();
      for (const [sourceId, offset, removes, endsBatch] of steps) {
        const date = dateAt(offset);
        const key = `${sourceId} ${date}`;
        const own = standing.get(key) ?? [];
        const [gone] = own;
        if (removes && gone !== undefined) {
          move(sourceId, 'AlertInvalidated', gone);
          standing.set(key, own.slice(1));
        } else if (!removes) {
          counts.set(key, (counts.get(key) ?? 0) + 1);
          standing.set(key, [...own, raise(sourceId, date, counts.get(key) ?? 1)]);
        }
        if (!endsBatch) continue;
        flush();
        const broken = db.prepare('select * from episodes where first > last').all();
        if (broken.length > 0) throw new Error(`runs that end before they begin: ${JSON.stringify(broken)}`);
        for (const sourceId of [1, 2]) {
          const dates = [...standing].flatMap(([at, ids]) =>
            at.startsWith(`${sourceId} `) && ids.length > 0 ? [at.slice(2)] : [],
          );
          const found = episodesOf(models, { ...everything, sourceId }).map(
            ({ firstDate, lastDate }) => `${firstDate} ${lastDate}`,
          );
          if (found.join() !== runsOf(dates).join())
            throw new Error(`got ${found.join()}, expected ${runsOf(dates).join()}`);
          merged += found.filter(run => run.slice(0, 10) !== run.slice(11)).length;
          for (const alert of models.alerts.page({
            ...everything,
            sourceId,
            after: undefined,
            limit: 1000,
          })) {
            const run = runsOf(dates).find(
              one => one.slice(0, 10) <= alert.date && alert.date <= one.slice(11),
            );
            if (alert.episode !== `${sourceId}-${run?.slice(0, 10).replaceAll('-', '')}`)
              throw new Error(`${alert.id} has the episode ${alert.episode}`);
          }
        }
      }
      db.close();
    }),
    { numRuns: 60 },
  );
  t.ok(merged > 100, `${merged} runs of several dates`);
});

t.test('episodes: filling a gap joins two runs, removing it separates them', async t => {
  const { db, models, raise, move } = place();
  raise(1, '2024-02-28', 1);
  raise(1, '2024-03-01', 1);
  const ids = () => episodesOf(models, everything).map(episode => episode.id);
  t.strictSame(ids(), ['1-20240228', '1-20240301']);
  const between = raise(1, '2024-02-29', 1);
  t.strictSame(ids(), ['1-20240228'], 'one run, known by its first date');
  raise(1, '2024-02-27', 1);
  t.strictSame(ids(), ['1-20240227'], 'an earlier date joins it');
  move(1, 'AlertInvalidated', between);
  t.strictSame(ids(), ['1-20240227', '1-20240301']);
  t.equal(models.alerts.one(between)?.episode, null);
  db.close();
});

t.test('episodes: counts, state and most critical alert', async t => {
  const { db, models, raise, move } = place();
  const [a, b, c] = [0.5, 0.9, 0.7].map((criticity, offset) => raise(1, dateAt(offset), 1, criticity));
  const gone = raise(1, dateAt(1), 2, 0.99);
  move(1, 'AlertInvalidated', gone);
  const only = () => episodesOf(models, everything)[0];
  t.match(only(), {
    ...{ id: '1-20240226', firstDate: '2024-02-26', lastDate: '2024-02-28', days: 3, state: 'open' },
    counts: { open: 3, acknowledged: 0, resolved: 0 },
    ...{ kinds: exactList('activity'), criticity: 0.9, unprocessedIds: exactList(a, b, c), alert: { id: b } },
    raisedAt: models.alerts.one(c ?? '')?.raisedAt,
  });
  for (const alertId of [a, b]) move(1, 'AlertAcknowledged', alertId ?? '');
  move(1, 'AlertResolved', c ?? '');
  t.match(only(), { state: 'acknowledged', counts: { open: 0, acknowledged: 2, resolved: 1 } });
  t.strictSame(only()?.unprocessedIds, [a, b]);
  const with3 = (filter: Partial<EpisodeFilter>) => episodesOf(models, { ...everything, ...filter }).length;
  t.equal(with3({ states: ['resolved'] }), 1, 'one of its alerts matches');
  t.equal(with3({ states: ['open'] }), 0);
  t.equal(with3({ states: ['invalidated'] }), 0, 'these alerts have no episode');
  t.equal(with3({ kinds: ['gap'] }), 0);
  t.equal(with3({ kinds: ['gap', 'activity'], from: '2024-02-28' }), 1);
  t.equal(with3({ from: '2024-02-29' }), 0);
  t.equal(with3({ tenant: 'other' }), 0);
  db.close();
});

t.test('episodes: the keys order them, in every order', async t => {
  const { db, models, raise } = place();
  for (const sourceId of [1, 2])
    for (let offset = 0; offset < 40; offset += 1)
      if (offset % 5 !== 0 && (offset + sourceId) % 7 !== 0)
        raise(sourceId, dateAt(offset), 1, ((offset * 7) % 5) / 10);
  const keyOf = { date: 'firstDate', raised: 'raisedAt', criticity: 'criticity' } as const;
  for (const sort of ['date', 'raised', 'criticity'] as const)
    for (const descending of [false, true]) {
      const whole = { ...everything, sort, descending };
      const all = episodesOf(models, whole);
      t.ok(all.length > 15);
      const values = all.map(episode => episode[keyOf[sort]]);
      t.strictSame(
        values,
        [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0) * (descending ? -1 : 1)),
      );
    }
  db.close();
});
