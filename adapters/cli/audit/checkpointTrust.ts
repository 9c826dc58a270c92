import { readFileSync } from 'node:fs';
import {
  NotUsable,
  isSignedBy,
  keyIdOf,
  publicKeyOf,
  readCheckpoint,
  trustedKeys,
  type SignedCheckpoint,
} from '../../../auditing/checkpoint.js';
import { SettingsError } from '../../settings/settingsError.js';
import { plain } from '../terminal/text.js';

/**
 * Trust in a checkpoint: `given` signed by a key that the caller gave, `successor` by one that such a key has named,
 * `none` by an unknown key, so that its signature cannot be checked, `forged` with a wrong signature.
 */
export type Trust = 'given' | 'successor' | 'none' | 'forged';

/** A checkpoint and the trust in it. */
export type RatedCheckpoint = { readonly checkpoint: SignedCheckpoint; readonly trust: Trust };

/** Whether the caller trusts the key of a checkpoint, and the key signed it. */
export const isTrusted = ({ trust }: Pick<RatedCheckpoint, 'trust'>): boolean =>
  trust === 'given' || trust === 'successor';

/**
 * Reads a file of an option.
 * @throws SettingsError when its content cannot be used
 */
export const fromFile = <Result>(option: string, file: string, read: (text: string) => Result): Result => {
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof NotUsable) throw new SettingsError(`${option}: ${plain(file)}: ${error.message}`);
    throw error;
  }
};

/**
 * The checkpoints of files, each with the trust that the public keys of other files give it.
 * @throws SettingsError
 */
export const ratedCheckpoints = (
  checkpointFiles: readonly string[],
  keyFiles: readonly string[],
): readonly RatedCheckpoint[] => {
  const checkpoints = checkpointFiles.map(file => fromFile('--checkpoint', file, readCheckpoint));
  const given = keyFiles.map(file => fromFile('--public-key', file, publicKeyOf));
  const givenIds = new Set(given.map(keyIdOf));
  const keys = trustedKeys(
    given,
    checkpoints.flatMap(({ successions = [] }) => successions),
  );
  return checkpoints.map(checkpoint => {
    const key = keys.get(checkpoint.keyId);
    if (!key) return { checkpoint, trust: 'none' };
    if (!isSignedBy(checkpoint, key)) return { checkpoint, trust: 'forged' };
    return { checkpoint, trust: givenIds.has(checkpoint.keyId) ? 'given' : 'successor' };
  });
};
