import { liveEvents, type LiveEvent, type LiveOptions } from './liveEvents.js';
import { listsOf, type Lists } from './pages.js';
import { connectionTo, methodsOf, type AnswerOf, type ClientOptions, type Methods } from './requests.js';
import { uploadTo, type Upload, type UploadPath } from './uploads.js';
import { waitsOf, type Waits } from './waiting.js';

export type { LiveEvent, LiveOptions } from './liveEvents.js';
export type { components, paths } from './openapi.js';
export type { ListedSource, Lists, QueryOf } from './pages.js';
export type * from './requests.js';
export { newIdempotencyKey } from './requests.js';
export { ProblemError, type Fault, type Retries } from './retries.js';
export type { Progress, Upload, UploadPath, UploadSource } from './uploads.js';
export { UnfinishedError, type Imported, type WaitOptions, type Waits } from './waiting.js';

/** A client of one service. Its functions throw ProblemError when a request is refused. */
export type DaybookClient = Methods &
  Waits & {
    readonly list: Lists;
    /** Sends a file as the body of a request, with progress. */
    readonly upload: <Path extends UploadPath>(
      path: Path,
      upload: Upload<Path>,
    ) => Promise<AnswerOf<'post', Path>>;
    /** Changes of the sources as they happen. */
    readonly changes: (options?: LiveOptions) => AsyncGenerator<LiveEvent, void, undefined>;
    /** A fetch with the token, retries and Idempotency-Keys of this client, for answers that are not JSON. */
    readonly fetch: typeof fetch;
  };

/**
 * A client of the service at an address.
 * @throws TypeError when the address is not a URL
 */
export const daybookClient = (options: ClientOptions): DaybookClient => {
  const connection = connectionTo(options);
  const methods = methodsOf(connection);
  return {
    ...methods,
    ...waitsOf(methods),
    list: listsOf(methods),
    upload: uploadTo(connection),
    changes: liveOptions => liveEvents(connection, liveOptions),
    fetch: (input, init) =>
      connection.send(typeof input === 'string' ? new URL(input, `${connection.url}/`) : input, init),
  };
};
