// The API from TypeScript: a source, a checked day, its alert, a verdict.
//
// Run here: DAYBOOK_URL=http://127.0.0.1:8080 DAYBOOK_TOKEN=$(npx daybook token) node build/examples/client.js
// In a project of your own, import from 'daybook-client' (client/README.md).
import { daybookClient } from '../client/index.js';

const { DAYBOOK_URL: url, DAYBOOK_TOKEN: token } = process.env;
if (url === undefined || token === undefined)
  throw new Error('set DAYBOOK_URL and DAYBOOK_TOKEN: see examples/README.md');
const daybook = daybookClient({ url, token });

/** A year of hourly values of a place that opens on working days from 8 to 20 o'clock. */
const madeYear = Array.from({ length: 365 }, (_, day) => {
  const at = new Date(Date.UTC(2023, 0, 1 + day));
  const works = at.getUTCDay() % 6 !== 0;
  const activity = Array.from({ length: 24 }, (_, hour) =>
    works && hour > 7 && hour < 20 ? 80 + (((day * 24 + hour) * 7919) % 40) : 5 + (hour % 3),
  );
  return { date: at.toISOString().slice(0, 10), activity };
});

const { source } = await daybook.post('/v1/import/create-source', {
  // Names are unique by default; this program may run again on the same service.
  params: { query: { allowDuplicate: true } },
  body: { name: 'Library', referenceYear: 2023, days: madeYear },
});

// The answer waits ten seconds for the check: `checked` waits until it is done.
const closed = { date: '2024-01-10', activity: Array.from({ length: 24 }, (_, hour) => 5 + (hour % 3)) };
const { days } = await daybook.checked(
  await daybook.post('/v1/import/days', { body: { sourceId: source.id, days: [closed] } }),
);
for (const { date, status } of days) console.log(`${date} is ${status}`);

const { models } = await daybook.get('/v1/model/list/{source_id}', {
  params: { path: { source_id: source.id } },
});
for (const { id, name } of models) console.log(`model ${id}: ${name}`);

for await (const alert of daybook.list.alerts({ sourceId: source.id, state: 'unprocessed' })) {
  const { id, date, kind, criticity } = alert;
  console.log(`alert ${id} of ${date}: ${kind}, criticity ${criticity.toFixed(2)}`);
  const { state } = await daybook.post('/v1/alert/{id}/resolve', {
    params: { path: { id } },
    body: { verdict: 'expected', comment: 'Closed for works' },
  });
  console.log(`alert ${id} is ${state}`);
}
