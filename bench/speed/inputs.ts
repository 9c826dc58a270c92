import { closeSync, openSync, writeSync } from 'node:fs';
import { dateOf, dayNumber } from '../../domain/dates.js';

const first = dayNumber('2023-01-01');

/** Reproducible random numbers in 0–1 (linear congruential generator of Numerical Recipes). */
const noise = (): (() => number) => {
  let state = 1;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
};

/** Writes chunks to a file; returns its size in bytes. */
const writeFile = (file: string, chunks: Iterable<string | Buffer>): number => {
  const handle = openSync(file, 'w');
  let bytes = 0;
  for (const chunk of chunks) bytes += writeSync(handle, Buffer.from(chunk as string));
  closeSync(handle);
  return bytes;
};

/**
 * A CSV file with one row per second from 1 January 2023: `"2023-01-01T00:00:00";"12,34"`, or with all digits of the
 * numbers.
 */
export const makeCsv = (file: string, days: number, decimals?: 2): number => {
  const next = noise();
  const two = (value: number): string => String(value).padStart(2, '0');
  const times = Array.from(
    { length: 86_400 },
    (_, second) =>
      `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`,
  );
  const rows = function* (): Generator<string> {
    yield '"date";"value"\n';
    for (let day = 0; day < days; day += 1) {
      const date = dateOf(first + day);
      const values = times.map((time, second) => {
        const level = 12 + 60 * Math.max(0, Math.sin((second / 86_400) * Math.PI) - 0.3) + 10 * next();
        const text = decimals === undefined ? String(level) : level.toFixed(decimals);
        return `"${date}T${time}";"${text.replace('.', ',')}"\n`;
      });
      yield values.join('');
    }
  };
  return writeFile(file, rows());
};

/** JSON days with one value per minute, printed as doubles, up to a number of bytes. */
export const makeJson = (file: string, sourceId: number, bytes: number, lastDate?: string): number => {
  const next = noise();
  const days = function* (): Generator<string> {
    yield `{"sourceId":${sourceId},"days":[`;
    for (let day = 0, length = 0; length < bytes; day += 1) {
      const activity = Array.from(
        { length: 1440 },
        (_, minute) => 20 + 30 * Math.sin(minute / 460) + 9 * next(),
      );
      const text = JSON.stringify({ date: dateOf(first + 400 + day), activity });
      length += text.length + 1;
      yield (day === 0 ? '' : ',') + text;
    }
    if (lastDate !== undefined) yield `,{"date":"${lastDate}","activity":[]}`;
    yield ']}';
  };
  return writeFile(file, days());
};

/** The nth day after the first, with 144 values. */
export const dayOf = (index: number) => ({
  date: dateOf(first + index),
  activity: Array.from(
    { length: 144 },
    (_, slice) =>
      Math.round(
        100 * (20 + 30 * Math.sin(slice / 46) + (index % 7 > 4 ? 8 : 0) + ((slice * 7919 + index * 31) % 17)),
      ) / 100,
  ),
});
