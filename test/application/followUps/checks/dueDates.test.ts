import t from 'tap';
import { engine } from '../../../../analysis/engine.js';
import { dueDates } from '../../../../application/followUps/checks/readDays.js';
import type { CauseEvent } from '../../../../domain/followUps.js';
import { dateOf, dayNumber } from '../../../../domain/dates.js';
import { checkedLog } from '../../../helpers/decisions/checkedLog.js';

const march = (...days: readonly number[]): string[] =>
  days.map(day => dateOf(dayNumber('2024-02-29') + day));

/** A source with recent days, and the dates that a cause requires to be checked. */
const checkedSource = () => {
  const log = checkedLog();
  const dueOf = (cause: CauseEvent, changes: { readonly archivedAt?: string } = {}) => {
    const source = log.models().sources.setup(1);
    if (!source) throw new Error('no source');
    return dueDates(log.models(), cause, { ...source, ...changes }, engine);
  };
  return { log, dueOf };
};

/** A cause of a source with the data that its type needs. */
const causeOf = (cause: CauseEvent, type: string, data: object): CauseEvent =>
  ({ ...cause, type, stream: 'source-1', data }) as unknown as CauseEvent;

t.test('an archived source has no dates to check, whatever the cause', async t => {
  const { log, dueOf } = checkedSource();
  const imported = log.importDates(march(1, 2, 3));
  t.strictSame(dueOf(imported), march(1, 2, 3));
  const archived = { archivedAt: '2024-04-01T00:00:00.000Z' };
  const causes = [
    imported,
    causeOf(imported, 'ModelsReset', { modelsVersion: log.models().sources.setup(1)?.modelsVersion }),
    causeOf(imported, 'DayPlanned', { date: '2024-03-02' }),
    causeOf(imported, 'SourceRestored', {}),
  ];
  for (const cause of causes) {
    t.ok(dueOf(cause).length > 0, `${cause.type} while it is active`);
    t.strictSame(dueOf(cause, archived), [], cause.type);
  }
});

t.test('models that newer ones replaced check no day', async t => {
  const { log, dueOf } = checkedSource();
  const imported = log.importDates(march(1, 2));
  const present = log.models().sources.setup(1)?.modelsVersion ?? 0;
  for (const type of ['ModelsReset', 'ModelsReplaced', 'ModelAnomalyChanged']) {
    t.strictSame(dueOf(causeOf(imported, type, { modelsVersion: present })), march(1, 2), type);
    for (const other of [present - 1, present + 1])
      t.strictSame(dueOf(causeOf(imported, type, { modelsVersion: other })), [], `${type} ${other}`);
  }
});

t.test('a date that an import misses is no gap when another import has it', async t => {
  const { log, dueOf } = checkedSource();
  log.importDates(march(4));
  const imported = log.importDates(march(1, 2, 3, 5, 7, 8, 9, 10));
  t.strictSame(dueOf(imported), march(1, 2, 3, 5, 6, 7, 8, 9, 10), '6 March only');
});
