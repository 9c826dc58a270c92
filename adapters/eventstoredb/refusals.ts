import { StoreRefused } from '../../application/eventStore.js';
import { storeUnavailable, type Connection } from './connection.js';
import { usesTls } from './tls.js';

/** gRPC codes for an unknown caller, and for one without permission. */
const unauthenticated = 16;
const permissionDenied = 7;

/** TLS errors that a retry does not remove: an untrusted certificate, a server without TLS. */
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/;
const noTls = /wrong version number|packet length too long/;

const url = 'EVENTSTOREDB_URL';

const withoutTls =
  `${url}: the server uses TLS; expected no tls=false in the connection string, and in it the name and password of a ` +
  'user and tlsCAFile= with the certificate of the authority that signed its certificate';

/** The parts of a connection that tell why a server refuses it. */
type Refusable = Pick<Connection, 'tls' | 'plainHosts'>;

/** Reason of a permanent refusal, with advice; undefined for errors that may be temporary. */
const refusalOf = (error: unknown, { tls }: Refusable): string | undefined => {
  const { code, type } = (error ?? {}) as { readonly code?: unknown; readonly type?: unknown };
  if (code === unauthenticated)
    return `${url}: the server does not accept this name and password; expected those of one of its users`;
  if (code === permissionDenied || type === 'access-denied')
    return (
      `${url}: this user may not read $all and create persistent subscriptions to it; expected a user of the group ` +
      '$admins'
    );
  if (type === 'unsupported')
    return `${url}: the server does not support persistent subscriptions to $all; expected EventStoreDB 21.10 or later`;
  const failed = tls.last();
  if (failed && untrusted.test(String(failed.code)))
    return (
      `${url}: the server's certificate is not trusted (${failed.code}: ${failed.message}); expected tlsCAFile= with ` +
      'the certificate of the authority that signed it, and a host that the certificate names'
    );
  if (failed && noTls.test(failed.message))
    return `${url}: the server does not use TLS; expected tls=false in the connection string, or a server with TLS`;
  return undefined;
};

/** Whether one of the hosts that are asked without TLS uses TLS: it ends such connections without a reason. */
const isPlainRefused = async ({ plainHosts }: Refusable): Promise<boolean> =>
  (await Promise.all(plainHosts.map(usesTls))).includes(true);

/**
 * Runs a call that opens or prepares something, and translates its errors.
 * @throws StoreRefused when a retry does not help, else StoreUnavailable
 */
export const withRefusals = async <Result>(
  connection: Refusable,
  attempt: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await attempt();
  } catch (error) {
    const refusal =
      refusalOf(error, connection) ?? ((await isPlainRefused(connection)) ? withoutTls : undefined);
    throw refusal === undefined ? storeUnavailable(error) : new StoreRefused(refusal, { cause: error });
  }
};
