import type { Logger } from 'pino';
import { threadsMax } from '../workers/analyst.js';
import type { Analyst } from '../../application/analyst.js';
import { asOf } from '../../application/history/asOf.js';
import type { Signer } from '../../auditing/checkpoint.js';
import { instantOf, type Environment } from '../../application/environment.js';
import { OutcomeUnknown, StoreUnavailable } from '../../application/eventStore.js';
import { fairAnalyst } from '../../application/sharing/fairAnalyst.js';
import { freshness } from '../../application/freshness.js';
import { commandHandler } from '../../application/commandHandler.js';
import { openTemporaryReadModels } from './openLog.js';
import type { Stores } from './openStores.js';
import { openResources } from './resources.js';
import { clock } from '../../application/processManager/clock.js';
import { followUps } from '../../application/processManager/followUps.js';
import type { Service } from '../../application/service.js';
import { startProcessManager } from './startProcessManager.js';
import { startProjections } from './startProjections.js';
import { meteredAnalyst } from '../../application/metrics/meteredAnalyst.js';
import { meteredSender } from '../../application/metrics/meteredSender.js';
import { meteredStore } from '../../application/metrics/meteredStore.js';
import { noMetrics, type Metrics } from '../../application/metrics/metrics.js';
import { projectionLag } from '../../application/metrics/projectionLag.js';
import { tracedFollowUps, tracedStore } from '../../application/tracing/traced.js';
import type { Tracer } from '../../application/tracing/tracer.js';
import { liveChanges } from '../../application/liveChanges.js';
import { sourceIdOf } from '../../application/history/auditTrail.js';
import { tenantOfEvent } from '../../application/history/eventOwner.js';
import { turns } from '../../application/sharing/turns.js';
import { waitersFor } from '../../application/waitFor.js';
import type { WebhookSender } from '../../application/webhooks/deliveries.js';
import { dispatcher } from '../../application/webhooks/dispatch.js';
import { webhookDeliveries } from '../../application/webhooks/webhookDeliveries.js';

export type ServiceParts = {
  readonly stores: Stores;
  readonly analyst: Analyst;
  readonly checkpoints: Signer | undefined;
  readonly webhooks: {
    readonly sender: WebhookSender;
    /** Fault of an address of a receiver, undefined for none. */
    readonly addressFault: (url: string) => string | undefined;
  };
  /** Throws StorageFull while disk space is short; absent for no check. */
  readonly requireRoom?: () => void;
  readonly metrics?: Metrics;
  /** Absent for no tracing. */
  readonly tracer?: Tracer;
  readonly log: Logger;
  /** Called when the log cannot be followed any more; the process should end. */
  readonly fault: (error: unknown) => void;
  readonly environment: Environment;
};

/** A started service. Streams of changes must end before the server closes, which waits for them. */
export type Started = {
  readonly service: Service;
  readonly endStreams: () => void;
  readonly stop: () => Promise<void>;
};

/**
 * Starts a service on open stores: the projection runner and the process manager.
 * @returns the parts for HTTP routes, once the read models have caught up with the log
 * @throws StoreUnavailable
 */
export const startService = async ({
  stores,
  analyst,
  checkpoints,
  webhooks: { sender, addressFault },
  requireRoom = () => {},
  metrics = noMetrics,
  tracer,
  log,
  fault,
  environment,
}: ServiceParts): Promise<Started> => {
  const { log: store, models, people, deliveries } = stores;
  const opened = openResources();
  const wakes: (() => void)[] = [];
  const metered = meteredStore(store, metrics, environment);
  const handle = commandHandler(
    tracer ? tracedStore(metered, tracer, environment) : metered,
    () => {
      for (const wake of wakes) wake();
    },
    environment,
  );
  const requests = waitersFor(environment);
  const caughtUp = (position?: bigint) => projections.catchUp(position);
  const unavailable = (error: StoreUnavailable) => log.warn({ err: error }, 'log unreadable; retrying');
  const common = { stores, log, fault, unavailable, environment };
  const fairPool = fairAnalyst(meteredAnalyst(analyst, metrics, environment), threadsMax);
  const turning = turns(environment);
  const waits = { waiters: requests, turns: turning };
  const changes = liveChanges(event => {
    const sourceId = sourceIdOf(event);
    const tenant = tenantOfEvent({ models }, event);
    return sourceId === undefined || tenant === undefined ? undefined : { sourceId, tenant };
  });
  const work = followUps({ models, caughtUp, handle, analyst: fairPool, ...waits, log, environment });
  const timer = clock({ models, handle, caughtUp, uptime: stores.uptime, log, environment });
  const dispatch = dispatcher(people, meteredSender(sender, metrics), environment);
  const receivers = webhookDeliveries({
    log: store,
    models,
    caughtUp,
    handle,
    deliveries,
    dispatch,
    logger: log,
    environment,
  });
  const projections = await startProjections({
    ...common,
    noticed: events => {
      work.notice(events);
      receivers.notice(events);
      requests.notify();
      changes.notice(events);
    },
  });
  opened.add(projections.stop);
  wakes.push(projections.wake);
  try {
    const onAppend = (wake: () => void) => void wakes.push(wake);
    const manager = await startProcessManager({
      ...common,
      projections,
      followUps: tracer ? tracedFollowUps(work, tracer, environment) : work,
      onAppend,
    });
    opened.add(manager.stop);
    timer.start();
    opened.add(timer.stop);
    receivers.start();
    opened.add(receivers.stop);
    const history = asOf({
      store,
      end: () => models.checkpoint('readModels').position,
      turns: turning,
      openTemporary: openTemporaryReadModels,
    });
    opened.add(history.close);
    metrics.watchQueue('analyses', fairPool.waiting);
    metrics.watchQueue('eventLoop', turning.waiting);
    metrics.watchQueue('history', history.waiting);
    metrics.watch({
      lag: () => projectionLag(store, models, environment),
      backlog: manager.backlog,
      parked: () => manager.shared?.()?.parked ?? 0,
    });
    const rules = freshness({
      projections,
      shared: store.shared !== undefined,
      position: () => models.checkpoint('readModels').position,
      environment,
    });
    /** Throws while the read models lack events that they had, for example after failed writes. */
    const requireWhole = (): void => {
      if (!projections.isWhole())
        throw (
          projections.failure() ??
          new StoreUnavailable('the read models lost events and are applying them again; retry later')
        );
    };
    const service: Service = {
      handle,
      models,
      caughtUp: () => caughtUp().then(requireWhole).catch(outcomeUnknown),
      requireRoom: () => {
        requireRoom();
        const failure = projections.failure();
        if (failure) throw failure;
      },
      freshness: {
        forWrite: async () => {
          requireWhole();
          await rules.forWrite();
          requireWhole();
        },
        forRead: async maxStalenessMs => {
          requireWhole();
          const seen = await rules.forRead(maxStalenessMs);
          requireWhole();
          return seen;
        },
      },
      ...(manager.shared && { shared: manager.shared }),
      isProjecting: () => !projections.isFailing() && projections.isWhole(),
      waiters: requests,
      analyst: fairPool,
      backlog: manager.backlog,
      backlogOf: manager.backlogOf,
      turns: turning,
      followUps: work,
      changes,
      asOf: history,
      log: store,
      people,
      webhooks: { deliveries, dispatch, addressFault },
      checkpoints,
      metrics,
      environment,
      now: () => instantOf(environment),
    };
    return { service, endStreams: changes.close, stop: opened.close };
  } catch (error) {
    await opened.close();
    throw error;
  }
};

/** After an append, an unreadable log means that the outcome is unknown. */
const outcomeUnknown = (error: unknown): never => {
  if (error instanceof StoreUnavailable) throw new OutcomeUnknown(error.message, { cause: error });
  throw error;
};
