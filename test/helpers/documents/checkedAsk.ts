import type { Call, Sent } from '../service.js';
import { answerChecker, type Document } from './apiDescription.js';

/** Asks and resolves to the body. */
export type Ask = <Body>(method: string, path: string, sent?: Sent) => Promise<Body>;

/** Returns a function that asks a service; it throws for an error and for an answer that /openapi.json does not allow. */
export const checkedAsk = async (call: Call): Promise<Ask> => {
  const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
  return async <Body>(method: string, path: string, sent: Sent = {}): Promise<Body> => {
    const answer = await call<Body>(method, path, sent);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    const wrong = check(method, path, answer);
    if (wrong.length > 0)
      throw new Error(`${method} ${path} is not as /openapi.json says: ${wrong.join(', ')}`);
    return answer.body;
  };
};
