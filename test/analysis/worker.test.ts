import t from 'tap';
import { assignDays } from '../../analysis/checking/assignDays.js';
import { calendarOf } from '../../analysis/calendar/holidays.js';
import { typicalDays } from '../../analysis/learning/typicalDays.js';
import { runJob } from '../../analysis/worker.js';
import { madeDays } from '../helpers/data/madeDays.js';

t.test('worker: each kind of job returns the result of its function', async t => {
  const days = madeDays({ count: 28, slices: 4, seed: 1 });
  const shared = { modelCount: 2, seed: 1, specials: [] };
  const setting = { ...shared, coverage: null };
  const learned = typicalDays(days, { ...setting, calendar: null });
  const job = {
    kind: 'typicalDays',
    days,
    ...shared,
    coverage: null,
    calendarCode: null,
    referenceYear: 2023,
  } as const;
  t.same(runJob(job), learned, 'four weeks are too short to infer a country');
  t.same(
    runJob({ ...job, calendarCode: 'FR' }),
    typicalDays(days, { ...setting, calendar: calendarOf('FR', 2023) }),
    'the given calendar is used',
  );
  t.same(runJob({ kind: 'nearestModels', days, models: learned.models }), assignDays(days, learned.models));
});

t.test('worker: practice has no result and changes none, and stops between its steps', async t => {
  const days = madeDays({ count: 28, slices: 4, seed: 1 });
  const setting = { modelCount: 2, seed: 1, specials: [], coverage: null, calendar: null };
  const before = JSON.stringify(typicalDays(days, setting));
  let steps = 0;
  t.equal(
    runJob({ kind: 'practice' }, () => (steps += 1)),
    null,
  );
  t.equal(JSON.stringify(typicalDays(days, setting)), before);
  t.ok(steps > 10, `${steps} steps`);
  const stop = new Error('stopped');
  t.throws(() => {
    runJob({ kind: 'practice' }, () => {
      throw stop;
    });
  }, stop);
});
