// The Python package with a real service, where a python3 has NumPy and pandas.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { firstDay, office, temperatures } from '../helpers/data/explainedOffice.js';
import { repositoryRoot } from '../helpers/repository.js';
import { analysed, startService } from '../helpers/service.js';

/** A Python from 3.11 on with the packages of the frames, undefined for none. */
const python = ['python3', '/usr/bin/python3'].find(
  one => spawnSync(one, ['-c', 'import sys, numpy, pandas; assert sys.version_info >= (3, 11)']).status === 0,
);
const compiled = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

t.test(
  'pip can pack the folder without tools, and the wheel is the package',
  { skip: python === undefined && 'no python3 from 3.11 on with NumPy and pandas is installed' },
  async t => {
    const place = t.testdir();
    const script = [
      'import sys, zipfile, build_backend',
      'name = build_backend.build_wheel(sys.argv[1])',
      'sys.path.insert(0, sys.argv[1] + "/" + name)',
      'import daybook, importlib.metadata as metadata',
      'print(daybook.__file__, metadata.version("daybook-client"), zipfile.ZipFile(sys.path[0]).testzip())',
    ].join('\n');
    const { status, stdout, stderr } = spawnSync(python ?? '', ['-c', script, place], {
      cwd: join(repositoryRoot(), 'client/python'),
      encoding: 'utf8',
      env: { PYTHONPATH: '.', PYTHONDONTWRITEBYTECODE: '1' },
    });
    t.equal(status, 0, stderr);
    t.match(stdout, /daybook_client-[\d.]+-py3-none-any\.whl\/daybook\/__init__\.py \d+\.\d+\.\d+ None\n$/);
  },
);

t.test(
  'the package',
  { skip: python === undefined && 'no python3 from 3.11 on with NumPy and pandas is installed' },
  async t => {
    const { call, address, tokenFor } = await startService(t);
    const slices = 4;
    const degrees = temperatures(1);
    const create = async (name: string, days: readonly object[], more: object = {}) => {
      const json = { name, referenceYear: 2025, days, ...more };
      const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
      await analysed(call, body.source.id);
      return body.source.id;
    };
    const temperatureDays = (first: number, values: readonly number[]) =>
      values.map((value, at) => ({ date: dateOf(first + at), activity: Array<number>(slices).fill(value) }));
    const temperature = await create('Temperature', temperatureDays(firstDay, degrees));
    const days = office(degrees, { seed: 2, slices, first: firstDay });
    const heated = await create(
      'Office',
      days.map(({ date, activity }) => ({ date, activity })),
      { explainedBy: [temperature] },
    );
    const cold = temperatureDays(dayNumber('2026-01-07'), degrees.slice(0, 12));
    await call('POST', '/v1/import/days', { json: { sourceId: temperature, days: cold } });
    const root = repositoryRoot();
    const program = spawn(
      python ?? '',
      ['-m', 'unittest', 'discover', '-v', join(root, 'client/python/tests')],
      {
        cwd: t.testdirName,
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          PYTHONPATH: join(root, 'client/python'),
          PYTHONDONTWRITEBYTECODE: '1',
          DAYBOOK_URL: address(),
          DAYBOOK_TOKEN: await tokenFor({}),
          DAYBOOK_COMMAND: `"${process.execPath}" "${compiled('adapters/cli/main.js')}"`,
          QUALITY_COMMAND: `"${process.execPath}" "${compiled('bench/quality.js')}" "${join(root, 'bench/data')}"`,
          HEATED: String(heated),
        },
      },
    );
    let printed = '';
    program.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    program.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const [code] = (await once(program, 'close')) as [number];
    t.equal(code, 0, printed);
    t.match(printed, /^Ran \d+ tests/m);
    t.notMatch(printed, /skipped/);
  },
);
