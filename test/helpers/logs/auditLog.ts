import { system } from '../../../adapters/environment.js';
import { commandHandler } from '../../../application/commands/commandHandler.js';
import type { EventStore } from '../../../application/ports/eventStore.js';
import { alerts } from '../../../domain/alerts/alerts.js';
import { catalog } from '../../../domain/catalog.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { days } from '../../../domain/days.js';
import { source } from '../../../domain/source/source.js';
import { dayOf, factsOf, findingOf, id, learnedOf, origin } from '../data/samples.js';

/** Seeded pseudo-random numbers, 0 ≤ x < 1. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** Fills a store with commands of the service until its log has at least `countMin` events. */
export const fillByCommands = async (store: EventStore, countMin: number, seed: number): Promise<void> => {
  const random = seeded(seed);
  const handle = commandHandler(store, () => {}, system);
  const sources = 10;
  let count = 0;
  let n = 0;
  const from = () => origin((n += 1));
  for (let sourceId = 1; sourceId <= sources; sourceId += 1) {
    const requestId = id(100_000 + sourceId);
    await handle(catalog, 'catalog', { type: 'ReserveSourceId', requestId }, from());
    const stream = `source-${sourceId}`;
    const create = { type: 'CreateSource', requestId, facts: factsOf(sourceId), seed: 1 } as const;
    await handle(source, stream, create, from());
    await handle(source, stream, { type: 'ResetModels', requestId, learned: learnedOf(2) }, from());
    count += 3;
  }
  const raised = new Map<number, number>();
  while (count < countMin) {
    const sourceId = 1 + Math.floor(random() * sources);
    const requestId = id(200_000 + n);
    const kind = random();
    const date = dateOf(dayNumber('2024-01-01') + Math.floor(random() * 300));
    if (kind < 0.6) {
      const plan = { type: 'PlanDay', requestId, date, modelId: random() < 0.5 ? 1 : 2 } as const;
      count += (await handle(source, `source-${sourceId}`, plan, from())).events.length;
    } else if (kind < 0.75) {
      const summary = { lines: 4, duplicates: 0, warnings: [], days: 1, missingSamples: 0, filledSamples: 0 };
      const part = { importId: requestId, kind: 'recent', part: 1, parts: 1, days: [dayOf(date)] } as const;
      const command = { type: 'ImportDays', sourceId, ...part, summary } as const;
      count += (await handle(days, `days-${sourceId}`, command, from())).events.length;
    } else {
      const day = raised.get(sourceId) ?? 0;
      raised.set(sourceId, day + 1);
      const checked = dateOf(dayNumber('2024-01-01') + day);
      const stream = `alerts-${sourceId}`;
      const check = {
        type: 'RecordCheck',
        sourceId,
        cause: { id: requestId, type: 'DaysImported' },
        part: 1,
        last: true,
        engine: 'test 1',
        modelsVersion: 1,
        knowledge: { source: 2, days: 1 + day },
        days: [
          {
            date: checked,
            importId: requestId,
            dayDigest: `d${day}`,
            plannedModelId: 1,
            outcome: 'abnormal',
            finding: findingOf(1, random()),
          },
        ],
      } as const;
      count += (await handle(alerts, stream, check, from())).events.length;
      const alertId = `${sourceId}-${checked.replaceAll('-', '')}-1`;
      const resolve = { type: 'ResolveAlert', alertId, verdict: 'expected', comment: `n° ${n}` } as const;
      if (random() < 0.7) count += (await handle(alerts, stream, resolve, from())).events.length;
    }
  }
};
