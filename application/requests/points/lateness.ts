import { stretchSecondsMax } from '../../../domain/register.js';
import { days } from '../../../domain/days.js';
import { streams } from '../../../domain/streams.js';
import type { ReadModels } from '../../../projections/readModels.js';
import { derivedId, type CommandHandler } from '../../commands/commandHandler.js';
import { ownMetadata } from '../../followUps/followUpParts.js';
import { instantOf, type Environment } from '../../ports/environment.js';
import type { BufferedPoint } from '../../ports/pointBuffer.js';
import type { Parking } from '../../reading/parking.js';
import { InvalidInput } from '../imports/faults.js';
import type { Points } from './pointList.js';
import {
  differences,
  microsOf,
  type ChangedDay,
  type Reading,
  type Setting,
  pointsAtOnce,
  pointsRule,
} from './sliceValues.js';

/** Late readings of a body that join those of other bodies; a longer body has its slices by itself. */
export const lateReadingsMax = 1000;
/** Most late readings of a source that are kept. */
const keptMax = 10_000;

/** Key of the late readings of a source in the buffer of points, whose other keys are ids of sources. */
export const lateKey = (sourceId: number): number => -sourceId;

/** Readings for the buffer. */
export const lateReadings = ({ times, values }: Points): BufferedPoint[] =>
  Array.from(times, (at, index) => ({ at: microsOf(at), value: values[index]!, base: -1 }));

/**
 * The slices that late readings change together with those of earlier bodies. Slices that stay unknown keep what they
 * have.
 */
const changedBy = async (
  reading: Reading,
  setting: Setting,
  readings: readonly BufferedPoint[],
): Promise<readonly ChangedDay[]> => {
  const { id } = setting.source;
  const { changed } = await differences(reading, setting, readings, lateKey(id));
  return changed.flatMap(({ gaps, ...day }) =>
    day.observed.length + (day.filled?.length ?? 0) === 0 ? [] : [day],
  );
};

/**
 * Reads the late readings that wait in the buffer, and stores the slices that follow from them.
 * @param append stores changed days, and the number of readings
 * @throws InvalidInput `notCumulative` for readings that are no register; they are given up
 */
export const storeLateReadings = async (
  reading: Reading,
  setting: Setting,
  append: (changed: readonly ChangedDay[], points: number) => Promise<void>,
): Promise<void> => {
  const key = lateKey(setting.source.id);
  const { buffer } = reading;
  const waiting = await buffer.waiting(key, pointsAtOnce);
  const first = waiting[0];
  if (!first) return;
  try {
    const changed = await changedBy(reading, setting, waiting);
    if (changed.length > 0) await append(changed, waiting.length);
  } catch (error) {
    if (error instanceof InvalidInput) await buffer.stored(key, waiting);
    throw error;
  }
  await buffer.stored(key, waiting);
  await buffer.forget(key, first.at - microsOf(stretchSecondsMax));
  const kept = await buffer.between(key, 0, Number.MAX_SAFE_INTEGER);
  if (kept.length > keptMax) await buffer.forget(key, kept[kept.length - keptMax / 2]!.at);
};

export type CloserParts = {
  readonly models: Pick<ReadModels, 'sources' | 'days'>;
  readonly handle: CommandHandler;
  readonly caughtUp: () => Promise<void>;
  readonly parking: Pick<Parking, 'guard'>;
  readonly environment: Environment;
};

/** Dates closed in one turn. */
const closingsAtOnce = 100;

/** Returns a function that closes the dates whose end has come, one event each; it ends when `isStopped`. */
export const dateCloser =
  ({ models, handle, caughtUp, parking, environment }: CloserParts) =>
  async (isStopped: () => boolean): Promise<void> => {
    while (!isStopped()) {
      const due = models.days.datesToClose(instantOf(environment), closingsAtOnce);
      if (due.length === 0) return;
      for (const { sourceId, date, closesAt } of due) {
        const source = models.sources.setup(sourceId);
        if (!source || isStopped()) continue;
        const id = derivedId('close', sourceId, date, closesAt);
        const command = { type: 'CloseDate', sourceId, date, rule: pointsRule(source) } as const;
        const metadata = ownMetadata(id, instantOf(environment));
        await parking.guard(() => handle(days, streams.days(sourceId), command, metadata));
        await environment.nextTurn();
      }
      await caughtUp();
    }
  };
