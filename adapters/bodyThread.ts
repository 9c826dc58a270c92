import { on } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { readCsvDays, type CsvDays } from './csv/csvDays.js';
import { InvalidInput, TooLarge, Unparseable, type InputFault } from './faults.js';
import type { DayRule } from './importedDays.js';
import { collectJsonDays, type CollectedDays } from './json/jsonDays.js';

// Entry of a worker thread (adapters/bodies.ts) that reads bodies.

/** What a body is read as. All that goes between the threads is plain data, as structured cloning demands. */
export type BodyJob = { readonly kind: 'csv'; readonly rule: DayRule } | { readonly kind: 'json' };

/** What each kind gives. */
export type Read = { readonly csv: CsvDays; readonly json: CollectedDays };

/** What the thread is sent: bytes to be given back, then null. */
export type ToThread = Uint8Array<ArrayBuffer> | null;

/** A fault of the input, as plain data. */
type Refusal =
  | { readonly name: 'InvalidInput'; readonly code: string; readonly faults: readonly InputFault[] }
  | { readonly name: 'Unparseable'; readonly faults: readonly InputFault[] }
  | { readonly name: 'TooLarge'; readonly limitBytes: number };

/** What the thread answers: bytes that it has done with; at the end some days at a time, then all else. */
export type FromThread =
  | { readonly kind: 'free'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'days'; readonly days: Read[BodyJob['kind']]['days'] }
  | { readonly kind: 'read'; readonly rest: Omit<Read[BodyJob['kind']], 'days'> }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly message: string };

/** Days in one message: taking a message is a turn of the other thread, in which it does nothing else. */
const daysPerMessage = 500;

const refusalOf = (error: unknown): Refusal | undefined => {
  if (error instanceof InvalidInput) return { name: 'InvalidInput', code: error.code, faults: error.faults };
  if (error instanceof Unparseable) return { name: 'Unparseable', faults: error.faults };
  if (error instanceof TooLarge) return { name: 'TooLarge', limitBytes: error.limitBytes };
  return undefined;
};

/** The error that was thrown in the thread. */
export const errorOf = (refusal: Refusal, message: string): Error => {
  switch (refusal.name) {
    case 'InvalidInput':
      return new InvalidInput(refusal.code, message, refusal.faults);
    case 'Unparseable':
      return new Unparseable(message, refusal.faults);
    case 'TooLarge':
      return new TooLarge(refusal.limitBytes);
  }
};

/** The bytes as they come. Each piece goes back when the next one is asked for: a reader keeps nothing of it. */
async function* bytesFrom(port: MessagePort): AsyncGenerator<Buffer, void> {
  for await (const [message] of on(port, 'message', { close: ['close'] })) {
    const bytes = message as ToThread;
    if (bytes === null) return;
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    port.postMessage({ kind: 'free', bytes: bytes.buffer } satisfies FromThread, [bytes.buffer]);
  }
  throw new Error('the body broke off');
}

/** Reads a body whose bytes come through a port, and answers there; the promise tells when that is done. */
export const readBody = async ({ port, job }: { port: MessagePort; job: BodyJob }): Promise<void> => {
  const tell = (message: FromThread): void => port.postMessage(message);
  try {
    const bytes = bytesFrom(port);
    const { days, ...rest } =
      job.kind === 'csv' ? await readCsvDays(bytes, job.rule) : await collectJsonDays(bytes);
    for (let from = 0; from < days.length; from += daysPerMessage)
      tell({ kind: 'days', days: days.slice(from, from + daysPerMessage) as typeof days });
    tell({ kind: 'read', rest });
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    tell({ kind: 'refused', refusal, message: (error as Error).message });
  } finally {
    port.close();
  }
};
