import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReadableMetrics } from './promMetrics.js';

const answerText = (response: ServerResponse, status: number, text: string, type = 'text/plain'): void => {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
};

/** Answers `GET /metrics` without a token: for an address that only the monitoring can reach. */
export const metricsListener =
  ({ text, contentType }: Pick<ReadableMetrics, 'text' | 'contentType'>, failed: (error: unknown) => void) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url !== '/metrics') return answerText(response, 404, 'got another path, expected /metrics\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return answerText(response, 405, 'got another method, expected GET\n');
    }
    text().then(
      metrics => answerText(response, 200, metrics, contentType),
      (error: unknown) => {
        failed(error);
        answerText(response, 500, 'the metrics cannot be read; see the log of the service\n');
      },
    );
  };
