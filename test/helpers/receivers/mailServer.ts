import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Test } from 'tap';

/** A mail that the server accepted: its recipients, its headers by lower-case name, and its whole text. */
export type ReceivedMail = {
  readonly to: readonly string[];
  readonly headers: ReadonlyMap<string, string>;
  readonly raw: string;
};

/** Encoded words of a header (RFC 2047), decoded. */
const decodedWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      /b/i.test(encoding)
        ? Buffer.from(word, 'base64').toString()
        : quotedPrintable(word.replaceAll('_', ' ')),
    );

/** Text of quoted-printable (RFC 2045 §6.7). */
export const quotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=\r?\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

const headersOf = (raw: string): ReadonlyMap<string, string> => {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  return new Map(
    head.split('\r\n').map(line => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodedWords(line.slice(colon + 1).trim())];
    }),
  );
};

/** A real SMTP server on this machine. With `refusal` it refuses each recipient with that reply. */
export const mailServer = async (t: Test, options: SMTPServerOptions = {}) => {
  const mails: ReceivedMail[] = [];
  const control: { refusal: { code: number; text: string } | undefined; attempts: number } = {
    refusal: undefined,
    attempts: 0,
  };
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    onRcptTo: (_, __, callback) => {
      control.attempts += 1;
      const { refusal } = control;
      callback(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1');
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), headers: headersOf(raw), raw });
        callback();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>(resolve => server.close(resolve)));
  return { mails, control, port: (server.server.address() as AddressInfo).port };
};
