// Mails of a real service to a real SMTP server.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Attempt } from '../../application/webhooks/deliveries.js';
import type { ShownWebhook } from '../../application/webhooks/shownWebhook.js';
import { mailServer, quotedPrintable } from '../helpers/mailServer.js';
import { analysed, eventually, ordinaryDay, ordinaryDays, startService } from '../helpers/service.js';

type Created = { readonly webhook: ShownWebhook };

t.test('a mail about an alert arrives after a refusal and a restart; its address is sealed', async t => {
  const { mails, control, port } = await mailServer(t);
  const service = await startService(t, {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'Daybook <daybook@example.org>',
    PUBLIC_URL: 'https://daybook.example.org',
  });
  const { call } = service;
  const days = ordinaryDays('2022-01-01', 60);
  await call('POST', '/v1/import/create-source', { json: { name: 'hall', referenceYear: 2022, days } });
  await analysed(call, 1);
  const url = 'mailto:anna.personal@example.org';
  const created = await call<Created>('POST', '/v1/webhook/create', {
    json: { url, events: ['alert.raised'] },
  });
  t.match(created, { status: 201, body: { webhook: { url } } });
  const { id } = created.body.webhook;

  control.refusal = { code: 451, text: 'try later' };
  const high = { date: '2022-04-01', activity: ordinaryDay('2022-04-01').activity.map(value => value + 999) };
  await call('POST', '/v1/import/days', { json: { sourceId: 1, days: [high] } });
  const attempts = async () =>
    (await call<{ deliveries: readonly Attempt[] }>('GET', `/v1/webhook/${id}/deliveries`)).body.deliveries;
  await eventually('a refused mail', async () => ((await attempts()).length > 0 ? true : undefined));
  t.match(await attempts(), [{ status: 451, outcome: 'retrying', type: 'alert.raised' }]);
  await service.restart();
  control.refusal = undefined;
  await eventually('the mail', () => (mails.length > 0 ? true : undefined), 30_000);
  t.match((await attempts())[0], { status: 250, outcome: 'delivered' });
  const [mail] = mails;
  t.strictSame(mail?.to, ['anna.personal@example.org']);
  t.match(mail?.headers.get('subject'), /^hall: .* usual Friday/);
  t.match(quotedPrintable(mail?.raw ?? ''), 'https://daybook.example.org/alerts/1-20220401-1');
  t.match(await call('POST', `/v1/webhook/${id}/test`), { body: { outcome: 'delivered', status: 250 } });
  t.equal(mails[1]?.headers.get('subject'), 'Test message of Daybook');

  const [event] = service.events().filter(({ stream }) => stream === 'webhooks-default');
  t.match(event?.data, { host: 'mail', url: /^sealed:1:/ });
  await service.stop();
  for (const file of readdirSync(service.settings.dataDir)) {
    const bytes = readFileSync(join(service.settings.dataDir, file)).toString('latin1');
    t.notOk(bytes.includes('anna.personal'), `${file} has no address`);
  }
  t.notMatch(service.logged(), /anna\.personal/);
});

t.test('an address of a mail is refused without a server, and when it is more than an address', async t => {
  const { call } = await startService(t);
  const create = (url: string) => call('POST', '/v1/webhook/create', { json: { url } });
  for (const [url, detail] of [
    ['mailto:anna@example.org', /SMTP_URL and MAIL_FROM/],
    ['mailto:anna@example.org?bcc=eve@example.org', /one mail address/],
  ] as const)
    t.match(await create(url), {
      status: 422,
      body: { code: 'webhookInvalid', errors: [{ pointer: '/url', code: 'addressRefused', detail }] },
    });
});
