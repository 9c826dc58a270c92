import type { InputFault } from '../../../application/requests/imports/faults.js';
import { csvOf, ordinaryDay, ordinaryDays, type Sent } from '../../helpers/service.js';

/** Body of every refusal. */
export type ProblemBody = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly InputFault[];
};

/** One bad input. `at` lists all errors, `line:column code` or `pointer code`; none are expected without it. */
export type Case = {
  readonly name: string;
  readonly request: readonly [method: string, path: string, sent?: Sent];
  readonly status: number;
  readonly code: string;
  readonly at?: readonly string[];
  readonly detail?: RegExp;
  readonly headers?: Readonly<Record<string, RegExp>>;
};

/** Days of the reference year of the staged source. */
export const reference = ordinaryDays('2022-01-01', 365);

/** Import of days into source 1 by CSV. */
export const days = '/v1/import-csv/1/days';

/** Creation of a source by CSV. */
export const createCsv = '/v1/import-csv/create-source?name=x';

/** Creation of a source by JSON. */
export const create = '/v1/import/create-source';

/** Import of days by JSON. */
export const importDays = '/v1/import/days';

/** Replacement of the models of source 1. */
export const replace = '/v1/model/bulk-replace/1';

/** A CSV of a number of valid days. */
export const steady = (count: number) => csvOf(ordinaryDays('2023-01-01', count), { header: false });

/** A CSV of the reference year. */
export const year = csvOf(reference);

/** A list with one value. */
export const flat = (length: number, value: unknown = 1): unknown[] => Array<unknown>(length).fill(value);

/** A valid model of 24 slices, with changes. */
export const model = (changed: Readonly<Record<string, unknown>> = {}) => ({
  name: 'a',
  color: '#00aaff',
  anomaly: false,
  activity: flat(24),
  topTolerance: flat(24, 2),
  bottomTolerance: flat(24, 0),
  ...changed,
});

/** A value without one of its fields. */
export const without = (value: Readonly<Record<string, unknown>>, field: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));

export const longName = 'n'.repeat(10_000);

export const goodDay = ordinaryDay('2023-05-01');

/** A resource that does not exist for this tenant. */
export const missingCase = (
  method: string,
  path: string,
  sent: Sent = {},
  code = 'sourceNotFound',
): Case => ({
  name: `missing: ${method} ${path}`,
  request: [method, path, sent],
  status: 404,
  code,
});

/** A GET with one invalid parameter. */
export const queryCase = (path: string, at: string): Case => ({
  name: `query: ${path.slice(0, 60)}`,
  request: ['GET', path],
  status: 422,
  code: 'parametersInvalid',
  at: [at],
});

/** A request with invalid parameters. */
export const parameterCase = (
  method: string,
  path: string,
  at: readonly string[],
  sent: Sent = {},
): Case => ({
  name: `parameters: ${method} ${path}`,
  request: [method, path, sent],
  status: 422,
  code: 'parametersInvalid',
  at,
});
