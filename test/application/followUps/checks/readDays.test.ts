import t from 'tap';
import { presentRules } from '../../../../analysis/engine.js';
import { comparisonMaker, readDays } from '../../../../application/followUps/checks/readDays.js';
import { dateOf, dayNumber } from '../../../../domain/dates.js';
import { exactList } from '../../../helpers/exactList.js';

type Models = Parameters<typeof readDays>[0];
type Event = Parameters<typeof readDays>[1];
type Setup = Parameters<typeof readDays>[2];

const source = { id: 1, activitySize: 24 } as Setup;
const dateAt = (index: number): string => dateOf(dayNumber('2024-03-01') + index);

/** A source with a day on each of 60 dates but the 50th; the 40th is in progress. New objects each time, as of rows. */
const models = {
  days: {
    between: (_source: number, _kind: string, from: string, to: string) =>
      Array.from({ length: 60 }, (_, index) => dateAt(index))
        .filter((date, index) => index !== 50 && from <= date && date < to)
        .map(date => ({ date, ...(date === dateAt(40) && { inProgress: { runs: [] } }) })),
    takenBackSince: () => false,
  },
} as unknown as Models;
const event = (type: string): Event => ({ type, revision: 3, data: { importId: 'i' } }) as unknown as Event;
const read = (type: string, ...indices: readonly number[]) =>
  readDays(models, event(type), source, indices.map(dateAt));

t.test('days before: each once, in order, those of 28 days, without those in progress', async t => {
  const dates = (before: readonly { readonly date: string }[]): string[] => before.map(({ date }) => date);
  const wanted = Array.from({ length: 28 }, (_, index) => dateAt(17 + index));
  for (const checked of [
    [30, 45],
    [45, 46],
    [30, 31, 44, 45, 46],
  ]) {
    const { before, ahead } = read('DaysImported', ...checked);
    t.strictSame(
      dates(before(dateAt(45))),
      wanted.filter(date => date !== dateAt(40)),
      `${checked.join()}`,
    );
    t.equal(new Set(dates(ahead)).size, ahead.length, 'ahead has each day once');
  }
});

t.test('a short check reads its own days first, one of several steps also those before', async t => {
  const ahead = (...indices: readonly number[]): string[] =>
    read('DaysImported', ...indices).ahead.map(({ date }) => date);
  t.strictSame(ahead(30, 45), [30, 45].map(dateAt));
  t.strictSame(ahead(45, 46), [45, 46].map(dateAt));
  const all = Array.from({ length: 32 }, (_, index) => dateAt(2 + index));
  t.strictSame(ahead(30, 31, 32, 33), all);
});

t.test('a day to check is one object, also as a day before another one', async t => {
  const { toCheck, before } = read('DaysImported', 30, 31);
  t.equal(before(dateAt(31)).at(-1), toCheck[0]);
});

t.test('a date without data is a day without values; one that was taken back says so', async t => {
  const empty = { date: dateAt(50), importId: 'i', missing: true, gaps: [[0, 24]] };
  t.match(read('DaysImported', 50).toCheck, exactList(empty));
  t.notOk('takenBack' in read('DaysImported', 50).toCheck[0]!);
  t.match(read('DayTakenBack', 50).toCheck, exactList({ ...empty, takenBack: true }));
  t.strictSame(read('DayPlanned', 50).toCheck, []);
});

t.test('gaps of the reference are those of its present days, also under the same models', async t => {
  const assignments = Array.from({ length: 14 }, (_, index) => ({ date: dateAt(index), modelId: 1 }));
  let [version, hours] = ['1', 3];
  const dayOf = (date: string) => ({
    date,
    activity: Array<number>(24).fill(1),
    gaps: [[0, hours]],
    filled: [],
  });
  const present = {
    sources: { setup: () => ({ ...source, reference: {} }) },
    days: {
      reference: () => assignments.map(({ date }) => dayOf(date)),
      referenceVersion: () => version,
    },
    planning: { modelsKey: () => 'key', assignedDays: () => assignments, checks: () => null },
    typicalDays: { list: () => [] },
    acceptedChanges: { ofSource: () => [] },
  } as unknown as Models;
  const comparisonOf = comparisonMaker(present);
  const longest = (): number | undefined =>
    comparisonOf({ ...source, reference: {} } as Setup, presentRules, { dates: [] }).referenceGaps?.(1);
  t.equal(longest(), 3);
  hours = 5;
  t.equal(longest(), 3, 'they are read once');
  version = '2';
  t.equal(longest(), 5);
});
