import { parseDate } from '../../domain/dates.js';
import { hasOffset, isForeignText, parseTimestamp, type FieldFault } from './fields.js';

/** Formats of a timestamp that a request can name; the first one is the default format. */
export const dateFormats = [
  'ISO',
  'YYYY-MM-DD HH:mm:ss',
  'DD/MM/YYYY HH:mm',
  'epochSeconds',
  'epochMilliseconds',
] as const;
export type DateFormat = (typeof dateFormats)[number];

/** How timestamps of one format are read. */
export type StampFormat = {
  /** The form, for messages. */
  readonly expected: string;
  /** Seconds since 1970 of UTC or of a local clock, or the fault. `dayOf` returns the day number of a date. */
  readonly parse: (text: string, dayOf?: typeof parseDate) => number | FieldFault;
  /** Whether a valid text is an instant, independent of the clock of local times. */
  readonly isInstant: (text: string) => boolean;
};

/** The ISO form of `YYYY-MM-DD HH:mm[:ss…]`; any other text as it is. */
const isoOfSpaced = (text: string): string => {
  if (text[10] !== ' ') return text.replace('T', ' ');
  const spelled = `${text.slice(0, 10)}T${text.slice(11)}`;
  return spelled.length === 16 ? `${spelled}:00` : spelled;
};

const dayFirst = /^(\d\d?)\/(\d\d?)\/(\d{4}) (\d\d?):(\d\d)(?::(\d\d))?$/;

const parseDayFirst = (text: string, dayOf?: typeof parseDate): number | FieldFault => {
  const [, day = '', month = '', year = '', hour = '', minute = '', second = '00'] =
    dayFirst.exec(text) ?? [];
  if (year === '') return isForeignText(text) ? 'notUtf8' : 'timestampFormat';
  const [mm, dd, hh] = [month, day, hour].map(part => part.padStart(2, '0'));
  return parseTimestamp(`${year}-${mm}-${dd}T${hh}:${minute}:${second}`, dayOf);
};

/** Reads numbers of ticks since 1970, so many a second. */
const epochReader =
  (perSecond: number) =>
  (text: string): number | FieldFault => {
    if (!/^-?\d{1,15}(\.\d{1,9})?$/.test(text)) return isForeignText(text) ? 'notUtf8' : 'timestampFormat';
    return Number(text) / perSecond + 0;
  };

export const stampFormats: Readonly<Record<DateFormat, StampFormat>> = {
  ISO: { expected: 'YYYY-MM-DDThh:mm:ss', parse: parseTimestamp, isInstant: hasOffset },
  'YYYY-MM-DD HH:mm:ss': {
    expected: 'YYYY-MM-DD hh:mm:ss',
    parse: (text, dayOf) => parseTimestamp(isoOfSpaced(text), dayOf),
    isInstant: hasOffset,
  },
  'DD/MM/YYYY HH:mm': { expected: 'DD/MM/YYYY hh:mm', parse: parseDayFirst, isInstant: () => false },
  epochSeconds: {
    expected: 'seconds since 1970-01-01T00:00:00Z',
    parse: epochReader(1),
    isInstant: () => true,
  },
  epochMilliseconds: {
    expected: 'milliseconds since 1970-01-01T00:00:00Z',
    parse: epochReader(1000),
    isInstant: () => true,
  },
};
