import type { Logger } from 'pino';
import type { ReadModels } from '../../projections/readModels.js';
import type { CommandHandler } from '../commandHandler.js';
import type { Environment } from '../environment.js';
import type { Tracer } from '../tracing/tracer.js';
import type { DeliveryStore } from './deliveries.js';
import type { ClockOf } from './deliveryPlan.js';
import type { Dispatch } from './dispatch.js';
import type { ReadingParts } from './readAhead.js';
import type { KeyedQueue } from '../sharing/keyedQueue.js';

/** Parts that all workers share. */
export type WorkerParts = ReadingParts & {
  readonly models: Pick<ReadModels, 'webhooks'>;
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
