import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** A created source: the digest of the file and its parameters, and where the source is. */
export type Created = { readonly digest: string; readonly address: string; readonly sourceId: number };

/** The created sources, in a file with one line of JSON for each created source. */
export type DoneFile = {
  readonly find: (digest: string, address: string) => Created | undefined;
  readonly add: (created: Created) => void;
};

const keyOf = ({ digest, address }: Pick<Created, 'digest' | 'address'>): string => `${digest} ${address}`;

/** Opens the file. Lines that a crash cut short are ignored: their requests repeat with the same Idempotency-Key. */
export const doneFile = (path: string): DoneFile => {
  const known = new Map<string, Created>();
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  for (const line of text.split('\n')) {
    try {
      const created = JSON.parse(line) as Created;
      known.set(keyOf(created), created);
    } catch {
      // The end of the file, or a line that was not written whole.
    }
  }
  let needsNewline = text !== '' && !text.endsWith('\n');
  return {
    find: (digest, address) => known.get(keyOf({ digest, address })),
    add: created => {
      known.set(keyOf(created), created);
      appendFileSync(path, `${needsNewline ? '\n' : ''}${JSON.stringify(created)}\n`);
      needsNewline = false;
    },
  };
};
