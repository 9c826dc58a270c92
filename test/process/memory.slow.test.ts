// Memory and answers of a service process during large imports.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import {
  getJson,
  authorized,
  serving,
  settingsIn,
  createSource,
  valueAt,
} from '../helpers/servingProcess.js';

const megabyte = 1_048_576;

/** Peak resident memory of a process, in bytes. */
const peakOf = (pid: number): number =>
  1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Sends small requests until `stop`, which returns their number and the slowest time in ms. */
const asking = (address: string) => {
  let stopped = false;
  let count = 0;
  let slowestMs = 0;
  const done = (async () => {
    while (!stopped) {
      const since = performance.now();
      if (count % 2 === 0) await (await fetch(`${address}/health`)).arrayBuffer();
      else await getJson(address, '/v1/source/list');
      slowestMs = Math.max(slowestMs, performance.now() - since);
      count += 1;
      await sleep(20);
    }
  })();
  return {
    /** Requests answered until now. */
    count: () => count,
    /** Stops after the request under way; returns the duration of the slowest one. */
    stop: async () => {
      stopped = true;
      await done;
      return slowestMs;
    },
  };
};

/** Streams a generated body; returns the answer. */
const upload = async (address: string, path: string, media: string, pieces: Iterable<string>) => {
  let bytes = 0;
  const counted = function* () {
    for (const piece of pieces) {
      bytes += piece.length;
      yield Buffer.from(piece, 'latin1');
    }
  };
  const sent = request(address + path, {
    method: 'POST',
    headers: { ...authorized(), 'Content-Type': media },
    agent: false,
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  const [[response]] = await Promise.all([answered, pipeline(Readable.from(counted()), sent)]);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as ImportAnswer;
  return { status: response.statusCode, location: response.headers.location, body, bytes };
};

type ImportAnswer = {
  readonly import: { readonly lines: number; readonly days: number };
  readonly days: readonly { readonly status: string }[];
};

/** Imports `pieces`, waits for the check, and measures time and memory. */
const measure = async (
  t: Test,
  { path, media, days, peakMaxBytes }: { path: string; media: string; days: number; peakMaxBytes: number },
  pieces: Iterable<string>,
): Promise<ImportAnswer | undefined> => {
  if (!existsSync('/proc/self/status')) {
    t.pass('memory', { skip: 'needs /proc' });
    return undefined;
  }
  const { address, pid, end } = await serving(t, { ...settingsIn(t.testdir()), LOG_LEVEL: 'warn' });
  const sourceId = await createSource(address, 1440);
  t.equal(sourceId, 1);
  const others = asking(address);
  const since = performance.now();
  const { status, location, body, bytes } = await upload(address, path, media, pieces);
  const answeredMs = performance.now() - since;
  const answeredBefore = others.count();
  t.ok(status === 200 || status === 202, `answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);
  let verdict = body;
  while (location !== undefined && verdict.days.some(day => day.status === 'pending')) {
    await sleep(500);
    verdict = (await getJson(address, location)) as ImportAnswer;
  }
  const checkedMs = performance.now() - since;
  const slowestMs = await others.stop();
  const peak = peakOf(pid);
  t.comment(
    `${(bytes / 1e6).toFixed(1)} MB, ${verdict.days.length} days: answered ${status} after ${answeredMs.toFixed()} ms, ` +
      `checked after ${checkedMs.toFixed()} ms; at most ${(peak / megabyte).toFixed()} MB resident; ` +
      `the slowest of ${others.count()} other answers took ${slowestMs.toFixed()} ms`,
  );
  t.equal(verdict.days.length, days);
  t.ok(peak < peakMaxBytes, `at most ${peakMaxBytes / megabyte} MB resident`);
  t.ok(answeredBefore > 1, `${answeredBefore} other requests were answered during the import`);
  t.same(await end('SIGTERM'), { code: 0, signal: null });
  return verdict;
};

t.test('memory: a month by the second in CSV', async t => {
  const pieces = function* () {
    yield '"date";"value"\n';
    for (let day = 0; day < 31; day += 1) {
      const date = dateOf(dayNumber('2025-01-01') + day);
      for (let minute = 0; minute < 1440; minute += 1) {
        const [value] = valueAt(day, minute).toFixed(2).split('.');
        const time = `${date}T${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        let piece = '';
        for (let second = 0; second < 60; second += 1)
          piece += `"${time}:${second < 10 ? '0' : ''}${second}";"${value},${(second * 37) % 90}"\n`;
        yield piece;
      }
    }
  };
  const wanted = { path: '/v1/import-csv/1/days', media: 'text/csv', days: 31, peakMaxBytes: 250 * megabyte };
  const verdict = await measure(t, wanted, pieces());
  if (verdict) t.equal(verdict.import.lines, 31 * 86_400);
});

t.test('memory: JSON of just under 200 MB', async t => {
  const bytesMax = 200_000_000;
  // A few distinct days with distinct dates.
  const activities = Array.from({ length: 40 }, (_, day) =>
    Array.from({ length: 1440 }, (_, minute) => valueAt(day, minute).toFixed(5)).join(','),
  );
  const textOf = (index: number): string =>
    `${index > 0 ? ',' : ''}{"date":"${dateOf(dayNumber('1980-01-01') + index)}","activity":[${activities[index % activities.length]}]}`;
  const frame = ['{"sourceId":1,"days":[', ']}'] as const;
  const days = Math.floor((bytesMax - frame.join('').length) / textOf(1).length);
  const pieces = function* () {
    yield frame[0];
    for (let index = 0; index < days; index += 1) yield textOf(index);
    yield frame[1];
  };
  t.ok(days > 13_000);
  const wanted = { path: '/v1/import/days', media: 'application/json', days, peakMaxBytes: 1024 * megabyte };
  await measure(t, wanted, pieces());
});
