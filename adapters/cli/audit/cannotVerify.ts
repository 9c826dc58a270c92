/** The input does not allow a verification; the message says why. */
export class CannotVerify extends Error {
  readonly name = 'CannotVerify';
}
