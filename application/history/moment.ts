import { parseDate } from '../../domain/dates.js';
import type { Recorded } from '../../domain/events.js';

/** A point of the past: a position of the log, or an instant, ISO 8601 UTC. */
export type Moment = { readonly position: bigint } | { readonly instant: string };

/** Pattern of a position, up to 10^18 − 1: more than any log has, less than the limit of every store. */
export const positionDigits = '\\d{1,18}';
/** A position of any length: moments are only compared, never passed to a store. */
const digits = /^\d+$/;

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Moment of a text: digits are a position, a date is the end of that UTC day, otherwise it is an instant (RFC 3339);
 * `undefined` for other texts.
 */
export const momentOf = (text: string): Moment | undefined => {
  if (digits.test(text)) return { position: BigInt(text) };
  if (parseDate(text) !== undefined) return { instant: `${text}T23:59:59.999Z` };
  const [, date] = instantPattern.exec(text) ?? [];
  if (date === undefined || parseDate(date) === undefined) return undefined;
  return { instant: new Date(text).toISOString() };
};

/**
 * Whether an event existed at a moment. For an instant its time of decision counts; readers in log order stop at the
 * first later event.
 */
export const existedAt = (event: Pick<Recorded, 'position' | 'at'>, moment: Moment): boolean =>
  'position' in moment ? event.position <= moment.position : event.at <= moment.instant;
