import { createRequire } from 'node:module';
import { isIP } from 'node:net';

/** Last error of a TLS handshake, which the client's own errors leave out or keep as a part of a text. */
export type TlsFailures = { readonly last: () => NodeJS.ErrnoException | undefined };

type Connector = {
  readonly connectionOptions: { servername?: string };
  connect: (...call: readonly unknown[]) => Promise<unknown>;
};
type Credentials = { _createSecureConnector: (...call: readonly unknown[]) => Connector };
type Grpc = { readonly credentials: { createSsl: (...call: readonly unknown[]) => Credentials } };

/** The very gRPC package that the client uses. */
const grpc = (): Grpc => {
  const own = createRequire(import.meta.url);
  return createRequire(own.resolve('@eventstore/db-client'))('@grpc/grpc-js') as Grpc;
};

/**
 * Runs `make`, which makes a client. Its TLS connections to an IP address then name no server: grpc-js
 * (channel-credentials.js, getConnectionOptions) always sets `servername`, which RFC 6066 forbids for an address and
 * node warns of (DEP0123). The certificate is checked against the address as before.
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
  // Synchronous and put back at once: the credentials that a client makes cannot be reached in any other way.
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
