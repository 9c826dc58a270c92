/** A mailbox in ASCII, without quotes and comments (RFC 5321 §4.1.2, dot-string at domain). */
const mailbox =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** Longest mail address, and longest part before its @, in characters (RFC 5321 §4.5.3). */
const addressMax = 254;
const localPartMax = 64;

/** Whether a text is one mail address. */
export const isMailAddress = (text: string): boolean =>
  text.length <= addressMax && text.indexOf('@') <= localPartMax && mailbox.test(text);

const scheme = /^mailto:/i;

/** Whether messages to an address are mails. */
export const isMailUrl = (url: string): boolean => scheme.test(url);

/** The mail address of a `mailto:` address; undefined for several ones, and for further fields such as a subject. */
export const recipientOf = (url: string): string | undefined => {
  const address = url.replace(scheme, '');
  return isMailAddress(address) ? address : undefined;
};

/** Fault of a `mailto:` address, undefined for none. */
export const mailFault = (url: string, isConfigured: boolean): string | undefined => {
  if (recipientOf(url) === undefined)
    return 'expected mailto: and one mail address: mailto:anna@example.org, without a subject and other fields';
  return isConfigured ? undefined : 'mail is not configured: SMTP_URL and MAIL_FROM have to be set';
};

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
