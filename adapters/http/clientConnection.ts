import type { ServerResponse } from 'node:http';

/** Reason of an abort: the client disconnected before its answer was sent. */
export class ClientGone extends Error {
  readonly name = 'ClientGone';

  constructor() {
    super('the client disconnected');
  }
}

/** The connection of a client that waits for an answer. */
export type ClientConnection = {
  /** Aborted with `ClientGone` when the client disconnects before the answer is sent. Made at its first use. */
  readonly signal: AbortSignal;
  /** @throws ClientGone when the client disconnected before the answer was sent */
  readonly requireOpen: () => void;
  /** Calls `end` once: when the answer is sent or the client disconnects, or immediately after that. */
  readonly onEnd: (end: () => void) => void;
};

/** Watches a response. To be called before the response is used. */
export const clientConnection = (response: ServerResponse): ClientConnection => {
  const ends: (() => void)[] = [];
  let controller: AbortController | undefined;
  let gone: ClientGone | undefined;
  let ended = false;
  response.once('close', () => {
    ended = true;
    if (!response.writableFinished) {
      gone = new ClientGone();
      controller?.abort(gone);
    }
    for (const end of ends) end();
  });
  return {
    get signal() {
      if (!controller) {
        controller = new AbortController();
        if (gone) controller.abort(gone);
      }
      return controller.signal;
    },
    requireOpen: () => {
      if (gone) throw gone;
    },
    onEnd: end => (ended ? end() : void ends.push(end)),
  };
};
