import { createTransport } from 'nodemailer';
import type { SecureContextOptions } from 'node:tls';
import { mailContent, pictureId } from '../../application/mail/mailContent.js';
import { picturedAlerts, type MailEvent } from '../../application/mail/mailEvents.js';
import type { Outgoing, SendFailure, Sent, WebhookSender } from '../../application/webhooks/deliveries.js';
import type { MailLanguage } from '../../domain/webhooks/webhookTarget.js';
import { recipientOf } from './mailAddress.js';
import type { MailSettings } from './mailSettings.js';

/** Draws the chart of an alert as PNG, with numbers as in a language; undefined when there is none. */
export type AlertPicture = (alertId: string, language: MailLanguage) => Promise<Buffer | undefined>;

export type MailParts = MailSettings & {
  /** Absent for mails without pictures. */
  readonly picture?: AlertPicture | undefined;
  /** Certificates to trust besides those of the runtime. */
  readonly tls?: SecureContextOptions;
  /** Limit of each step of a delivery, in ms. */
  readonly stepTimeoutMs?: number;
};

const stepTimeoutUsualMs = 10_000;
/** Limit of a whole delivery, as a multiple of the limit of a step. */
const stepsMax = 3;

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(host);

const transportOf = ({ host, port, isTls, auth, tls, stepTimeoutMs = stepTimeoutUsualMs }: MailParts) =>
  createTransport({
    host,
    port,
    secure: isTls,
    // A password never leaves this machine in plain text.
    requireTLS: !isTls && auth !== undefined && !isLoopback(host),
    ...(auth && { auth }),
    ...(tls && { tls }),
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    dnsTimeout: stepTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

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
  if (responseCode !== undefined) return { status: responseCode, failure: null };
  const failures: Readonly<Record<string, SendFailure>> = { ETIMEDOUT: 'timeout', ETLS: 'tls' };
  const isCertificate = /certificate|SSL|TLS|self.signed/i.test(message);
  return { status: null, failure: failures[code] ?? (isCertificate ? 'tls' : 'unreachable') };
};

/** Sends messages as mails over SMTP (RFC 5321); `status` is the reply code of the server, 250 for accepted. */
export const mailSender = (parts: MailParts): WebhookSender => ({
  send: async (message, signal): Promise<Sent> => {
    const begun = performance.now();
    const done = (result: Pick<Sent, 'status' | 'failure'>): Sent => ({
      latencyMs: performance.now() - begun,
      ...result,
    });
    const to = recipientOf(message.url);
    if (to === undefined) return done({ status: null, failure: 'addressRefused' });
    const transport = transportOf(parts);
    const limitMs = (parts.stepTimeoutMs ?? stepTimeoutUsualMs) * stepsMax;
    const ended = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const aborted = new Promise<Sent>(resolve =>
      ended.addEventListener('abort', () => resolve(done({ status: null, failure: 'timeout' })), {
        once: true,
      }),
    );
    const sending = mailOf(parts, message, to)
      .then(mail => transport.sendMail(mail))
      .then(
        ({ response }) => done({ status: Number(/^\d{3}/.exec(response ?? '')?.[0] ?? 250), failure: null }),
        (error: unknown) => done(failureOf(error)),
      );
    return Promise.race([sending, aborted]);
  },
});
