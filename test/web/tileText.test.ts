// The line of a tile of the wall.
import t from 'tap';
import { webModule } from '../helpers/screens/webModule.js';

type Module = {
  readonly tileText: (source: object, until: string | null, messages: object, formats: object) => string;
};
const { tileText } = await webModule<Module>('screens/wall/tileText.ts');

const messages = {
  wall: { until: (day: string, time: string) => `${day}, until ${time}` },
  overview: {
    unlearned: { collecting: 'collects', failed: 'failed' },
    parked: (type: string, position: string) => `parked: ${type} ${position}`,
    noData: 'no data',
  },
};
const formats = { dayFull: (date: string) => `day ${date}` };
const parked = { type: 'DaysImported', position: '7' };
const lastDate = '2024-03-07';

const cases: readonly (readonly [what: string, source: object, until: string | null, text: string])[] = [
  ['parked', { parked, analysis: 'failed', lastDate: null }, null, 'parked: DaysImported 7'],
  ['not learned', { analysis: 'failed', lastDate }, '10:00', 'failed'],
  ['collecting without data', { analysis: 'collecting', lastDate: null }, null, 'collects'],
  ['without data', { analysis: 'completed', lastDate: null }, null, 'no data'],
  ['a whole day', { analysis: 'completed', lastDate }, null, 'day 2024-03-07'],
  ['a day in progress', { analysis: 'completed', lastDate }, '10:00', 'day 2024-03-07, until 10:00'],
  ['collecting', { analysis: 'collecting', lastDate }, '10:00', 'day 2024-03-07, until 10:00 · collects'],
  ['learning', { analysis: 'running', lastDate }, null, 'day 2024-03-07'],
];

t.test('a tile says what keeps its source from being checked, else its newest data', async t => {
  for (const [what, source, until, text] of cases)
    t.equal(tileText(source, until, messages, formats), text, what);
});
