import { closeSync, openSync, writeSync } from 'node:fs';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { randomUUID as newId } from 'node:crypto';
import { join } from 'node:path';
import { sqliteStore } from '../../adapters/sqlite/sqliteStore.js';
import type { Proposed, Recorded } from '../../domain/events.js';

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

type Imported = { readonly days: readonly { readonly date: string }[] };
type Checked = {
  readonly cause: { readonly id: string; readonly type: string };
  readonly knowledge: { readonly days: number };
  readonly days: readonly object[];
};

/** Events of one append: 2 KB each, far below its limit. */
const eventsPerAppend = 100;

/** Daily imports and their checks, copied from the last import of a source with other dates and ids. */
const laterDays = (imported: Recorded, checked: Recorded, count: number): [Proposed[], Proposed[]] => {
  const imports: Proposed[] = [];
  const checks: Proposed[] = [];
  const [day] = (imported.data as Imported).days;
  for (let later = 1; later <= count; later += 1) {
    const importId = newId();
    const eventId = newId();
    const date = dateOf(dayNumber(day?.date ?? '') + later);
    const { cause, knowledge, days, ...data } = checked.data as Checked;
    imports.push({
      ...withoutPlace(imported),
      id: eventId,
      data: { ...(imported.data as Imported), importId, days: [{ ...day, date }] },
    });
    checks.push({
      ...withoutPlace(checked),
      id: newId(),
      data: {
        ...data,
        cause: { ...cause, id: eventId },
        knowledge: { ...knowledge, days: knowledge.days + later },
        days: days.map(one => ({ ...one, date, importId })),
      },
    });
  }
  return [imports, checks];
};

const withoutPlace = ({ hash: _, stream: __, revision: ___, position: ____, ...event }: Recorded): Proposed =>
  event;

/**
 * Appends imports of later days of all sources to the log of a stopped service.
 * @param sources  ids of sources with one recent import each and no alerts
 */
export const lengthen = async (folder: string, sources: readonly number[], events: number): Promise<void> => {
  const store = sqliteStore(join(folder, 'events.sqlite'));
  for (const id of sources) {
    const last = async (stream: string): Promise<Recorded> => {
      let found: Recorded | undefined;
      for await (const event of store.read(stream)) found = event;
      if (!found) throw new Error(`no events in ${stream}`);
      return found;
    };
    const [imported, checked] = [await last(`days-${id}`), await last(`alerts-${id}`)];
    const [imports, checks] = laterDays(imported, checked, Math.ceil(events / 2 / sources.length));
    for (let from = 0; from < imports.length; from += eventsPerAppend)
      for (const [before, list] of [
        [imported, imports],
        [checked, checks],
      ] as const)
        await store.append(before.stream, before.revision + from, list.slice(from, from + eventsPerAppend));
  }
  await store.close();
};

/** A copy of a source's events for another source, with its own ids. */
const copyFor = (event: Recorded, from: number, to: number, ids: Map<string, string>): Proposed => {
  const text = JSON.stringify(withoutPlace(event), (key, value: unknown) =>
    key === 'sourceId' && value === from ? to : value,
  );
  const own = text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, id => {
    const other = ids.get(id) ?? newId();
    ids.set(id, other);
    return other;
  });
  return JSON.parse(own) as Proposed;
};

const renamed = (event: Proposed, name: string): Proposed =>
  event.type === 'SourceCreated' ? { ...event, data: { ...(event.data as object), name } } : event;

/**
 * Appends copies of the only source to the log of a stopped service.
 * @param source  id of that source, which has no alerts
 * @param upTo    id of the last copy
 * @param nameOf  name of a copy; without it all have the same
 */
export const multiply = async (
  folder: string,
  source: number,
  upTo: number,
  nameOf?: (id: number) => string,
): Promise<void> => {
  const store = sqliteStore(join(folder, 'events.sqlite'));
  const streamsOf = (id: number): string[] => ['catalog', `days-${id}`, `source-${id}`, `alerts-${id}`];
  const originals: Recorded[] = [];
  let catalogEnd = -1;
  for (const stream of streamsOf(source))
    for await (const event of store.read(stream)) {
      if (stream === 'catalog') catalogEnd = event.revision;
      if (stream !== 'catalog' || event.revision === 0) originals.push(event);
    }
  for (let id = source + 1; id <= upTo; id += 1) {
    const ids = new Map<string, string>();
    for (const [index, stream] of streamsOf(id).entries()) {
      const events = originals
        .filter(event => event.stream === streamsOf(source)[index])
        .map(event => copyFor(event, source, id, ids))
        .map(event => (nameOf ? renamed(event, nameOf(id)) : event));
      await store.append(stream, stream === 'catalog' ? catalogEnd : 'absent', events);
      if (stream === 'catalog') catalogEnd += events.length;
    }
  }
  await store.close();
};
