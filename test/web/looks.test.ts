// The look of a date of a source on the overview and in the calendar.
import t from 'tap';
import { exactList } from '../helpers/exactList.js';
import { webModule } from '../helpers/screens/webModule.js';

type Days = {
  readonly looksOf: (
    source: object,
    planned: readonly object[],
    dates: readonly string[],
  ) => readonly object[];
};
const { looksOf } = await webModule<Days>('parts/days.ts');

t.test('a source without new data has its alert at the first date without them', async t => {
  const silence = { id: '7-20240308-1', date: '2024-03-08', state: 'open', criticity: 1, severity: 0.5 };
  const days = [{ date: '2024-03-07', kind: 'recent', outcome: 'normal' }];
  const dates = ['2024-03-07', '2024-03-08', '2024-03-09'];
  const planned = dates.slice(1).map(date => ({ date, name: 'Monday', names: {}, color: '#0072B2' }));
  const ordinary = { kind: 'ordinary' };
  t.match(
    looksOf({ days, silence }, planned, dates),
    exactList(ordinary, { kind: 'alert', id: silence.id, isSilence: true, level: 3 }, { kind: 'planned' }),
  );
  t.match(
    looksOf({ days, silence: null }, [], dates),
    exactList(ordinary, { kind: 'none' }, { kind: 'none' }),
  );
});
