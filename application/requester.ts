import type { CommandMetadata } from './commandHandler.js';

/** Person or program behind a request, and the start of its commands. */
export type Requester = {
  readonly actor: { readonly tenant: string; readonly subject: string };
  /**
   * Command metadata of the request. To be called when all input is valid and before anything is stored: a request
   * that repeats an idempotency key ends here with its kept response.
   */
  readonly begin: () => Promise<CommandMetadata>;
};
