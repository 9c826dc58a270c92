import t from 'tap';
import { checkDay } from '../../analysis/check.js';
import { medianOf } from '../../analysis/statistics.js';
import { typicalDays } from '../../analysis/typicalDays.js';
import { completeness } from '../../domain/day.js';
import { modelFaults } from '../../domain/models.js';
import { planner } from '../../domain/planning.js';
import { readRealSeries, realSeriesFolder } from '../helpers/realSeries.js';

/** Hourly to 10-minute, a year to two months; chosen for that, not for how they fare. */
const series = [
  'load_france',
  'traffic_i94_minneapolis',
  'pedestrians_melbourne',
  'traffic_melbourne_2103n',
  'kpi_aiops_02e99bd4',
  'parking_bochum',
];
const folder = realSeriesFolder();
const skip = folder === null ? 'no folder shared/data above the working directory' : false;

for (const name of series)
  t.test(`real series: ${name}`, { skip }, async t => {
    const { reference, recent, eventful } = readRealSeries(folder ?? '', name);
    const learned = typicalDays(reference, { modelCount: null, level: null, calendar: null, seed: 1 });
    const models = learned.models.map((model, index) => ({ ...model, id: index + 1 }));
    const plan = planner(
      models,
      learned.assignments.map(({ date, model }) => ({ date, modelId: model + 1 })),
    );
    const usual = medianOf(reference.map(completeness));
    const whole = recent.filter(day => completeness(day) >= 0.9);
    const abnormal = (ordinary: boolean): string => {
      const days = whole.filter(day => eventful.has(day.date) !== ordinary);
      const flagged = days.filter(
        day => checkDay(day, models, plan(day.date).modelId, usual).outcome === 'abnormal',
      );
      return `${flagged.length} of ${days.length}`;
    };
    t.comment(`${models.length} models: ${models.map(model => `${model.name} (${model.days})`).join('; ')}`);
    t.comment(`abnormal: ${abnormal(true)} ordinary recent days, ${abnormal(false)} round known events`);

    t.same(modelFaults(models), []);
    t.ok(models.length >= 2 && models.length <= 10);
    t.ok(learned.bounds.measuredLevel >= 0.95, `measured level ${learned.bounds.measuredLevel}`);
    t.ok(learned.leftOut.length <= reference.length / 10);
    const ordinary = Number(abnormal(true).split(' ')[0]);
    t.ok(ordinary <= 0.2 * whole.length, 'most ordinary days are normal');
    t.ok(Math.min(...learned.choice.map(({ loss }) => loss)) < 0.5, 'the planned curve says something');
  });
