import type { Verified } from '../../../auditing/logVerifier.js';
import { plural } from '../../../domain/text.js';
import { unreadableText } from '../terminal/inputFiles.js';
import { plain } from '../terminal/text.js';
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
import { SettingsError } from '../../settings/values.js';

/**
 * Trust in a checkpoint: `given` signed by a key that the caller gave, `successor` by one that such a key has named,
 * `none` by an unknown key, so that its signature cannot be checked, `forged` with a wrong signature.
 */
type Trust = 'given' | 'successor' | 'none' | 'forged';

/** A checkpoint and the trust in it. */
export type RatedCheckpoint = { readonly checkpoint: SignedCheckpoint; readonly trust: Trust };

/** Whether the caller trusts the key of a checkpoint, and the key signed it. */
export const isTrusted = ({ trust }: Pick<RatedCheckpoint, 'trust'>): boolean =>
  trust === 'given' || trust === 'successor';

/** Whether an error is of the system: a file that is not there, a folder. */
const isOfFile = (error: unknown): boolean =>
  typeof (error as NodeJS.ErrnoException | undefined)?.syscall === 'string';

/**
 * Runs a function that reads the file of an option.
 * @throws SettingsError when the file cannot be read, or its content cannot be used
 */
export const readingFile = <Result>(option: string, file: string, read: () => Result): Result => {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotUsable) throw new SettingsError(`${option}: ${plain(file)}: ${error.message}`);
    if (isOfFile(error)) throw new SettingsError(`${option}: ${unreadableText(file, error)}`);
    throw error;
  }
};

/**
 * Reads a file of an option.
 * @throws SettingsError when it cannot be read, or its content cannot be used
 */
export const fromFile = <Result>(option: string, file: string, read: (text: string) => Result): Result =>
  readingFile(option, file, () => read(readFileSync(file, 'utf8')));

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

/** Events of a log that checkpoints prove. All numbers count events from the first. */
export type Coverage = {
  /** Events that the caller asked about: all, or those up to the last checkpoint. */
  readonly asked: number;
  /** Events that a checkpoint of a trusted key covers, and that checkpoint. */
  readonly proved: number;
  readonly by: RatedCheckpoint | undefined;
  /** Events that no trusted checkpoint covers. */
  readonly uncovered: number;
  /** The matching checkpoint of an unknown key that covers more, if there is one. */
  readonly claimed: RatedCheckpoint | undefined;
};

/** A reason why something that was asked is not proved; `cure` is advice for the caller. */
export type Reason = {
  readonly code: 'noCheckpoint' | 'keyNotTrusted' | 'eventsUncovered' | 'decisionsUndecided' | 'logEmpty';
  readonly detail: string;
  readonly cure?: string;
};

const largest = (checkpoints: readonly RatedCheckpoint[]): RatedCheckpoint | undefined =>
  checkpoints.reduce<RatedCheckpoint | undefined>(
    (most, one) => (most && most.checkpoint.size >= one.checkpoint.size ? most : one),
    undefined,
  );

/**
 * The events of a verified log that its checkpoints prove.
 * @param toCheckpoint whether only the events up to the last checkpoint were asked about
 */
export const coverageOf = (
  { events, matched }: Pick<Verified, 'events' | 'matched'>,
  checkpoints: readonly RatedCheckpoint[],
  toCheckpoint: boolean,
): Coverage => {
  const matching = checkpoints.filter(({ checkpoint }) => matched.includes(checkpoint));
  const by = largest(matching.filter(isTrusted));
  const claimed = largest(matching.filter(({ trust }) => trust === 'none'));
  const proved = by?.checkpoint.size ?? 0;
  const last = largest(checkpoints)?.checkpoint.size ?? events;
  return {
    asked: toCheckpoint ? Math.min(last, events) : events,
    proved,
    by,
    uncovered: events - proved,
    claimed: claimed && claimed.checkpoint.size > proved ? claimed : undefined,
  };
};

/** Digits of a key id in a sentence. */
const keyDigits = 16;

const trustWords: Readonly<Record<Trust, string>> = {
  given: 'which you trust (--public-key)',
  successor: 'which a key that you trust (--public-key) named as its successor',
  none: 'which you did NOT name as trusted (--public-key)',
  forged: 'with a signature that is NOT of that key',
};

/** A checkpoint in words: its time, its key and the trust in it. */
export const checkpointWords = ({ checkpoint: { at, keyId }, trust }: RatedCheckpoint): string =>
  `the checkpoint of ${plain(at)}, signed by key ${keyId.slice(0, keyDigits)}…, ${trustWords[trust]}`;

const verb = (count: number, one: string, more: string): string => (count === 1 ? one : more);

/** Proved and unproved parts of a log, in sentences. */
export const coverageSentences = (
  { withoutHash, events }: Pick<Verified, 'events' | 'withoutHash'>,
  { asked, proved, by, uncovered, claimed }: Coverage,
): string[] => {
  const all = `of ${plural(events, 'event')}`;
  const sentences: string[] = [];
  if (by) sentences.push(`${proved} ${all} ${verb(proved, 'is', 'are')} proved by ${checkpointWords(by)}.`);
  else sentences.push(`0 ${all} are proved.`);
  if (claimed)
    sentences.push(
      `${claimed.checkpoint.size} ${all} are as stated in ${checkpointWords(claimed)}: the signature was not checked, so anyone can have written it.`,
    );
  if (uncovered > 0)
    sentences.push(
      `${plural(uncovered, 'event')} ${proved > 0 ? 'after it ' : ''}${verb(uncovered, 'is', 'are')} covered by ${verb(uncovered, 'its', 'their')} hash chain alone, which does not show a stream that was cut off or rewritten to its end${asked < events ? '; not asked about (--to-checkpoint)' : ''}.`,
    );
  if (withoutHash > 0)
    sentences.push(
      `${plural(withoutHash, 'event')} at the beginning ${verb(withoutHash, 'has', 'have')} no hash: only a checkpoint can prove ${verb(withoutHash, 'it', 'them')}.`,
    );
  return sentences;
};

const keyAdvice =
  'get the public key from the person who signs checkpoints, by another way than the log, and give it as --public-key';
const noCheckpointAdvice =
  '"daybook checkpoint --new-key audit-key" makes a key and "daybook checkpoint --key audit-key > checkpoint.json" signs the present log; keep both where the operators of the log cannot change them, and verify later with --checkpoint checkpoint.json --public-key audit-key.pub';
const uncoveredAdvice =
  'sign a new checkpoint (daybook checkpoint --key …), or ask only for the events up to the last one with --to-checkpoint';

/** Reasons why no trusted key proves a part of the question; none when all is proved. */
export const coverageReasons = (
  { events }: Pick<Verified, 'events'>,
  { asked, proved }: Coverage,
  checkpoints: readonly RatedCheckpoint[],
): Reason[] => {
  if (events === 0) return [{ code: 'logEmpty', detail: 'the log has no event' }];
  if (checkpoints.length === 0)
    return [
      {
        code: 'noCheckpoint',
        detail: 'no checkpoint was given, so nothing outside this log confirms it',
        cure: noCheckpointAdvice,
      },
    ];
  const reasons = untrustedReasons(checkpoints);
  const missing = asked - proved;
  if (missing > 0 && checkpoints.some(isTrusted))
    reasons.push({
      code: 'eventsUncovered',
      detail: `${plural(missing, 'event')} ${verb(missing, 'is', 'are')} not covered by a checkpoint of a trusted key`,
      cure: uncoveredAdvice,
    });
  return reasons;
};

/** A reason for each checkpoint whose key the caller does not trust. */
export const untrustedReasons = (checkpoints: readonly RatedCheckpoint[]): Reason[] =>
  checkpoints
    .filter(({ trust }) => trust === 'none')
    .map(({ checkpoint: { at, keyId } }) => ({
      code: 'keyNotTrusted',
      detail: `the checkpoint of ${plain(at)} is signed by key ${keyId}, which you did not name as trusted`,
      cure: keyAdvice,
    }));
