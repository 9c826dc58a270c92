import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../freePort.js';
import { eventually } from '../service.js';

const program = 'prometheus-alertmanager';

/** Reason to skip a test that needs Alertmanager; false when it is there. */
export const withoutAlertmanager: string | false =
  spawnSync(program, ['--version']).status === 0
    ? false
    : 'needs prometheus-alertmanager, for example of the Debian package of that name';

/** An alert as Alertmanager lists it. */
export type ListedAlert = {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
  readonly status: { readonly state: string };
};

/**
 * Alertmanager with its data in a folder of the test.
 * @param notified address that its only route notifies
 */
export const startAlertmanager = async (t: Test, notified: string) => {
  const folder = t.testdir();
  const port = await freePort();
  const config = {
    route: { receiver: 'people', group_by: ['...'], group_wait: '0s', group_interval: '1s' },
    receivers: [{ name: 'people', webhook_configs: [{ url: notified, send_resolved: true }] }],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'config.yml'), JSON.stringify(config));
  const options = [
    ...[`--config.file=${join(folder, 'config.yml')}`, `--storage.path=${join(folder, 'data')}`],
    ...[`--web.listen-address=127.0.0.1:${port}`, '--cluster.listen-address='],
  ];
  const child = spawn(program, options, { stdio: 'ignore' });
  const exit = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const address = `http://127.0.0.1:${port}`;
  await eventually('Alertmanager', () =>
    fetch(`${address}/-/ready`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    ),
  );
  return {
    port,
    url: `${address}/api/v2/alerts`,
    /** Alerts that are not over. */
    alerts: async (): Promise<readonly ListedAlert[]> =>
      (await (await fetch(`${address}/api/v2/alerts`)).json()) as readonly ListedAlert[],
  };
};
