import t from 'tap';
import { trial } from '../../../analysis/tuning/trial.js';
import { completeness } from '../../../domain/day.js';
import { modelFaults } from '../../../domain/planning/models.js';
import { readRealSeries, realSeriesFolder, seriesOr } from '../../helpers/data/realSeries.js';

/** An hourly year, a year with gaps, and another one: selected for their form, not for their results. */
const series = seriesOr(
  ['load_france', 'pedestrians_melbourne', 'parking_bochum'],
  ['load_florida', 'electricity_building_cambridge', 'load_dallas'],
);
const folder = realSeriesFolder();

for (const name of series)
  t.test(`real series: ${name}`, async t => {
    const { reference, recent, eventful } = readRealSeries(folder, name);
    const setting = { modelCount: null, coverage: null, calendar: null, seed: 1 };
    const { learned, models, days } = trial(reference, recent, setting);
    const whole = days.filter(({ day }) => completeness(day) >= 0.9);
    const abnormal = (ordinary: boolean): readonly [flagged: number, of: number] => {
      const among = whole.filter(({ day }) => eventful.has(day.date) !== ordinary);
      return [among.filter(({ outcome }) => outcome === 'abnormal').length, among.length];
    };
    const [flagged, ordinary] = abnormal(true);
    t.comment(`${models.length} models: ${models.map(model => `${model.name} (${model.days})`).join('; ')}`);
    t.comment(
      `abnormal: ${flagged} of ${ordinary} ordinary recent days, ${abnormal(false).join(' of ')} round known events`,
    );

    t.same(modelFaults(models), []);
    t.ok(models.length >= 2 && models.length <= 12);
    // learning/limits/calibrate.ts guarantees this coverage from 150 days.
    t.ok(learned.bounds.measuredCoverage >= 0.9, `measured coverage ${learned.bounds.measuredCoverage}`);
    t.ok(learned.leftOut.length <= reference.length / 5, 'few days are left out');
    t.ok(flagged <= 0.2 * ordinary, 'most ordinary days are normal');
    t.ok(Math.min(...learned.choice.map(({ loss }) => loss)) < 0.5, 'the best loss is below 0.5');
    t.ok((learned.hitRate ?? 0) > 0.5, 'the calendar predicts most models');
  });
