import { StoreRefused } from '../../application/eventStore.js';
import { unavailable } from './connection.js';
import type { TlsFailures } from './tls.js';

/** Codes of gRPC for a caller that is not known, and for one that may not do this. */
const unauthenticated = 16;
const permissionDenied = 7;

/** Codes and texts of TLS that no waiting changes: a certificate that is not trusted, a server without TLS. */
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/;
const noTls = /wrong version number|packet length too long/;

const url = 'EVENTSTOREDB_URL';

/** Why a server refuses for good, with the cure; undefined when it may pass. */
const refusalOf = (error: unknown, tls: TlsFailures): string | undefined => {
  const { code, type } = (error ?? {}) as { readonly code?: unknown; readonly type?: unknown };
  if (code === unauthenticated)
    return `${url}: the server does not know this name and password, expected those of one of its users`;
  if (code === permissionDenied || type === 'access-denied')
    return (
      `${url}: the server denies this user what Daybook needs, to read $all and to make persistent subscriptions ` +
      'to it; expected a user of its group $admins'
    );
  if (type === 'unsupported')
    return `${url}: the server is too old for persistent subscriptions to $all, expected EventStoreDB 21.10 or later`;
  const failed = tls.last();
  if (failed && untrusted.test(String(failed.code)))
    return (
      `${url}: the server's certificate is not trusted (${failed.code}: ${failed.message}); expected tlsCAFile= with ` +
      'the certificate of the authority that signed it, and a host that the certificate names'
    );
  if (failed && noTls.test(failed.message))
    return `${url}: the server does not speak TLS, expected tls=false in it, or a server with TLS`;
  return undefined;
};

/**
 * Runs something that opens or prepares, and throws the client's errors.
 * @throws StoreRefused for what no waiting changes, else StoreUnavailable
 */
export const orRefused = async <Result>(
  tls: TlsFailures,
  attempt: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await attempt();
  } catch (error) {
    const refusal = refusalOf(error, tls);
    throw refusal === undefined ? unavailable(error) : new StoreRefused(refusal, { cause: error });
  }
};
