// All workarounds for faults of @eventstore/db-client 6.2.1, which is no longer maintained. File names are those of
// its dist/ folder. A repair changes one client object, never the package.
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { EventStoreDBClient, type Credentials } from '@eventstore/db-client';
import { credentialsOf } from './address.js';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Last error of a TLS handshake; errors of the client omit it or contain only its text. */
export type TlsFailures = { readonly last: () => NodeJS.ErrnoException | undefined };

/** Maximum wait for a handshake, in ms. */
const handshakeMs = 2000;

/** Whether a server answers with TLS, whatever its certificate. Resolves to false when it cannot be reached. */
export const usesTls = ({ host, port }: { readonly host: string; readonly port: number }): Promise<boolean> =>
  new Promise(resolve => {
    // Nothing is sent to the server, so that its certificate does not matter.
    const socket = connectTls({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.setTimeout(handshakeMs, end(false));
    socket.once('secureConnect', end(true)).once('error', end(false)).once('close', end(false));
  });

type Connector = {
  readonly connectionOptions: { servername?: string };
  connect: (...call: readonly unknown[]) => Promise<unknown>;
};
type TlsCredentials = { _createSecureConnector: (...call: readonly unknown[]) => Connector };
type Grpc = { readonly credentials: { createSsl: (...call: readonly unknown[]) => TlsCredentials } };

/** The gRPC package of the client. */
const grpc = (): Grpc => {
  const own = createRequire(import.meta.url);
  return createRequire(own.resolve('@eventstore/db-client'))('@grpc/grpc-js') as Grpc;
};

/**
 * Runs `make`, which creates a client, and omits `servername` from its TLS connections to IP addresses. grpc-js
 * (channel-credentials.js, getConnectionOptions) always sets it, which RFC 6066 forbids and node warns of (DEP0123).
 * The certificate is still checked against the address.
 */
const withTlsRepaired = <Made>(make: () => Made): { readonly made: Made; readonly tls: TlsFailures } => {
  let last: NodeJS.ErrnoException | undefined;
  const { credentials } = grpc();
  const { createSsl } = credentials;
  const repaired = (connector: Connector): Connector => {
    const { connectionOptions } = connector;
    if (isIP(connectionOptions.servername ?? '') > 0) delete connectionOptions.servername;
    const connect = connector.connect.bind(connector);
    connector.connect = async (...call) => {
      try {
        const connected = await connect(...call);
        last = undefined;
        return connected;
      } catch (error) {
        last = error instanceof Error ? error : new Error(String(error));
        throw error;
      }
    };
    return connector;
  };
  // Replaced during `make` only: there is no other way to the credentials of a client.
  credentials.createSsl = (...call) => {
    const made = createSsl(...call);
    const create = made._createSecureConnector.bind(made);
    made._createSecureConnector = (...target) => repaired(create(...target));
    return made;
  };
  try {
    return { made: make(), tls: { last: () => last } };
  } finally {
    credentials.createSsl = createSsl;
  }
};

/** Members of the client that its types omit. */
type Inner = {
  handleError: (caller: object, error: unknown) => Promise<void>;
  readonly getChannel: () => Promise<Channel>;
  readonly execute: <Result>(
    service: unknown,
    name: string,
    action: (client: FeaturesClient) => Promise<Result>,
  ) => Promise<Result>;
  createGRPCClient: (service: unknown) => Promise<{ append?: (...call: never) => Writable }>;
};
type Channel = { readonly close: () => void };
type FeaturesClient = { readonly getSupportedMethods: (...call: readonly unknown[]) => unknown };
const innerOf = (client: EventStoreDBClient): Inner => client as unknown as Inner;

/** One repair: the fault of the client, its place, and the change. */
export type Repair = {
  readonly name: string;
  readonly fault: string;
  readonly apply: (client: EventStoreDBClient) => void;
};

/** Timeout of the request for the server's features, in ms. */
const featuresMs = 5000;

type Ask = readonly [service: unknown, name: string, action: (client: FeaturesClient) => Promise<object>];
const features = (): Ask => {
  const { ServerFeatures } = createRequire(import.meta.url)(
    '@eventstore/db-client/dist/Client/ServerFeatures.js',
  ) as { readonly ServerFeatures: { readonly createServerFeatures: Ask } };
  return ServerFeatures.createServerFeatures;
};

/** Caches the features per channel; a failure is not cached. */
const cacheFeatures = (client: EventStoreDBClient): void => {
  const inner = innerOf(client);
  const answers = new WeakMap<Channel, Promise<object>>();
  const [service, name, action] = features();
  const ask = (): Promise<object> =>
    inner.execute(service, name, featuresClient =>
      action({
        getSupportedMethods: (request, callback) =>
          featuresClient.getSupportedMethods(request, { deadline: Date.now() + featuresMs }, callback),
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

/** Catches failed reconnects: the next call gets the same error and reports it. */
const catchReconnect = (client: EventStoreDBClient): void => {
  const inner = innerOf(client);
  const { handleError } = inner;
  inner.handleError = (caller, error) => handleError(caller, error).catch(() => undefined);
};

/** An append that cannot start fails on its stream, where the client listens for errors. */
const catchAppendBegin = (client: EventStoreDBClient): void => {
  const inner = innerOf(client);
  const { createGRPCClient } = inner;
  inner.createGRPCClient = async service => {
    const appending = await createGRPCClient(service);
    const append = appending.append?.bind(appending);
    if (append !== undefined)
      appending.append = (...call) => {
        try {
          return append(...call);
        } catch (error) {
          return new Writable({ objectMode: true }).destroy(
            error instanceof Error ? error : new Error(String(error)),
          );
        }
      };
    return appending;
  };
};

/** All repairs of a client. See also `withTlsRepaired`, `closeClient`, `unsharedOf`, `endCall`, `keepSubscribed`. */
const repairs: readonly Repair[] = [
  {
    name: 'features are asked again after a failure',
    fault:
      'Client/index.js, get capabilities: caches a rejected promise, because execute gets its gRPC client outside its ' +
      'try block and never passes a failed discovery to handleError; and the call has no deadline',
    apply: cacheFeatures,
  },
  {
    name: 'a failed reconnect is caught',
    fault:
      'Client/index.js, execute and GRPCStreamCreator: handleError is not awaited and rejects when no node can be ' +
      'discovered, which ends the process',
    apply: catchReconnect,
  },
  {
    name: 'an append that cannot begin is rejected',
    fault:
      'streams/appendToStream/append.js: client.append is called in an async promise executor, so an error that it ' +
      'throws on a closed channel ends the process',
    apply: catchAppendBegin,
  },
];

/** A client with all repairs; it sends nothing before the first call. */
export const repairedClient = (
  url: string,
): { readonly client: EventStoreDBClient; readonly tls: TlsFailures } => {
  const { made: client, tls } = withTlsRepaired(() => EventStoreDBClient.connectionString(url));
  for (const { apply } of repairs) apply(client);
  return { client, tls };
};

/**
 * Credentials of every append. Appends without credentials of their own share one call and one map of pending promises
 * (streams/appendToStream/batchAppend.js, promiseBank). That call has no deadline, and a timeout answer throws an error
 * that cannot be caught. The client does not send credentials to a server without TLS.
 */
export const unsharedOf = (url: string): { readonly credentials: Credentials } => ({
  credentials: credentialsOf(url) ?? { username: 'none', password: 'none' },
});

/** Maximum wait for calls to end, in ms: some never report it. */
const disposeMs = 500;

/** Ends all calls and then the channel, which `dispose` leaves open (Client/index.js, dispose). */
export const closeClient = async (client: EventStoreDBClient): Promise<void> => {
  const inner = innerOf(client);
  // A timeout error would open a new channel.
  inner.handleError = () => Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>(resolve => (timer = setTimeout(resolve, disposeMs)));
  await Promise.race([client.dispose(), timeout]);
  await new Promise(resolve => setImmediate(resolve));
  // Without a reachable node there is no channel, and finding that out takes long.
  const closing = inner.getChannel().then(
    channel => channel.close(),
    () => undefined,
  );
  await Promise.race([closing, timeout]);
  clearTimeout(timer);
};
