import { StoreRefused } from '../../application/eventStore.js';
import { storeUnavailable } from './connection.js';
import type { TlsFailures } from './tls.js';

/** gRPC codes for an unknown caller, and for one without permission. */
const unauthenticated = 16;
const permissionDenied = 7;

/** TLS errors that a retry does not remove: an untrusted certificate, a server without TLS. */
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/;
const noTls = /wrong version number|packet length too long/;

const url = 'EVENTSTOREDB_URL';

/** Reason of a permanent refusal, with advice; undefined for errors that may be temporary. */
const refusalOf = (error: unknown, tls: TlsFailures): string | undefined => {
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

/**
 * Runs a call that opens or prepares something, and translates its errors.
 * @throws StoreRefused when a retry does not help, else StoreUnavailable
 */
export const withRefusals = async <Result>(
  tls: TlsFailures,
  attempt: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await attempt();
  } catch (error) {
    const refusal = refusalOf(error, tls);
    throw refusal === undefined ? storeUnavailable(error) : new StoreRefused(refusal, { cause: error });
  }
};
