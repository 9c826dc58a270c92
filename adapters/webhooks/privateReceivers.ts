/**
 * Receivers in private networks that messages may go to: all, none, or those of a list of `host:port`, in small letters
 * and with the brackets of an IPv6 address.
 */
export type PrivateReceivers = boolean | readonly string[];

/** Most entries of a list. */
const entriesMax = 200;

/** An entry of a list in its one form; undefined when it is not `host:port`. */
const entryOf = (text: string): string | undefined => {
  const [, host = '', digits = ''] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (host === '' || port === 0 || port > 65_535) return undefined;
  const address = `http://${host}/`;
  return URL.canParse(address) ? `${new URL(address).hostname}:${port}` : undefined;
};

/** Whether messages may go to private receivers, from the text of a setting; undefined for another text. */
export const privateReceiversOf = (text: string): PrivateReceivers | undefined => {
  if (text === 'true' || text === 'false') return text === 'true';
  const parts = text.split(',').map(part => part.trim());
  const entries = parts.flatMap(part => entryOf(part) ?? []);
  return entries.length === parts.length && entries.length <= entriesMax ? entries : undefined;
};

/** Port of an address. */
export const portOfUrl = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));

/** Whether a host, a name or an address, may be reached at a port although it is private. */
export const isAllowed = (allowed: PrivateReceivers, host: string, port: number): boolean => {
  if (typeof allowed === 'boolean') return allowed;
  const written = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const address = `http://${written}/`;
  return URL.canParse(address) && allowed.includes(`${new URL(address).hostname}:${port}`);
};
