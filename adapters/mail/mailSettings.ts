import { isMailAddress } from './mailAddress.js';

/** A server that accepts mails, and their sender. */
export type MailSettings = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; else STARTTLS where the server offers it. */
  readonly isTls: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
  readonly from: { readonly name: string; readonly address: string };
};

const ports = { 'smtp:': 587, 'smtps:': 465 } as const;

/** The server of an address such as `smtps://user:password@mail.example.org:465`; undefined for another text. */
export const smtpServer = (text: string): Omit<MailSettings, 'from'> | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '')
    return undefined;
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '' || url.port === '0')
    return undefined;
  if ((url.username === '') !== (url.password === '')) return undefined;
  try {
    const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? ports[url.protocol] : Number(url.port),
      isTls: url.protocol === 'smtps:',
      ...(auth.user !== '' && { auth }),
    };
  } catch {
    return undefined;
  }
};

/** The sender `address` or `Name <address>`; undefined for another text. */
export const senderOf = (text: string): MailSettings['from'] | undefined => {
  const [, name = '', address = text] = /^([^<>"\p{Cc}]{1,100}?) *<([^<>]+)>$/u.exec(text) ?? [];
  return isMailAddress(address) ? { name: name.trim(), address } : undefined;
};
