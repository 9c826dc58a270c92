import { ApiProblem, problemOf } from './client.js';
import { currentSession, expire } from './session.js';

/** Bytes of a file that have been sent. */
export type Sent = { readonly bytes: number; readonly total: number };

/**
 * Sends a file as a request body and tells how far it is. The browser reads the file from disk while it sends it;
 * fetch cannot tell the progress of a body.
 * @throws ApiProblem, or AbortError when the signal ends it
 */
export const sendFile = <Body>(
  path: string,
  file: Blob,
  type: string,
  { onSent, signal }: { readonly onSent: (sent: Sent) => void; readonly signal: AbortSignal },
): Promise<Body> =>
  new Promise((resolve, reject) => {
    const { token } = currentSession();
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.responseType = 'json';
    request.setRequestHeader('Content-Type', type);
    request.setRequestHeader('Authorization', `Bearer ${token ?? ''}`);
    request.upload.onprogress = ({ loaded, total }) => onSent({ bytes: loaded, total });
    request.onload = () => {
      if (request.status === 401) expire(token);
      if (request.status >= 200 && request.status < 300) resolve(request.response as Body);
      else reject(problemOf(request.status, request.response));
    };
    request.onerror = () => reject(new ApiProblem(0, 'unreachable', 'The service cannot be reached'));
    request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
