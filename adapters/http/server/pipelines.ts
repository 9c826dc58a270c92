import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Waiting requests of a connection above which the connection is not read. */
const waitingMax = 8;
/** Waiting requests above which the connection is closed: one read can bring many. */
const waitingLast = 1000;

/** Pipelined requests of a connection: those that wait for the answer to an earlier one. */
type Pipeline = { readonly waiting: (() => void)[]; busy: boolean };

/**
 * Returns a listener that handles the requests of a connection one after the other: the next one when the previous
 * answer was passed to the operating system. So a client that sends requests and reads no answers has one answer in
 * memory. Its waiting requests are dropped when it disconnects.
 */
export const inPipelineOrder = (listener: RequestListener): RequestListener => {
  const pipelines = new WeakMap<Socket, Pipeline>();

  const pipelineOf = (socket: Socket): Pipeline => {
    const known = pipelines.get(socket);
    if (known) return known;
    const made: Pipeline = { waiting: [], busy: false };
    pipelines.set(socket, made);
    socket.once('close', () => made.waiting.splice(0));
    // The HTTP parser resumes a paused socket after each answer.
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
