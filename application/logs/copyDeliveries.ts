import type { DeliveryState, DeliveryStore } from '../ports/deliveries.js';
import { StoreUnavailable, type EventStore } from '../ports/eventStore.js';
import { pairsOf } from './copyLog.js';

/** How far webhooks have delivered, by their ids. */
export type DeliveryStates = ReadonlyMap<string, DeliveryState>;

/** How far the webhooks of a log have delivered; those that were deleted have no progress. */
export const deliveryStates = async (
  log: Pick<EventStore, 'all'>,
  { state }: Pick<DeliveryStore, 'state'>,
): Promise<DeliveryStates> => {
  const states = new Map<string, DeliveryState>();
  for await (const { data } of log.all(0n, ['WebhookCreated'])) {
    const { webhookId } = data as { readonly webhookId: string };
    const known = await state(webhookId);
    if (known) states.set(webhookId, known);
  }
  return states;
};

/** The position in the target of the last event up to each position in the source. */
const movedPositions = async (
  source: EventStore,
  target: EventStore,
  positions: readonly bigint[],
): Promise<(position: bigint) => bigint> => {
  const waiting = [...new Set(positions)].sort((one, other) => (one < other ? 1 : -1));
  const moved = new Map<bigint, bigint>();
  let last = 0n;
  for await (const { here, there } of pairsOf(source, target)) {
    if (!here || !there) break;
    for (let next = waiting.at(-1); next !== undefined && next < here.position; next = waiting.at(-1)) {
      moved.set(next, last);
      waiting.pop();
    }
    last = there.position;
  }
  return position => moved.get(position) ?? last;
};

/**
 * Copies the progress of webhooks to a copy of their log, whose events have other positions.
 * @throws StoreUnavailable when an instance works on a webhook
 */
export const copyDeliveries = async (
  { source, target }: { readonly source: EventStore; readonly target: EventStore },
  states: DeliveryStates,
  to: Pick<DeliveryStore, 'claim' | 'save' | 'release'>,
): Promise<void> => {
  const positions = [...states.values()].flatMap(({ cursor, ahead, replayPosition }) => [
    cursor,
    ...[...Object.values(ahead), ...(replayPosition === undefined ? [] : [replayPosition])].map(BigInt),
  ]);
  const moved = await movedPositions(source, target, positions);
  const movedDigits = (digits: string): string => String(moved(BigInt(digits)));
  for (const [webhookId, { cursor, ahead, replayPosition, ...state }] of states) {
    if ('busyUntilMs' in (await to.claim(webhookId)))
      throw new StoreUnavailable(`an instance delivers messages of webhook ${webhookId}: stop it`);
    const last = Object.entries(ahead).map(([id, digits]) => [id, movedDigits(digits)] as const);
    const replayed = replayPosition !== undefined && { replayPosition: movedDigits(replayPosition) };
    await to.save(webhookId, {
      ...state,
      ...replayed,
      cursor: moved(cursor),
      ahead: Object.fromEntries(last),
    });
    await to.release(webhookId);
  }
};
