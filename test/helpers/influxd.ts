import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from './service.js';
import { freePort } from './freePort.js';

/** Reason to skip a test that needs the program of InfluxDB 1.x; false when it is there. */
export const withoutInfluxd: string | false =
  spawnSync('influxd', ['version']).status === 0
    ? false
    : 'needs influxd, for example of the Debian package influxdb';

/** A running InfluxDB. */
export type Influxd = {
  readonly address: string;
  readonly pid: number;
  /** Runs a statement of InfluxQL. @throws Error with its answer */
  readonly query: (statement: string) => Promise<void>;
  readonly write: (database: string, lines: string) => Promise<Response>;
  readonly stop: () => Promise<void>;
};

/** Starts InfluxDB 1.x with its data in a folder. */
export const startInfluxd = async (folder: string): Promise<Influxd> => {
  const [port, rpcPort] = [await freePort(), await freePort()];
  const child = spawn('influxd', ['run'], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      INFLUXDB_BIND_ADDRESS: `127.0.0.1:${rpcPort}`,
      INFLUXDB_HTTP_BIND_ADDRESS: `127.0.0.1:${port}`,
      INFLUXDB_META_DIR: join(folder, 'meta'),
      INFLUXDB_DATA_DIR: join(folder, 'data'),
      INFLUXDB_DATA_WAL_DIR: join(folder, 'wal'),
      INFLUXDB_MONITOR_STORE_ENABLED: 'false',
      INFLUXDB_REPORTING_ENABLED: 'false',
    },
  });
  const exit = once(child, 'exit');
  process.once('exit', () => child.kill('SIGKILL'));
  const address = `http://127.0.0.1:${port}`;
  await eventually('InfluxDB', async () =>
    fetch(`${address}/ping`).then(
      ({ status }) => status === 204 || undefined,
      () => undefined,
    ),
  );
  return {
    address,
    pid: child.pid ?? 0,
    query: async statement => {
      const body = new URLSearchParams({ q: statement });
      const answer = await fetch(`${address}/query`, { method: 'POST', body });
      const text = await answer.text();
      if (!answer.ok || text.includes('"error"')) throw new Error(`${statement}: ${text}`);
    },
    write: (database, lines) => fetch(`${address}/write?db=${database}`, { method: 'POST', body: lines }),
    stop: async () => {
      child.kill('SIGTERM');
      await exit;
    },
  };
};
