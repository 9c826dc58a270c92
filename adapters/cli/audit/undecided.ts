/** The input does not allow a verification; the message says why. */
export class Undecided extends Error {
  readonly name = 'Undecided';
}
