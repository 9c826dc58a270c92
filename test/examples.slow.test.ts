// Runs the programs in examples/ with a service or offline, and compares their results.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { freePort } from './helpers/freePort.js';
import { launchService, run } from './helpers/process.js';
import { repositoryRoot } from './helpers/repository.js';
import { eventually } from './helpers/service.js';

const exec = promisify(execFile);
const compiled = (name: string): string => fileURLToPath(new URL(`../examples/${name}.js`, import.meta.url));
const env = { PATH: process.env['PATH'] ?? '' };
/** A Python with the packages of the notebook, undefined for none. */
const dataPython = ['python3', '/usr/bin/python3'].find(
  python => spawnSync(python, ['-c', 'import pandas, sklearn']).status === 0,
);
const hasCurl = spawnSync('curl', ['--version']).status === 0;

t.test('examples with a service', async t => {
  const settings = { DATA_DIR: t.testdir(), LOG_LEVEL: 'warn' };
  const service = launchService(settings);
  t.teardown(() => service.end('SIGTERM'));
  const DAYBOOK_URL = await service.ready;
  const DAYBOOK_TOKEN = (await run(['token'], settings)).stdout.trim();
  const options = { env: { ...env, DAYBOOK_URL, DAYBOOK_TOKEN } };

  t.test('first-alert.sh', { skip: hasCurl ? false : 'curl is not installed' }, async t => {
    const { stdout } = await exec('sh', [join(repositoryRoot(), 'examples/first-alert.sh')], options);
    t.match(
      stdout,
      /^source \d+\n2024-01-10 is abnormal\nalert \S+, criticity 1\.00\nalert \S+ is resolved\n$/,
    );
  });

  t.test('client.ts', async t => {
    const { stdout } = await exec(process.execPath, [compiled('client')], options);
    t.match(stdout, /^2024-01-10 is abnormal\nmodel 1: Monday–Friday\nmodel 2: Saturday–Sunday\n/);
    t.match(stdout, /^alert \S+ of 2024-01-10: activity, criticity 1\.00$/m);
    t.match(stdout, /^alert \S+ is resolved$/m);
  });

  t.test(
    'tables.ipynb',
    { skip: dataPython === undefined && 'no python3 with pandas and scikit-learn is installed' },
    async t => {
      type Notebook = {
        readonly cells: readonly { readonly cell_type: string; readonly source: string[] }[];
      };
      const file = join(repositoryRoot(), 'examples/tables.ipynb');
      /** The value of the fourth hour of two reference days, in the table of days. */
      const gap = /^(1,2023-02-0[34],reference,3,180),[^,]*,/gm;
      const { cells } = JSON.parse(readFileSync(file, 'utf8')) as Notebook;
      const code = cells.filter(cell => cell.cell_type === 'code').map(({ source }) => source.join(''));
      const { stdout } = await exec(dataPython ?? '', ['-c', code.join('\n')], options);
      t.match(stdout, /^\d+ days, 2 models\n365 whole reference days of 24 slices, mean [\d.]+\n/);
      t.match(stdout, /^adjusted Rand index (1\.00|0\.\d\d)$/m);
      t.match(stdout, /^2024-01-10 +[1-9]\d* %$/m, 'the abnormal day');
      t.match(stdout, /^used (\d+) of \1 reference days, left out 0 with gaps$/m);
      const folder = t.testdir();
      for (const name of ['days', 'models', 'residuals']) {
        const address = `${DAYBOOK_URL}/v1/table/1/${name}?format=csv`;
        const answer = await fetch(address, { headers: { Authorization: `Bearer ${DAYBOOK_TOKEN}` } });
        writeFileSync(join(folder, `${name}.csv`), (await answer.text()).replaceAll(gap, '$1,,'));
      }
      const withGaps = await exec(dataPython ?? '', ['-c', code.join('\n')], {
        env: { ...env, TABLES: folder },
      });
      t.match(
        withGaps.stdout,
        /^used \d+ of \d+ reference days, left out 2 with gaps: 1 of 24 slices are missing in half of them$/m,
      );
    },
  );

  t.test('tables.ts', async t => {
    const { stdout } = await exec(process.execPath, [compiled('tables')], options);
    t.match(
      stdout,
      /^\d+ days, 2 models, [1-9]\d* alerts\n365 whole reference days of 24 slices, mean [\d.]+\n/,
    );
    t.match(stdout, /^adjusted Rand index (1\.00|0\.\d\d)$/m);
    t.match(stdout, /^silhouette of k-means 0\.\d\d$/m);
    t.match(
      stdout,
      /^2024-01-10 {2}[1-9]\d* % {2}.*(less|below|lower|under|instead|expected)/m,
      'its alert in words',
    );
    const folder = t.testdir();
    for (const name of ['days', 'models', 'residuals', 'alerts']) {
      const address = `${DAYBOOK_URL}/v1/table/1/${name}?format=arrow&from=2023-01-01&to=2025-01-01`;
      const answer = await fetch(address, { headers: { Authorization: `Bearer ${DAYBOOK_TOKEN}` } });
      writeFileSync(join(folder, `${name}.arrow`), new Uint8Array(await answer.arrayBuffer()));
    }
    const offline = await exec(process.execPath, [compiled('tables')], { env: { ...env, TABLES: folder } });
    t.equal(offline.stdout, stdout, 'files give the same');
  });

  t.test('client.ts reports the problem of a refused request', async t => {
    const failed = exec(process.execPath, [compiled('client')], {
      env: { ...options.env, DAYBOOK_TOKEN: 'none' },
    });
    await t.rejects(failed, { message: /ProblemError: [^]*status: 401,\s+code: 'tokenInvalid'/ });
  });
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
const receivers = [
  { name: 'webhook-receiver.ts', program: [process.execPath, compiled('webhook-receiver')], isThere: true },
  {
    name: 'webhook_receiver.py',
    program: ['python3', join(repositoryRoot(), 'examples/webhook_receiver.py')],
    isThere: hasPython,
  },
] as const;

for (const { name, program, isThere } of receivers)
  t.test(
    `${name} takes signed messages only`,
    { skip: isThere ? false : 'Python is not installed' },
    async t => {
      const settings = { DATA_DIR: t.testdir(), LOG_LEVEL: 'warn', WEBHOOK_ALLOW_PRIVATE: 'true' };
      const service = launchService(settings);
      t.teardown(() => service.end('SIGTERM'));
      const address = await service.ready;
      const token = (await run(['token'], settings)).stdout.trim();
      const post = async <Body>(path: string, json?: object): Promise<Body> => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        const body = json && JSON.stringify(json);
        const answer = await fetch(`${address}${path}`, { method: 'POST', headers, ...(body && { body }) });
        return (await answer.json()) as Body;
      };
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const { id, secret } = await post<{ id: string; secret: string }>('/v1/webhook/create', { url });
      const [file, ...args] = program;
      const receiver = spawn(file, args, {
        env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
      });
      t.teardown(() => receiver.kill());
      let printed = '';
      receiver.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      await once(receiver.stdout, 'data');
      t.match(await post(`/v1/webhook/${id}/test`), { outcome: 'delivered', status: 204 });
      // The answer may be here before the text that was printed before it.
      await eventually('its output', () => printed === 'ready\nwebhook.test\n' || undefined);
      const forged = await fetch(url, { method: 'POST', body: '{}' });
      t.equal(forged.status, 401, 'without a signature');
      await post(`/v1/webhook/${id}/rotate-secret`);
      t.match(await post(`/v1/webhook/${id}/test`), { outcome: 'delivered' }, 'the secret before');
    },
  );

t.test('explore.ts learns, plans and checks offline', async t => {
  const { stdout } = await exec(process.execPath, [compiled('explore')], { env });
  t.match(stdout, /^reference: 365 days, 100\.0 % observed\nrecent: 21 days\n/);
  t.match(stdout, /^ {2}1 {2}Monday–Friday /m);
  t.match(stdout, /^2024-05-01: model 2, because public holiday Labour Day: /m);
  t.match(stdout, /^2024-01-24: abnormal, under, criticity 1\.00$/m);
  t.match(stdout, /^5@0\.95/m);
});

t.test('explore.ts reads files', async t => {
  const lines = (first: string, days: number): string =>
    Array.from({ length: days * 24 }, (_, hour) => {
      const at = new Date(Date.parse(first) + hour * 3_600_000).toISOString().slice(0, 19);
      return `"${at}";"${10 + (hour % 24)},${hour % 10}"\n`;
    }).join('');
  const folder = t.testdir();
  const [reference, recent] = [join(folder, 'reference.csv'), join(folder, 'recent.csv')];
  writeFileSync(reference, `date;value\n${lines('2023-01-01T00:00:00Z', 60)}`);
  writeFileSync(recent, lines('2023-03-06T00:00:00Z', 7));
  const { stdout } = await exec(process.execPath, [compiled('explore'), reference, recent], { env });
  t.match(stdout, /^reference: 60 days, 100\.0 % observed\nrecent: 7 days\n/);
});
