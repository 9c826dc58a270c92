import t, { type Test } from 'tap';
import { residuals } from '../../../application/requests/dataTables.js';
import type { ModelDraft } from '../../../domain/planning/models.js';
import type { AcceptedChange } from '../../../domain/source/acceptedChanges.js';
import { dayOf, draft, id } from '../../helpers/data/samples.js';
import { created, holding, imported, replaced, reset } from '../../helpers/data/sourceHistory.js';
import { handWritten } from '../../helpers/data/tables.js';

// A model on the scale ln(x / 2 + 1), on which 0, 2, 6, 14 and 30 are 0, 1, 2, 3 and 4 times ln 2.

const date = '2024-03-04';
const limits = { unit: 2, offset: 1, windowHours: 4, window: 1, day: 1 };
const model: ModelDraft = {
  ...draft('Monday'),
  activity: [2, 2, 6, 6],
  topTolerance: [6, 14, 14, 30],
  bottomTolerance: [0, 0, 2, 0],
};

/** Rows of the table for one recent day, by column. */
const rowsOf = (
  activity: readonly number[],
  { gaps = [], isCustom = false, change, edits } = {} as {
    readonly edits?: Partial<ModelDraft>;
    readonly change?: AcceptedChange;
    readonly gaps?: readonly [number, number][];
    readonly isCustom?: boolean;
  },
): readonly Readonly<Record<string, unknown>>[] => {
  const { events, add } = handWritten();
  add('days-1', imported(id(201), 'reference', [dayOf('2023-01-02')]));
  add('source-1', created(1));
  const [learned, custom] = [reset(1, 1), replaced(2, 3)];
  if (learned.type !== 'ModelsReset' || custom.type !== 'ModelsReplaced') throw new Error('no models');
  const own = { ...model, ...edits, id: 1, days: 7 };
  const assignments = [{ date: '2023-01-02', modelId: 1 }];
  add('source-1', { ...learned, data: { ...learned.data, models: [{ ...own, limits }], assignments } });
  if (isCustom) add('source-1', { ...custom, data: { ...custom.data, models: [own], assignments } });
  if (change) add('source-1', { type: 'ChangeAccepted', data: { requestId: id(203), change } });
  add('days-1', imported(id(202), 'recent', [{ ...dayOf(date), activity, gaps }]));
  const { models } = holding(events);
  const setup = models.sources.setup(1);
  if (!setup) throw new Error('no source');
  const names = Object.keys(residuals.columns);
  return [...residuals.rows(models, setup, { from: date, to: '2024-03-05' })].map(row =>
    Object.fromEntries(names.map((name, at) => [name, row[at]])),
  );
};
const column = (rows: ReturnType<typeof rowsOf>, name: string): unknown[] => rows.map(row => row[name]);
/** Equal up to rounding in the last digits. */
const isNear = (t: Test, got: readonly unknown[], expected: readonly (number | null)[]): void =>
  got.forEach((value, slice) => {
    const right = expected[slice] ?? null;
    if (right === null || typeof value !== 'number') t.equal(value, right, `slice ${slice}`);
    else t.ok(Math.abs(value - right) < 1e-14, `slice ${slice}: got ${value}, expected ${right}`);
  });

t.test('the normalised residual is that of the scale in multiples of the distance to the bound', async t => {
  const first = rowsOf([2, 14, 0, 30]);
  isNear(t, column(first, 'normalisedResidual'), [0, 2 / 2, -2 / 1, 2 / 2]);
  t.strictSame(column(first, 'residual'), [0, 12, -6, 24]);
  const second = rowsOf([6, 30, 14, 0]);
  isNear(t, column(second, 'normalisedResidual'), [1 / 1, 3 / 2, 1 / 1, -2 / 2]);
  t.strictSame(column(second, 'residual'), [4, 28, 8, -6]);
});

t.test('a bound that a person put on the profile is held apart from it, as checks do', async t => {
  const rows = rowsOf([2.1, 14, 0, 30], { edits: { topTolerance: [2, 14, 14, 30] } });
  // The smallest tolerance of the scale is 0.0075 / 2.
  const [value, apart] = [Math.log(2.1 / 2 + 1) - Math.log(2), 0.0075 / 2];
  const [residual] = column(rows, 'normalisedResidual');
  t.ok(Math.abs(Number(residual) - value / apart) < 1e-9, `got ${String(residual)}`);
  t.ok(Math.abs(Number(column(rows, 'upper')[0]) - 2 * (2 * Math.exp(apart) - 1)) < 1e-9);
});

t.test('a row names its slice, the minute of its start, the profile and the bounds', async t => {
  t.strictSame(rowsOf([6, 30, 14, 0])[2], {
    ...{ sourceId: 1, date, kind: 'recent', plannedModelId: 1, slice: 2, minute: 720 },
    ...{ value: 14, expected: 6, lower: 2, upper: 14, residual: 8, normalisedResidual: 1 },
  });
});

t.test('gaps have no residual, and models of people no normalised one', async t => {
  const rows = rowsOf([2, 14, 0, 30], { gaps: [[1, 3]] });
  isNear(t, column(rows, 'normalisedResidual'), [0, null, null, 1]);
  t.strictSame(column(rows, 'residual'), [0, null, null, 24]);
  t.strictSame(column(rows, 'value'), [2, null, null, 30]);
  const custom = rowsOf([2, 14, 0, 30], { isCustom: true });
  t.strictSame(column(custom, 'normalisedResidual'), [null, null, null, null]);
  t.strictSame(column(custom, 'residual'), [0, 12, -6, 24]);
});

t.test('a change that is accepted moves the profile and its bounds from its date on', async t => {
  const change = { type: 'level', size: 1, incidentId: 'inc-1' } as const;
  const rows = rowsOf([4, 12, 12, 12], { change: { ...change, from: date } });
  isNear(t, column(rows, 'expected'), [4, 4, 12, 12]);
  isNear(t, column(rows, 'upper'), [12, 28, 28, 60]);
  isNear(t, column(rows, 'residual'), [0, 8, 0, 0]);
  isNear(t, column(rows, 'normalisedResidual').slice(2), [0, 0]);
  const before = rowsOf([4, 12, 12, 12], { change: { ...change, from: '2024-03-05' } });
  isNear(t, column(before, 'expected'), [2, 2, 6, 6]);
});
