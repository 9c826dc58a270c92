import t from 'tap';
import { dataTables, allDates } from '../../../application/requests/dataTables.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { created, holding, raised } from '../../helpers/data/sourceHistory.js';
import { handWritten } from '../../helpers/data/tables.js';

t.test('the table of alerts has each alert once, also where they fill pages', async t => {
  for (const count of [199, 200, 201, 401]) {
    const { events, add } = handWritten();
    add('source-1', created(1, 'default'));
    const ids = Array.from({ length: count }, (_, n) => {
      const date = dateOf(dayNumber('2024-01-01') + n).replaceAll('-', '');
      return `1-${date}-1`;
    });
    for (const alertId of ids) add('alerts-1', raised(alertId, 0.5));
    const { db, models } = holding(events);
    t.teardown(() => db.close());
    const source = models.sources.setup(1);
    const rows = source ? [...dataTables.alerts.rows(models, source, allDates)] : [];
    t.strictSame(
      rows.map(([alertId]) => alertId),
      ids,
      `${count} alerts`,
    );
  }
});

t.test('columns of tables are named like fields of answers', t => {
  for (const [name, { columns }] of Object.entries(dataTables))
    for (const column of Object.keys(columns)) t.match(column, /^[a-z][a-zA-Z0-9]*$/, `${name}: ${column}`);
  t.end();
});
