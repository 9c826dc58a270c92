// Mails of a real service to a real SMTP server.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Attempt } from '../../../application/ports/deliveries.js';
import type { ShownWebhook } from '../../../application/requests/useCases/testWebhook.js';
import { mailServer, quotedPrintable } from '../../helpers/receivers/mailServer.js';
import { analysed, eventually, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

type Created = ShownWebhook;

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
  t.match(created, { status: 201, body: { url } });
  const { id } = created.body;

  control.refusal = { code: 451, text: 'try later' };
  const high = { date: '2022-04-01', activity: ordinaryDay('2022-04-01').activity.map(value => value + 999) };
  await call('POST', '/v1/import/days', { json: { sourceId: 1, days: [high] } });
  const attempts = async () =>
    (await call<{ deliveries: readonly Attempt[] }>('GET', `/v1/webhook/${id}/deliveries`)).body.deliveries;
  await eventually('a refused mail', async () => ((await attempts()).length > 0 ? true : undefined));
  t.match((await attempts()).at(-1), { status: 451, outcome: 'retrying', type: 'alert.raised' });
  await service.restart();
  control.refusal = undefined;
  await eventually('the mail', async () => ((await attempts())[0]?.status === 250 ? true : undefined));
  t.match((await attempts())[0], { outcome: 'delivered' });
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

const picture = fileURLToPath(new URL('../../../picture/picture.js', import.meta.url));
const hasCharts = existsSync(picture);
const canDraw = hasCharts && (await import('@napi-rs/canvas').then(() => true).catch(() => false));
const skip = canDraw ? false : 'no canvas for this machine, or the charts are not built (npm run build)';

const isFrench = ({ raw }: { readonly raw: string }): boolean =>
  quotedPrintable(raw).includes('<html lang="fr">');

t.test('a mail has the chart of the day as a picture', { skip }, async t => {
  const { mails, port } = await mailServer(t);
  const { call } = await startService(t, {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'daybook@example.org',
  });
  const thousands = ({ date, activity }: ReturnType<typeof ordinaryDay>, more = 0) => ({
    date,
    activity: activity.map(value => 50 * (value + more)),
  });
  const days = ordinaryDays('2022-01-01', 60).map(day => thousands(day));
  await call('POST', '/v1/import/create-source', { json: { name: 'hall', referenceYear: 2022, days } });
  await analysed(call, 1);
  for (const language of ['en', 'fr', 'fr']) {
    const json = { url: 'mailto:anna@example.org', events: ['alert.raised'], language };
    t.match(await call('POST', '/v1/webhook/create', { json }), {
      status: 201,
      body: { language },
    });
  }
  const high = thousands(ordinaryDay('2022-04-01'), 99);
  await call('POST', '/v1/import/days', { json: { sourceId: 1, days: [high] } });
  await eventually('the mails', () => (mails.length > 2 ? true : undefined));
  mails.sort((one, other) => Number(isFrench(one)) - Number(isFrench(other)));
  const pictures = mails.map(({ raw }) => {
    const [, base64 = ''] = /Content-Type: image\/png[^]*?\r\n\r\n([\w+/=\r\n]+)/.exec(raw) ?? [];
    return Buffer.from(base64, 'base64');
  });
  const [first = Buffer.alloc(0), second, third] = pictures;
  t.equal(first.subarray(1, 4).toString(), 'PNG');
  t.strictSame([first.readUInt32BE(16), first.readUInt32BE(20)], [1200, 600], 'twice 600 × 300');
  t.ok(first.length > 20_000, 'it is not blank');
  t.ok(second && third?.equals(second), 'the same chart has the same bytes');
  t.notOk(second && first.equals(second), 'numbers as in the language');
  const texts = mails.map(({ raw }) => quotedPrintable(raw)).sort();
  t.ok(texts.some(text => /<img src="cid:1-20220401-1@daybook"[^>]*alt="Chart of the day: hall/.test(text)));
  const french =
    /<title>hall\s: [^<]*((au-dessus du|fois le) vendredi habituel|au lieu de)[^]*criticité [01][^]*Graphique de la journée/;
  t.ok(
    texts.some(text => french.test(text)),
    'by the setting of the webhook',
  );
  const alert = (await call<object>('GET', '/v1/alert/1-20220401-1')).body;
  const day = (await call<object>('GET', '/v1/day/1/2022-04-01')).body;
  const { alertSvg } = (await import(`${picture}`)) as {
    readonly alertSvg: (alert: object, day: object, options: object) => string;
  };
  const hours = ['00', '03', '06', '09', '12', '15', '18', '21', '24'].map(hour => `${hour}:00`);
  for (const [language, ticks] of [
    ['en', ['0', '2K', '4K', '6K', '8K', '10K']],
    ['fr', ['0', '2&#160;k', '4&#160;k', '6&#160;k', '8&#160;k', '10&#160;k']],
  ] as const) {
    const svg = alertSvg(alert, day, { width: 600, height: 300, scale: 2, font: 'Inter', language });
    t.match(svg, /^<svg (?=[^>]* width="1200")[^>]* height="600"/, 'drawn at its size, so that it is sharp');
    const words = [...svg.matchAll(/<(text|title|desc|tspan)\b[^>]*>([^<]*)/g)].map(([, , word]) => word);
    t.strictSame(words, [...ticks, ...hours], `${language}: all texts of the picture`);
  }
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
      body: {
        code: 'webhookInvalid',
        errors: exactList({ pointer: '/url', code: 'addressRefused', detail }),
      },
    });
});
