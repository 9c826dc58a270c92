import t from 'tap';
import type { DomainEvent } from '../../domain/events.js';
import { dayOf, id } from '../helpers/data/samples.js';
import { created, holding, imported, raised, through } from '../helpers/data/sourceHistory.js';
import { handWritten } from '../helpers/data/tables.js';

/** Source 1, and the facts after each added event. */
const stage = () => {
  const { events, add } = handWritten();
  add('source-1', created(1));
  const { db, models } = holding(events);
  const after = (stream: string, event: DomainEvent): bigint => {
    add(stream, event);
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
    return models.checkpoint('readModels').position;
  };
  return { db, models, after };
};
const change = (type: string, date: string): DomainEvent =>
  ({
    type,
    data: {
      ...{ alertId: `1-${date.replaceAll('-', '')}-1`, date, reason: 'DaysImported' },
      ...{ verdict: 'anomaly', comment: null },
    },
  }) as DomainEvent;

t.test('message facts: the look of a day is the one that the alert found', async t => {
  const { db, models, after } = stage();
  const date = '2024-03-05';
  const day = { ...dayOf(date), activity: [0, 7, 3.5, 0] };
  after('days-1', imported(id(201), 'recent', [day]));
  const first = after('alerts-1', raised('1-20240305-1'));
  t.equal(models.messageFacts.blocksAt(1, date, first), '▁█▅▁');
  t.equal(models.messageFacts.blocksAt(1, date, first - 1n), undefined, 'not before the alert');
  t.equal(models.messageFacts.blocksAt(2, date, first), undefined);
  after('days-1', imported(id(202), 'recent', [{ ...day, activity: [7, 0, 0, 0] }]));
  t.equal(models.messageFacts.blocksAt(1, date, first + 9n), '▁█▅▁', 'later data change nothing');
  after('alerts-1', change('AlertInvalidated', date));
  const second = after('alerts-1', raised('1-20240305-2'));
  t.equal(models.messageFacts.blocksAt(1, date, second), '█▁▁▁');
  t.equal(models.messageFacts.blocksAt(1, date, first), '▁█▅▁');
  db.close();
});

t.test('message facts: alerts that are open, the latest first', async t => {
  const { db, models, after } = stage();
  const open = () => models.messageFacts.openAlerts('default', 10);
  after('days-1', imported(id(201), 'recent', [dayOf('2024-03-05'), dayOf('2024-03-06')]));
  after('alerts-1', raised('1-20240305-1'));
  after('alerts-1', raised('1-20240306-1'));
  t.strictSame(open(), ['1-20240306-1', '1-20240305-1']);
  t.strictSame(models.messageFacts.openAlerts('default', 1), ['1-20240306-1']);
  t.strictSame(models.messageFacts.openAlerts('other', 10), []);
  after('alerts-1', change('AlertAcknowledged', '2024-03-06'));
  t.equal(open().length, 2, 'an acknowledged alert is open');
  after('alerts-1', change('AlertResolved', '2024-03-06'));
  t.strictSame(open(), ['1-20240305-1']);
  after('alerts-1', change('AlertReopened', '2024-03-06'));
  t.strictSame(open(), ['1-20240306-1', '1-20240305-1']);
  after('alerts-1', change('AlertInvalidated', '2024-03-05'));
  t.strictSame(open(), ['1-20240306-1']);
  after('source-1', { type: 'SourceArchived', data: { requestId: id(9) } });
  t.strictSame(open(), [], 'of an archived source none');
  db.close();
});
