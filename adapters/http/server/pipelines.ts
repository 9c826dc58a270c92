import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait on a connection before it is read no further. */
const waitingMax = 8;
/** With so many waiting all the same, which came in one read, the connection is closed. */
const waitingLast = 1000;

/** The requests of a connection that came before those ahead of them were answered. */
type Pipeline = { readonly waiting: (() => void)[]; busy: boolean };

/**
 * A listener that is given the requests of each connection one after the other: the next when the answer before it has
 * been handed over to the system. A client that sends on and reads nothing so has one answer made, and is not read
 * any further; what it had sent when it hangs up is not begun.
 */
export const oneByOne = (listener: RequestListener): RequestListener => {
  const pipelines = new WeakMap<Socket, Pipeline>();

  const pipelineOf = (socket: Socket): Pipeline => {
    const known = pipelines.get(socket);
    if (known) return known;
    const made: Pipeline = { waiting: [], busy: false };
    pipelines.set(socket, made);
    socket.once('close', () => made.waiting.splice(0));
    // The HTTP parser resumes a socket after each answer, whoever paused it.
    socket.on('resume', () => {
      if (made.waiting.length >= waitingMax) socket.pause();
    });
    return made;
  };

  return (request, response) => {
    const { socket } = request;
    const pipeline = pipelineOf(socket);
    const run = (): void => {
      pipeline.busy = true;
      response.once('close', () => {
        pipeline.busy = false;
        if (socket.destroyed) return void pipeline.waiting.splice(0);
        pipeline.waiting.shift()?.();
        if (pipeline.waiting.length < waitingMax) socket.resume();
      });
      listener(request, response);
    };
    if (!pipeline.busy) return run();
    pipeline.waiting.push(run);
    if (pipeline.waiting.length > waitingLast) socket.destroy();
    else if (pipeline.waiting.length >= waitingMax) socket.pause();
  };
};
