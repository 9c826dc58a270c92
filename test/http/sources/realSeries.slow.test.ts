import t from 'tap';
import type { ImportSummary } from '../../../domain/days.js';
import type { Model } from '../../../domain/planning/models.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { readPart, seriesFacts } from '../../../bench/quality/dataFolder.js';
import { realSeriesFolder, seriesOr } from '../../helpers/data/realSeries.js';
import { analysed, idle, startService } from '../../helpers/service.js';

/** Expected facts of a part of a series, from the file next to it. */
type Part = {
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly rows: number;
  readonly completeDays: number;
  readonly emptyDays: number;
  readonly missingSamples: number;
};
type Told = {
  readonly activitySize: number;
  readonly referenceYear: number;
  readonly reference: Part;
  readonly recent: Part;
};
type Imported = {
  readonly import: ImportSummary & { readonly id: string };
  readonly days: readonly { readonly date: string; readonly status: string }[];
  readonly alerts: { readonly raised: readonly AlertRecord[] };
};

// Hourly, with events; half-hourly and short; ten minutes; one minute, compressed; hourly with gaps.
const names = seriesOr(
  [
    'load_france',
    'traffic_melbourne_2103n',
    'kpi_aiops_da10a69f',
    'water_house_vancouver',
    'electricity_building_cambridge',
  ],
  [
    'load_florida',
    'kpi_aiops_6a757df4',
    'kpi_aiops_da10a69f',
    'water_house_vancouver',
    'electricity_building_cambridge',
  ],
);

const folder = realSeriesFolder();
const read = (name: string, part: string): Buffer => readPart(folder, name, part);

t.test('imports of real series over HTTP have the expected facts', async t => {
  const { call } = await startService(t);
  const withAlerts: string[] = [];
  for (const name of names)
    await t.test(name, async t => {
      const told = seriesFacts(folder, name) as Told;
      const created = await call<{ source: SourceRecord; import: ImportSummary }>(
        'POST',
        `/v1/import-csv/create-source?name=${name}&activitySize=${told.activitySize}`,
        { csv: read(name, 'reference') },
      );
      t.equal(created.status, 201, created.status === 201 ? '' : created.text);
      const { source } = created.body;
      t.match(source, {
        activitySize: told.activitySize,
        referenceYear: Number(told.reference.from.slice(0, 4)),
        reference: { from: told.reference.from.slice(0, 10), to: told.reference.to.slice(0, 10) },
      });
      t.equal(created.body.import.lines, told.reference.rows, 'rows of the reference');
      t.equal(created.body.import.days, told.reference.days - told.reference.emptyDays, 'its days');
      t.equal(source.reference.days, told.reference.days - told.reference.emptyDays);
      t.equal(created.body.import.duplicates, 0);

      await analysed(call, source.id);
      const { models } = (await call<{ models: readonly Model[] }>('GET', `/v1/model/list/${source.id}`))
        .body;
      t.ok(
        models.length >= 1 && models.length <= 64,
        `${models.length} models: ${models.map(model => model.name).join(', ')}`,
      );
      t.ok(models.every(({ activity }) => activity.length === told.activitySize));

      const year = told.recent.from.slice(0, 4);
      const planning = await call<{ days: readonly DayPlan[] }>(
        'GET',
        `/v1/planning/list/${source.id}/${year}`,
      );
      t.ok(
        planning.body.days.every(
          ({ modelId, origin, reason }) =>
            models.some(({ id }) => id === modelId) && origin === 'automatic' && reason !== '',
        ),
        `every date of ${year} has one of them, and a reason`,
      );

      const recent = await call<Imported>('POST', `/v1/import-csv/${source.id}/days`, {
        csv: read(name, 'recent'),
      });
      t.ok([200, 202].includes(recent.status));
      await idle(call);
      const { body } = await call<Imported>('GET', `/v1/import/${recent.body.import.id}`);
      t.equal(body.import.lines, told.recent.rows, 'rows of the recent part');
      t.equal(body.import.days, told.recent.days - told.recent.emptyDays, 'its days');
      t.equal(body.days.length, told.recent.days - told.recent.emptyDays);
      t.ok(
        body.days.every(({ status }) => status !== 'pending'),
        'all checked',
      );
      const bad = body.days
        .filter(({ status }) => status === 'abnormal' || status === 'gap')
        .map(({ date }) => date);
      // Dates that the recent part lacks have alerts of kind `gap` and no day.
      const imported = new Set(body.days.map(({ date }) => date));
      const missing = body.alerts.raised.filter(({ date }) => !imported.has(date));
      t.ok(missing.every(({ kind }) => kind === 'gap'));
      const drifts = body.alerts.raised.filter(({ kind }) => kind === 'drift').map(({ date }) => date);
      t.strictSame(
        body.alerts.raised
          .map(({ date }) => date)
          .filter(date => imported.has(date) && !drifts.includes(date)),
        bad,
        `${bad.length} of them raise an alert`,
      );
      t.ok(
        drifts.every(date => body.days.find(day => day.date === date)?.status === 'drift'),
        `and ${drifts.length} tell a drift`,
      );
      t.ok(bad.length < body.days.length, 'not all');
      if (bad.length > 0) withAlerts.push(name);
      const { body: record } = await call<SourceRecord>('GET', `/v1/source/${source.id}`);
      t.match(record.counts, {
        recentDays: body.days.length,
        unprocessedAlerts: bad.length + drifts.length + missing.length,
      });
    });
  t.ok(withAlerts.length >= 4, `alerts came for ${withAlerts.join(', ')}`);
});
