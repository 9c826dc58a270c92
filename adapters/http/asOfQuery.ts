import { ownSource, ownSourceOfAlert, ownSourceOrArchived } from '../../application/requests/access.js';
import { momentOf } from '../../application/requests/history/asOf.js';
import { InvalidInput, shown, queryFault } from '../../application/requests/imports/faults.js';
import type { Clock, Service } from '../../application/requests/service.js';
import type { Call } from './route.js';

/** A call with an optional past moment. */
export type AsOfCall = Pick<Call<unknown, { readonly asOf?: string }, unknown>, 'actor' | 'signal' | 'query'>;

/** Parts of a service of one moment, past or present. */
export type Moment = Clock & Pick<Service, 'models' | 'followUps'>;

/** Parts of the present service that find those of a past moment. */
export type AsOfService = Moment & Pick<Service, 'asOf' | 'log'>;

const invalidAsOf = (code: string, asOf: string, detail: string): InvalidInput =>
  queryFault({ code, pointer: '/query/asOf', value: shown(asOf), detail });

/**
 * Read models of these sources at a past moment; those of the present without `asOf`. They must be
 * queried in the same turn of the event loop. `sourceIds` is called for a past moment only, without parked ones.
 * @throws InvalidInput when `asOf` is not a past moment; HistoryTooLong, QueueFull, StoreUnavailable
 */
export const serviceAsOf = async (
  service: AsOfService,
  call: AsOfCall,
  sourceIds: () => readonly number[],
): Promise<Moment> => {
  const { asOf } = call.query;
  if (asOf === undefined) return service;
  const moment = momentOf(asOf);
  if (!moment)
    throw invalidAsOf(
      'asOf',
      asOf,
      'expected a position, a date (the end of that UTC day), or an instant of RFC 3339 (write + as %2B in a URL)',
    );
  const end = service.models.checkpoint('readModels').position;
  if ('position' in moment && moment.position > end)
    throw invalidAsOf('asOfPosition', asOf, `expected at most the position of the last event: ${end}`);
  const after = 'position' in moment ? await eventBefore(service.log, moment.position) : -1n;
  if (after === null) throw invalidAsOf('asOfPosition', asOf, 'expected the position of an event');
  const now = service.now();
  if ('instant' in moment && moment.instant > now)
    throw invalidAsOf(
      'asOfFuture',
      asOf,
      `expected a day that is over, or an instant up to the present: ${now}`,
    );
  const { tenant } = call.actor;
  const clock = 'instant' in moment ? moment.instant : await instantAt(service, after);
  const taken = sourceIds().filter(id => !service.models.parked.source(id));
  const models = await service.asOf.at(taken, moment, { tenant, signal: call.signal });
  const { tomorrowIn } = service;
  return { models, followUps: { isAnalysing: () => false }, now: () => clock, tomorrowIn };
};

/**
 * Position after which the log begins with the event at a position, or with the one right behind it: checks of earlier
 * builds name that. Null for none: the log would be read from its beginning to find the next event.
 */
const eventBefore = async (
  log: Pick<Service['log'], 'hasEventAt'>,
  position: bigint,
): Promise<bigint | null> => {
  if (position === 0n || (await log.hasEventAt?.(position)) !== false) return position - 1n;
  return (await log.hasEventAt?.(position + 1n)) ? position : null;
};

/** Instant of the first event after a position; the present for the position before the beginning. */
const instantAt = async ({ log, now }: Pick<Service, 'log' | 'now'>, after: bigint): Promise<string> => {
  if (after < 0n) return now();
  for await (const { at } of log.all(after)) return at;
  return now();
};

/**
 * `serviceAsOf` for one source of the actor's tenant. An archived source has a past, but no present.
 * @throws Rejection `sourceNotFound` when the source does not exist now, or did not exist then
 */
export const sourceAsOf = async (service: AsOfService, call: AsOfCall, sourceId: number): Promise<Moment> => {
  const serviceThen = await serviceAsOf(service, call, () => [
    ownSourceOrArchived(service.models, call.actor, sourceId).id,
  ]);
  ownSource(serviceThen.models, call.actor, sourceId);
  return serviceThen;
};

/**
 * `serviceAsOf` for the source of an alert.
 * @throws Rejection `alertNotFound` when the source is not the tenant's now
 */
export const alertAsOf = async (service: AsOfService, call: AsOfCall, alertId: string): Promise<Moment> =>
  serviceAsOf(service, call, () => [ownSourceOfAlert(service.models, call.actor, alertId)]);
