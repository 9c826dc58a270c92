import t from 'tap';
import { readCsvDays } from '../../adapters/csv/csvBody.js';
import type { CsvRule } from '../../adapters/csv/readings.js';
import { clockOf } from '../../adapters/timeZones.js';
import type { LocalClock } from '../../application/ports/localClock.js';
import { calendarOf } from '../../analysis/calendar/holidays.js';
import { trial } from '../../analysis/tuning/trial.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { readPart } from '../../bench/quality/dataFolder.js';
import { realFacts, realSeriesFolder, seriesOr } from '../helpers/data/realSeries.js';

/** Series whose local times, in a zone with summer time, are stored as UTC. */
const zones: Readonly<Record<string, string>> = {
  pedestrians_melbourne: 'Australia/Melbourne',
  load_france: 'Europe/Paris',
  traffic_i94_minneapolis: 'America/Chicago',
  load_florida: 'America/New_York',
  load_houston: 'America/Chicago',
};
const names = seriesOr(
  ['pedestrians_melbourne', 'load_france', 'traffic_i94_minneapolis'],
  ['load_florida', 'load_houston'],
);

/** Maximum new alerts a year, because two days of the reference have other values. */
const otherAlertsMax = 3;

const folder = realSeriesFolder();

async function* bodyOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

const knownClock = (zone: string): LocalClock => {
  const clock = clockOf(zone);
  if (!clock) throw new Error(`no zone ${zone}`);
  return clock;
};

/** Rows of a CSV with their local times in seconds since 1970. */
const rowsOf = (csv: Buffer): { readonly local: number; readonly value: string }[] =>
  csv
    .toString()
    .trimEnd()
    .split('\n')
    .slice(1)
    .flatMap(row => {
      const [, stamp, value] = /^"([^"]*)";"([^"]*)"$/.exec(row) ?? [];
      return stamp === undefined || value === undefined
        ? []
        : [{ local: Date.parse(`${stamp}Z`) / 1000, value }];
    });
const csvOf = (rows: readonly (readonly [at: number, value: string])[]): Buffer =>
  Buffer.from(
    [...rows]
      .sort(([one], [other]) => one - other)
      .map(([at, value]) => `${new Date(at * 1000).toISOString().slice(0, 19)};${value}\n`)
      .join(''),
  );

/** Converts local times of a CSV to UTC; drops the hours that the zone skips, and repeats those that it repeats. */
const toUtc = (csv: Buffer, zone: string): Buffer => {
  const clock = knownClock(zone);
  return csvOf(
    rowsOf(csv).flatMap(({ local, value }) => clock.instantsOf(local).map(at => [at, value] as const)),
  );
};

/** Drops the hours that the zone skips: a gap in the reference alone may give other models. */
const withoutSkipped = (csv: Buffer, zone: string): Buffer => {
  const clock = knownClock(zone);
  return csvOf(
    rowsOf(csv).flatMap(({ local, value }) =>
      clock.instantsOf(local).length === 0 ? [] : [[local, value] as const],
    ),
  );
};

t.test('clock changes: series converted to UTC have no more alerts around them', async t => {
  for (const name of names) {
    const zone = zones[name] ?? 'UTC';
    const { activitySize, calendar } = realFacts(folder, name);
    const alertsOf = async (timeZone: string, change: (csv: Buffer) => Buffer) => {
      const rule: CsvRule = {
        kind: 'recent',
        activitySize,
        aggregation: 'mean',
        interpolationMethod: 'zero',
        clock: knownClock(timeZone),
      };
      const read = async (part: string): Promise<readonly Day[]> =>
        (await readCsvDays(bodyOf(change(readPart(folder, name, part))), rule)).days;
      const [reference, recent] = [await read('reference'), await read('recent')];
      const year = Number(reference[0]?.date.slice(0, 4));
      const holidays = calendar === null ? null : calendarOf(calendar, year);
      const { days } = trial(reference, recent, {
        modelCount: null,
        coverage: null,
        calendar: holidays,
        specials: [],
        seed: 1,
      });
      return {
        recent,
        dates: days.filter(({ finding }) => finding !== null).map(({ day }) => day.date),
      };
    };
    const kept = await alertsOf('UTC', csv => withoutSkipped(csv, zone));
    const moved = await alertsOf(zone, csv => toUtc(csv, zone));

    // Days with a clock change have 23 or 25 hours; the weeks after them are included.
    const { sliceSeconds } = knownClock(zone);
    const changes = moved.recent.filter(({ date }) => sliceSeconds(dayNumber(date))).map(({ date }) => date);
    const weeks = new Set(
      changes.flatMap(date => Array.from({ length: 8 }, (_, index) => dateOf(dayNumber(date) - 1 + index))),
    );
    const more = (alerts: readonly string[], among: (date: string) => boolean): string[] =>
      alerts.filter(date => among(date) && !kept.dates.includes(date));
    t.ok(changes.length >= 1, `${name}: clocks change on ${changes.join(', ')}`);
    t.strictSame(
      more(moved.dates, date => weeks.has(date)),
      [],
      `${name}: no more alerts in these weeks`,
    );
    // Two reference days differ, so limits differ slightly: borderline days may become alerts.
    const others = more(moved.dates, () => true);
    t.ok(
      others.length <= otherAlertsMax,
      `${name}: ${moved.dates.length} alerts, ${kept.dates.length} by its own clock, new: ${others.join(', ')}`,
    );
  }
});
