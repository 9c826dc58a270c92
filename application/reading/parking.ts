import type { Logger } from 'pino';
import { EventDamaged, processManagerName, type Recorded } from '../../domain/events.js';
import { streams, subjectName, subjectOf } from '../../domain/streams.js';
import { isDamage, type Parked } from '../../projections/parked.js';
import type { ReadModels } from '../../projections/readModels.js';
import { eventHash } from '../../auditing/eventBytes.js';
import { weightOf, batchMax } from './projectionRunner.js';
import type { CommandHandler } from '../commands/commandHandler.js';
import { damageAdvice, EventFault, type EventStore, eventsOfSource } from '../ports/eventStore.js';

/** Name of a parked subject in a sentence. */
const subjectText = ({ sourceId, subject }: Pick<Parked, 'sourceId' | 'subject'>): string => {
  if (sourceId !== null) return `source ${sourceId}`;
  if (subject === streams.catalog) return 'the catalogue of sources';
  return `the ${subjectName(subject)} stream of this tenant`;
};

/** A request needs a subject that is parked. */
export class SourceParked extends Error {
  readonly name = 'SourceParked';
  /** Whether its event is damaged in the log. */
  readonly isDamage: boolean;

  /** @param effect of the request, for the message */
  constructor(parked: Parked, effect = 'nothing was stored') {
    const { position, type, cause } = parked;
    // The reason may have content of the event, of the catalogue also of another tenant: only the log has it.
    super(
      isDamage(parked)
        ? `${subjectText(parked)} is parked: event ${position} (${type}) of it is damaged in the log; ${effect}. ` +
            `The operator has to ${damageAdvice}`
        : `${subjectText(parked)} is parked: this build cannot handle event ${position} (${type}) of it: ${cause}; ` +
            `${effect}. A build that can handle the event takes it up again, or "daybook rebuild"`,
    );
    this.isDamage = isDamage(parked);
  }
}

/** Refuses to go on with a stream whose subject is parked. @throws SourceParked */
export const requireNotParked = (
  models: Pick<ReadModels, 'parked'>,
  stream: string,
  effect?: string,
): void => {
  const parked = models.parked.one(subjectOf(stream));
  if (parked) throw new SourceParked(parked, effect);
};

/** Parks the subjects of events that cannot be followed. */
export type Parking = {
  /** Whether followers leave an event out, because its subject is parked. */
  readonly isParked: (event: Recorded) => boolean;
  /**
   * Parks the subject of an event whose handling failed, or of the event that an EventFault names.
   * @throws StoreUnavailable when the read models cannot be written
   */
  readonly park: (event: Recorded, error: unknown) => void;
  /** Runs a task; the subject of an event that stops it is parked, and the result is undefined. */
  readonly guard: <Result>(task: () => Promise<Result>) => Promise<Result | undefined>;
};

export type ParkingParts = {
  readonly models: Pick<ReadModels, 'parked' | 'park' | 'checkpoint'>;
  /** Writes to the read models. */
  readonly write: (change: () => void) => void;
  readonly log: Pick<Logger, 'error'>;
};

/** Logs that subjects were parked. */
export const reportParked = (log: Pick<Logger, 'error'>, parked: readonly Parked[]): void => {
  for (const { position, ...fault } of parked)
    log.error({ ...fault, position: String(position), applied: String(fault.applied) }, 'subject parked');
};

/** Parks the subject of the event that an EventFault names. @throws any other error */
const parkedEvent = ({ park }: Pick<Parking, 'park'>, error: unknown): Recorded => {
  if (!(error instanceof EventFault)) throw error;
  park(error.event, error);
  return error.event;
};

/** Parking of the read models of a service. */
export const parking = ({ models, write, log }: ParkingParts): Parking => {
  const park: Parking['park'] = (followed, failure) => {
    const [event, error] =
      failure instanceof EventFault ? [failure.event, failure.cause] : [followed, failure];
    const before = models.parked.one(subjectOf(event.stream));
    // Only damage makes the tree wrong, so it becomes the cause of a subject that is parked for another one.
    if (before && (isDamage(before) || !(error instanceof EventDamaged))) return;
    const upTo = before?.applied ?? models.checkpoint('readModels').position;
    write(() => void models.park(event, error, upTo));
    const parked = models.parked.one(subjectOf(event.stream));
    if (parked) reportParked(log, [parked]);
  };
  return {
    isParked: ({ stream, position }) => {
      const parked = models.parked.one(subjectOf(stream));
      // Damage may be behind the event at which it was parked before: the rows end before both.
      return parked !== undefined && (position >= parked.position || position > parked.applied);
    },
    park,
    guard: async task =>
      task().catch((error: unknown) => {
        parkedEvent({ park }, error);
        return undefined;
      }),
  };
};

/** A command handler for requests: it refuses the streams of parked subjects. @throws SourceParked */
export const requestHandler =
  (
    models: Pick<ReadModels, 'parked'>,
    parking: Pick<Parking, 'park'>,
    handle: CommandHandler,
  ): CommandHandler =>
  async (decider, stream, command, metadata) => {
    requireNotParked(models, stream);
    try {
      return await handle(decider, stream, command, metadata);
    } catch (error) {
      requireNotParked(models, parkedEvent(parking, error).stream);
      throw error;
    }
  };

/** The event of a parked subject, and the hash of the event before it in its stream. */
const eventOf = async ({ position, eventId }: Parked, store: Pick<EventStore, 'read' | 'all'>) => {
  for await (const event of store.all(position - 1n)) {
    if (event.id !== eventId) return undefined;
    if (event.revision === 0) return { event, previous: null };
    for await (const before of store.read(event.stream, event.revision - 1))
      return { event, previous: before.hash ?? null };
  }
  return undefined;
};

/**
 * The subjects that are parked because of an event that is damaged still. When there were more, the log was restored,
 * and the read models have to be rebuilt: their Merkle tree may have the damaged event.
 */
export const stillDamaged = async (
  parked: readonly Parked[],
  store: Pick<EventStore, 'read' | 'all'>,
): Promise<readonly Parked[]> => {
  const damaged: Parked[] = [];
  for (const subject of parked.filter(isDamage)) {
    const found = await eventOf(subject, store);
    if (!found) continue;
    const { event, previous } = found;
    const isChanged = event.hash !== undefined && event.hash !== eventHash(event, previous);
    if (event.damage !== undefined || isChanged) damaged.push(subject);
  }
  return damaged;
};

/** Whether the tree has no damaged event of any tenant: else it gives no proofs. */
export const isSoundTree = ({ parked }: Pick<ReadModels, 'parked'>): boolean => !parked.all().some(isDamage);

/** Events of a parked subject that the read models lack, up to their checkpoint. */
async function* heldEvents(
  { subject, sourceId, applied }: Parked,
  store: Pick<EventStore, 'read'>,
  end: bigint,
): AsyncGenerator<Recorded> {
  const events = sourceId === null ? store.read(subject) : eventsOfSource(store, sourceId);
  for await (const event of events) {
    if (event.position > end) return;
    if (event.position > applied) yield event;
  }
}

/** Checkpoint of the process manager: all events up to it are done. */
export const processManagerCheckpoint = processManagerName;

/**
 * Takes up the subjects that another build has parked: applies the events that were left out, and lets the process
 * manager follow them again. To be called at the start, before the read models follow the log.
 * @returns the subjects that are no longer parked
 */
export const resumeParked = async (
  models: ReadModels,
  store: Pick<EventStore, 'read'>,
): Promise<readonly Parked[]> => {
  const end = models.checkpoint('readModels').position;
  const resumed: Parked[] = [];
  for (const parked of models.parked.all()) {
    // Read models of a damaged event are rebuilt once it is sound again: see `stillDamaged`.
    if (parked.build === models.build() || isDamage(parked)) continue;
    let batch: Recorded[] = [];
    let weight = 0;
    let isTaken = true;
    for await (const event of heldEvents(parked, store, end)) {
      batch.push(event);
      weight += weightOf(event);
      if (weight < batchMax) continue;
      isTaken = models.resume(parked.subject, batch, false);
      if (!isTaken) break;
      [batch, weight] = [[], 0];
    }
    if (!isTaken) continue;
    // Before the release: after a crash between the two the events are followed again.
    const followed = models.checkpoint(processManagerCheckpoint).position;
    if (parked.position <= followed) models.saveCheckpoint(processManagerCheckpoint, parked.position - 1n);
    if (models.resume(parked.subject, batch, true)) resumed.push(parked);
  }
  return resumed;
};
