// A receiver of Daybook's webhooks in one file: copy it into your project. It needs Node alone.
//
// Run here: WEBHOOK_SECRET=whsec_… PORT=9000 node build/examples/webhook-receiver.js
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

/** The fields of a message that this program uses; docs/webhooks.md has all of them. */
type Message = {
  readonly id: string;
  readonly type: string;
  readonly subject?: string;
  readonly data: { readonly alert?: { readonly sentence: string } };
};

/** Signed messages may be this old, so that a recorded one cannot be sent again later. */
const toleranceS = 300;
const bodyBytesMax = 1_000_000;

const header = ({ headers }: IncomingMessage, name: string): string => String(headers[name] ?? '');

/** Whether one of the signatures of a request is that of its body (Standard Webhooks). */
const isSigned = (request: IncomingMessage, body: string, secret: string): boolean => {
  const [id, timestamp] = [header(request, 'webhook-id'), header(request, 'webhook-timestamp')];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceS)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return header(request, 'webhook-signature')
    .split(' ')
    .map(signature => Buffer.from(signature.replace(/^v1,/, ''), 'base64'))
    .some(got => got.length === expected.length && timingSafeEqual(got, expected));
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

/** Ids of handled messages. A message may come twice: keep them where your own work is stored. */
const handled = new Set<string>();

const handle = ({ id, type, subject, data }: Message): void => {
  if (handled.has(id)) return;
  console.log([type, subject, data.alert?.sentence].filter(text => text !== undefined).join(': '));
  handled.add(id);
};

const secret = process.env['WEBHOOK_SECRET'] ?? '';
if (!secret.startsWith('whsec_')) throw new Error('WEBHOOK_SECRET: expected the secret of the webhook');

const server = createServer((request, response) => {
  void bodyOf(request)
    .then(body => {
      if (!isSigned(request, body, secret)) return 401;
      handle(JSON.parse(body) as Message);
      return 204;
    })
    .catch(() => 400)
    .then(status => response.writeHead(status).end());
});
server.listen(Number(process.env['PORT'] ?? 9000), '127.0.0.1', () => console.log('ready'));
