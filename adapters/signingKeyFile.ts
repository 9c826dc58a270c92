import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { newKey, privateKeyOf, readSuccessions, successor, type Signer } from '../auditing/checkpoint.js';

/** File of a key's successions, next to its own. */
const successionsFile = (keyFile: string): string => `${keyFile}.successions`;

/**
 * Reads the signer of a private key's file, with its successions if there are any.
 * @throws NotUsable, or the system's error for a file that cannot be read
 */
export const signerOf = (keyFile: string): Signer => {
  const file = successionsFile(keyFile);
  return {
    privateKey: privateKeyOf(readFileSync(keyFile, 'utf8')),
    successions: existsSync(file) ? readSuccessions(readFileSync(file, 'utf8')) : [],
  };
};

/**
 * Creates a key: the private part in `file`, readable by its owner only, and the public part in `file.pub`; after an
 * earlier signer also `file.successions`. Nothing is written when one of the three exists.
 * @throws Error of the system, EEXIST for an existing file
 */
export const makeKey = (file: string, at: string, before?: Signer): void => {
  const there = [file, `${file}.pub`, successionsFile(file)].find(one => existsSync(one));
  if (there !== undefined) throw Object.assign(new Error(`${there} exists already`), { code: 'EEXIST' });
  const { privatePem, publicPem } = newKey();
  writeFileSync(file, privatePem, { mode: 0o600, flag: 'wx' });
  writeFileSync(`${file}.pub`, publicPem, { flag: 'wx' });
  if (!before) return;
  const { successions } = successor(before, privateKeyOf(privatePem), at);
  writeFileSync(successionsFile(file), `${JSON.stringify(successions)}\n`, { flag: 'wx' });
};
