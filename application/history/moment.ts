import { parseDate } from '../../domain/dates.js';
import type { Recorded } from '../../domain/events.js';

/** A point of the past: a position of the log, or an instant, ISO 8601 UTC. */
export type Moment = { readonly position: bigint } | { readonly instant: string };

/** Digits of a position, as a pattern: up to 10^18 − 1, more than any log has and less than what a store can take. */
export const positionDigits = '\\d{1,18}';
/** A moment may name a position beyond the end: it is compared, and never reaches a store. */
const digits = /^\d+$/;

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** The moment that a text means: digits are a position, all else an instant of RFC 3339; `undefined` for neither. */
export const momentOf = (text: string): Moment | undefined => {
  if (digits.test(text)) return { position: BigInt(text) };
  const [, date] = instantPattern.exec(text) ?? [];
  if (date === undefined || parseDate(date) === undefined) return undefined;
  return { instant: new Date(text).toISOString() };
};

/**
 * Whether an event was there at a moment. Of an instant the time of its decision says so: whoever reads events in
 * their order ends with the first that was decided later.
 */
export const wasThere = (event: Pick<Recorded, 'position' | 'at'>, moment: Moment): boolean =>
  'position' in moment ? event.position <= moment.position : event.at <= moment.instant;
