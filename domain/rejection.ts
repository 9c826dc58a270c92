/** Every reason for which a rule can say no. What each means over HTTP stands in adapters/http/problems.ts. */
export type RejectionCode =
  | 'sourceNotFound'
  | 'sourceExists'
  | 'modelNotFound'
  | 'modelsInvalid'
  | 'alertNotFound'
  | 'alertTransition'
  | 'importOutOfOrder'
  | 'checkOutdated'
  | 'tooManySpecialDays';

/** One fault inside a refused value; `pointer` is a JSON Pointer (RFC 6901) into the command's own value. */
export type Fault = { readonly code: string; readonly detail: string; readonly pointer: string };

/** A rule's refusal of a command: expected, harmless, and the client's to mend. */
export class Rejection extends Error {
  readonly name = 'Rejection';
  readonly code: RejectionCode;
  readonly faults: readonly Fault[];

  constructor(code: RejectionCode, message: string, faults: readonly Fault[] = []) {
    super(message);
    this.code = code;
    this.faults = faults;
  }
}
