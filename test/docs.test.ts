// Links, files, routes, settings, options, scripts and events in the docs exist, and none is missing.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import t from 'tap';
import { engine } from '../analysis/engine.js';
import { problemTypes, type ProblemCode } from '../adapters/http/problemTypes.js';
import { readSettings } from '../adapters/settings/settings.js';
import { eventVersions } from '../domain/events.js';
import {
  anchorsOf,
  blocksOf,
  inlineCode,
  markdownFiles,
  proseOf,
  sectionOf,
  textOf,
} from './helpers/documents/markdown.js';
import { launchService, run } from './helpers/process.js';
import { repositoryRoot } from './helpers/repository.js';

const root = repositoryRoot();
const files = markdownFiles();
/** Docs of the present version: without the changelog and fixtures. */
const current = files.filter(file => file !== 'CHANGELOG.md' && !file.startsWith('test/'));
const codeOf = (file: string): string[] => [
  ...inlineCode(textOf(file)),
  ...blocksOf(textOf(file)).map(({ text }) => text),
];
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

t.test('the README has fewer than 200 lines', async t => {
  t.ok(textOf('README.md').split('\n').length < 200);
});

t.test('links lead to files and headings that exist', async t => {
  for (const file of files) {
    const prose = proseOf(textOf(file)).replaceAll(/`[^`\n]*`/g, '');
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const there = path === '' ? file : posix.join(dirname(file), path);
      const exists = existsSync(join(root, there));
      if (!exists) t.fail(`${file}: ${target} does not exist`);
      else if (anchor !== undefined && !anchorsOf(textOf(there)).has(anchor))
        t.fail(`${file}: ${target} has no such heading`);
    }
  }
  t.ok(files.length > 40, 'there are links');
});

t.test('each page and each decision record is in its index', async t => {
  const index = textOf('docs/README.md');
  for (const file of files.filter(file => /^docs\/[^/]+\.md$/.test(file) && file !== 'docs/README.md'))
    t.ok(index.includes(`(${posix.basename(file)})`), file);
  const records = files.filter(file => /^docs\/adr\/\d{4}-/.test(file));
  const listed = [...textOf('docs/adr/README.md').matchAll(/\((\d{4}-[\w-]+\.md)\)/g)].map(
    ([, name = '']) => `docs/adr/${name}`,
  );
  t.strictSame(listed, records);
  for (const file of records) {
    const headings = [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
    t.match(headings[0], new RegExp(`^${Number(posix.basename(file).slice(0, 4))}\\. `), file);
    t.strictSame(headings.slice(1), ['Context', 'Decision', 'Consequences'], file);
  }
});

t.test('files and folders that the docs name exist', async t => {
  const folders = readdirSync(root, { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory() && !['node_modules', 'data'].includes(entry.name) ? [entry.name] : [],
  );
  const path = new RegExp(`^(?:build/)?(?:${folders.join('|').replaceAll('.', '\\.')})/[\\w./-]*$`);
  for (const file of current)
    for (const code of codeOf(file).flatMap(text => text.split(/\s+/)))
      if (path.test(code) && !/^build\/?$|^application\/(?:json|problem\+json|x-ndjson)$/.test(code)) {
        const source = code.replace(/^build\/(.*)\.js$/, '$1.ts');
        t.ok(existsSync(join(root, source)), `${file}: ${code}`);
      }
  // Compares the tree only if it describes application/.
  if (!existsSync(join(root, 'application'))) return;
  const [tree] = blocksOf(sectionOf(textOf('ARCHITECTURE.md'), 'Folders'));
  let room = '';
  for (const line of tree?.text.split('\n') ?? []) {
    const names = (/^ *((?:\w+\/ ?)+)/.exec(line)?.[1] ?? '').trim().split(' ').filter(Boolean);
    if (!line.startsWith(' ')) room = names[0] ?? room;
    for (const name of names)
      t.ok(existsSync(join(root, line.startsWith(' ') ? room + name : name)), `ARCHITECTURE.md: ${name}`);
  }
});

t.test('npm scripts that the docs name exist', async t => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  for (const file of current)
    for (const code of codeOf(file))
      for (const [, name = ''] of code.matchAll(/\bnpm run (?:-s )?([\w:]+)/g))
        t.ok(Object.hasOwn(scripts, name), `${file}: npm run ${name}`);
});

t.test('the architecture gives a reason for each package', async t => {
  const table = sectionOf(textOf('ARCHITECTURE.md'), 'Packages');
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    textOf('package.json'),
  ) as Record<string, Record<string, string>>;
  const named = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/@?[a-z][\w./-]*/g)].map(([name]) => name),
  );
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }))
    t.ok(named.includes(name), name);
});

t.test('the architecture names each event once', async t => {
  const table = sectionOf(textOf('ARCHITECTURE.md'), 'Streams and events');
  const rows = table.split('\n').filter(line => /^\| `(?!Stream)/.test(line));
  const named = rows.flatMap(row => [...row.matchAll(/`([A-Z]\w+)`/g)].map(([, name = '']) => name));
  t.strictSame(named.sort(), Object.keys(eventVersions).sort());
});

t.test('configuration.md lists exactly the settings that the code reads', async t => {
  const read = new Set<string>();
  const spied = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
    new Proxy(env, {
      get: (of, name) => {
        if (typeof name === 'string') read.add(name);
        return of[name as string];
      },
    });
  const DATA_DIR = t.testdir();
  const EVENTSTOREDB_URL = 'esdb://127.0.0.1:2113?tls=false';
  readSettings(spied({ DATA_DIR }));
  readSettings(spied({ DATA_DIR, EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL }));
  readSettings(spied({ DATA_DIR, JWT_JWKS_URL: 'https://keys.example/jwks' }));
  const table = sectionOf(textOf('docs/configuration.md'), 'Settings');
  const named = [...table.matchAll(/^\| (`[A-Z][^|]*) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  t.strictSame(sorted(named), sorted(read));
});

t.test('commands and options, whose help is in 80 columns and says the exit codes', async t => {
  const optionsIn = (text: string): string[] =>
    sorted([...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)).filter(
      option => option !== '--help',
    );
  const { stdout: usage } = await run(['--help'], {});
  const commands = [...usage.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name = '']) => name);
  const reference = textOf('docs/cli.md');
  const options = new Map<string, string[]>();
  t.ok(commands.includes('serve') && commands.length >= 14);
  t.equal(Math.max(...usage.split('\n').map(({ length }) => length)), 80);
  t.equal(new Set(usage.match(/^ {2}[a-z-]+ {2,}/gm)?.map(({ length }) => length)).size, 1, 'in one column');
  for (const command of commands) {
    const { code, stdout } = await run([command, '--help'], {});
    t.equal(code, 0);
    t.ok(stdout.startsWith(`usage: daybook ${command}`), command);
    t.strictSame(
      stdout.split('\n').filter(({ length }) => length > 80),
      [],
      command,
    );
    t.match(stdout, /^Exit codes: 0 [^]*2\s+wrong\s+usage/m, command);
    // Options of other commands are in quotes.
    options.set(command, optionsIn(stdout.replaceAll(/"daybook\s[^"]*"/g, '')));
  }

  t.test('cli.md has the options of each command', async t => {
    t.strictSame(
      [...reference.matchAll(/^## ([a-z-]+)$/gm)].map(([, name = '']) => name).sort(),
      [...commands].sort(),
    );
    for (const command of commands)
      t.strictSame(optionsIn(sectionOf(`${reference}\n## end\n`, command)), options.get(command), command);
  });

  t.test('commands that the docs name take these options', async t => {
    for (const file of current)
      for (const code of codeOf(file))
        for (const [line] of code.matchAll(/\bdaybook [a-z][^\n|>)]*/g)) {
          const command = line.split(/\s+/)[1] ?? '';
          const known = options.get(command);
          // Skips commands of docker, and names of containers.
          if (!known) t.match(line, /^daybook(?:-\d)? daybook |^daybook (?:\.|<)/, `${file}: ${line}`);
          else
            t.strictSame(
              optionsIn(line).filter(option => !known.includes(option)),
              [],
              `${file}: ${line}`,
            );
        }
  });
});

t.test('routes', async t => {
  type Operation = {
    readonly security?: readonly { readonly bearer?: readonly string[] }[];
    readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  };
  const service = launchService({ DATA_DIR: t.testdir(), LOG_LEVEL: 'silent' });
  const answer = await fetch(`${await service.ready}/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  await service.end('SIGTERM');

  t.test('api.md has each route with its scope', async t => {
    const table = sectionOf(textOf('docs/api.md'), 'Routes');
    const listed = [...table.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) `([^`]+)` \| (\w+) \|/gm)].map(
      ([, method, path, scope]) => `${method} ${path} ${scope}`,
    );
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([method, { security }]) => `${method.toUpperCase()} ${path} ${security?.[0]?.bearer?.[0] ?? 'none'}`,
      ),
    );
    t.strictSame(listed.sort(), described.sort());
  });

  t.test('operations.md says what the answer of each read may cost', async t => {
    const table = sectionOf(textOf('docs/operations.md'), 'What an answer may cost');
    const rows = [...table.matchAll(/^\| (GET|POST) `([^`]+)` \|([^|]*)\| ([^|]+) \| ([^|]+) \|$/gm)];
    const listed = rows.map(([, method, path]) => `${method} ${path}`);
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
    );
    const reads = (names: readonly string[]): string[] =>
      names.filter(name => name.startsWith('GET ')).sort();
    t.strictSame(reads(listed), reads(described));
    t.ok(listed.every(name => described.includes(name)));
    for (const [row, , , , , made = ''] of rows) t.match(made, /at once|in a place|streamed/, row);
  });

  t.test('routes and parameters that the docs name exist', async t => {
    /** The route of an address; a parameter in braces matches only a parameter. */
    const routeOf = (address: string): Record<string, Operation> | undefined => {
      const parts = address.split('/');
      const found = Object.keys(paths).filter(path => {
        const own = path.split('/');
        return (
          own.length === parts.length &&
          own.every((part, at) => part === parts[at] || (part.startsWith('{') && parts[at] !== ''))
        );
      });
      // Routes without parameters have priority.
      const route = found.sort((a, b) => a.split('{').length - b.split('{').length)[0];
      return route === undefined ? undefined : paths[route];
    };
    for (const file of current)
      for (const [mention] of textOf(file).matchAll(/\/v1\/[^\s`"')|,;:…]+/g)) {
        const [address = '', query] = mention.replace(/[.*]+$/, '').split('?');
        const route = routeOf(address);
        if (!route) {
          t.fail(`${file}: no route ${address}`);
          continue;
        }
        const known = Object.values(route).flatMap(({ parameters }) => parameters ?? []);
        for (const name of query?.split('&').map(part => part.split('=')[0]) ?? [])
          t.ok(
            known.some(parameter => parameter.in === 'query' && parameter.name === name),
            `${file}: ${mention} takes ${name}`,
          );
      }
  });
});

t.test('analysis.md describes the engine of this build', async t => {
  t.ok(textOf('docs/analysis.md').includes(`\`${engine}\``), engine);
});

t.test('api.md has each code of a problem under its status', async t => {
  const table = sectionOf(textOf('docs/api.md'), 'Errors');
  const rowOf = (status: string): string =>
    table.split('\n').find(line => line.startsWith(`| ${status} |`)) ?? '';
  for (const [code, { status }] of Object.entries(problemTypes))
    t.ok(rowOf(String(status)).includes(`\`${code}\``), `${status} ${code}`);
  for (const [, status = '', codes = ''] of table.matchAll(/^\| (\d{3}) \| ([^|]+) \|/gm))
    for (const [, code = ''] of codes.matchAll(/`(\w+)`/g))
      t.equal(problemTypes[code as ProblemCode]?.status, Number(status), `${code} exists`);
});
