import { createTransport } from 'nodemailer';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { mailContent, pictureId, picturedAlerts } from '../../application/messages/mailContent.js';
import type { MailEvent } from '../../application/messages/messageWords.js';
import type { Outgoing, SendFailure, Sent, WebhookSender } from '../../application/ports/deliveries.js';
import { AnswerTooLong } from '../network/boundedRequest.js';
import { nameResolver, type NameResolver } from '../network/nameResolver.js';
import type { MailLanguage } from '../../domain/webhooks/webhookTarget.js';
import { recipientOf, type MailSettings } from './mailSettings.js';

/** Draws the chart of an alert as PNG, with numbers as in a language; undefined when there is none. */
export type AlertPicture = (alertId: string, language: MailLanguage) => Promise<Buffer | undefined>;

export type MailParts = MailSettings & {
  /** Absent for mails without pictures. */
  readonly picture?: AlertPicture | undefined;
  /** Certificates to trust besides those of the runtime. */
  readonly tls?: SecureContextOptions;
  /** Resolves the name of the server; with the files and servers of the system by default. */
  readonly names?: NameResolver;
  /** Limit of each step of a delivery, in ms. */
  readonly stepTimeoutMs?: number;
};

const stepTimeoutUsualMs = 10_000;
/** Limit of a whole delivery, as a multiple of the limit of a step. */
const stepsMax = 3;

/** Bytes that a server may send in one delivery: replies and certificates. nodemailer reads more only slowly. */
const answerBytesMax = 65_536;

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(host);

/**
 * A connection that ends when the server sends too much. The bytes are counted below TLS and before nodemailer reads
 * them, for which no event of a socket is early enough.
 */
const limited = (socket: Socket): Duplex => {
  let bytes = 0;
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    final: done => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > answerBytesMax)
      stream.destroy(new AnswerTooLong(`got more than ${answerBytesMax} bytes in one delivery`));
    else if (!stream.push(chunk)) socket.pause();
  });
  socket.on('end', () => stream.push(null));
  socket.on('error', error => stream.destroy(error));
  socket.on('close', () => stream.destroy());
  socket.on('timeout', () => stream.emit('timeout'));
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  return Object.assign(stream, {
    ...{ remoteAddress, remotePort, localAddress, localPort },
    setTimeout: (ms: number) => void socket.setTimeout(ms),
    setKeepAlive: (isOn: boolean) => void socket.setKeepAlive(isOn),
    setNoDelay: (isOn: boolean) => void socket.setNoDelay(isOn),
  });
};

/** Connects to the server, by the addresses of our own resolver. */
const connected = (
  { host, port, stepTimeoutMs = stepTimeoutUsualMs }: MailParts,
  names: NameResolver,
  signal: AbortSignal,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: names.lookupFor({ asksSystem: true }), signal });
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })),
      stepTimeoutMs,
    );
    socket.once('connect', () => {
      clearTimeout(timer);
      // nodemailer uses it as a stream with the methods of a socket, which the types do not say.
      resolve(limited(socket) as Socket);
    });
    socket.on('error', reject);
    socket.once('close', () => clearTimeout(timer));
  });

const transportOf = (parts: MailParts, names: NameResolver, signal: AbortSignal) => {
  const { host, port, isTls, auth, tls, stepTimeoutMs = stepTimeoutUsualMs } = parts;
  return createTransport({
    host,
    port,
    secure: isTls,
    getSocket: (_options, callback) =>
      void connected(parts, names, signal).then(
        connection => callback(null, { connection }),
        (error: Error) => callback(error),
      ),
    // A password never leaves this machine in plain text.
    requireTLS: !isTls && auth !== undefined && !isLoopback(host),
    ...(auth && { auth }),
    ...(tls && { tls }),
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
};

/** Pictures by the id of their alert. A chart that cannot be drawn is left out. */
const picturesOf = async (event: MailEvent, language: MailLanguage, picture: AlertPicture | undefined) => {
  const pictures = new Map<string, Buffer>();
  for (const alertId of picture ? picturedAlerts(event) : []) {
    const png = await picture?.(alertId, language);
    if (png) pictures.set(alertId, png);
  }
  return pictures;
};

const mailOf = async (
  { from, picture }: Pick<MailParts, 'from' | 'picture'>,
  { id, body, webhookId, language = 'en' }: Outgoing,
  to: string,
) => {
  const event = JSON.parse(body) as MailEvent;
  const pictures = await picturesOf(event, language, picture);
  const { subject, text, html } = mailContent(event, { webhookId, language }, new Set(pictures.keys()));
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    // The id is the same at every attempt, so that mail programs recognise repeats.
    messageId: `<${id}@${from.address.split('@')[1]}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Daybook-Message': id,
      'List-Unsubscribe': `<mailto:${from.address}?subject=${encodeURIComponent(`unsubscribe ${webhookId}`)}>`,
    },
    attachments: [...pictures].map(([alertId, content]) => ({
      filename: `${alertId}.png`,
      contentType: 'image/png',
      content,
      cid: pictureId(alertId),
      contentDisposition: 'inline' as const,
    })),
  };
};

type SmtpError = Error & { readonly code?: string; readonly responseCode?: number };

/** A failed delivery: the status of the server where it answered, else the reason. */
const failureOf = (error: unknown): Pick<Sent, 'status' | 'failure'> => {
  const { code = '', responseCode, message } = error as SmtpError;
  if (error instanceof AnswerTooLong) return { status: null, failure: 'protocol' };
  if (responseCode !== undefined) return { status: responseCode, failure: null };
  const failures: Readonly<Record<string, SendFailure>> = {
    ETIMEDOUT: 'timeout',
    ETIMEOUT: 'timeout',
    ETLS: 'tls',
    EPROTOCOL: 'protocol',
  };
  const isCertificate = /certificate|SSL|TLS|self.signed/i.test(message);
  return { status: null, failure: failures[code] ?? (isCertificate ? 'tls' : 'unreachable') };
};

/** Sends messages as mails over SMTP (RFC 5321); `status` is the reply code of the server, 250 for accepted. */
export const mailSender = (parts: MailParts): WebhookSender => {
  const { names = nameResolver(), stepTimeoutMs = stepTimeoutUsualMs } = parts;
  return {
    send: async (message, signal): Promise<Sent> => {
      const begun = performance.now();
      const done = (result: Pick<Sent, 'status' | 'failure'>): Sent => ({
        latencyMs: performance.now() - begun,
        ...result,
      });
      const to = recipientOf(message.url);
      if (to === undefined) return done({ status: null, failure: 'addressRefused' });
      const ended = AbortSignal.any([signal, AbortSignal.timeout(stepTimeoutMs * stepsMax)]);
      const aborted = new Promise<Sent>(resolve =>
        ended.addEventListener('abort', () => resolve(done({ status: null, failure: 'timeout' })), {
          once: true,
        }),
      );
      const transport = transportOf(parts, names, ended);
      const sending = mailOf(parts, message, to)
        // The signal ends the connection too: a server that answers slowly does not hold it.
        .then(mail => transport.sendMail({ ...mail, signal: ended }))
        .then(
          ({ response }) =>
            done({ status: Number(/^\d{3}/.exec(response ?? '')?.[0] ?? 250), failure: null }),
          (error: unknown) => done(failureOf(error)),
        );
      return Promise.race([sending, aborted]);
    },
  };
};
