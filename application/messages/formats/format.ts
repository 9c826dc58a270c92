import type { ReceiverOption } from '../../../domain/webhooks/receiverFormats.js';
import type { Announcement } from './announcement.js';

/** Texts around announcements, in the language of the receiver. */
export type Words = {
  /** Text of a link. */
  readonly open: string;
  /** Last line of a list that is cut. */
  readonly more: (count: number) => string;
};

/** A message for a form. */
export type FormatInput = {
  /** One, or those of a digest. */
  readonly announcements: readonly [Announcement, ...Announcement[]];
  /** The title of the one, or that of the digest. */
  readonly heading: string;
  readonly words: Words;
  readonly options: Readonly<Partial<Record<ReceiverOption, string>>>;
};

/** A request body, with the value of `Authorization` where the receiver needs one. */
export type Formatted = { readonly body: string; readonly authorization?: string };

/** The form of the messages of a kind of receivers. */
export type Format = {
  /** The same message gives the same bytes. */
  readonly format: (input: FormatInput) => Formatted;
  /** Fault of an address that cannot belong to such a receiver; undefined for none. */
  readonly addressFault?: (url: URL) => string | undefined;
  /** Whether the path of an address is a secret, which no answer has. */
  readonly hasSecretPath?: boolean;
};

/** Path of an address in an answer in place of a secret one. */
export const hiddenPath = '/…';

/** Fault of an address whose path is a secret: it is missing, or comes from an answer. */
export const secretPathFault = ({ pathname }: URL): string | undefined =>
  pathname === '/' || pathname === encodeURI(hiddenPath)
    ? 'got an address without the path that the receiver gave, expected the whole address'
    : undefined;

/** A fault unless the path of an address has an ending. */
export const pathEnding =
  (ending: string) =>
  ({ pathname }: URL): string | undefined =>
    pathname.endsWith(ending) ? undefined : `got the path ${pathname}, expected one that ends with ${ending}`;

/** The first characters of a text; the last one says that it is cut. */
export const cut = (text: string, max: number): string => {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
};

/** Bearer token of a request, when there is one. */
export const bearer = (token: string | undefined): Pick<Formatted, 'authorization'> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/**
 * The first lines that fit together, with a last line about those that do not.
 * @param sizeOf size of a line in the unit of `max`, its separator included
 */
export const fitting = (
  lines: readonly string[],
  max: number,
  more: Words['more'],
  sizeOf: (line: string) => number = line => Buffer.byteLength(line) + 1,
): readonly string[] => {
  const reserved = sizeOf(more(lines.length));
  let left = max;
  const count = lines.findIndex((line, index) => {
    left -= sizeOf(line);
    return left < (index === lines.length - 1 ? 0 : reserved);
  });
  return count < 0 ? lines : [...lines.slice(0, count), more(lines.length - count)];
};
