import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { errorOf, type BodyJob, type FromThread, type Read, type ToThread } from './bodyThread.js';
import { readCsvDays } from './csv/csvDays.js';
import { collectJsonDays } from './json/jsonDays.js';

/** Reads the bodies of imports, large ones in threads of their own, so that requests go on meanwhile. */
export type Bodies = {
  /** @throws what `readCsvDays` or `collectJsonDays` throws */
  readonly read: <Job extends BodyJob>(body: AsyncIterable<Buffer>, job: Job) => Promise<Read[Job['kind']]>;
  readonly close: () => Promise<void>;
};

/** Bodies up to this size are read where they come: a thread would take longer to be told of them. */
const smallBytes = 262_144;

/** Bytes that are sent to a thread at once, and how many such slabs a body has: it waits for one to come back. */
const slabBytes = 262_144;
const slabsMax = 4;

/** Threads, and bodies that one of them reads by turns: together no less than are read at once (http/imports). */
const threadsMax = 2;
const bodiesPerThread = 8;

/** Chunks of a body in memory, then what is still to come. */
async function* joined(head: readonly Buffer[], rest?: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  yield* head;
  for (let next = await rest?.next(); next && !next.done; next = await rest?.next()) yield next.value;
}

/**
 * Sends a body in slabs that come back to be filled again: full ones, and whatever there is when its reader waits, so
 * that nobody who sends slowly waits for an answer longer than need be.
 */
const sender = (post: (message: ToThread, transfer: readonly ArrayBuffer[]) => void) => {
  const free = Array.from({ length: slabsMax }, () => new ArrayBuffer(slabBytes));
  let filling: Uint8Array<ArrayBuffer> | undefined;
  let filled = 0;
  let ended = false;
  let wake = (): void => {};

  const flush = (): void => {
    if (!filling || filled === 0) return;
    post(filling.subarray(0, filled), [filling.buffer]);
    filling = undefined;
  };
  const isAwaited = (): boolean => free.length === (filling ? slabsMax - 1 : slabsMax);
  const slab = async (): Promise<Uint8Array<ArrayBuffer>> => {
    while (free.length === 0) await new Promise<void>(resolve => (wake = resolve));
    filled = 0;
    return new Uint8Array(free.pop() as ArrayBuffer);
  };
  return {
    gotBack: (bytes: ArrayBuffer): void => {
      free.push(bytes);
      if (isAwaited()) flush();
      wake();
    },
    /** Nobody wants the rest: it is thrown away, so that the connection does not clog. */
    end: (): void => {
      ended = true;
      free.push(new ArrayBuffer(slabBytes));
      wake();
    },
    /** @throws Error of the body */
    send: async (body: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of body) {
        for (let from = 0; from < chunk.length && !ended;) {
          filling ??= await slab();
          const part = chunk.subarray(from, from + slabBytes - filled);
          filling.set(part, filled);
          filled += part.length;
          from += part.length;
          if (filled === slabBytes) flush();
        }
        if (isAwaited() && !ended) flush();
      }
      if (ended) return;
      flush();
      post(null, []);
    },
  };
};

/**
 * Reads bodies here or in threads, which are started when first needed.
 * @param fault  called when threads cannot be started at all
 */
export const bodies = (fault: (error: unknown) => void): Bodies => {
  const pool = new Piscina<{ readonly port: MessagePort; readonly job: BodyJob }, undefined>({
    filename: new URL('./bodyThread.js', import.meta.url).href,
    name: 'readBody',
    minThreads: 0,
    maxThreads: threadsMax,
    concurrentTasksPerWorker: bodiesPerThread,
    idleTimeout: 60_000,
  });
  pool.on('error', fault);

  const readHere = (body: AsyncIterable<Buffer>, job: BodyJob): Promise<Read[BodyJob['kind']]> =>
    job.kind === 'csv' ? readCsvDays(body, job.rule) : collectJsonDays(body);

  const readThere = async (body: AsyncIterable<Buffer>, job: BodyJob): Promise<Read[BodyJob['kind']]> => {
    const { port1: port, port2 } = new MessageChannel();
    const { send, gotBack, end } = sender((message, transfer) => port.postMessage(message, transfer));
    const days: unknown[] = [];
    try {
      return await new Promise((resolve, reject) => {
        port.on('message', (message: FromThread) => {
          switch (message.kind) {
            case 'free':
              return gotBack(message.bytes);
            case 'days':
              return void days.push(...message.days);
            case 'read':
              return resolve({ ...message.rest, days } as unknown as Read[BodyJob['kind']]);
            case 'refused':
              return reject(errorOf(message.refusal, message.message));
          }
        });
        pool.run({ port: port2, job }, { transferList: [port2] }).catch(reject);
        send(body).catch(reject);
      });
    } finally {
      end();
      port.close();
    }
  };

  return {
    read: async <Job extends BodyJob>(body: AsyncIterable<Buffer>, job: Job) => {
      const chunks = body[Symbol.asyncIterator]();
      const head: Buffer[] = [];
      for (let bytes = 0; bytes <= smallBytes;) {
        const next = await chunks.next();
        // A job of a kind gives what that kind gives, which one type cannot say of both.
        if (next.done) return (await readHere(joined(head), job)) as Read[Job['kind']];
        head.push(next.value);
        bytes += next.value.length;
      }
      return (await readThere(joined(head, chunks), job)) as Read[Job['kind']];
    },
    close: () => pool.destroy(),
  };
};
