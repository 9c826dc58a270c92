import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import t from 'tap';
import { isMailAddress, mailFault, senderOf, smtpServer } from '../../../adapters/mail/mailSettings.js';
import { mailSender, type MailParts } from '../../../adapters/mail/mailSender.js';
import { mailServer, quotedPrintable, type ReceivedMail } from '../../helpers/receivers/mailServer.js';

const never = new AbortController().signal;
const from = { name: 'Daybook', address: 'daybook@example.org' };
const alert = {
  id: '1-20240110-1',
  date: '2024-01-10',
  kind: 'activity',
  criticity: 0.8204,
  sentence: '90 % under the usual Wednesday from 08:00 to 20:00',
  loss: '1.5 times its allowance',
  losses: { fr: '1,5 fois sa marge' },
};
const event = {
  type: 'alert.raised',
  data: {
    source: { id: 1, name: 'Library' },
    change: 'raised',
    alert,
    link: 'https://daybook.example.org/alerts/1-20240110-1',
  },
};
const message = (body: object = event) => ({
  tenant: 'default',
  url: 'mailto:anna@example.org',
  id: '5b0c1f0e-1d2c-5a3b-8c4d-0123456789ab',
  body: JSON.stringify(body),
  webhookId: 'w-1',
  secrets: [],
});
const partsOf = (port: number, parts: Partial<MailParts> = {}): MailParts => ({
  ...{ host: '127.0.0.1', port, isTls: false, from, stepTimeoutMs: 2000 },
  ...parts,
});

/** Text of a mail after its transfer encoding. */
const textOf = ({ raw }: ReceivedMail): string => quotedPrintable(raw);

t.test('a mail has a subject, a text, an accessible page and a way to stop it', async t => {
  const { mails, port } = await mailServer(t);
  const sent = await mailSender(partsOf(port)).send(message(), never);
  t.match(sent, { status: 250, failure: null });
  t.ok(sent.latencyMs > 0);
  const [mail] = mails as [ReceivedMail];
  t.strictSame(mail.to, ['anna@example.org']);
  const header = (name: string) => mail.headers.get(name);
  t.equal(header('subject'), 'Library: 90 % under the usual Wednesday from 08:00 to 20:00');
  t.equal(header('from'), 'Daybook <daybook@example.org>');
  t.equal(header('to'), 'anna@example.org');
  t.equal(header('message-id'), '<5b0c1f0e-1d2c-5a3b-8c4d-0123456789ab@example.org>');
  t.equal(header('auto-submitted'), 'auto-generated');
  t.equal(header('list-unsubscribe'), '<mailto:daybook@example.org?subject=unsubscribe%20w-1>');
  const text = textOf(mail);
  t.match(text, /Content-Type: text\/plain/);
  t.match(text, /Wednesday,? 10 January 2024\. Loss: 1\.5 times its allowance; criticity 82 %\./);
  t.match(text, /-- \r?\nAllowance: /, 'the words are explained');
  t.match(text, /<footer[^>]*>\s*<p[^>]*>Allowance: /);
  t.match(text, /\nhttps:\/\/daybook\.example\.org\/alerts\/1-20240110-1\r?\n/);
  t.match(text, /<html lang="en">[^]*<title>Library: 90\u00a0%[^]*<h1[^>]*>Library: 90\u00a0%/);
  t.match(text, /<a href="https:\/\/daybook\.example\.org\/alerts\/1-20240110-1"[^>]*>Open in Daybook<\/a>/);
  t.match(text, /disable or delete this webhook/);
});

t.test('a mail in French', async t => {
  const { mails, port } = await mailServer(t);
  const { send } = mailSender(partsOf(port, { picture: async () => Buffer.from('png') }));
  const sentences = { fr: '90 % au-dessous du mercredi habituel de 08:00 à 20:00' };
  const of = (change: string, more: object) => ({
    type: 'alert.raised',
    data: { ...event.data, change, alert: { ...alert, ...more } },
  });
  const french = (body: object) => send({ ...message(body), language: 'fr' }, never);
  await french(of('raised', { sentences }));
  const [first] = mails as [ReceivedMail];
  // A subject with accents and no-break spaces is encoded: the title of the page is the same text.
  const titleOf = (mail: ReceivedMail | undefined): string =>
    /<title>([^<]*)<\/title>/.exec(mail ? textOf(mail) : '')?.[1]?.replaceAll('\u00a0', ' ') ?? '';
  t.equal(titleOf(first), 'Library : 90 % au-dessous du mercredi habituel de 08:00 à 20:00');
  const text = textOf(first);
  t.match(text, /mercredi 10 janvier 2024\. Perte\u00a0: 1,5 fois sa marge\u00a0; criticité 82\u00a0%\./);
  t.match(text, /<html lang="fr">/);
  t.match(text, /alt="Graphique de la journée/);
  t.match(text, />Ouvrir dans Daybook<\/a>/);
  t.match(text, /désactiver ou de supprimer ce webhook/);
  t.notMatch(text, /criticity|Loss|allowance|Open in|To stop it|usual/i, 'nothing is in English');
  const silent = { kind: 'noData', sentences: { fr: 'Aucune donnée depuis le 3 mars 2024 à 06:12 UTC' } };
  const others: readonly (readonly [object, string])[] = [
    [of('ended', silent), 'Terminée : Library : aucune donnée depuis le 3 mars 2024 à 06:12 UTC'],
    [of('raised', {}), `Library : ${alert.sentence}`],
    [
      { type: 'analysis.completed', data: { source: { id: 1, name: 'Library' } } },
      'Library : nouveaux modèles',
    ],
    [{ type: 'webhook.test', data: {} }, 'Message de test de Daybook'],
    [
      { type: 'digest', data: { messages: [of('raised', { sentences }), of('raised', silent)] } },
      '2 messages : Library : 90 % au-dessous du mercredi habituel de 08:00 à 20:00',
    ],
  ];
  for (const [body, title] of others) {
    await french(body);
    t.equal(titleOf(mails.at(-1)), title);
  }
});

t.test('names cannot add headers, recipients or elements', async t => {
  const { mails, port } = await mailServer(t);
  const name = 'Hall\r\nBcc: eve@example.org\r\n\r\n<img src=x onerror=alert(1)>"&\u2028';
  const hostile = { ...event, data: { ...event.data, source: { id: 1, name } } };
  t.match(await mailSender(partsOf(port)).send(message(hostile), never), { status: 250 });
  const [mail] = mails as [ReceivedMail];
  t.strictSame(mail.to, ['anna@example.org']);
  t.equal(mail.headers.get('bcc'), undefined);
  t.match(mail.headers.get('subject'), /^Hall Bcc: eve@example\.org <img src=x onerror=alert\(1\)>"&: 90 %/);
  const text = textOf(mail);
  t.notMatch(text.slice(text.indexOf('<html')), /<img/);
  t.match(text, /&lt;img src=x onerror=alert\(1\)&gt;&quot;&amp;/);
  const long = { ...event, data: { ...event.data, source: { id: 1, name: 'é'.repeat(5000) } } };
  t.match(await mailSender(partsOf(port)).send(message(long), never), { status: 250 });
  t.equal(mails[1]?.headers.get('subject')?.length, 150);
});

t.test('a mail about an analysis that failed says what remains in force, and why', async t => {
  const { mails, port } = await mailServer(t);
  const { send } = mailSender(partsOf(port));
  const failed = {
    type: 'analysis.failed',
    data: { source: { id: 2, name: 'Hall' }, analysis: { detail: 'the days are equal' } },
  };
  await send(message(failed), never);
  await send({ ...message(failed), language: 'fr' }, never);
  t.match(textOf(mails[0]!), 'Models that the source has stay in force. Reason: the days are equal');
  t.match(
    textOf(mails[1]!),
    'Les modèles existants de la source restent en vigueur. Motif, en anglais\u00a0: «\u00a0the days are equal\u00a0»',
  );
});

t.test('a mail about an alert without a severity names no loss', async t => {
  const { mails, port } = await mailServer(t);
  const { loss: _, losses: __, ...old } = alert;
  await mailSender(partsOf(port)).send(message({ ...event, data: { ...event.data, alert: old } }), never);
  const text = textOf(mails[0] as ReceivedMail);
  t.match(text, /Wednesday,? 10 January 2024, criticity 82 %\./);
  t.notMatch(text, /Loss|Allowance/);
});

t.test(
  'a mail about an incident has its sentence, sources and loss, and the picture of its main alert',
  async t => {
    const { mails, port } = await mailServer(t);
    const asked: string[] = [];
    const { send } = mailSender(partsOf(port, { picture: async id => (asked.push(id), undefined) }));
    const incident = {
      ...{ kind: 'activity', criticity: 0.95, since: '2024-01-08', until: '2024-01-10' },
      sentence: 'closed, 3 alerts from 8 Jan 2024 to 10 Jan 2024',
      sentences: { fr: 'fermé, 3 alertes du 8 janv. 2024 au 10 janv. 2024' },
      ...{ loss: '3 times its allowance', losses: { fr: '3 fois sa marge' } },
      sources: [{ name: 'Library' }, { name: 'Hall' }],
    };
    const opened = { type: 'incident.opened', data: { ...event.data, change: 'opened', incident } };
    await send(message(opened), never);
    await send(message({ ...opened, data: { ...opened.data, change: 'changed' } }), never);
    const [mail] = mails as [ReceivedMail];
    t.equal(mail.headers.get('subject'), 'Library (+1): closed, 3 alerts from 8 Jan 2024 to 10 Jan 2024');
    t.match(textOf(mail), / 2024\. Loss of the worst day: 3 times its allowance; criticity 95 %\./);
    t.strictSame(asked, [alert.id], 'a later message has no picture');
  },
);

t.test('a digest lists its messages in order', async t => {
  const { mails, port } = await mailServer(t);
  const resolved = { ...event, type: 'alert.resolved', data: { ...event.data, change: 'resolved' } };
  const failed = {
    type: 'analysis.failed',
    data: { source: { id: 2, name: 'Hall' }, analysis: { detail: 'the days are equal' } },
  };
  const urgent = {
    ...event,
    data: { ...event.data, source: { id: 3, name: 'Court' }, alert: { ...alert, criticity: 1 } },
  };
  const digest = { type: 'digest', data: { messages: [event, resolved, failed, urgent] } };
  t.match(await mailSender(partsOf(port)).send(message(digest), never), { status: 250 });
  const [mail] = mails as [ReceivedMail];
  t.match(mail.headers.get('subject'), /^4 messages: Court: 90 %/);
  const html = textOf(mail).replace(/[^]*<html/, '');
  t.match(
    html,
    /<h1[^]*<h2[^>]*>Library[^]*<h2[^>]*>Resolved: Library[^]*<h2[^>]*>Hall: the analysis failed/,
  );
  t.match(html, /the days are equal/);
});

t.test('pictures are inside the mail; one that cannot be drawn is left out', async t => {
  const { mails, port } = await mailServer(t);
  const png = Buffer.from('89504e470d0a1a0a', 'hex');
  const asked: string[] = [];
  const picture = async (id: string) => (asked.push(id), asked.length === 1 ? png : undefined);
  const { send } = mailSender(partsOf(port, { picture }));
  await send(message(), never);
  await send(message(), never);
  const silent = { ...event, data: { ...event.data, alert: { ...alert, kind: 'noData' } } };
  await send(message(silent), never);
  t.strictSame(asked, [alert.id, alert.id], 'a day without data has no chart');
  const [first, second] = mails as [ReceivedMail, ReceivedMail];
  t.match(textOf(first), /<img src="cid:1-20240110-1@daybook"[^>]*alt="Chart of the day: Library: 90\u00a0%/);
  t.match(first.raw, /Content-Id: <1-20240110-1@daybook>/i);
  t.match(first.raw, png.toString('base64'));
  t.notMatch(textOf(second), /<img/);
});

t.test('replies of the server are the status; without an answer there is a reason', async t => {
  const { control, mails, port } = await mailServer(t);
  const { send } = mailSender(partsOf(port));
  control.refusal = { code: 550, text: 'no such user' };
  t.match(await send(message(), never), { status: 550, failure: null });
  control.refusal = { code: 451, text: 'try later' };
  t.match(await send(message(), never), { status: 451, failure: null });
  t.equal(mails.length, 0);
  t.match(await send({ ...message(), url: 'mailto:a@example.org,b@example.org' }, never), {
    status: null,
    failure: 'addressRefused',
  });
  t.match(await mailSender(partsOf(1)).send(message(), never), { status: null, failure: 'unreachable' });
});

t.test('a server that does not answer ends at the limit, and at once when the service stops', async t => {
  const sockets = new Set<{ destroy: () => void }>();
  const server = createServer(socket => void sockets.add(socket));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const slow = mailSender(partsOf(port, { stepTimeoutMs: 200 }));
  t.match(await slow.send(message(), never), { status: null, failure: 'timeout' });
  const stopping = new AbortController();
  const sending = mailSender(partsOf(port)).send(message(), stopping.signal);
  stopping.abort();
  t.match(await sending, { status: null });
});

t.test('an untrusted certificate is refused', async t => {
  const { port, mails } = await mailServer(t, { secure: true });
  const sent = await mailSender(partsOf(port, { isTls: true, host: 'localhost' })).send(message(), never);
  t.match(sent, { status: null, failure: 'tls' });
  t.equal(mails.length, 0);
});

/** A certificate for localhost, made by OpenSSL; undefined where it is missing. */
const certificate = (folder: string) => {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', certFile],
  ]);
  return status === 0 ? { key: readFileSync(keyFile), cert: readFileSync(certFile) } : undefined;
};
const made = certificate(t.testdir());
const skip = made ? false : 'OpenSSL is missing';

t.test('TLS from the start and STARTTLS, with a name and a password', { skip }, async t => {
  const seen: string[] = [];
  const options = {
    ...made,
    authOptional: false,
    hideSTARTTLS: false,
    onAuth: ({ username, password }, { secure }, callback) => {
      seen.push(`${username} ${password} ${secure}`);
      callback(null, { user: 'daybook' });
    },
  } satisfies SMTPServerOptions;
  for (const secure of [true, false]) {
    const { port, mails } = await mailServer(t, { ...options, secure });
    const auth = { user: 'daybook', pass: 'pass word' };
    const parts = partsOf(port, { isTls: secure, host: 'localhost', auth, tls: { ca: made?.cert } });
    t.match(await mailSender(parts).send(message(), never), { status: 250 }, `secure ${secure}`);
    t.equal(mails.length, 1);
  }
  t.strictSame(seen, ['daybook pass word true', 'daybook pass word true']);
});

t.test('addresses of mails', async t => {
  for (const good of [
    'anna@example.org',
    "o'brien+x.y@a-b.example",
    'A@localhost',
    `${'x'.repeat(64)}@e.org`,
  ])
    t.ok(isMailAddress(good), good);
  for (const bad of [
    ...['', 'anna', '@example.org', 'anna@', 'a b@example.org', 'anna@example..org', '.a@example.org'],
    ...['a@b@c', 'anna@example.org\r\nBcc: x@example.org', '"a"@example.org', 'a@-b.org', 'a@b_c.org'],
    ...['a,b@example.org', '<a@example.org>', 'änna@example.org', `${'x'.repeat(65)}@e.org`],
    `a@${'x'.repeat(63)}.${'y'.repeat(63)}.${'z'.repeat(63)}.${'w'.repeat(63)}`,
  ])
    t.notOk(isMailAddress(bad), bad);
  t.equal(mailFault('mailto:anna@example.org', true), undefined);
  t.equal(mailFault('MAILTO:anna@example.org', true), undefined);
  t.match(mailFault('mailto:anna@example.org', false), /SMTP_URL and MAIL_FROM/);
  t.match(mailFault('mailto:anna@example.org?bcc=x@example.org', true), /one mail address/);
});

t.test('settings of the server and the sender', async t => {
  t.strictSame(smtpServer('smtp://mail.example.org'), { host: 'mail.example.org', port: 587, isTls: false });
  t.strictSame(smtpServer('smtps://a%40b:p%3Aw@[::1]:2465/'), {
    ...{ host: '::1', port: 2465, isTls: true },
    auth: { user: 'a@b', pass: 'p:w' },
  });
  for (const bad of [
    ...['', 'mail.example.org', 'http://mail.example.org', 'smtp://', 'smtp://a@mail.example.org'],
    ...['smtp://mail.example.org/x', 'smtp://mail.example.org?x=1', 'smtp://a:%@b', 'smtp://a:0'],
  ])
    t.equal(smtpServer(bad), undefined, bad);
  t.strictSame(senderOf('a@example.org'), { name: '', address: 'a@example.org' });
  t.strictSame(senderOf('Day Book <a@example.org>'), { name: 'Day Book', address: 'a@example.org' });
  for (const bad of [
    '',
    'x',
    'x <y>',
    'a@example.org, b@example.org',
    'a\n<a@example.org>',
    '<a@example.org',
  ])
    t.equal(senderOf(bad), undefined, bad);
});
