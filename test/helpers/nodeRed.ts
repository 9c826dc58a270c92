import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from './freePort.js';
import { repositoryRoot } from './repository.js';
import { eventually } from './service.js';

/** The folder with `node_modules` of Node-RED and its nodes for InfluxDB: too large for this repository. */
const packages = createRequire(join(process.env['NODE_RED_DIR'] ?? repositoryRoot(), 'package.json'));

const fileOf = (path: string): string | undefined => {
  try {
    return packages.resolve(path);
  } catch {
    return undefined;
  }
};

/** Longest start: it loads some hundred packages. */
const startMsMax = 60_000;

const program = fileOf('node-red/red.js');

/** The reason why there is no Node-RED; false when there is one. */
export const withoutNodeRed: string | false =
  program && fileOf('node-red-contrib-influxdb/package.json')
    ? false
    : 'node-red and node-red-contrib-influxdb are not installed: name their folder in NODE_RED_DIR';

/** Starts Node-RED in a new folder with the flows of a file. @param env environment variables that the flows name */
export const startNodeRed = async (
  t: Test,
  { folder, flows }: { readonly folder: string; readonly flows: string },
  env: Readonly<Record<string, string>>,
): Promise<{ readonly address: string; readonly version: string }> => {
  mkdirSync(folder);
  const uiPort = await freePort();
  const settings = { uiHost: '127.0.0.1', uiPort, disableEditor: true, telemetry: { enabled: false } };
  // Files of this repository that end with .js are modules.
  const file = join(folder, 'settings.cjs');
  writeFileSync(file, `module.exports = ${JSON.stringify(settings)};\n`);
  const child = spawn(process.execPath, [program ?? '', '--userDir', folder, '--settings', file], {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(() => void child.kill('SIGKILL'));
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (log += text));
  // Flows that are deployed before the empty ones have started are lost.
  await eventually('the start of Node-RED', () => /Started flows/.test(log) || undefined, startMsMax);
  const address = `http://127.0.0.1:${uiPort}`;
  const deployed = await fetch(`${address}/flows`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: readFileSync(flows),
  });
  if (!deployed.ok) throw new Error(`Node-RED answers ${deployed.status}: ${await deployed.text()}`);
  await eventually('the flows', () => /Updated flows[^]*Started flows/.test(log) || undefined);
  const { version } = packages('node-red/package.json') as { readonly version: string };
  return { address, version };
};
