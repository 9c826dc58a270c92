import t from 'tap';
import { changedDates, changedModel } from '../../analysis/changes/changedModel.js';
import type { Model } from '../../domain/planning/models.js';
import type { AcceptedChange } from '../../domain/source/acceptedChanges.js';

// Models as accepted changes make them expected. With a large offset the log scale is nearly straight.

const model: Model = {
  ...{ id: 1, name: 'Monday', color: '#000000', anomaly: false, days: 10 },
  activity: [2, 10, 20, 2],
  topTolerance: [3, 12, 24, 3],
  bottomTolerance: [1, 8, 16, 1],
  limits: { unit: 1, offset: 1e6, windowHours: 6, window: 1, day: 1 },
};
const base = { from: '2024-03-04', incidentId: 'inc-1' } as const;
const rounded = ({ activity, topTolerance, bottomTolerance }: Model): readonly number[][] =>
  [activity, topTolerance, bottomTolerance].map(values => values.map(value => Math.round(value * 100) / 100));

t.test('each type moves the profile and its bounds', async t => {
  const level: AcceptedChange = { ...base, type: 'level', size: 0.5 };
  t.strictSame(rounded(changedModel(model, level)), [
    [3, 15, 30, 3],
    [4.5, 18, 36, 4.5],
    [1.5, 12, 24, 1.5],
  ]);
  const clock: AcceptedChange = { ...base, type: 'clock', size: 360 };
  t.strictSame(rounded(changedModel(model, clock)), [
    [2, 2, 10, 20],
    [3, 3, 12, 24],
    [1, 1, 8, 16],
  ]);
  const opening: AcceptedChange = {
    ...{ ...base, type: 'opening', size: -360, minutes: [360, 720] },
    ...{ values: [3], modelIds: [1] },
  };
  t.strictSame(rounded(changedModel(model, opening)), [
    [2, 3, 20, 2],
    [3, 4, 24, 3],
    [1, 2, 16, 1],
  ]);
  const shape: AcceptedChange = { ...base, type: 'shape', size: 1, values: [9, 9, 9, 9], modelIds: [1] };
  t.strictSame(rounded(changedModel(model, shape)), [
    [9, 9, 9, 9],
    [10, 11, 13, 10],
    [8, 7, 5, 8],
  ]);
  t.equal(changedModel(model, { ...shape, modelIds: [2] }), model, 'another model');
  const { limits, ...ofPeople } = model;
  t.equal(changedModel(ofPeople, level), ofPeople, 'a model of people');
});

t.test('changes apply from their dates on, in their order, once a model', async t => {
  const on = changedDates([
    { ...base, type: 'level', size: 1 },
    { ...base, type: 'clock', size: 360, from: '2024-03-10', incidentId: 'inc-2' },
  ]);
  t.equal(on('2024-03-03').moved(model), model);
  t.strictSame(on('2024-03-04').moved(model).activity, [4, 20, 40, 4]);
  t.strictSame(on('2024-03-10').moved(model).activity, [4, 4, 20, 40]);
  t.equal(on('2024-03-11').moved(model), on('2024-03-10').moved(model));
  t.equal(on('2024-03-10').applied.length, 2);
});
