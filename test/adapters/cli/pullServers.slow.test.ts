// Pulls from real servers: the source equals the CSV import of the same samples, after a kill as well.
import { join } from 'node:path';
import t from 'tap';
import { clockOf } from '../../../adapters/timeZones.js';
import { utcClock } from '../../../application/ports/localClock.js';
import { startOf } from '../../../application/requests/points/sliceTimes.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { csvForm, csvOfSamples, hourlySamples } from '../../helpers/metrics/hourlySamples.js';
import { metricServers } from '../../helpers/metrics/metricServers.js';
import { launch, run } from '../../helpers/process.js';
import { eventually, startService, type Call } from '../../helpers/service.js';

const timeZone = 'Europe/Paris';
const clock = clockOf(timeZone) ?? utcClock;
const days = 420;

type ListedDay = {
  readonly date: string;
  readonly kind: string;
  readonly activity: readonly number[];
  readonly gaps: readonly object[];
  readonly filled: readonly object[];
  readonly completeness: number;
};

/** The days of a source before a date, without what models and imports say of them. */
const daysOf = async (call: Call, sourceId: number, before: string): Promise<readonly ListedDay[]> => {
  const found: ListedDay[] = [];
  for (let year = Number(before.slice(0, 4)) - 2; year <= Number(before.slice(0, 4)); year += 1) {
    const path = `/v1/day/list/${sourceId}/${year}`;
    const { body } = await call<{ readonly days: readonly ListedDay[] }>('GET', path);
    for (const { date, kind, activity, gaps, filled, completeness } of body.days)
      if (date < before) found.push({ date, kind, activity, gaps, filled, completeness });
  }
  return found;
};

for (const { name, isInstalled, start } of metricServers)
  t.test(
    `${name}: a pulled source equals the import`,
    { skip: !isInstalled && `${name} is not installed` },
    async t => {
      const service = await startService(t);
      const { call } = service;
      const samples = hourlySamples(days);
      const url = await start(t, join(service.settings.dataDir, 'metrics'), samples);
      const since = dateOf(Math.floor((samples[0]?.[0] ?? 0) / 86_400) + 1);
      const env = { DAYBOOK_URL: service.address(), DAYBOOK_TOKEN: await service.tokenFor({}) };
      const options = ['--prometheus', url, '--query', 'last_over_time(power[59m])', '--since', since];
      const args = ['pull', ...options, '--name', 'power', '--step', '1h', '--time-zone', timeZone];

      const killed = launch(args, env);
      const source = await eventually('the source', async () => {
        const { body } = await call<{ readonly sources: readonly SourceRecord[] }>('GET', '/v1/source/list');
        return body.sources[0];
      });
      await killed.end('SIGKILL');
      const first = await run(args, env);
      t.equal(first.code, 0, first.stderr);
      t.match(first.stdout, /^power: source 1: [\d,]+ points from /m);
      t.match((await run(args, env)).stdout, /^power: source 1: \d{2} points/m, 'two days again');

      const { from, to } = source.reference;
      const at = (date: string): number => startOf(clock, dayNumber(date));
      const [begin, end] = [at(from), at(dateOf(dayNumber(to) + 1))];
      const today = dateOf(
        Math.floor((Date.now() / 1000 + clock.periodAt(Date.now() / 1000).offset) / 86_400),
      );
      const created = await call<{ readonly source: SourceRecord }>(
        'POST',
        `/v1/import-csv/create-source?name=imported&timeZone=${timeZone}&${csvForm}`,
        { csv: csvOfSamples(samples, begin, end) },
      );
      t.equal(created.status, 201);
      const { id } = created.body.source;
      const recent = await call('POST', `/v1/import-csv/${id}/days?${csvForm}`, {
        csv: csvOfSamples(samples, end, at(today)),
      });
      t.equal(recent.status, 200);
      const pulled = await daysOf(call, source.id, today);
      t.ok(pulled.length > 400);
      t.strictSame(pulled, await daysOf(call, id, today));
    },
  );
