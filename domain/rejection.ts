/** Reasons for a rejection. adapters/http/problemTypes.ts maps them to HTTP answers. */
export type RejectionCode =
  | 'sourceNotFound'
  | 'sourceExists'
  | 'sourceNameTaken'
  | 'sourceRelearned'
  | 'recentTooShort'
  | 'referenceCollecting'
  | 'descriptionInvalid'
  | 'modelNotFound'
  | 'modelsInvalid'
  | 'alertNotFound'
  | 'alertTransition'
  | 'incidentNotFound'
  | 'incidentTransition'
  | 'incidentsOutdated'
  | 'dayNotFound'
  | 'referenceDayNotFound'
  | 'tooFewReferenceDays'
  | 'importOutOfOrder'
  | 'checkOutdated'
  | 'modelsOutdated'
  | 'modelsCurrent'
  | 'modelsVersionNotFound'
  | 'tooManySources'
  | 'tooManySpecialDays'
  | 'calendarRuleNotFound'
  | 'tooManyCalendarRules'
  | 'tooManyOverrides'
  | 'muteNotFound'
  | 'muteInvalid'
  | 'tooManyMutes'
  | 'tokenNotFound'
  | 'tokenRequestInvalid'
  | 'tokenRevoked'
  | 'tooManyTokens'
  | 'tokensOfProvider'
  | 'firstStartOver'
  | 'personNotFound'
  | 'webhookNotFound'
  | 'webhookInvalid'
  | 'tooManyWebhooks';

/** One fault in a rejected value; `pointer` is a JSON Pointer (RFC 6901) into the value of the command. */
export type Fault = { readonly code: string; readonly detail: string; readonly pointer: string };

/** Most faults of one answer. */
export const faultsMax = 100;

/** A rule forbids a command. Nothing has changed; the client can correct the command. */
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
