import { Readable } from 'node:stream';
import type { SharedCapacity } from '../../../application/sharing/sharedCapacity.js';
import { jsonPieces } from './jsonChunks.js';
import type { Presence } from '../server/presence.js';

export type JsonAnswerParts = {
  readonly tenant: string;
  readonly client: Presence;
  /** Memory for answers whose clients have not taken them yet; none where an answer must not be refused any more. */
  readonly memory: SharedCapacity | undefined;
  /** Awaited between pieces: others may go first. */
  readonly yieldToEventLoop: () => Promise<void> | undefined;
  /** Opens what people have sealed in a piece. */
  readonly open: (json: string) => Promise<string>;
};

/** JSON to be sent, with its length in bytes. */
export type JsonAnswer = { readonly body: string | Readable; readonly bytes: number };

/**
 * The JSON of an answer: a large one in pieces, made before the first is sent, so that a failure can still be told, and
 * sent at the pace of its client.
 * @throws QueueFull when too much waits for clients of this tenant, and what `breathe` and `open` throw
 */
export const jsonAnswer = async (
  value: unknown,
  { tenant, client, memory, yieldToEventLoop: yieldToEventLoop, open }: JsonAnswerParts,
): Promise<JsonAnswer> => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let before: string | undefined;
  const keep = (text: string): void => {
    const piece = Buffer.from(text);
    memory?.take(tenant, piece.length);
    client.onEnd(() => memory?.release(tenant, piece.length));
    pieces.push(piece);
    bytes += piece.length;
  };
  for (const piece of jsonPieces(value)) {
    if (before !== undefined) keep(before);
    await yieldToEventLoop();
    before = await open(piece);
  }
  const last = before ?? '';
  if (pieces.length === 0) return { body: last, bytes: Buffer.byteLength(last) };
  keep(last);
  const sent = function* (): Generator<Buffer> {
    for (let piece = pieces.shift(); piece; piece = pieces.shift()) yield piece;
  };
  return { body: Readable.from(sent(), { highWaterMark: 1 }), bytes };
};
