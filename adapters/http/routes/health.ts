import type { Context } from 'koa';
import Type from '../typebox.js';
import type { Service } from '../../../application/requests/service.js';
import type { RemoteKeys } from '../../network/remoteKeys.js';
import type { ProblemCode } from '../problemTypes.js';
import { subjectName } from '../../../domain/streams.js';
import { damageAdvice, StoreUnavailable } from '../../../application/ports/eventStore.js';
import { isDamage, type Parked } from '../../../projections/parked.js';
import { named, text, object, integer } from '../schemas/common.js';

const parkedSchema = named('Parked', {
  subject: text(
    'The source by its id; else the kind of the stream, such as `webhooks`, `audit`, `calendar` or `catalog`.',
    'source-7',
  ),
  position: text('Position of the event in the log.', '412'),
  type: text('Type of the event.', 'DaysImported'),
  cause: text('Name of the error; the log of the service has its message.', 'SQLITE_CONSTRAINT_NOTNULL'),
});

/** The answer of `/health`. */
export const healthSchema = named('Health', {
  status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')], {
    description: 'degraded: requests are handled, and something needs attention.',
    examples: ['ok'],
  }),
  causes: Type.Optional(
    Type.Array(
      object({
        code: Type.String({ examples: ['keysUnavailable'] }),
        detail: Type.String({ examples: ['the keys of JWT_JWKS_URL cannot be fetched'] }),
      }),
      { description: 'Why it is degraded.' },
    ),
  ),
  parked: Type.Optional(
    Type.Array(parkedSchema, {
      description:
        'The first 20 sources, and streams of no source, with an event that this build cannot handle.',
    }),
  ),
  readModels: object({
    position: text('Position of the read models in the log.', '412'),
  }),
  reactor: object({
    backlog: integer(
      'Events whose checks or analyses are not in the log yet, without parked ones; with EventStoreDB also the ' +
        'events that the server has to pass before it delivers new ones.',
      0,
    ),
    parked: integer('Events that failed repeatedly; see daybook replay-parked.', 0),
  }),
  analysis: object({ waiting: integer('Analyses in the queue.', 0) }),
});

/** The answer of the probes of supervisors and load balancers. */
export const okSchema = named('Ok', { status: Type.Literal('ok') });

/** Reasons for which the service cannot handle requests, and those of every public path. */
export const readinessProblems: readonly ProblemCode[] = [
  'methodNotAllowed',
  'internal',
  'readModelsBehind',
  'storeUnavailable',
  'storageFull',
  'logDamaged',
];

/** Parts that tell whether requests can be handled. */
type ReadyParts = Pick<Service, 'log' | 'requireRoom' | 'isProjecting' | 'shared'>;

/** Parts that tell the state of the service. */
export type HealthParts = ReadyParts & Pick<Service, 'analyst' | 'backlog' | 'models' | 'scrub'>;

/**
 * Checks that requests can be handled.
 * @throws LogDamaged, StorageFull, StoreUnavailable
 */
const requireReady = (service: ReadyParts): void => {
  const damage = service.log.damage?.();
  if (damage) throw damage;
  service.requireRoom();
  if (!service.isProjecting()) throw new StoreUnavailable('the read models cannot follow the log');
  if (service.shared && !service.shared())
    throw new StoreUnavailable('the event store was unreachable a moment ago');
};

/** Parked subjects that are listed. */
const parkedMax = 20;

/** A parked subject without the name of its tenant and without content of its event. */
const shownParked = ({ subject, position, type, cause }: Parked) => ({
  subject: subjectName(subject),
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
  (service: ReadyParts) =>
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

const scrubCauses = ({ scrub }: Pick<Service, 'scrub'>): readonly Cause[] =>
  scrub?.isDiffering() === true
    ? [
        {
          code: 'readModelsDiffer',
          detail:
            'rows of read-models.sqlite differed from the log: the log of the service names the first; they were ' +
            'rebuilt, unless they differed right after a rebuild, and the next comparison ends this',
        },
      ]
    : [];

const parkedCauses = (parked: readonly Parked[]): readonly Cause[] => {
  const damaged = parked.filter(isDamage).length;
  const others = parked.length - damaged;
  const codes: readonly (readonly [number, Cause])[] = [
    [others, { code: 'sourceParked', detail: `events of ${others} sources or streams cannot be handled` }],
    [
      damaged,
      {
        code: 'logDamaged',
        detail: `events of ${damaged} sources or streams are damaged in the log: ${damageAdvice}`,
      },
    ],
  ];
  return codes.flatMap(([count, cause]) => (count > 0 ? [cause] : []));
};

/**
 * Readiness of the service and length of its queues; it reveals nothing about tenants.
 * @throws StorageFull, StoreUnavailable when requests cannot be handled
 */
export const health = (service: HealthParts, keys: RemoteKeys | undefined) => (ctx: Context) => {
  const { position } = service.models.checkpoint('readModels');
  const shared = service.shared?.();
  requireReady(service);
  const parked = service.models.parked.all();
  const causes = [...causesOf(keys), ...parkedCauses(parked), ...scrubCauses(service)];
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
