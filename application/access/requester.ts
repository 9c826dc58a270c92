import type { CommandMetadata } from '../commandHandler.js';

/** Person or program behind a request, and the start of its commands. */
export type Requester = {
  readonly actor: { readonly tenant: string; readonly subject: string };
  /** Whether the request has an idempotency key, so that it may be a retry. */
  readonly hasKey: boolean;
  /**
   * Command metadata of the request. Call it when all input is valid and before anything is stored: a request
   * with a known idempotency key is answered here with its kept response.
   */
  readonly begin: () => Promise<CommandMetadata>;
};
