import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { EventStoreDBClient, type Credentials } from '@eventstore/db-client';
import { credentialsOf } from './address.js';
import { withTlsRepaired, type TlsFailures } from './tls.js';

// Faults of @eventstore/db-client 6.2.1 that Daybook works around, all of them; its line gets no fixes any more.
// Lines are those of its dist/ folder. A repair changes one client, never the package.

/** Members of the client that its types do not show. */
type Inner = {
  handleError: (of: object, error: unknown) => Promise<void>;
  readonly getChannel: () => Promise<Channel>;
  readonly execute: <Result>(
    service: unknown,
    name: string,
    action: (of: FeaturesClient) => Promise<Result>,
  ) => Promise<Result>;
  createGRPCClient: (service: unknown) => Promise<{ append?: (...call: never) => Writable }>;
};
type Channel = { readonly close: () => void };
type FeaturesClient = { readonly getSupportedMethods: (...call: readonly unknown[]) => unknown };
const innerOf = (client: EventStoreDBClient): Inner => client as unknown as Inner;

/** One repair: which fault of the client, where, and what is changed. */
export type Repair = {
  readonly name: string;
  readonly fault: string;
  readonly apply: (client: EventStoreDBClient) => void;
};

/** Longest wait for what a server supports, in ms. */
const featuresMs = 5000;

type Ask = readonly [service: unknown, name: string, action: (of: FeaturesClient) => Promise<object>];
const features = (): Ask => {
  const { ServerFeatures } = createRequire(import.meta.url)(
    '@eventstore/db-client/dist/Client/ServerFeatures.js',
  ) as { readonly ServerFeatures: { readonly createServerFeatures: Ask } };
  return ServerFeatures.createServerFeatures;
};

/** Keeps the answer for as long as its channel, and a failure not at all. */
const askFeaturesAgain = (client: EventStoreDBClient): void => {
  const inner = innerOf(client);
  const answers = new WeakMap<Channel, Promise<object>>();
  const [service, name, action] = features();
  const ask = (): Promise<object> =>
    inner.execute(service, name, of =>
      action({
        getSupportedMethods: (request, callback) =>
          of.getSupportedMethods(request, { deadline: Date.now() + featuresMs }, callback),
      }),
    );
  const capabilities = async (): Promise<object> => {
    const channel = await inner.getChannel();
    const known = answers.get(channel);
    if (known) return known;
    const asked = ask();
    answers.set(channel, asked);
    asked.catch(() => answers.delete(channel));
    return asked;
  };
  Object.defineProperty(client, 'capabilities', { get: capabilities });
};

/** A failed reconnect is caught: the next call meets the same error and reports it. */
const catchReconnect = (client: EventStoreDBClient): void => {
  const inner = innerOf(client);
  const { handleError } = inner;
  inner.handleError = (of, error) => handleError(of, error).catch(() => undefined);
};

/** An append that cannot begin ends with an error on its stream, where the client listens. */
const catchAppendBegin = (client: EventStoreDBClient): void => {
  const inner = innerOf(client);
  const { createGRPCClient } = inner;
  inner.createGRPCClient = async service => {
    const of = await createGRPCClient(service);
    const append = of.append?.bind(of);
    if (append !== undefined)
      of.append = (...call) => {
        try {
          return append(...call);
        } catch (error) {
          return new Writable({ objectMode: true }).destroy(
            error instanceof Error ? error : new Error(String(error)),
          );
        }
      };
    return of;
  };
};

/** All repairs of a client. Beside them: `withTlsRepaired` (tls.ts), `closeClient`, `unsharedOf`, `endCall` (streaming.ts), `kept` (subscriptions.ts). */
export const repairs: readonly Repair[] = [
  {
    name: 'features are asked again after a failure',
    fault:
      'Client/index.js, get capabilities: keeps a rejected promise for ever, since execute gets its gRPC client ' +
      'outside its try and so never tells handleError of a failed discovery; and the call has no deadline',
    apply: askFeaturesAgain,
  },
  {
    name: 'a failed reconnect is caught',
    fault:
      'Client/index.js, execute and GRPCStreamCreator: handleError is not awaited and rejects where no node can be ' +
      'discovered, which ends the process',
    apply: catchReconnect,
  },
  {
    name: 'an append that cannot begin is rejected',
    fault:
      'streams/appendToStream/append.js: client.append is called in an async promise executor, so that what it ' +
      'throws on a closed channel ends the process',
    apply: catchAppendBegin,
  },
];

/** A client with all repairs; nothing is sent before its first call. */
export const repairedClient = (
  url: string,
): { readonly client: EventStoreDBClient; readonly tls: TlsFailures } => {
  const { made: client, tls } = withTlsRepaired(() => EventStoreDBClient.connectionString(url));
  for (const { apply } of repairs) apply(client);
  return { client, tls };
};

/**
 * Credentials that go into every append. Without credentials of their own, appends share one call and one map of
 * pending promises (streams/appendToStream/batchAppend.js, promiseBank): it keeps no deadline, and an answer that
 * comes after the call has broken throws where nothing can catch it. A server without TLS is never sent them.
 */
export const unsharedOf = (url: string): { readonly credentials: Credentials } => ({
  credentials: credentialsOf(url) ?? { username: 'none', password: 'none' },
});

/** Longest wait for calls to end, in ms: some never say that they have ended. */
const disposeMs = 500;

/** Ends all calls, then the channel, which the client's own `dispose` leaves open (Client/index.js, dispose). */
export const closeClient = async (client: EventStoreDBClient): Promise<void> => {
  const inner = innerOf(client);
  // A late error would open another channel.
  inner.handleError = () => Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(resolve => (timer = setTimeout(resolve, disposeMs)));
  await Promise.race([client.dispose(), late]);
  await new Promise(resolve => setImmediate(resolve));
  // Where no node can be discovered there is no channel, and it takes long to learn that.
  const closing = inner.getChannel().then(
    channel => channel.close(),
    () => undefined,
  );
  await Promise.race([closing, late]);
  clearTimeout(timer);
};
