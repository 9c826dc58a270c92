import { pValueOf } from '../../analysis/checking/checkLimits.js';
import { discoveredUpTo } from '../../analysis/math/statistics.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceFilter } from '../../projections/sources/sourceQueries.js';
import { walkIdsMax } from './largeAnswers.js';

/** The days that a list at a false-discovery rate is chosen from, and the alerts that it has. */
export type FalseDiscovery = {
  readonly rate: number;
  /** Compared days of the sources and dates: the number of hypotheses. */
  readonly days: number;
  /** Days among them with a discovery. */
  readonly discoveries: number;
  /** Least criticity of a discovery; null without one. */
  readonly criticityFrom: number | null;
};

/** Sources and dates of a list: `from` inclusive, `to` exclusive. */
type Asked = Pick<SourceFilter, 'tenant' | 'labels'> & {
  readonly sourceId: number | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
};

/** Sources whose ids are read by one statement. */
const sourcesAtOnce = 500;

/** Ids of the sources of a list, one part after the other. */
function* sourcesOf({ sources }: Pick<ReadModels, 'sources'>, asked: Asked): Generator<number> {
  if (asked.sourceId !== undefined) {
    yield asked.sourceId;
    return;
  }
  const { tenant, labels = [] } = asked;
  let after: SourceFilter['after'];
  for (;;) {
    const found = sources.keys({ tenant, labels, after, limit: sourcesAtOnce });
    yield* found.map(({ id }) => id);
    after = found.at(-1);
    if (found.length < sourcesAtOnce) return;
  }
}

/**
 * Chooses alerts of a list at a false-discovery rate by the procedure of Benjamini and Hochberg. A hypothesis is that a
 * compared day of a source is ordinary; days without an alert count as not discovered. It reads one source at a time.
 * @param rate false-discovery rate, above 0 and below 1
 * @returns    null when more than `walkIdsMax` days have an alert with a p-value
 */
export const falseDiscovery = async (
  models: Pick<ReadModels, 'sources' | 'alerts' | 'days'>,
  asked: Asked,
  rate: number,
  yieldToEventLoop: () => Promise<void> | undefined,
): Promise<FalseDiscovery | null> => {
  const criticities: number[] = [];
  let days = 0;
  for (const sourceId of sourcesOf(models, asked)) {
    days += models.days.comparedCount(sourceId, asked.from, asked.to);
    criticities.push(...models.alerts.testedCriticities(sourceId, asked.from, asked.to));
    if (criticities.length > walkIdsMax) return null;
    await yieldToEventLoop();
  }
  // A day may have lost its data since its alert.
  const count = Math.max(days, criticities.length);
  const upTo = discoveredUpTo(criticities.map(pValueOf), count, rate);
  const discovered = criticities.filter(criticity => upTo !== null && pValueOf(criticity) <= upTo);
  const criticityFrom = discovered.reduce((least, criticity) => Math.min(least, criticity), 1);
  return {
    rate,
    days: count,
    discoveries: discovered.length,
    criticityFrom: discovered.length > 0 ? criticityFrom : null,
  };
};
