import type { Context } from 'koa';
import { StoreUnavailable } from '../../../../application/eventStore.js';
import type { Parked } from '../../../../projections/parked.js';
import type { Service } from '../../../../application/service.js';
import type { RemoteKeys } from '../../middleware/remoteKeys.js';

/**
 * Checks that requests can be handled.
 * @throws StorageFull, StoreUnavailable
 */
const requireReady = (service: Service): void => {
  service.requireRoom();
  if (!service.isProjecting()) throw new StoreUnavailable('the read models cannot follow the log');
  if (service.shared && !service.shared())
    throw new StoreUnavailable('the event store was unreachable a moment ago');
};

/** Parked subjects that are listed. */
const parkedMax = 20;

/** A parked subject without the name of its tenant and without content of its event. */
const shownParked = ({ subject, sourceId, position, type, cause }: Parked) => ({
  subject: sourceId === null ? subject.replace(/-.*$/s, '') : subject,
  position: String(position),
  type,
  cause,
});

/** Liveness: the process answers. */
export const live = (ctx: Context): void => {
  ctx.body = { status: 'ok' };
};

/** Readiness. @throws as `requireReady` */
export const ready =
  (service: Service) =>
  (ctx: Context): void => {
    requireReady(service);
    ctx.body = { status: 'ok' };
  };

/** A fault of which requests notice nothing yet, or not all. */
type Cause = { readonly code: string; readonly detail: string };

const causesOf = (keys: RemoteKeys | undefined): readonly Cause[] => [
  ...(keys?.isFailing()
    ? [
        {
          code: 'keysUnavailable',
          detail:
            'the keys of JWT_JWKS_URL cannot be fetched; the last good ones are used for at most one hour',
        },
      ]
    : []),
];

const parkedCause = (parked: readonly Parked[]): readonly Cause[] =>
  parked.length === 0
    ? []
    : [{ code: 'sourceParked', detail: `events of ${parked.length} sources or streams cannot be handled` }];

/**
 * Readiness of the service and length of its queues; it reveals nothing about tenants.
 * @throws StorageFull, StoreUnavailable when requests cannot be handled
 */
export const health = (service: Service, keys: RemoteKeys | undefined) => (ctx: Context) => {
  const { position } = service.models.checkpoint('readModels');
  const shared = service.shared?.();
  requireReady(service);
  const parked = service.models.parked.all();
  const causes = [...causesOf(keys), ...parkedCause(parked)];
  ctx.body = {
    status: causes.length > 0 ? 'degraded' : 'ok',
    ...(causes.length > 0 && { causes }),
    ...(parked.length > 0 && { parked: parked.slice(0, parkedMax).map(shownParked) }),
    readModels: { position: String(position) },
    reactor: {
      backlog: service.backlog(),
      // Only instances that share an event store park events.
      parked: shared?.parked ?? 0,
    },
    analysis: { waiting: service.analyst.waiting() },
  };
};
