import { setTimeout as after } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { bodies, type Bodies } from '../../adapters/bodies.js';
import type { BodyJob } from '../../adapters/bodyThread.js';
import { readCsvDays } from '../../adapters/csv/csvDays.js';
import type { DayRule } from '../../adapters/importedDays.js';
import { collectJsonDays } from '../../adapters/json/jsonDays.js';
import { dateOf, dayNumber } from '../../domain/dates.js';

const rule: DayRule = { kind: 'recent', activitySize: 24, aggregation: 'mean', interpolationMethod: 'zero' };
const csv: BodyJob = { kind: 'csv', rule };
const json: BodyJob = { kind: 'json' };

const first = dayNumber('2023-01-01');
/** Rows of a value a minute. */
const csvText = (days: number, from = 0): string =>
  Array.from({ length: days * 1440 }, (_, minute) => {
    const at = new Date((first + from) * 86_400_000 + minute * 60_000).toISOString().slice(0, 19);
    return `"${at}";"${minute % 977},${minute % 7}"\n`;
  }).join('');
const jsonText = (days: number): string =>
  JSON.stringify({
    days: Array.from({ length: days }, (_, day) => ({
      date: dateOf(first + day),
      activity: Array.from({ length: 1440 }, (_, minute) => (minute * (day + 1)) % 977),
    })),
    sourceId: 7,
  });

/** A body in chunks of this size, as a socket brings them: the last turn of each is another's. */
async function* chunks(text: string, size = 65_536): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) {
    await after(0);
    yield bytes.subarray(from, from + size);
  }
}

const opened = (t: Test): Bodies => {
  const reading = bodies(error => t.fail(String(error)));
  t.teardown(reading.close);
  return reading;
};

/** What became of a body, to be compared: an error with all that it says. */
const outcome = async (read: Promise<unknown>): Promise<unknown> => {
  try {
    return await read;
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message, ...(error as object), constructor: (error as Error).constructor };
  }
};

t.test('a large body comes to what it would come to here, whole or with its faults', async t => {
  const { read } = opened(t);
  const year = csvText(365);
  const days = jsonText(120);
  const csvBodies = [
    csvText(10),
    year,
    csvText(1500),
    `${year}2024-01-01T00:00:00;x\n${csvText(30, 400)}\n\n2026-01-01T00:00:00;1`,
    `${year}"2024-01-01T00:00:00;1\n`,
    `${year}${'5'.repeat(300_000)}`,
    csvText(30).replaceAll('\n', '\r\n') + csvText(30),
  ];
  const jsonBodies = [
    days,
    days.slice(0, -1),
    days.replace('"sourceId":7', '"sourceId":7,"sourceId":8'),
    days.replace('"2023-04-03"', '"2023-02-31"').replace('976', '"976"'),
    `{"days":[${'1,'.repeat(200_000)}1]}`,
    `{"more":"${'x'.repeat(300_000)}","days":[]}`,
  ];
  const cases = [
    ...csvBodies.map(text => ({ text, job: csv, here: () => readCsvDays(chunks(text), rule) })),
    ...jsonBodies.map(text => ({ text, job: json, here: () => collectJsonDays(chunks(text)) })),
  ];
  // Side by side, more than there are threads.
  await Promise.all(
    cases.map(async ({ text, job, here }) => {
      const there = await outcome(read(chunks(text), job));
      t.strictSame(there, await outcome(here()), `${text.length} bytes from ${text.slice(0, 40)}`);
    }),
  );
});

t.test('small and large, side by side, over and over', async t => {
  const { read } = opened(t);
  const large = csvText(60);
  for (let round = 0; round < 5; round += 1) {
    const found = await Promise.all(
      [...Array(16).keys()].map(async n => {
        const answer = await read(chunks(n % 2 ? large : csvText(1), 1000 + n * 7919), csv);
        return answer.days.length;
      }),
    );
    t.strictSame(
      found,
      [...Array(16).keys()].map(n => (n % 2 ? 60 : 1)),
    );
  }
});

t.test('a fault is told before the body has ended, and the rest is read and thrown away', async t => {
  const { read } = opened(t);
  const limit = { sent: 0, ended: false };
  let go = (): void => {};
  const told = new Promise<void>(resolve => (go = resolve));
  const slow = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(csvText(20));
    yield Buffer.from('no date;1\n'.repeat(100));
    await told;
    for (; limit.sent < 100; limit.sent += 1) yield Buffer.alloc(500_000);
    limit.ended = true;
  };
  await t.rejects(read(slow(), csv), { name: 'InvalidInput', code: 'csvInvalid' });
  t.equal(limit.sent, 0);
  go();
  while (!limit.ended) await after(5);
  t.equal(limit.sent, 100);
});

t.test('a body that breaks off is told as it is, and the thread reads on', async t => {
  const { read } = opened(t);
  const breaking = async function* (job: BodyJob): AsyncGenerator<Buffer> {
    yield* chunks(job === csv ? csvText(30) : jsonText(100).slice(0, -9));
    throw new Error('gone');
  };
  const whole = read(chunks(csvText(100)), csv);
  for (const job of [csv, json]) await t.rejects(read(breaking(job), job), { message: 'gone' });
  t.equal((await whole).days.length, 100);
  t.equal((await read(chunks(csvText(50)), csv)).days.length, 50);
});
