import type { Logger } from 'pino';
import { clockOf, tomorrowIn } from '../timeZones.js';
import { threadsMax } from '../analyst.js';
import type { Analyst } from '../../application/ports/analyst.js';
import { asOf } from '../../application/requests/history/asOf.js';
import type { Signer } from '../../auditing/checkpoint.js';
import type { TokenSigner } from '../../application/ports/people.js';
import { instantOf, type Environment } from '../../application/ports/environment.js';
import { StoreUnavailable } from '../../application/ports/eventStore.js';
import type { KnownEvent } from '../../domain/events.js';
import { fairAnalyst, keyedQueue } from '../../application/ports/sharing/fairQueue.js';
import { commandHandler, logBeginner, type CommandStore } from '../../application/commands/commandHandler.js';
import { foldedStates } from '../../application/commands/foldedStates.js';
import { consistency, startProjections } from './startProjections.js';
import { openTemporaryReadModels } from './openLog.js';
import { type Stores, openResources } from './openStores.js';
import { calendarFollower } from '../../application/followUps/calendarFollower.js';
import { clock } from '../../application/followUps/clock.js';
import { collector } from '../../application/requests/collector.js';
import { feedRoutes, unclaimedFeeds } from '../../application/requests/points/feeds.js';
import { pointWriter } from '../../application/requests/points/pointWriter.js';
import { followUps } from '../../application/followUps/followUps.js';
import { type Service, tokenUses } from '../../application/requests/service.js';
import type { Snapshot } from '../../projections/readModels.js';
import { startProcessManager } from './startProcessManager.js';
import {
  meteredAnalyst,
  meteredStore,
  meteredSender,
  projectionLag,
  noMetrics,
  type Metrics,
  type Tracer,
} from '../../application/ports/monitoring.js';
import { parking as parkingOf, requestHandler, type Parking } from '../../application/reading/parking.js';
import { scrubber, type ScrubPace, type Scrubber } from '../../application/reading/scrubber.js';
import { tracedFollowUps, tracedStore } from '../../application/followUps/traced.js';
import { liveChanges } from '../../application/reading/liveChanges.js';
import { changedSourceOf, tenantOfEvent } from '../../application/requests/history/auditTrail.js';
import { largeAnswers, walks } from '../../application/requests/largeAnswers.js';
import { turns, type Turns } from '../../application/ports/sharing/turns.js';
import { waitersFor } from '../../application/reading/freshness.js';
import type { WebhookSender } from '../../application/ports/deliveries.js';
import { testPlaces } from '../../application/requests/useCases/testWebhook.js';
import { dispatcher, type Dispatch, renderer } from '../../application/messages/dispatch.js';
import { webhookDeliveries } from '../../application/messages/webhookDeliveries.js';

export type ServiceParts = {
  readonly stores: Stores;
  readonly analyst: Analyst;
  readonly checkpoints: Signer | undefined;
  /** Signs tokens; absent when an identity provider does. */
  readonly signToken?: TokenSigner | undefined;
  readonly webhooks: {
    readonly sender: WebhookSender;
    /** Fault of an address of a receiver, undefined for none. */
    readonly addressFault: (url: string) => string | undefined;
    /** Address of the screens for links in messages; absent for none. */
    readonly publicUrl?: string | undefined;
  };
  /** Throws StorageFull while disk space is short; absent for no check. */
  readonly requireRoom?: () => void;
  /** When read models are compared with the log; absent for never. */
  readonly scrub?: ScrubPace;
  /** Milliseconds that a request waits for what follows from it; absent for the usual time. */
  readonly outcomeMs?: number;
  /** Most sources of a tenant; absent for no limit. */
  readonly sourcesMax?: number;
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

/** The source, or null, and the tenant that an event changes; undefined for none. */
const changedBy = (models: Stores['models'], event: KnownEvent) => {
  const sourceId = changedSourceOf(event);
  const tenant = tenantOfEvent({ models }, event);
  return sourceId === undefined || tenant === undefined ? undefined : { sourceId, tenant };
};

/** The log for commands, measured and traced. */
const appendingStore = ({
  log,
  metrics = noMetrics,
  tracer,
  environment,
}: Pick<Stores, 'log'> &
  Pick<ServiceParts, 'metrics' | 'environment'> & { readonly tracer: Tracer | undefined }): CommandStore => {
  const metered = meteredStore(log, metrics, environment);
  const traced = tracer ? tracedStore(metered, tracer, environment) : metered;
  return { ...traced, isShared: log.shared !== undefined };
};

/** How far the projections are, for parts that are made before them. */
type Projecting = {
  readonly caughtUp: (position?: bigint) => Promise<void>;
  readonly haveAll: (position: bigint) => Promise<boolean>;
};

/** Whether the read models have all events up to a position; those of a shared log are brought up to date first. */
const haveAllUpTo = async (
  position: bigint,
  projections: Awaited<ReturnType<typeof startProjections>>,
  isShared: boolean,
): Promise<boolean> => {
  if (isShared) await projections.catchUp();
  return projections.isWhole() && projections.position() >= position;
};

/** The parts of a service that work in the background, not started: they use each other and the read models. */
const backgroundOf = (
  {
    stores,
    analyst,
    webhooks: { sender, publicUrl },
    metrics = noMetrics,
    tracer,
    log,
    environment,
    outcomeMs,
  }: ServiceParts,
  { caughtUp, haveAll }: Projecting,
  write: (change: () => void) => void,
) => {
  const { log: store, models, people, deliveries, uptime } = stores;
  const wakes: (() => void)[] = [];
  const wakeAll = (): void => wakes.forEach(wake => wake());
  const states = foldedStates();
  const appending = appendingStore({ log: store, metrics, tracer, environment });
  const handle = commandHandler(appending, wakeAll, environment, states);
  const parks = parkingOf({ models, write, log });
  const waiters = waitersFor(environment, outcomeMs);
  const turning = turns(environment);
  const fairPool = fairAnalyst(meteredAnalyst(analyst, metrics, environment), threadsMax);
  const common = { models, parking: parks, caughtUp, handle, environment };
  const dispatch = dispatcher(people, meteredSender(sender, metrics), environment, renderer(models));
  const timer = clock({ ...common, uptime, tomorrowIn, log });
  const work = followUps({ ...common, analyst: fairPool, waiters, turns: turning, log, clockOf });
  const isEmpty = (): boolean => models.tree.size() === 0;
  return {
    forRequests: requestHandler(models, parks, logBeginner(handle, isEmpty)),
    ...{ states, parks, waiters, turning, fairPool },
    answering: { largeAnswers: largeAnswers(environment), walks: walks(environment) },
    dispatch,
    /** Registers a function that is called after each append. */
    onAppend: (wake: () => void): void => void wakes.push(wake),
    changes: liveChanges(event => changedBy(models, event)),
    work,
    traced: tracer ? tracedFollowUps(work, tracer, environment) : work,
    timer,
    collecting: collector({ ...common, tomorrowIn, log }),
    calendars: calendarFollower({ ...common, waiters, log }),
    points: pointWriter({ ...common, buffer: stores.points, clockOf, resumedAt: timer.resumedAt, log }),
    feeds: { routesOf: feedRoutes(models), unclaimed: unclaimedFeeds() },
    receivers: webhookDeliveries({
      ...common,
      deliveries,
      dispatch,
      haveAll,
      publicUrl,
      turns: turning,
      clockOf,
      logger: log,
      ...(tracer && { tracer }),
    }),
  };
};

const webhookParts = ({ stores, webhooks }: ServiceParts, dispatch: Dispatch): Service['webhooks'] => ({
  deliveries: stores.deliveries,
  dispatch,
  tests: testPlaces(),
  addressFault: webhooks.addressFault,
});

/** Starts the scrubber of the read models; undefined where they are not compared. */
const startScrubber = (
  { stores, scrub, log, environment }: ServiceParts,
  projections: Awaited<ReturnType<typeof startProjections>>,
  parking: Parking,
): Scrubber | undefined => {
  if (!scrub) return undefined;
  const scrubbing = scrubber(
    {
      store: stores.log,
      models: stores.models,
      snapshot: () => {
        projections.flush();
        return stores.snapshot();
      },
      openTemporary: openTemporaryReadModels,
      isWhole: () => projections.isWhole() && !projections.isFailing(),
      parking,
      empty: stores.emptyModels,
      log,
      environment,
    },
    scrub,
  );
  scrubbing.start();
  return scrubbing;
};

/** Measures queues, the lag of the read models and the work of the process manager. */
const watchLoad = (
  { stores, metrics = noMetrics, environment }: ServiceParts,
  { fairPool, turning, answering }: ReturnType<typeof backgroundOf>,
  {
    history,
    manager,
    scrubbing,
  }: {
    readonly history: ReturnType<typeof asOf>;
    readonly manager: Awaited<ReturnType<typeof startProcessManager>>;
    readonly scrubbing: Scrubber | undefined;
  },
): void => {
  metrics.watchQueue('analyses', fairPool.waiting);
  metrics.watchQueue('eventLoop', turning.waiting);
  metrics.watchQueue('history', history.waiting);
  metrics.watchQueue('largeAnswers', answering.largeAnswers.waiting);
  metrics.watch({
    lag: () => projectionLag(stores.log, stores.models, environment),
    backlog: manager.backlog,
    parked: () => manager.shared?.()?.parked ?? 0,
    parkedSources: () => stores.models.parked.count(),
    differences: () => scrubbing?.differences() ?? 0,
  });
};

/** Read models of the past. */
const historyOf = ({ log: store, models }: Stores, turning: Turns): ReturnType<typeof asOf> =>
  asOf({
    incidents: models.incidents,
    store,
    end: () => models.checkpoint('readModels').position,
    turns: turning,
    openTemporary: openTemporaryReadModels,
  });

/** The present read models as they are; on a full disk, which allows no commit and no write, the present connection. */
const snapshotOf = (
  { snapshot, models }: Stores,
  { flush, isWhole }: Pick<Awaited<ReturnType<typeof startProjections>>, 'flush' | 'isWhole'>,
): Snapshot => {
  try {
    flush();
    return snapshot();
  } catch (error) {
    // Read models that turned out to be damaged are empty now.
    if (!(error instanceof StoreUnavailable) || !isWhole()) throw error;
    return { models, close: () => {} };
  }
};

/**
 * Starts a service on open stores: the projection runner and the process manager.
 * @returns the parts for HTTP routes, once the read models have caught up with the log
 * @throws StoreUnavailable
 */
export const startService = async (parts: ServiceParts): Promise<Started> => {
  const { stores, metrics = noMetrics, log, fault, environment } = parts;
  const { log: store, models, people } = stores;
  const opened = openResources();
  const caughtUp = (position?: bigint): Promise<void> => projections.catchUp(position);
  const haveAll = (position: bigint) => haveAllUpTo(position, projections, store.shared !== undefined);
  const background = backgroundOf(parts, { caughtUp, haveAll }, change => projections.write(change));
  const { fairPool, turning, work, traced, timer, receivers, changes, onAppend, states } = background;
  const unavailable = (error: StoreUnavailable) => log.warn({ err: error }, 'log unreadable; retrying');
  const common = { stores, states, parking: background.parks, log, fault, unavailable, environment };
  const projections = await startProjections({
    ...common,
    noticed: events => {
      work.notice(events);
      receivers.notice(events);
      background.calendars.notice(events);
      background.waiters.notify();
      changes.notice(events);
    },
  });
  opened.add(projections.stop);
  onAppend(projections.wake);
  try {
    const manager = await startProcessManager({ ...common, projections, followUps: traced, onAppend });
    opened.add(manager.stop);
    for (const part of [timer, background.points, background.collecting, background.calendars]) {
      part.start();
      opened.add(part.stop);
    }
    receivers.start();
    opened.add(receivers.stop);
    const history = historyOf(stores, turning);
    opened.add(history.close);
    const scrubbing = startScrubber(parts, projections, background.parks);
    opened.add(() => scrubbing?.stop());
    watchLoad(parts, background, { history, manager, scrubbing });
    const service: Service = {
      handle: background.forRequests,
      ...{ models, dependentChanges: keyedQueue(), sourcesMax: parts.sourcesMax ?? Infinity },
      snapshot: () => snapshotOf(stores, projections),
      ...background.answering,
      ...consistency({ stores, projections, requireRoom: parts.requireRoom, environment }),
      ...(manager.shared && { shared: manager.shared }),
      ...(scrubbing && { scrub: scrubbing }),
      waiters: background.waiters,
      analyst: fairPool,
      backlog: manager.backlog,
      backlogOf: manager.backlogOf,
      turns: turning,
      ...{ followUps: work, calendars: background.calendars },
      changes,
      asOf: history,
      log: store,
      people,
      webhooks: webhookParts(parts, background.dispatch),
      ...{ points: { buffer: stores.points, writer: background.points }, feeds: background.feeds },
      ...{ checkpoints: parts.checkpoints, signToken: parts.signToken },
      ...{ metrics, tokenUses: tokenUses(() => instantOf(environment)) },
      ...{ environment, now: () => instantOf(environment), tomorrowIn },
    };
    return { service, endStreams: changes.close, stop: opened.close };
  } catch (error) {
    await opened.close();
    throw error;
  }
};
