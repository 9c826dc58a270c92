import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../freePort.js';
import { eventually } from '../service.js';
import type { Sample } from './hourlySamples.js';

/** A real server with samples of the series `power{instance="a"}`. */
export type MetricServer = {
  readonly name: string;
  readonly isInstalled: boolean;
  /** Starts it with samples in a folder. @returns its address */
  readonly start: (t: Test, folder: string, samples: readonly Sample[]) => Promise<string>;
};

const isThere = (...commands: readonly string[]): boolean =>
  commands.every(command => spawnSync(command, ['--version']).error === undefined);

const started = async (
  t: Test,
  [command, ...args]: readonly [string, ...string[]],
  url: string,
  healthPath: string,
): Promise<string> => {
  const child = spawn(command, args, { stdio: 'ignore' });
  t.teardown(() => void child.kill('SIGKILL'));
  await eventually(command, () =>
    fetch(url + healthPath).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    ),
  );
  return url;
};

const lines = (samples: readonly Sample[], unit: number): string =>
  samples.map(([at, value]) => `power{instance="a"} ${value} ${at * unit}\n`).join('');

const prometheus: MetricServer = {
  name: 'Prometheus',
  isInstalled: isThere('prometheus', 'promtool'),
  start: async (t, folder, samples) => {
    mkdirSync(folder);
    const [text, config, data] = [
      join(folder, 'in.om'),
      join(folder, 'prometheus.yml'),
      join(folder, 'data'),
    ];
    writeFileSync(text, `# TYPE power gauge\n${lines(samples, 1)}# EOF\n`);
    writeFileSync(config, 'global: {}\n');
    const blocks = ['tsdb', 'create-blocks-from', '--max-block-duration=744h', 'openmetrics'];
    execFileSync('promtool', [...blocks, text, data], { stdio: 'ignore' });
    const port = await freePort();
    const options = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      '--storage.tsdb.retention.time=10y',
    ];
    const listen = `--web.listen-address=127.0.0.1:${port}`;
    return started(t, ['prometheus', ...options, listen], `http://127.0.0.1:${port}`, '/-/ready');
  },
};

const victoriaMetrics: MetricServer = {
  name: 'VictoriaMetrics',
  isInstalled: isThere('victoria-metrics'),
  start: async (t, folder, samples) => {
    const port = await freePort();
    const options = [
      `-storageDataPath=${folder}`,
      '-retentionPeriod=10y',
      `-httpListenAddr=127.0.0.1:${port}`,
    ];
    const url = await started(t, ['victoria-metrics', ...options], `http://127.0.0.1:${port}`, '/health');
    const body = lines(samples, 1000);
    const sent = await fetch(`${url}/api/v1/import/prometheus`, { method: 'POST', body });
    if (!sent.ok) throw new Error(`the import answers ${sent.status}: ${await sent.text()}`);
    await fetch(`${url}/internal/force_flush`);
    return url;
  },
};

/** The servers that a pull is tested with. */
export const metricServers: readonly MetricServer[] = [prometheus, victoriaMetrics];
