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
  /** Aborted with `ClientGone` when the client disconnects before the answer is sent. */
  readonly signal: AbortSignal;
  /** Calls `end` once: when the answer is sent or the client disconnects, or immediately after that. */
  readonly onEnd: (end: () => void) => void;
};

/** Watches a response. To be called before the response is used. */
export const clientConnection = (response: ServerResponse): ClientConnection => {
  const gone = new AbortController();
  const ends: (() => void)[] = [];
  let ended = false;
  response.once('close', () => {
    ended = true;
    if (!response.writableFinished) gone.abort(new ClientGone());
    for (const end of ends) end();
  });
  return { signal: gone.signal, onEnd: end => (ended ? end() : void ends.push(end)) };
};
