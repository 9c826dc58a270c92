import { Readable } from 'node:stream';
import type { SharedCapacity } from '../../../application/sharing/sharedCapacity.js';
import type { ClientConnection } from '../server/clientConnection.js';
import { jsonChunks } from './jsonChunks.js';

export type JsonAnswerParts = {
  readonly tenant: string;
  readonly client: ClientConnection;
  /** Memory for answers until clients have read them; undefined for an answer that must not be refused. */
  readonly memory: SharedCapacity | undefined;
  /** Called between chunks. */
  readonly yieldToEventLoop: () => Promise<void> | undefined;
  /** Decrypts the encrypted texts of a chunk. */
  readonly open: (json: string) => Promise<string>;
};

/** JSON to be sent, with its length in bytes. */
export type JsonAnswer = { readonly body: string | Readable; readonly bytes: number };

/**
 * The JSON of an answer. A large answer is made in chunks before the first one is sent, so that an error can still be
 * answered. It is sent at the rate at which the client reads.
 * @throws QueueFull when unread answers of the tenant take too much memory; errors of `yieldToEventLoop` and `open`
 */
export const jsonAnswer = async (
  value: unknown,
  { tenant, client, memory, yieldToEventLoop, open }: JsonAnswerParts,
): Promise<JsonAnswer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let previous: string | undefined;
  const keep = (text: string): void => {
    const chunk = Buffer.from(text);
    memory?.take(tenant, chunk.length);
    client.onEnd(() => memory?.release(tenant, chunk.length));
    chunks.push(chunk);
    bytes += chunk.length;
  };
  for await (const chunk of jsonChunks(value)) {
    if (previous !== undefined) keep(previous);
    await yieldToEventLoop();
    previous = await open(chunk);
  }
  const last = previous ?? '';
  if (chunks.length === 0) return { body: last, bytes: Buffer.byteLength(last) };
  keep(last);
  const sent = function* (): Generator<Buffer> {
    for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
  };
  return { body: Readable.from(sent(), { highWaterMark: 1 }), bytes };
};
