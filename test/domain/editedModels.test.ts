// Models that people edit: which ones they are, and what stays of what was learned.
import t from 'tap';
import { editedIds, editModels, statedBounds } from '../../domain/planning/editedModels.js';
import type { BoundsFacts, Model } from '../../domain/planning/models.js';
import type { ModelsResetData } from '../../domain/planning/modelChange.js';

const limits = { unit: 10, offset: 0.5, windowHours: 8, window: 0.7, day: 0.4 };
const model = (id: number, level: number): Model => ({
  ...{ id, name: `model ${id}`, color: '#112233', anomaly: false, days: 1, limits },
  activity: [level, level, level, level],
  topTolerance: [level + 1, level + 1, level + 1, level + 1],
  bottomTolerance: [level - 1, level - 1, level - 1, level - 1],
});
const [low, high] = [model(3, 10), model(4, 20)];
const effect = { sourceId: 9, name: 'Temperature', knee: 15, below: 0.01, above: 0, from: 0, to: 30 };
const present = {
  ...{ requestId: 'r1', modelsVersion: 2, engine: 'test', seed: 1, models: [low, high] },
  assignments: [
    { date: '2025-01-01', modelId: 3, plannedId: 4 },
    { date: '2025-01-02', modelId: 4, plannedId: 4 },
  ],
  ...{ leftOut: [], choice: [], calendar: null, hitRate: 0.9 },
  bounds: { method: 'm', targetCoverage: null, guaranteedCoverage: null, calibrationDays: 9 },
  checks: {
    ...{ scores: [0.5], longestRun: 1, minimum: 0 },
    covariates: [
      {
        ...effect,
        usual: [0.1, 0.2],
        spread: [
          [-1, 1],
          [-2, 2],
        ],
      },
    ],
  },
} as unknown as ModelsResetData;
const state = { modelsVersion: 2, nextModelId: 5, models: [low, high], overrides: {} };
const draft = ({ id, days, limits: _, ...rest }: Model) => rest;
const assignments = [
  { date: '2025-01-01', model: 1 },
  { date: '2025-01-02', model: 0 },
];

t.test('an edit has the id and the limits of a present model, each once', async t => {
  const list = [low, high];
  t.strictSame(editedIds([high, low], list), [4, 3]);
  t.strictSame(editedIds([low, low], list), [3, null]);
  for (const other of [
    { id: 3 },
    { id: 3, limits: { ...limits, day: 0.5 } },
    { id: 3, limits: { ...limits, shape: 2 } },
    { id: 3, limits: null },
    { id: '3', limits },
    { id: 7, limits },
    { limits },
  ])
    t.strictSame(editedIds([other], list), [null], JSON.stringify(other));
  t.strictSame(editedIds([{ id: 1, limits }], [{ ...model(1, 5), limits: undefined } as never]), [null]);
});

t.test('what is known by model follows the order of the upload', async t => {
  const models = [draft(high), draft(low)];
  const edited = { present, from: [4, 3], countsPlanned: true };
  const set = editModels({ requestId: 'r2', models, assignments, edited }, state);
  t.strictSame(set.checks?.covariates, [
    {
      ...effect,
      usual: [0.2, 0.1],
      spread: [
        [-2, 2],
        [-1, 1],
      ],
    },
  ]);
  t.strictSame(set.assignments, [
    { date: '2025-01-01', modelId: 6, plannedId: 5 },
    { date: '2025-01-02', modelId: 5, plannedId: 5 },
  ]);
  t.strictSame(
    set.models.map(({ id, days, name }) => [id, days, name]),
    [
      [5, 2, 'model 4'],
      [6, 0, 'model 3'],
    ],
    'planned days',
  );
  t.equal(set.edited?.countsPlanned, true);
  const older = editModels(
    { requestId: 'r2', models, assignments, edited: { ...edited, countsPlanned: false } },
    state,
  );
  t.strictSame(
    older.models.map(({ days }) => days),
    [1, 1],
    'the nearest days, as an older decision counted them',
  );
  t.notOk('countsPlanned' in older.edited!);
  t.strictSame([set.bounds, set.hitRate], [present.bounds, 0.9], 'no profile changed');
});

t.test('a model that is added has no effect of covariates, and the nearest days', async t => {
  const models = [draft(model(0, 15)), draft(low)];
  const edited = { present, from: [null, 3], countsPlanned: true };
  const set = editModels({ requestId: 'r2', models, assignments, edited }, state);
  t.strictSame(set.checks?.covariates, [
    {
      ...effect,
      usual: [0, 0.1],
      spread: [
        [0, 0],
        [-1, 1],
      ],
    },
  ]);
  t.strictSame(set.assignments, [
    { date: '2025-01-01', modelId: 6 },
    { date: '2025-01-02', modelId: 5 },
  ]);
  t.strictSame(
    set.models.map(one => one.limits),
    [undefined, limits],
  );
  t.match(set, { bounds: { calibrationDays: 0 }, hitRate: null });
  t.strictSame(set.edited, { modelsVersion: 2, from: [null, 3], countsPlanned: true });
});

t.test('a range of false alerts is not stated without its number', async t => {
  const falseAlertsRange = { low: 1, high: 11 };
  const bounds = { calibrationDays: 9, falseAlertsPerYear: 4, falseAlertsRange } as unknown as BoundsFacts;
  t.strictSame(statedBounds(bounds), bounds);
  t.strictSame(statedBounds({ ...bounds, falseAlertsPerYear: null }), {
    calibrationDays: 9,
    falseAlertsPerYear: null,
  });
});
