import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { launchService, tokenFor, type LaunchOptions, type Launched } from './process.js';

/** The secret of these processes. */
export const secret = 'a secret of the process test, long enough';

/** Settings of a service with a data folder. */
export const settingsIn = (dataDir: string) => ({ DATA_DIR: dataDir, JWT_SECRET: secret, LOG_LEVEL: 'info' });

/** A service that ends with the test, or before. */
export const serving = async (
  t: Test,
  env: Readonly<Record<string, string>>,
  options: LaunchOptions = {},
): Promise<Launched & { readonly address: string }> => {
  const launched = launchService(env, options);
  t.teardown(() => launched.end('SIGKILL'));
  return { ...launched, address: await launched.ready };
};

/** The header with a valid token. */
export const authorized = (token = tokenFor(secret, 'tester')) => ({ Authorization: `Bearer ${token}` });

/** The answer to a GET. @throws Error for a status other than 200 */
export const getJson = async (address: string, path: string, token?: string): Promise<unknown> => {
  const response = await fetch(address + path, { headers: authorized(token) });
  if (response.status !== 200)
    throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
  return response.json();
};

/** A value of a year without events: a daily pattern with noise. */
export const valueAt = (day: number, minute: number): number =>
  150 + 40 * Math.sin((minute * 2 * Math.PI) / 1440) + (((day * 7919 + minute * 104_729) % 1000) / 1000) * 5;

const referenceDays = (length: number) =>
  Array.from({ length: 60 }, (_, day) => ({
    date: dateOf(dayNumber('2024-01-01') + day),
    activity: Array.from({ length }, (_, slice) => valueAt(day, (slice * 1440) / length)),
  }));

/** Creates a source of 60 days and waits for its models; returns its id. */
export const createSource = async (address: string, length: number): Promise<number> => {
  const response = await fetch(`${address}/v1/import/create-source?allowDuplicate=true`, {
    method: 'POST',
    headers: { ...authorized(), 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'calm', referenceYear: 2024, days: referenceDays(length) }),
  });
  const { source } = (await response.json()) as { readonly source: { readonly id: number } };
  for (;;) {
    const { analysis } = (await getJson(address, `/v1/source/${source.id}`)) as {
      analysis: { status: string };
    };
    if (analysis.status === 'completed') return source.id;
    await sleep(20);
  }
};
