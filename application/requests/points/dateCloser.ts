import { days } from '../../../domain/days.js';
import { streams } from '../../../domain/streams.js';
import { derivedId } from '../../commands/ids.js';
import { ownMetadata } from '../../followUps/followUpParts.js';
import { instantOf, type Environment } from '../../ports/environment.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { CommandHandler } from '../../commands/commandHandler.js';
import type { Parking } from '../../reading/parking.js';
import { pointsRule } from './sliceValues.js';

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
