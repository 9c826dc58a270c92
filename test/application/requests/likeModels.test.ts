import t from 'tap';
import { likeModels } from '../../../application/requests/useCases/acceptChanges.js';

const model = (id: number, ...activity: readonly number[]) => ({ id, activity });
/** A day of six-hour slices that is open from 06:00 to 18:00. */
const open = model(1, 0, 10, 10, 0);

t.test(
  'a change of the opening moves the models that are nearer to the old values than to the new ones',
  async t => {
    const models = [open, model(2, 0, 5, 20, 0), model(3, 0, 4.9, 10, 0), model(4, 0, 0, 10, 0)];
    const change = { minutes: [360, 720], values: [0] } as const;
    t.strictSame(
      likeModels(models, change, open),
      [1, 2],
      'half way counts as near; the afternoon does not count',
    );
    t.strictSame(likeModels(models, { ...change, minutes: [720, 1080] }, open), [1, 3, 4]);
    t.strictSame(likeModels(models, { ...change, values: [20] }, open), [1, 2], 'a longer opening');
    t.strictSame(likeModels([open, model(5, 8, 10, 10, 8)], { values: [2] }, open), [1], 'the whole day');
  },
);
