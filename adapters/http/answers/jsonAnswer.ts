import { Readable } from 'node:stream';
import type { SharedCapacity } from '../../../application/ports/sharing/fairQueue.js';
import { languageTags, type Language } from '../../../domain/words/languages.js';
import type { ClientConnection } from '../clientConnection.js';

/** Fields whose text is in other languages in a field next to them. */
const translated = [
  ['sentence', 'sentences'],
  ['summary', 'summaries'],
  ['title', 'titles'],
  ['reason', 'reasons'],
  ['name', 'names'],
  ['loss', 'losses'],
] as const;

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a function for the objects of an answer: their texts become those of a language, where the field next to them
 * has it. Undefined for English, which answers are made in.
 */
export const inLanguage = (language: Language): ((value: unknown) => unknown) | undefined => {
  if (language === 'en') return undefined;
  return value => {
    if (!isObject(value)) return value;
    const changed = translated.flatMap(([field, others]) => {
      const texts = value[others];
      const text = isObject(texts) ? texts[language] : undefined;
      return typeof text === 'string' && typeof value[field] === 'string' ? [[field, text] as const] : [];
    });
    return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
  };
};

/** The language that a client prefers; English when it has no preference, or for none that exists. */
export const preferredLanguage = (accepts: (...tags: string[]) => string | false): Language => {
  const chosen = accepts(...languageTags);
  return languageTags.find(tag => tag === chosen) ?? 'en';
};

/** Smallest length of a chunk, except the last one, in characters. */
const chunkLengthMin = 65_536;

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  typeof (value as { toJSON?: unknown }).toJSON !== 'function';

/** A list whose elements are made when they are written. */
const isAsyncList = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Changes an object before it is written; undefined for none. */
type Change = ((value: unknown) => unknown) | undefined;

/** JSON of objects that `keepJson` has marked; empty until it is asked for. */
const kept = new WeakMap<object, string>();

/** Marks an object that is in the lists of many answers and never changes: its JSON is made once. */
export const keepJson = <Value extends object>(value: Value): Value => {
  kept.set(value, '');
  return value;
};

const textOf = (value: unknown, change: Change): string => {
  if (change) return JSON.stringify(value, (_, one: unknown) => change(one)) ?? 'null';
  const isKept = typeof value === 'object' && value !== null && kept.has(value);
  if (!isKept) return JSON.stringify(value) ?? 'null';
  const text = kept.get(value) || JSON.stringify(value);
  kept.set(value, text);
  return text;
};

/** The JSON of a value in parts. Elements of lists and fields of objects are whole, to a depth. */
function* partsOf(given: unknown, depth: number, change: Change): Generator<string | AsyncIterable<unknown>> {
  const value = isPlain(given) && change ? change(given) : given;
  if (isAsyncList(value)) {
    yield '[';
    yield value;
    yield ']';
    return;
  }
  if (depth > 0 && Array.isArray(value)) {
    yield '[';
    for (const [index, element] of value.entries())
      yield `${index === 0 ? '' : ','}${textOf(element, change)}`;
    yield ']';
  } else if (depth > 0 && isPlain(value)) {
    let before = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* partsOf(field, depth - 1, change);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else yield textOf(value, change);
}

/**
 * The text of `JSON.stringify(value)` in chunks of about 64 KiB. A chunk ends between elements of lists, to a depth of
 * two, so no string is split. Async iterables to that depth are lists.
 * @param change for the objects in it
 */
export async function* jsonChunks(value: unknown, change?: Change): AsyncGenerator<string> {
  let chunk = '';
  for (const part of partsOf(value, 2, change)) {
    if (typeof part === 'string') chunk += part;
    else {
      let before = '';
      for await (const element of part) {
        chunk += `${before}${textOf(element, change)}`;
        before = ',';
        if (chunk.length < chunkLengthMin) continue;
        yield chunk;
        chunk = '';
      }
    }
    if (chunk.length < chunkLengthMin) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

export type JsonAnswerParts = {
  readonly tenant: string;
  readonly client: ClientConnection;
  /** Memory for answers until clients have read them; undefined for an answer that must not be refused. */
  readonly memory: SharedCapacity | undefined;
  /** Called between chunks. */
  readonly yieldToEventLoop: () => Promise<void> | undefined;
  /** Changes the objects of the value, such as their language; undefined for none. */
  readonly change?: Change;
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
  { tenant, client, memory, yieldToEventLoop, change, open }: JsonAnswerParts,
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
  for await (const chunk of jsonChunks(value, change)) {
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
