import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { AnswerTooLong, bodyText, boundedRequest, dropBody } from '../../network/boundedRequest.js';
import { plain } from '../terminal/text.js';
import type { Feed } from './feeds.js';
import { errorText, seriesOf, type AskedRange, type Series } from './rangeAnswer.js';
import { mayPass, PullFault, retried, retryAfterMs, Transient } from './retries.js';

/** Bytes of an answer: one series of 11,000 points has less than a megabyte. */
const answerBytesMax = 16_000_000;
const errorBytesMax = 100_000;

/** The form of a request. The last three make Thanos and VictoriaMetrics refuse instead of giving a part. */
const formOf = ({ query }: Feed, { from, to }: AskedRange, step: number): string =>
  new URLSearchParams({
    query,
    start: String(from),
    end: String(to),
    step: String(step),
    partial_response: 'false',
    deny_partial_response: '1',
    // VictoriaMetrics would else move start and end.
    nocache: '1',
  }).toString();

const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

/** The fault of a connection. */
const connectionFault = (error: unknown, feed: Feed): PullFault | Transient => {
  if (error instanceof PullFault || error instanceof Transient) return error;
  const { message, code = '' } = error as NodeJS.ErrnoException;
  if (error instanceof AnswerTooLong)
    return new PullFault(
      1,
      `${message}, expected one series: add labels to the query, or an aggregation such as sum(…)`,
    );
  if (certificateCode.test(code))
    return new PullFault(
      3,
      `the certificate of ${feed.url} is not trusted (${plain(message)}): give its authority in NODE_EXTRA_CA_CERTS`,
    );
  const reason =
    (error as Error).name === 'TimeoutError' ? `no answer in ${feed.timeoutMs / 1000} s` : message;
  return new Transient(`${feed.url} cannot be reached: ${plain(reason || code)}`);
};

/** The fault of an answer that is not 200. */
const statusFault = (status: number, text: string, { headers }: IncomingMessage, feed: Feed): Error => {
  const reason = errorText(text);
  if (status === 401 || status === 403)
    return new PullFault(2, `${feed.url} refuses the credentials (${status}): ${reason}`);
  if (mayPass(status))
    return new Transient(
      `${feed.url} answered ${status}: ${reason}`,
      retryAfterMs(headers['retry-after'], Date.now()),
    );
  const to = headers.location === undefined ? '' : ` to ${plain(headers.location.slice(0, 200))}`;
  return new PullFault(1, `${feed.url} answered ${status}${to}, expected 200: ${reason}`);
};

const askOnce = async (
  feed: Feed,
  range: AskedRange,
  step: number,
  stopped: AbortSignal,
): Promise<Series> => {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(feed.timeoutMs)]);
  try {
    const body = formOf(feed, range, step);
    const answer = await boundedRequest(new URL(`${feed.url}/api/v1/query_range`), {
      method: 'POST',
      headers: {
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': 'daybook',
        ...feed.headers,
      },
      ...{ body, lookup, signal, bytesMax: answerBytesMax },
    });
    const status = answer.statusCode ?? 0;
    if (status === 200) return seriesOf(await bodyText(answer, answerBytesMax), range, feed.acceptsWarnings);
    const text = await bodyText(answer, errorBytesMax).catch(() => (dropBody(answer, 0), ''));
    throw statusFault(status, text, answer, feed);
  } catch (error) {
    throw connectionFault(error, feed);
  }
};

/**
 * The series of a query, evaluated at each step of a range.
 * @throws PullFault, or the reason of the signal
 */
export const queryRange = (
  feed: Feed,
  range: AskedRange,
  step: number,
  signal: AbortSignal,
): Promise<Series> => retried({ retries: feed.retries, signal }, () => askOnce(feed, range, step, signal));
