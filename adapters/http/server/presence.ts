import type { ServerResponse } from 'node:http';

/** The client ended the connection before it was answered: the reason of an abort, shown to nobody. */
export class ClientGone extends Error {
  readonly name = 'ClientGone';

  constructor() {
    super('the client went away');
  }
}

/** Whether a client is still there for its answer. */
export type Presence = {
  /** Aborted with `ClientGone` when the client goes before the answer is sent. */
  readonly signal: AbortSignal;
  /** Calls `end` once, when the answer is sent or the client is gone; at once when that has been already. */
  readonly onEnd: (end: () => void) => void;
};

/** Watches a response; to be called before anything else happens to it. */
export const presenceOf = (response: ServerResponse): Presence => {
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
