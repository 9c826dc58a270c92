import ipaddr from 'ipaddr.js';

/** Longest address of a receiver in characters. */
export const urlLengthMax = 2000;

/** The two ports of the web, and those that no system service uses. */
const isUsualPort = (port: number): boolean => port === 80 || port === 443 || port >= 1024;

/** Names that no public name server answers. */
const localName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|test|invalid|onion)$/;

/** Globally routed IPv6 addresses (RFC 4291 §2.4); transition mechanisms inside it embed IPv4 addresses. */
const globalIpv6 = ipaddr.parseCIDR('2000::/3');

/** Whether an address is public: routed in the internet, and of no special purpose (RFC 6890). */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(globalIpv6);
};

/** Host of an URL without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/**
 * Fault of an address that messages shall be sent to, undefined for none. Names are checked again when they are
 * resolved, at each connection.
 * @param allowPrivate whether addresses of private networks are allowed
 */
export const addressFault = (text: string, allowPrivate: boolean): string | undefined => {
  // The URL parser would drop these characters silently.
  if (/[\s\\]|\p{Cc}/u.test(text)) return 'got spaces, backslashes or control characters, expected none';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:\/\/[^/]/i.test(text))
    return 'expected an address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'got a user name or a password, expected none';
  if (url.hash !== '') return 'got a fragment (#), expected none';
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port === 0) return 'got port 0, expected 1 to 65535';
  if (allowPrivate) return undefined;
  if (!isUsualPort(port)) return `got port ${port}, expected 80, 443 or 1024 to 65535`;
  const host = hostOf(url);
  if (ipaddr.isValid(host))
    return isPublicAddress(host)
      ? undefined
      : `${host} is an address of a private or special network; WEBHOOK_ALLOW_PRIVATE allows it`;
  if (host.endsWith('.') || !host.includes('.') || localName.test(host))
    return `${host} is a local name, expected a public one; WEBHOOK_ALLOW_PRIVATE allows it`;
  return undefined;
};
