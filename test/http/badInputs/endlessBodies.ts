import { dateOf, dayNumber } from '../../../domain/dates.js';
import { endless, streamed } from '../../helpers/service.js';
import { create, createCsv, days, importDays, replace } from './case.js';

/** Bytes of a number of mebibytes. */
export const mebibytes = (count: number): number => count * 1_048_576;

const giga = 1_000_000_000;

/** An endless sequence of valid rows, one every `stepS` seconds. */
const rows = function* (stepS: number): Generator<Buffer> {
  let block = '';
  for (let second = dayNumber('2023-01-01') * 86_400; ; second += stepS) {
    block += `"${new Date(second * 1000).toISOString().slice(0, 19)}";"12,5"\n`;
    if (block.length < 60_000) continue;
    yield Buffer.from(block);
    block = '';
  }
};
/** One day a line, each of 4 kB, most of it spaces: valid JSON up to the limit. */
const spacious = function* (count: number): Generator<Buffer> {
  yield Buffer.from('{"sourceId":1,"days":[');
  for (let day = 0; day < count; day += 1)
    yield Buffer.from(`{"date":"${dateOf(day)}","activity":[1,2,3,4]},${' '.repeat(4200)}\n`);
};

/**
 * Bodies that are too long, with their answers; `sentMax` is the number of bytes that may be sent until the answer.
 * @param open an alert of source 1
 */
export const endlessBodies = (
  address: Parameters<typeof streamed>[0],
  token: string,
  open: string | undefined,
) => {
  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Iterable<Buffer>,
  ) => streamed(address, { method, path, headers: { Authorization: `Bearer ${token}`, ...headers } }, body);
  const csv = { 'Content-Type': 'text/csv' };
  const json = { 'Content-Type': 'application/json' };
  const nested = `{"models":${'['.repeat(3_900_000)}${']'.repeat(3_900_000)}}`;

  return [
    {
      name: 'CSV: a line without end',
      run: () => send('POST', days, csv, endless('1'.repeat(65_536))),
      status: 422,
      code: 'lineTooLong',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: separators without end',
      run: () => send('POST', days, csv, endless(';'.repeat(65_536))),
      status: 422,
      code: 'lineTooLong',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: a quoted field without end',
      run: () => send('POST', days, csv, endless(`"${'\n;'.repeat(32_768)}`)),
      status: 422,
      code: 'lineTooLong',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: a reference year without end',
      run: () => send('POST', createCsv, csv, rows(600)),
      status: 422,
      code: 'beyondYear',
      sentMax: mebibytes(24),
    },
    {
      name: 'CSV: recent days without end',
      run: () => send('POST', `${days}?allowFuture=true`, csv, rows(86_400)),
      status: 422,
      code: 'tooManyDays',
      sentMax: mebibytes(24),
    },
    {
      name: 'CSV: 2 GB announced',
      run: () => send('POST', days, { ...csv, 'Content-Length': String(2 * giga) }, rows(600)),
      status: 413,
      code: 'tooLarge',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: without a token',
      run: () => streamed(address, { method: 'POST', path: days, headers: csv }, endless('x'.repeat(65_536))),
      status: 401,
      code: 'tokenMissing',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: to a source that is not there',
      run: () => send('POST', '/v1/import-csv/99/days', csv, rows(600)),
      status: 404,
      code: 'sourceNotFound',
      sentMax: mebibytes(16),
    },
    {
      name: 'JSON: 201 MB announced',
      run: () => send('POST', importDays, { ...json, 'Content-Length': '201000000' }, spacious(50_000)),
      status: 413,
      code: 'tooLarge',
      sentMax: mebibytes(16),
    },
    {
      name: 'JSON: 201 MB in chunks',
      run: () => send('POST', importDays, json, spacious(47_700)),
      status: 413,
      code: 'tooLarge',
      sentMax: 205_000_000,
    },
    {
      name: 'JSON: a bomb of nested arrays',
      run: () => send('POST', importDays, json, endless('['.repeat(65_536))),
      status: 422,
      code: 'nesting',
      sentMax: mebibytes(16),
    },
    {
      name: 'JSON: a bomb inside days',
      run: () =>
        send(
          'POST',
          importDays,
          json,
          (function* () {
            yield Buffer.from('{"sourceId":1,"days":[');
            yield* endless('['.repeat(65_536));
          })(),
        ),
      status: 422,
      code: 'nesting',
      sentMax: mebibytes(16),
    },
    {
      name: 'JSON: a text without end',
      run: () => send('POST', create, json, endless(`{"name":"${'x'.repeat(65_536)}`)),
      status: 422,
      code: 'envelopeTooLarge',
      sentMax: mebibytes(16),
    },
    {
      name: 'models: without end',
      run: () => send('POST', replace, json, endless(`{"models":[${' '.repeat(65_536)}`)),
      status: 413,
      code: 'tooLarge',
      sentMax: mebibytes(32),
    },
    {
      name: 'a verdict without end',
      run: () => send('POST', `/v1/alert/${open}/resolve`, json, endless(' '.repeat(65_536))),
      status: 413,
      code: 'tooLarge',
      sentMax: mebibytes(16),
    },
    {
      name: 'a body where none is taken',
      run: () => send('POST', '/v1/model/reset/99/3', json, endless(' '.repeat(65_536))),
      status: 404,
      code: 'sourceNotFound',
      sentMax: mebibytes(16),
    },
    {
      name: 'models: 8 MB of nested arrays, whole',
      run: () =>
        send('POST', replace, { ...json, 'Content-Length': String(nested.length), Connection: 'close' }, [
          Buffer.from(nested),
        ]),
      status: 422,
      code: '(nesting|bodyInvalid)',
      sentMax: mebibytes(8),
    },
  ];
};
