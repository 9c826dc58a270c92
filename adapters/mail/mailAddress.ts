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
