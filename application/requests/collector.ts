import type { Logger } from 'pino';
import { proposedMinChange } from '../../analysis/findings/proposedMinChange.js';
import { dateOf, dayNumber, minutesPerDay, year } from '../../domain/dates.js';
import { referenceDates } from '../../domain/source/collecting.js';
import { source } from '../../domain/source/source.js';
import { referenceFacts } from '../../domain/source/sourceState.js';
import { streams } from '../../domain/streams.js';
import type { ReadModels } from '../../projections/readModels.js';
import { importedDay } from '../../projections/days/storedDays.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { CommandHandler } from '../commands/commandHandler.js';
import { derivedId } from '../commands/ids.js';
import { analysisSeed } from '../followUps/analyses.js';
import { ownMetadata, reportedAs } from '../followUps/followUpParts.js';
import { requestedCovariates } from '../followUps/covariates/readings.js';
import { instantOf, type Environment } from '../ports/environment.js';
import { repeatedly } from '../ports/sharing/repeatedly.js';
import type { Parking } from '../reading/parking.js';
import { appendImport } from './imports/appendImport.js';

type CollectorParts = {
  readonly models: ReadModels;
  readonly handle: CommandHandler;
  readonly caughtUp: () => Promise<void>;
  readonly parking: Pick<Parking, 'guard'>;
  /** Date of tomorrow at an instant by the clock of a zone. */
  readonly tomorrowIn: (timeZone: string, at: string) => string;
  readonly environment: Environment;
  readonly log: Logger;
};

/** Minutes between two looks. */
export const lookMinutes = 15;
const lookMs = lookMinutes * 60_000;

/** Minute of the day (UTC) from which a source may learn: spread over the day, a look before its end. */
export const learningMinute = (sourceId: number): number => (sourceId * 611) % (minutesPerDay - lookMinutes);

/** Maximum judged alerts of a source that are read. */
const alertsMax = 10_000;

/** Dates that people judged as anomalies. */
const anomalies = ({ alerts }: ReadModels, { id, tenant }: SourceSetup): ReadonlySet<string> =>
  new Set(
    alerts
      .page({
        ...{ tenant, sourceId: id, from: undefined, to: undefined, states: ['resolved'], kinds: undefined },
        ...{ sort: 'date', descending: false, after: undefined, limit: alertsMax },
      })
      .flatMap(({ date, verdict }) => (verdict === 'anomaly' ? [date] : [])),
  );

/**
 * Learns sources that collect their reference: after 56 days with three quarters of their slices, and again after 3, 6
 * and 12 months. Their recent days become reference days, but those that people judged as anomalies.
 */
export const collector = (parts: CollectorParts) => {
  const { models, handle, caughtUp, parking, tomorrowIn, environment, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;

  const learn = async (setup: SourceSetup, at: string): Promise<void> => {
    const { id, reference, timeZone } = setup;
    const today = dateOf(dayNumber(tomorrowIn(timeZone, at)) - 1);
    const dates = referenceDates(reference, models.days.learnableDates(id, true), today);
    if (dates.length === 0) return;
    const judged = anomalies(models, setup);
    const kept = dates.filter(date => !judged.has(date));
    const [from, to] = [kept[0], kept.at(-1)];
    if (from === undefined || to === undefined) return;
    const wanted = new Set(kept);
    const held = models.days.reference(id);
    const known = new Set(held.map(({ date }) => date));
    const days = models.days
      .between(id, 'recent', from, dateOf(dayNumber(to) + 1))
      .filter(({ date }) => wanted.has(date))
      .map(importedDay);
    const added = days.filter(({ date }) => !known.has(date));
    const importId = derivedId('reference', id, to);
    const step = (id: string) => ({ ...ownMetadata(importId, at), id });
    const summary = { lines: 0, days: added.length, missingSamples: 0, filledSamples: 0, duplicates: 0 };
    const imported = { days: added, summary: { ...summary, warnings: [] } };
    if (added.length > 0)
      await appendImport(parts, { sourceId: id, kind: 'reference', imported }, importId, step(importId));
    const requestId = derivedId('extend', id, to);
    const minChange = proposedMinChange([...held.filter(({ date }) => !judged.has(date)), ...added]);
    const command = {
      type: 'ExtendReference',
      requestId,
      referenceYear: year(dayNumber(from)),
      reference: referenceFacts(days),
      leftOut: [...judged].filter(date => from <= date && date <= to),
      ...(minChange && { minChange }),
      seed: analysisSeed,
      ...requestedCovariates(models, setup.explainedBy, { from, to }),
    } as const;
    await handle(source, streams.source(id), command, step(requestId));
    await caughtUp();
  };

  const learnAll = async (): Promise<number> => {
    const at = instantOf(environment);
    const minute = Math.floor((Date.parse(at) / 60_000) % minutesPerDay);
    for (const id of models.sources.collecting()) {
      const setup = models.sources.setup(id);
      if (signal.aborted) break;
      if (!setup || setup.archivedAt !== null || setup.pendingRequestId !== null) continue;
      if (minute < learningMinute(id)) continue;
      await parking.guard(() => learn(setup, at));
      await environment.nextTurn();
    }
    return lookMs;
  };

  const failed = reportedAs(log, 'sources that collect their reference cannot learn; retrying');
  const { wake, stop } = repeatedly({ environment, failed, retryMs: lookMs, stopping }, learnAll);
  return { start: () => void wake(), stop };
};
