import { createRequire } from 'node:module';
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
type Credentials = { _createSecureConnector: (...call: readonly unknown[]) => Connector };
type Grpc = { readonly credentials: { createSsl: (...call: readonly unknown[]) => Credentials } };

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
export const withTlsRepaired = <Made>(
  make: () => Made,
): { readonly made: Made; readonly tls: TlsFailures } => {
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
