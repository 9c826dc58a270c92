import { mintToken } from '../../../adapters/http/middleware/tokens.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { analysed, ordinaryDay, type startService } from '../../helpers/service.js';
import { reference } from './case.js';

type Service = Awaited<ReturnType<typeof startService>>;
type ModelList = { readonly models: readonly { readonly id: number; readonly name: string }[] };

/** Source 1 of the default tenant, with an alert in each state, and source 2 of another tenant. */
export const given = async (service: Service) => {
  const { call, tokenFor } = service;
  const other = await tokenFor({ tenant: 'other' });
  await call('POST', '/v1/import/create-source', {
    json: { name: 'stage', referenceYear: 2022, days: reference },
  });
  await call('POST', '/v1/import/create-source', {
    token: other,
    json: { name: 'theirs', referenceYear: 2022, days: reference.slice(0, 40) },
  });
  await analysed(call, 1);
  const high = (date: string) => ({ date, activity: ordinaryDay(date).activity.map(value => value + 1000) });
  const badDates = ['2023-03-01', '2023-03-02', '2023-03-03', '2023-03-04'];
  const staged = await call<{ alerts: { raised: readonly AlertRecord[] } }>('POST', '/v1/import/days', {
    json: { sourceId: 1, days: badDates.map(high) },
  });
  const [open, acknowledged, resolved, invalidated] = staged.body.alerts.raised.map(({ id }) => id);
  await call('POST', `/v1/alert/${acknowledged}/acknowledge`);
  await call('POST', `/v1/alert/${resolved}/resolve`, { json: { verdict: 'anomaly' } });
  await call('POST', '/v1/import/days', { json: { sourceId: 1, days: [ordinaryDay('2023-03-04')] } });
  await analysed((method, path) => call(method, path, { token: other }), 2);
  const { body: theirModels } = await call<ModelList>('GET', '/v1/model/list/2', { token: other });
  const { body: ownModels } = await call<ModelList>('GET', '/v1/model/list/1');
  await call('POST', '/v1/import/days', {
    json: { sourceId: 1, days: [ordinaryDay('2023-03-05')] },
    headers: { 'Idempotency-Key': 'used' },
  });
  await call('POST', `/v1/alert/${open}/acknowledge`, { headers: { 'Idempotency-Key': 'acknowledged' } });
  await call('POST', `/v1/alert/${open}/resolve`, { json: { verdict: 'expected' } });
  await call('POST', `/v1/alert/${open}/reopen`);
  return {
    /** A token of the other tenant. */
    other,
    /** Ids of alerts of source 1 by their state. */
    ...{ open, acknowledged, resolved, invalidated },
    ownModels,
    theirModels,
    tokenFor,
    /** A token that expired yesterday, with a valid signature. */
    expired: () =>
      mintToken(service.settings.tokens, { subject: 'x', tenant: 'default', scopes: ['import'] }, -1),
  };
};
export type Given = Awaited<ReturnType<typeof given>>;
