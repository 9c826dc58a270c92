import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const script = fileURLToPath(new URL('../../build.mjs', import.meta.url));

/** Stand-in for the generator of types: they change when the compiled source says so. */
const describer = `import fs from 'node:fs';
  const compiled = fs.readFileSync('build/adapters/cli/main.js', 'utf8');
  if (compiled === 'another API') fs.writeFileSync('client/openapi.ts', 'another types');`;

/** Stand-ins for the screens, which remove what they do not write, and for the example, which follows both builds. */
const screens = `import fs from 'node:fs';
  fs.rmSync('build/web', { recursive: true, force: true });
  fs.mkdirSync('build/web');`;
const example = `import fs from 'node:fs';
  fs.copyFileSync('build/adapters/cli/main.js', 'build/web/example.csv');`;

/** A project with stand-ins for the compiler, which copies the source, and for the build of the screens. */
const project = (test: Test) => {
  const root = test.testdir({
    'tsconfig.json': JSON.stringify({ include: ['adapters', 'client'] }),
    'package.json': '{}',
    'package-lock.json': '{}',
    adapters: { 'main.ts': 'first', 'bundlePackages.mjs': '' },
    analysis: { calendar: { 'holidayTable.mjs': '' } },
    build: { test: { 'old.test.js': '' } },
    node_modules: {
      typescript: {
        bin: {
          tsc: `const fs = require('node:fs');
            const source = fs.readFileSync('adapters/main.ts', 'utf8');
            if (source === 'wrong') process.exit(2);
            fs.mkdirSync('build/adapters/cli', { recursive: true });
            fs.writeFileSync('build/adapters/cli/main.js', source);`,
        },
      },
    },
    client: { 'openapi.ts': 'types', 'generate.mjs': describer },
    web: { 'build.mjs': screens, 'example.mjs': example, 'screen.tsx': '' },
    docs: { 'api.md': '' },
  });
  copyFileSync(script, join(root, 'build.mjs'));
  const at = (name: string) => join(root, name);
  return {
    at,
    write: (name: string, text: string) => writeFileSync(at(name), text),
    compiled: () => readFileSync(at('build/adapters/cli/main.js'), 'utf8'),
    build: () => {
      const { status, stdout } = spawnSync(process.execPath, [at('build.mjs')], { encoding: 'utf8' });
      return {
        status,
        lines: stdout
          .replaceAll(/[\d.]+ s/g, '# s')
          .trim()
          .split('\n'),
      };
    },
  };
};

const whole = {
  status: 0,
  lines: [
    'Compiling, and building the screens …',
    'Compiled in # s',
    'Describing the API to clients …',
    'Described in # s',
    'Bundling packages …',
    'Bundled in # s',
    'Holidays listed in # s',
    'Screens built in # s',
    'Making the example data …',
    'Made in # s',
  ],
};
const nothing = { status: 0, lines: ['The build is up to date'] };

t.test('a build prints its steps, and the next one does nothing', async t => {
  const { build, compiled, at } = project(t);
  t.strictSame(build(), whole);
  t.equal(compiled(), 'first');
  t.notOk(existsSync(at('build/test/old.test.js')), 'tests of deleted sources are removed');
  t.equal(readFileSync(at('node_modules/.bin/daybook'), 'utf8'), 'first', 'the command is linked');
  t.equal(
    readFileSync(at('build/web/example.csv'), 'utf8'),
    'first',
    'the example is made after the screens',
  );
  t.strictSame(build(), nothing);
});

t.test('a changed source, screen or package is built', async t => {
  const { build, compiled, write } = project(t);
  build();
  for (const [name, text] of [
    ['adapters/main.ts', 'second'],
    ['adapters/more.ts', ''],
    ['web/screen.tsx', 'changed'],
    ['package.json', '{ }'],
    ['package-lock.json', '{ }'],
  ] as const) {
    write(name, text);
    t.strictSame(build(), whole, name);
    t.strictSame(build(), nothing, name);
  }
  t.equal(compiled(), 'second');
  write('client/openapi.ts', 'a product of the build');
  t.strictSame(build(), nothing);
});

t.test('a changed description of the API is compiled with the types that it gives', async t => {
  const { build, write, at } = project(t);
  build();
  write('adapters/main.ts', 'another API');
  t.strictSame(build().lines.slice(0, 6), [...whole.lines.slice(0, 4), 'Compiling …', 'Compiled in # s']);
  t.equal(readFileSync(at('client/openapi.ts'), 'utf8'), 'another types');
});

t.test('modules that bundle packages import none', async t => {
  const at = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const listed = readFileSync(at('adapters/bundlePackages.mjs'), 'utf8').match(/(?<=')\w[\w/]+\.js(?=')/g);
  const modules: readonly string[] = listed ?? [];
  t.ok(modules.includes('adapters/http/typebox.js'));
  for (const module of modules) {
    const text = readFileSync(at(`build/${module}`), 'utf8');
    const imported = [...text.matchAll(/^(?:import|export)\b.* from ["']([^"']+)["'];?$/gm)];
    const packages = imported.map(([, name = '']) => name).filter(name => !isBuiltin(name));
    t.strictSame(packages, [], module);
  }
});

t.test('a failed build is repeated', async t => {
  const { build, write } = project(t);
  build();
  write('adapters/main.ts', 'wrong');
  const failed = { status: 2, lines: ['Compiling, and building the screens …'] };
  t.strictSame(build(), failed);
  t.strictSame(build(), failed);
  write('adapters/main.ts', 'first');
  t.strictSame(build(), whole, 'also when the sources are those of the last good build');
});

t.test('output that another compiler run wrote is compiled again', async t => {
  const { build, compiled, at, write } = project(t);
  build();
  mkdirSync(at('build/adapters/cli'), { recursive: true });
  write('build/adapters/cli/main.js', 'of other sources');
  const later = Date.now() / 1000 + 10;
  utimesSync(at('build/adapters/cli/main.js'), later, later);
  t.strictSame(build(), whole);
  t.equal(compiled(), 'first');
});
