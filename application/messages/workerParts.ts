import type { Logger } from 'pino';
import type { ReadModels } from '../../projections/readModels.js';
import type { CommandHandler } from '../commands/commandHandler.js';
import type { Environment } from '../ports/environment.js';
import type { Tracer } from '../ports/tracer.js';
import type { DeliveryStore } from '../ports/deliveries.js';
import type { ClockOf } from './deliveryPlan.js';
import type { Dispatch } from './dispatch.js';
import type { ReadingParts } from './readAhead.js';
import type { KeyedQueue } from '../ports/sharing/keyedQueue.js';

/** Parts that all workers share. */
export type WorkerParts = ReadingParts & {
  readonly models: Pick<ReadModels, 'webhooks' | 'messageFacts'>;
  /** Steps of replays by tenant: one at a time. */
  readonly replays: Pick<KeyedQueue, 'run'>;
  readonly handle: CommandHandler;
  readonly deliveries: DeliveryStore;
  readonly dispatch: Dispatch;
  readonly clockOf: ClockOf;
  /** Absent for no tracing. */
  readonly tracer?: Tracer;
  readonly logger: Logger;
  readonly environment: Environment;
};
