import t from 'tap';
import type { Explanation } from '../../../application/requests/history/explainAlert.js';
import type { ShownIncident } from '../../../application/requests/incidents.js';
import { checkedAsk } from '../../helpers/documents/checkedAsk.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

// The new opening of a source is accepted: which models it moves, and what a later alert says of it.

const { call } = await startService(t);
const ask = await checkedAsk(call);

const { source } = await ask<{ source: { id: number } }>('POST', '/v1/import/create-source', {
  json: { name: 'Gym', referenceYear: 2023, days: ordinaryDays('2023-01-01', 364) },
});
await analysed(call, source.id);

type Raised = { readonly alerts: { readonly raised: readonly { readonly id: string }[] } };
/** Imports days that open an hour later. */
const importDays = (dates: readonly string[], change = (value: number, _hour: number): number => value) =>
  ask<Raised>('POST', '/v1/import/days', {
    json: {
      sourceId: source.id,
      days: dates.map(date => ({ date, activity: ordinaryDay(date).activity.with(8, 20).map(change) })),
    },
  });
const expected = async (date: string): Promise<number | undefined> => {
  type Details = { readonly plannedModel: { readonly activity: readonly number[] } };
  return (await ask<Details>('GET', `/v1/day/${source.id}/${date}`)).plannedModel.activity[8];
};

t.test('an accepted opening moves the models that were open then, and later alerts name it', async t => {
  const [monday, sunday] = [await expected('2024-03-11'), await expected('2024-03-10')];
  await importDays(['2024-03-04', '2024-03-05', '2024-03-06']);
  const { incidents } = await ask<{ incidents: ShownIncident[] }>('GET', '/v1/incident/list');
  await ask('POST', `/v1/incident/${incidents[0]?.id}/accept`, { json: {} });
  t.equal(await expected('2024-03-11'), 20);
  t.ok((monday ?? 0) > 40, `it was ${monday}`);
  t.equal(await expected('2024-03-10'), sunday, 'that of a day that was closed stays');

  // A later event of the source.
  await ask('PUT', `/v1/calendar/${source.id}/2024-12-24`, { json: { name: 'Eve' } });
  const halved = (value: number, hour: number): number => (hour > 12 ? value / 2 : value);
  const [alert] = (await importDays(['2024-03-11'], halved)).alerts.raised;
  const { accepted, plannedModel } = await ask<Explanation>('GET', `/v1/alert/${alert?.id}/explanation`);
  t.match(accepted, exactList({ type: 'ChangeAccepted', stream: `source-${source.id}` }));
  t.equal(plannedModel?.activity[8], 20);
});
