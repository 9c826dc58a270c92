import {
  MessageChannel,
  Worker,
  isMainThread,
  parentPort,
  receiveMessageOnPort,
  workerData,
  type MessagePort,
} from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogAddress } from '../../../adapters/settings/logAddress.js';
import { openLog } from '../../../adapters/composition/openLog.js';
import { keyStreams } from '../../../adapters/privacy/keys.js';
import { people } from '../../../adapters/privacy/people.js';
import type { Recorded } from '../../../domain/events.js';

// Tests read the log synchronously between two requests. For a store on the network, another thread reads while
// this one blocks.

type Ask = { readonly after: bigint; readonly port: MessagePort; readonly answered: Int32Array };
type Said = { readonly events?: readonly Recorded[]; readonly error?: string };

type Served = LogAddress & { readonly opened: boolean };

/** Reads a log synchronously. */
export type SyncLog = {
  readonly eventsAfter: (position: bigint) => readonly Recorded[];
  readonly close: () => Promise<void>;
};

const patienceMs = 60_000;

/** @param opened  whether personal data are decrypted */
export const syncLog = (address: LogAddress, { opened = false } = {}): SyncLog => {
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...address, opened } });
  worker.unref();
  return {
    eventsAfter: after => {
      const { port1, port2 } = new MessageChannel();
      const answered = new Int32Array(new SharedArrayBuffer(4));
      const ask: Ask = { after, port: port2, answered };
      worker.postMessage(ask, [port2]);
      Atomics.wait(answered, 0, 0, patienceMs);
      const said = receiveMessageOnPort(port1)?.message as Said | undefined;
      port1.close();
      if (!said?.events) throw new Error(`the log cannot be read: ${said?.error ?? 'no answer'}`);
      return said.events;
    },
    close: async () => void (await worker.terminate()),
  };
};

/** Runs in the other thread. */
const serve = ({ opened, ...address }: Served): void => {
  let log: ReturnType<typeof openLog> | undefined;
  /** Opens the log when it is first read, and again after a failure: the server may be away. */
  const opening = async () => {
    log ??= openLog(address);
    try {
      return await log;
    } catch (error) {
      log = undefined;
      throw error;
    }
  };
  const refuse = () => Promise.reject(new Error('nothing is deleted here'));
  const metadataOf = async ({ metadata }: Recorded): Promise<Recorded['metadata']> => {
    if (!opened) return metadata;
    const known = people(keyStreams(await opening(), refuse), () => {
      throw new Error('no keys are made here');
    });
    return JSON.parse(await known.openedJson('default', JSON.stringify(metadata))) as Recorded['metadata'];
  };
  parentPort?.on('message', ({ after, port, answered }: Ask) => {
    /** Retries until it succeeds: a test may stop the server. */
    const read = async (): Promise<Said> => {
      for (const since = performance.now(); ; await sleep(200)) {
        const events: Recorded[] = [];
        try {
          for await (const event of (await opening()).all(after))
            events.push({ ...event, metadata: await metadataOf(event) });
          return { events };
        } catch (error) {
          if (performance.now() - since > patienceMs / 2) throw error;
        }
      }
    };
    void read()
      .catch((error: unknown): Said => ({ error: String(error) }))
      .then(said => {
        port.postMessage(said);
        Atomics.store(answered, 0, 1);
        Atomics.notify(answered, 0);
      });
  });
};
if (!isMainThread && (workerData as LogAddress | null)?.kind === 'eventstoredb') serve(workerData as Served);
