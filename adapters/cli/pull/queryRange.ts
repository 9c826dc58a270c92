import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { LocalClock } from '../../../application/ports/localClock.js';
import { placeAt, startOf } from '../../../application/requests/points/sliceTimes.js';
import { dateOf, dayNumberOf } from '../../../domain/dates.js';
import { AnswerTooLong, bodyText, boundedRequest, dropBody } from '../../network/boundedRequest.js';
import { plain } from '../terminal/text.js';
import type { Feed } from './feeds.js';
import { mayPass, PullFault, retried, retryAfterMs, Transient } from './retries.js';

/** Longest window, in days: servers limit the range of a query. */
const windowDaysMax = 31;
/** Longest local day, in hours. */
const dayHoursMax = 25;

/** Instants from (inclusive) to (exclusive), in seconds since 1970. */
export type Span = { readonly from: number; readonly to: number };

/** Local date of an instant, as a day number. */
export const dayAt = (clock: LocalClock, at: number): number => placeAt(clock, 24, at).dayNumber;

/** The date a year after a date; both as day numbers. 29 February is followed by 1 March. */
export const yearLater = (day: number): number => {
  const [year = 0, month = 0, date = 0] = dateOf(day).split('-').map(Number);
  return dayNumberOf(year + 1, month, date) ?? day + 366;
};

/**
 * Windows of whole local days that cover a span, each with at most 11,000 instants. Instants are multiples of `step`
 * seconds since 1970, so that every pull asks for the same ones. Both ends of a window are inclusive.
 */
export const windowsOf = (clock: LocalClock, { from, to }: Span, step: number): readonly AskedRange[] => {
  const daySteps = Math.ceil((dayHoursMax * 3600) / step);
  const days = Math.max(1, Math.min(windowDaysMax, Math.floor(pointsMax / daySteps)));
  const windows: AskedRange[] = [];
  for (let at = from; at < to;) {
    const end = Math.min(to, startOf(clock, dayAt(clock, at) + days));
    const first = Math.ceil(at / step) * step;
    const last = (Math.ceil(end / step) - 1) * step;
    if (first <= last) windows.push({ from: first, to: last });
    at = end;
  }
  return windows;
};

/** Most points of a series that one request asks for; Prometheus refuses more. */
export const pointsMax = 11_000;

/** The one series of an answer; without one, `labels` is undefined and there are no samples. */
export type Series = {
  readonly labels: string | undefined;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** Values that are no finite numbers, such as stale markers. */
  readonly omitted: number;
  readonly warnings: readonly string[];
};

/** Times of the evaluations that were asked for, in seconds, both inclusive. */
export type AskedRange = { readonly from: number; readonly to: number };

type Body = {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly errorType?: unknown;
  readonly warnings?: unknown;
  readonly isPartial?: unknown;
  readonly data?: { readonly resultType?: unknown; readonly result?: unknown } | null;
};
type Result = { readonly metric?: unknown; readonly values?: unknown; readonly histograms?: unknown };

const listedMax = 5;
const textMax = 300;

const short = (text: string): string => {
  const line = plain(text);
  return line.length > textMax ? `${line.slice(0, textMax)}…` : line;
};

/** The labels of a series as PromQL writes them. */
export const labelText = (metric: unknown): string => {
  const labels = Object.entries((metric ?? {}) as Readonly<Record<string, unknown>>);
  const sorted = labels.sort(([one], [other]) => (one < other ? -1 : 1));
  return short(`{${sorted.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`);
};

/** The body of an answer. @throws PullFault when it is not a JSON object */
const bodyOf = (text: string): Body => {
  try {
    const body = JSON.parse(text) as Body | null;
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch {
    // The fault below says what was got.
  }
  throw new PullFault(
    1,
    `got an answer that is no JSON object, "${short(text.slice(0, 80))}", expected one of query_range`,
  );
};

/** The reason in an answer with `status: error`; the beginning of another text. */
const errorText = (text: string): string => {
  try {
    const { error, errorType } = JSON.parse(text) as Body;
    if (typeof error === 'string')
      return short(typeof errorType === 'string' ? `${errorType}: ${error}` : error);
  } catch {
    // Proxies answer with pages.
  }
  return short(text.slice(0, textMax)) || 'no reason was given';
};

const numberOf = (text: unknown): number => {
  if (typeof text === 'number') return text;
  return typeof text === 'string' && /^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
};

/** Texts of a value that is no finite number. */
const notFinite = /^(?:NaN|[+-]?Inf(?:inity)?)$/i;

/** The samples of a result. @throws PullFault for times and values of another form */
const samplesOf = ({ values }: Result, { from, to }: AskedRange) => {
  const times: number[] = [];
  const numbers: number[] = [];
  let omitted = 0;
  if (!Array.isArray(values))
    throw new PullFault(1, 'got a series without values, expected [[time, "value"], …]');
  for (const sample of values as readonly unknown[]) {
    const [at, text] = Array.isArray(sample) ? (sample as readonly unknown[]) : [];
    if (typeof at !== 'number' || !(at >= from && at <= to) || at <= (times.at(-1) ?? -Infinity))
      throw new PullFault(
        1,
        `got a sample at ${short(String(at))}, expected ascending times from ${from} to ${to}`,
      );
    const value = numberOf(text);
    if (Number.isFinite(value)) {
      times.push(at);
      numbers.push(value);
    } else if (text === null || notFinite.test(String(text))) omitted += 1;
    else throw new PullFault(1, `got the value ${short(String(text))} at ${at}, expected a number`);
  }
  return { times, values: numbers, omitted };
};

/** Warnings of an answer; those that begin with PromQL are about the query. */
const warningsOf = ({ warnings }: Body): string[] =>
  Array.isArray(warnings) ? warnings.slice(0, listedMax).map(text => short(String(text))) : [];

/** @throws Transient when a part of the data may be missing */
const requireWhole = (body: Body, warnings: readonly string[], acceptsWarnings: boolean): void => {
  if (body.isPartial === true) throw new Transient('got a partial answer (isPartial), expected all data');
  const missing = warnings.find(text => !text.startsWith('PromQL'));
  if (missing !== undefined && !acceptsWarnings)
    throw new Transient(
      `got an answer that may lack data, with the warning "${missing}"; acceptWarnings: true accepts it`,
    );
};

/**
 * The series of an answer of query_range with status 200.
 * @throws PullFault for several series and for an answer of another form; Transient for a partial one
 */
export const seriesOf = (text: string, range: AskedRange, acceptsWarnings = false): Series => {
  const body = bodyOf(text);
  if (body.status !== 'success')
    throw new PullFault(1, `got status ${short(String(body.status))}: ${errorText(text)}`);
  const { resultType, result } = body.data ?? {};
  if (resultType !== 'matrix' || !Array.isArray(result))
    throw new PullFault(1, `got the result type ${short(String(resultType))}, expected a matrix`);
  const warnings = warningsOf(body);
  requireWhole(body, warnings, acceptsWarnings);
  const results = result as readonly Result[];
  const [first] = results;
  if (!first) return { labels: undefined, times: [], values: [], omitted: 0, warnings };
  if (results.length > 1) {
    const listed = results.slice(0, listedMax).map(({ metric }) => labelText(metric));
    const more = results.length > listedMax ? ` and ${results.length - listedMax} more` : '';
    throw new PullFault(
      1,
      `got ${results.length} series, expected 1: ${listed.join(', ')}${more}; add labels to the query, or an ` +
        'aggregation such as sum(…)',
    );
  }
  if (Array.isArray(first.histograms))
    throw new PullFault(
      1,
      'got a native histogram, expected numbers: use histogram_avg(…) or histogram_quantile(…)',
    );
  return { labels: labelText(first.metric), ...samplesOf(first, range), warnings };
};

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
