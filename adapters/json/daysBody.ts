import { chunksOf } from '../bytes/chunksOf.js';
import { arrayScanner } from './arrayScanner.js';
import { envelopeScanner } from './envelopeScanner.js';
import type { BodyPosition } from './jsonBytes.js';
import { daysBodyLimits, type DaysBodyLimits } from './limits.js';
import { unparseable } from './parseAt.js';

/** A scanned body. */
export type DaysBody = {
  /** The document; `days`, if it is an array, is empty. */
  readonly envelope: unknown;
  /** Number of elements of `days`. */
  readonly elements: number;
};

/**
 * A scanner of a JSON document that comes in chunks, cut anywhere. It passes on each element of the top-level array
 * `days` as soon as it is complete. JSON.parse reads each element alone, and finally the document with empty `days`.
 */
const daysScanner = (onElement: (value: unknown, index: number) => void, limits: DaysBodyLimits) => {
  const place: BodyPosition = { before: 0, line: 1 };
  const envelope = envelopeScanner(limits, place);
  const array = arrayScanner(onElement, limits, place);
  let inDays = false;
  /** The beginning of an element that is not complete. */
  let rest: Buffer = Buffer.alloc(0);

  const scan = (bytes: Buffer, isLast: boolean): void => {
    let index = 0;
    while (index < bytes.length) {
      if (inDays) {
        index = array.scan(bytes, index, isLast);
        if (!array.hasEnded()) break;
        envelope.leaveDays(place.before + index);
        inDays = false;
      } else {
        index = envelope.scan(bytes, index);
        inDays = envelope.isAtDays();
      }
    }
    place.before += index;
    rest = bytes.subarray(index);
  };

  return {
    write: (chunk: Buffer): void => scan(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), false),
    end: (): DaysBody => {
      scan(rest, true);
      if (inDays) throw unparseable('the body ends inside days', place.before, place.line);
      return { envelope: envelope.parse(), elements: array.count() };
    },
  };
};

/**
 * Reads a JSON body that has an array `days` at its top level. The whole body is never in memory.
 * @param onElement     called with each parsed element of `days` and its index; its errors end the reading
 * @throws Unparseable  when the body is not JSON or not UTF-8, with the byte and the line
 * @throws InvalidInput `nesting`, `duplicateField`, `elementTooLarge`, `envelopeTooLarge`
 * @throws TooLarge; Error of the stream
 */
export const readDaysBody = async (
  body: AsyncIterable<Buffer>,
  onElement: (value: unknown, index: number) => void,
  limits: DaysBodyLimits = daysBodyLimits,
): Promise<DaysBody> => {
  const scanner = daysScanner(onElement, limits);
  for await (const chunk of chunksOf(body, limits.bytesMax)) scanner.write(chunk);
  return scanner.end();
};
