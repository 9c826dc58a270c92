import { readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import ts from 'typescript';
import t from 'tap';
import { repositoryRoot, sourceFiles } from './helpers/repository.js';

const folders = [
  'domain',
  'analysis',
  'projections',
  'auditing',
  'application',
  'client',
  'adapters',
] as const;
type Folder = (typeof folders)[number];

type Import = { readonly from: string; readonly typesOnly: boolean; readonly names: string };

/** Whether a module is an SQLite driver, which only one file may load. */
const isDriver = ({ from, typesOnly }: Import): boolean =>
  /^better-sqlite3(-\d+)?(\/|$)/.test(from) && !typesOnly;

/** Modules without technology decisions: hashes, turns of the event loop, the type of a stream. */
const applicationMay = ['node:crypto', 'node:timers/promises', 'node:stream', 'lru-cache'];

/** Whether a file may import a package or a module of Node; each folder has its rule. */
const mayImport: Readonly<Record<Folder, (file: string, imported: Import) => boolean>> = {
  domain: () => false,
  analysis: (file, { from, names }) =>
    from === 'mathjs' ||
    from.startsWith('mathjs/') ||
    (from === 'ml-kmeans' && file === 'analysis/learning/clustering/kmeans.ts') ||
    (from === 'date-holidays' && file === 'analysis/calendar/holidays.ts') ||
    (from === 'date-holidays/package.json' && file === 'analysis/calendar/holidays.ts') ||
    (from === 'node:module' && names === '{ createRequire }') ||
    (from === 'node:worker_threads' && file === 'analysis/worker.ts'),
  projections: (_, { from, typesOnly }) => from === 'better-sqlite3' && typesOnly,
  adapters: (file, imported) => !isDriver(imported) || file === 'adapters/sqlite/driver.ts',
  auditing: (_, { from }) => from === 'node:crypto' || from === 'node:buffer',
  application: (_, { from, typesOnly }) => typesOnly || applicationMay.includes(from),
  client: (_, { from }) => from === 'openapi-fetch',
};

/** Other folders that each folder may import. */
const below: Readonly<Record<Folder, readonly string[]>> = {
  domain: [],
  analysis: ['domain'],
  projections: ['domain'],
  auditing: ['domain'],
  application: ['domain', 'analysis', 'projections', 'auditing'],
  client: [],
  adapters: ['domain', 'analysis', 'projections', 'auditing', 'application', 'client'],
};

const pure: readonly string[] = ['domain', 'analysis'];
const impure = /\basync\b|\bawait\b|\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bprocess\./g;

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');

/** Imports of a file: statements, `import(…)`, `require(…)` and calls of functions from createRequire. */
const importsOf = (code: string): Import[] => [
  ...[...code.matchAll(/^\s*(?:import|export)\s+(type\s+)?([^'";]*?)\s*from\s*'([^']+)'/gm)].map(
    ([, types, names = '', from = '']) => ({ from, typesOnly: types !== undefined, names }),
  ),
  ...[...code.matchAll(/^\s*import\s*'([^']+)'/gm)].map(([, from = '']) => ({
    from,
    typesOnly: false,
    names: '',
  })),
  ...[...code.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)].map(([, from = '']) => ({
    from,
    typesOnly: false,
    names: '',
  })),
  ...[...code.matchAll(/\b(?:require|createRequire\([^)]*\))\(\s*'([^']+)'\s*\)/g)].map(([, from = '']) => ({
    from,
    typesOnly: false,
    names: '',
  })),
];

/** Faults of a source file, as text. */
const faultsOf = (file: string, text: string): string[] => {
  const folder = file.split('/')[0] as Folder;
  const code = withoutComments(text);
  const faults: string[] = [];
  for (const imported of importsOf(code)) {
    const { from } = imported;
    if (!from.startsWith('.')) {
      if (!mayImport[folder](file, imported)) faults.push(`imports ${from}`);
      continue;
    }
    const path = posix.join(dirname(file), from);
    const target = path.split('/')[0] ?? '';
    if (target !== folder && !below[folder].includes(target)) faults.push(`imports ${from}`);
    // The build writes this table.
    if (!from.endsWith('.js') && from !== './holidayTable.json') faults.push(`imports ${from} without .js`);
  }
  if (pure.includes(folder)) for (const [found] of code.matchAll(impure)) faults.push(`has ${found}`);
  if (folder === 'analysis' && file !== 'analysis/math/oncePer.ts' && /\bWeakMap\b/.test(code))
    faults.push('keeps results by itself');
  // SQLite compiles a statement again for each bound value of a bare limit.
  if (/\blimit\s+(?:\?(?! )|[$@:]\w)/.test(code)) faults.push('has a bare limit to bind');
  if (/^\s*export\s+default\b|\bas default\b/m.test(code)) faults.push('has a default export');
  if (/^(?:manager|helper|util|impl)|(?<!rocess)Manager|Helper|Util|Impl/.test(basename(file)))
    faults.push('is named for nothing');
  return faults;
};

t.test('sources: imports between folders, purity and names', async t => {
  const root = repositoryRoot();
  for (const folder of folders) {
    const files = sourceFiles(root, folder);
    t.ok(files.length > 4, `${folder} has files`);
    for (const file of files) t.strictSame(faultsOf(file, readFileSync(join(root, file), 'utf8')), [], file);
  }
});

/** Types that reports of the command line and the script that draws their charts share. */
const figures = 'adapters/cli/report/figures.js';

/** The client of the API: the screens use it as any program does. */
const client = 'client/index.js';

/** Imports allowed for the screens: packages, own files, and the client of the API. */
const webFaults = (file: string, text: string): string[] =>
  importsOf(withoutComments(text)).flatMap(({ from, typesOnly }) => {
    if (from.startsWith('node:')) return [`imports ${from}`];
    if (!from.startsWith('.')) return [];
    const path = posix.join(dirname(file), from);
    const isOurs = path.startsWith('web/') && /\.(js|css|svg)(\?raw)?$/.test(path);
    const isFigures = path === figures && typesOnly && /^web\/(report|charts)\//.test(file);
    return isOurs || isFigures || path === client ? [] : [`imports ${from}`];
  });

t.test('analysis: logarithms and exponentials have the same bits on every machine', async t => {
  // Warnings about misread days are in no event.
  const files = sourceFiles(repositoryRoot(), 'analysis').filter(
    file => !file.startsWith('analysis/misread/'),
  );
  for (const file of files) {
    const code = readFileSync(join(repositoryRoot(), file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    t.notMatch(code, /Math\.(?:log|log10|exp)\b/, file);
  }
});

t.test('screens: no imports from the service, only from its client', async t => {
  const root = repositoryRoot();
  const files = sourceFiles(root, 'web', /\.tsx?$/);
  t.ok(files.length > 20);
  for (const file of files) {
    if (file.endsWith('/vite.config.ts')) continue;
    t.strictSame(webFaults(file, readFileSync(join(root, file), 'utf8')), [], file);
  }
  t.strictSame(webFaults('web/a.ts', `import { dateOf } from '../domain/dates.js';`), [
    'imports ../domain/dates.js',
  ]);
  const shared = `import type { Figure } from '../../${figures}';`;
  t.strictSame(webFaults('web/report/a.ts', shared), []);
  t.strictSame(webFaults('web/charts/a.ts', shared), []);
  t.strictSame(webFaults('web/parts/a.ts', shared), [`imports ../../${figures}`]);
  t.strictSame(webFaults('web/report/a.ts', shared.replace(' type', '')), [`imports ../../${figures}`]);
});

t.test('tests: load the SQLite driver through its one file', async t => {
  for (const folder of ['test', 'bench'])
    for (const file of sourceFiles(repositoryRoot(), folder)) {
      const imports = importsOf(withoutComments(readFileSync(join(repositoryRoot(), file), 'utf8')));
      t.strictSame(imports.filter(isDriver), [], file);
    }
});

/** Import circles; imports of types count too. */
const circlesOf = (files: ReadonlyMap<string, readonly string[]>): string[] => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const next of files.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files.keys()) visit(file, []);
  return circles;
};

t.test('sources: no import circles', async t => {
  const root = repositoryRoot();
  const files = [...folders, 'web', 'bench'].flatMap(folder => sourceFiles(root, folder, /\.tsx?$/));
  const moduleOf = (file: string): string => file.replace(/\.(?:js|tsx?)$/, '');
  const imports = new Map(
    files.map(file => {
      const code = withoutComments(readFileSync(join(root, file), 'utf8'));
      const ours = importsOf(code).filter(({ from }) => from.startsWith('.'));
      return [moduleOf(file), ours.map(({ from }) => moduleOf(posix.join(dirname(file), from)))] as const;
    }),
  );
  t.strictSame(circlesOf(imports), []);
  t.strictSame(
    circlesOf(
      new Map([
        ['a', ['b']],
        ['b', ['c', 'd']],
        ['c', ['a']],
        ['d', []],
      ]),
    ),
    ['a → b → c → a'],
  );
});

/** Wings of the application that each wing may import. */
const wingsBelow: Readonly<Record<string, readonly string[]>> = {
  requests: ['followUps', 'messages', 'reading', 'commands', 'ports'],
  messages: ['followUps', 'commands', 'ports'],
  decisions: ['followUps', 'commands', 'ports'],
  followUps: ['reading', 'commands', 'ports'],
  reading: ['commands', 'ports'],
  commands: ['ports'],
  logs: ['ports'],
  ports: [],
};

/** Imports of a file of the application that go to a wing which is not below its own. */
const wingFaults = (file: string, text: string): string[] => {
  const wingOf = (path: string): string => path.split('/')[1] ?? '';
  const below = wingsBelow[wingOf(file)];
  if (!below) return ['is in no wing'];
  return importsOf(withoutComments(text)).flatMap(({ from }) => {
    const path = posix.join(dirname(file), from);
    const isElsewhere = path.startsWith('application/') && wingOf(path) !== wingOf(file);
    return from.startsWith('.') && isElsewhere && !below.includes(wingOf(path)) ? [`imports ${from}`] : [];
  });
};

t.test('application: wings import those below them', async t => {
  const root = repositoryRoot();
  for (const file of sourceFiles(root, 'application'))
    t.strictSame(wingFaults(file, readFileSync(join(root, file), 'utf8')), [], file);
  const upward = `import { a } from '../requests/a.js';`;
  t.strictSame(wingFaults('application/ports/b.ts', upward), ['imports ../requests/a.js']);
  t.strictSame(wingFaults('application/b.ts', ''), ['is in no wing']);
});

t.test('tests: file names, and no default exports', async t => {
  for (const folder of ['test', 'bench'])
    for (const file of sourceFiles(repositoryRoot(), folder))
      t.notMatch(basename(file), /^(?:manager|helper|util|impl)|(?<!rocess)Manager|Helper|Util|Impl/, file);
});

/** Lines of `t.match` whose pattern has an array or `{}`: these match longer lists and all objects. */
const looseMatches = (text: string): number[] => {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const found: number[] = [];
  const pattern = (node: ts.Node): void => {
    if (ts.isArrayLiteralExpression(node) || (ts.isObjectLiteralExpression(node) && !node.properties.length))
      found.push(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    else if (ts.isObjectLiteralExpression(node)) node.properties.forEach(pattern);
    else if (ts.isPropertyAssignment(node)) pattern(node.initializer);
    else if (ts.isCallExpression(node)) node.arguments.forEach(pattern);
  };
  const visit = (node: ts.Node): void => {
    const isMatch = ts.isCallExpression(node) && /^t\.(?:match|has)$/.test(node.expression.getText());
    if (isMatch && node.arguments[1]) pattern(node.arguments[1]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

t.test('tests: patterns of lists are exact', async t => {
  for (const file of sourceFiles(repositoryRoot(), 'test'))
    t.strictSame(looseMatches(readFileSync(join(repositoryRoot(), file), 'utf8')), [], file);
  t.strictSame(
    looseMatches('t.match(a, { b: [] });\nt.match(a, exactList({ c: {} }));\nt.match(a, {});'),
    [1, 2, 3],
  );
});

t.test(
  'tests: conditions of a page are asked for, because its policy forbids to evaluate text in it',
  async t => {
    for (const file of sourceFiles(repositoryRoot(), 'test').filter(file => file !== 'test/tidy.test.ts'))
      t.notMatch(readFileSync(join(repositoryRoot(), file), 'utf8'), /\.waitForFunction\(/, file);
  },
);

t.test('rules: examples of faults', async t => {
  const found: readonly (readonly [string, string, readonly string[]])[] = [
    ['domain/a.ts', `import { b } from './b.js';`, []],
    ['domain/a.ts', `import type { B } from '../analysis/b.js';`, ['imports ../analysis/b.js']],
    ['domain/a.ts', `import { readFileSync } from 'node:fs';`, ['imports node:fs']],
    ['domain/a.ts', `import type fs from 'node:fs';`, ['imports node:fs']],
    ['domain/a.ts', `import 'mathjs';`, ['imports mathjs']],
    ['domain/a.ts', `import {\n  one,\n  two,\n} from 'mathjs';`, ['imports mathjs']],
    ['domain/a.ts', `export { one } from 'mathjs';`, ['imports mathjs']],
    ['domain/a.ts', `export * from '../adapters/ids.js';`, ['imports ../adapters/ids.js']],
    ['domain/a.ts', `const m = () => import('mathjs');`, ['imports mathjs']],
    ['domain/a.ts', `type M = import('./b.js').B;`, []],
    ['domain/a.ts', `import { b } from './b';`, ['imports ./b without .js']],
    ['domain/a.ts', `const a = async () => 1;`, ['has async']],
    [
      'domain/a.ts',
      `/** Not async, no Date.now(). */\n// nor Math.random()\nconst a = 1; // process.env`,
      [],
    ],
    ['domain/a.ts', `const a = Date.now() + new Date().getTime();`, ['has Date.now', 'has new Date()']],
    ['domain/a.ts', `const a = new Date(0);`, []],
    ['domain/a.ts', `const a = Math.random();`, ['has Math.random']],
    ['analysis/a.ts', `const a = process.env;`, ['has process.']],
    ['analysis/a.ts', `import { create } from 'mathjs';\nimport { b } from '../domain/b.js';`, []],
    ['analysis/a.ts', `import { kmeans } from 'ml-kmeans';`, ['imports ml-kmeans']],
    ['analysis/a.ts', `import { createRequire } from 'node:module';`, []],
    ['analysis/a.ts', `import { createRequire, register } from 'node:module';`, ['imports node:module']],
    ['analysis/a.ts', `const m = createRequire(import.meta.url)('mathjs/lib/browser/math.js');`, []],
    ['analysis/a.ts', `const m = createRequire(import.meta.url)('node:fs');`, ['imports node:fs']],
    ['analysis/a.ts', `import { parentPort } from 'node:worker_threads';`, ['imports node:worker_threads']],
    ['analysis/worker.ts', `import { parentPort } from 'node:worker_threads';`, []],
    ['analysis/a.ts', `import { b } from '../projections/b.js';`, ['imports ../projections/b.js']],
    ['projections/a.ts', `import type { Database } from 'better-sqlite3';`, []],
    ['projections/a.ts', `import Database from 'better-sqlite3';`, ['imports better-sqlite3']],
    ['projections/a.ts', `import { b } from '../analysis/b.js';`, ['imports ../analysis/b.js']],
    ['adapters/a.ts', `import type { Database } from 'better-sqlite3';`, []],
    ['adapters/a.ts', `import Database from 'better-sqlite3';`, ['imports better-sqlite3']],
    ['adapters/a.ts', `import Database from 'better-sqlite3-13';`, ['imports better-sqlite3-13']],
    ['adapters/sqlite/driver.ts', `import Database from 'better-sqlite3-13';`, []],
    ['adapters/http/a.ts', `import { b } from '../../domain/b.js';\nimport Koa from 'koa';`, []],
    ['adapters/cli/a.ts', `import { b } from '../../client/b.js';`, []],
    ['client/a.ts', `import createClient from 'openapi-fetch';`, []],
    ['client/a.ts', `import { readFileSync } from 'node:fs';`, ['imports node:fs']],
    ['client/a.ts', `import { b } from '../domain/b.js';`, ['imports ../domain/b.js']],
    ['adapters/http/a.ts', `import { b } from '../../test/b.js';`, ['imports ../../test/b.js']],
    ['adapters/a.ts', 'db.prepare(`select 1 limit ?`)', ['has a bare limit to bind']],
    ['adapters/a.ts', 'db.prepare(`select 1 limit $limit`)', ['has a bare limit to bind']],
    ['adapters/a.ts', 'db.prepare(`select 1 limit ${pageSize}`)', []],
    ['adapters/a.ts', 'db.prepare(`select 1 limit cast(? as integer)`)', []],
    ['adapters/a.ts', `export default class {}`, ['has a default export']],
    ['adapters/a.ts', `export { a as default };`, ['has a default export']],
    ['adapters/dayManager.ts', '', ['is named for nothing']],
    ['adapters/utils.ts', '', ['is named for nothing']],
    ['adapters/composition/startProcessManager.ts', '', []],
    ['adapters/simple.ts', '', []],
  ];
  for (const [file, text, faults] of found) t.strictSame(faultsOf(file, text), faults, `${file}: ${text}`);
});

const linesMax = 60;
const parametersMax = 4;

/** Lines of a node, without the lines of inner functions that take more than two. */
const ownLines = (node: ts.Node, file: ts.SourceFile): number => {
  const linesOf = (part: ts.Node): number =>
    file.getLineAndCharacterOfPosition(part.end).line -
    file.getLineAndCharacterOfPosition(part.getStart(file)).line +
    1;
  let lines = linesOf(node);
  const subtract = (part: ts.Node): void =>
    ts.forEachChild(part, child => {
      if (ts.isFunctionLike(child) && linesOf(child) > 2) lines -= linesOf(child) - 1;
      else subtract(child);
    });
  subtract(node);
  return lines;
};

/** Functions that are too long or have too many parameters, without a reason ("because") in the comment before them. */
const largeFunctions = (name: string, text: string): string[] => {
  const kind = name.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, kind);
  const faults: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const lines = ownLines(node, file);
      const count = node.parameters.length;
      const statement =
        ts.findAncestor(node, at => ts.isStatement(at) || ts.isPropertyAssignment(at)) ?? node;
      const hasReason = /because/.test(text.slice(statement.getFullStart(), statement.getStart(file)));
      const at = `${name}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`;
      if (lines > linesMax && !hasReason) faults.push(`${at} has ${lines} lines`);
      if (count > parametersMax && !hasReason) faults.push(`${at} has ${count} parameters`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return faults;
};

t.test('functions have at most 60 own lines and 4 parameters, or a reason', async t => {
  const root = repositoryRoot();
  const screens = sourceFiles(root, 'web', /\.tsx?$/);
  const files = [...[...folders, 'bench'].flatMap(folder => sourceFiles(root, folder)), ...screens];
  t.strictSame(
    files.flatMap(file => largeFunctions(file, readFileSync(join(root, file), 'utf8'))),
    [],
  );
  const long = `const f = () => {\n${'g();\n'.repeat(60)}};`;
  t.equal(largeFunctions('long.ts', long).length, 1, 'a long function is found');
  const component = `const F = () => <p>\n${'<i />\n'.repeat(60)}</p>;`;
  t.equal(largeFunctions('long.tsx', component).length, 1, 'a long component is found');
  t.strictSame(largeFunctions('long.ts', `/** Long, because a loop. */\n${long}`), []);
});

/** Buttons of a screen that do not say whether they send a form: within one they do, now or after a later change. */
const untypedButtons = (name: string, text: string): string[] => {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const faults: string[] = [];
  const visit = (node: ts.Node): void => {
    const isButton = ts.isJsxOpeningLikeElement(node) && node.tagName.getText() === 'button';
    if (isButton && !node.attributes.properties.some(one => one.name?.getText() === 'type'))
      faults.push(`${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} has no type`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return faults;
};

t.test('screens: buttons say whether they send their form', async t => {
  const files = sourceFiles(repositoryRoot(), 'web', /\.tsx$/);
  t.strictSame(
    files.flatMap(file => untypedButtons(file, readFileSync(join(repositoryRoot(), file), 'utf8'))),
    [],
  );
  const form = '<form>\n<button onClick={f}>a</button>\n<button type="submit" />\n<button /></form>';
  t.strictSame(untypedButtons('a.tsx', form), ['a.tsx:2 has no type', 'a.tsx:4 has no type']);
});

const commentLinesMax = 2;
const docstringLinesMax = 8;
const lineWidthMax = 120;

/** Comments of a file with their first line, from 1. Consecutive `//` lines are one comment. */
const commentsOf = (text: string): { readonly line: number; readonly lines: readonly string[] }[] => {
  const block = /^[^\S\n]*\/\*([\s\S]*?)\*\//;
  const lines = /^[^\S\n]*\/\/ [^\n]*(?:\n[^\S\n]*\/\/[^\n]*)*/;
  return [...text.matchAll(new RegExp(`${block.source}|${lines.source}`, 'gm'))].map(
    ({ 0: found, index }) => ({
      line: text.slice(0, index).split('\n').length,
      lines: found
        .replace(/^\s*\/\*+|\*\/$/g, '')
        .split('\n')
        .map(line => line.replace(/^\s*(?:\/\/|\*)?\s*/, '').trim()),
    }),
  );
};

/** Sentences without a subject, and words that the glossary replaces. */
const unclear: readonly RegExp[] = [
  /(?:^|\. )(?:What|Whatever|Who|Whoever|Which|Of|Those|Likewise|Else)\b/,
  /^(?:It|They)\b/,
  /\b(?:nobody|whoever|anew|beside|told|lest|kin|alike)\b/i,
];

/** Comments that are hard to read: too long, or with one of the unclear words. */
const unclearComments = (name: string, text: string): string[] =>
  commentsOf(text).flatMap(({ line, lines }) => {
    const at = `${name}:${line}`;
    const words = lines.join(' ').trim();
    const found = unclear.flatMap(pattern => pattern.exec(words)?.[0] ?? []);
    const isDocstring = text.split('\n')[line - 1]?.trimStart().startsWith('/*') || line <= 2;
    const max = isDocstring ? docstringLinesMax : commentLinesMax;
    const count = lines.filter(part => part !== '').length;
    return [
      ...found.map(part => `${at} has "${part}": see the glossary ("Words" in CONTRIBUTING.md)`),
      ...(count > max ? [`${at} has ${count} lines, expected at most ${max}`] : []),
    ];
  });

t.test('comments name files that exist', t => {
  const root = repositoryRoot();
  const filesOf = (folder: string): string[] => sourceFiles(root, folder, /\.(?:tsx?|mjs)$/);
  const checked = [...folders, 'bench', 'web'].flatMap(filesOf);
  const known = ['client/openapi.ts', ...checked, ...filesOf('test')];
  const faultsIn = (text: string): string[] =>
    commentsOf(text)
      .flatMap(({ lines }) => [...lines.join(' ').matchAll(/[\w./-]+\.(?:tsx?|mjs)\b/g)])
      .flatMap(([name]) => (known.some(file => `/${file}`.endsWith(`/${name}`)) ? [] : [`names ${name}`]));
  for (const file of checked) t.strictSame(faultsIn(readFileSync(join(root, file), 'utf8')), [], file);
  t.strictSame(faultsIn('// See domain/none.ts.'), ['names domain/none.ts']);
  t.end();
});

t.test('comments: short, with a subject, in the words of the glossary', async t => {
  const root = repositoryRoot();
  for (const folder of [...folders, 'bench', 'examples', 'web', 'test'])
    for (const file of sourceFiles(root, folder, /\.tsx?$/).filter(file => !file.includes('/generated/'))) {
      const text = readFileSync(join(root, file), 'utf8');
      t.strictSame(unclearComments(file, text), [], file);
      if (folder === 'test') continue;
      const long = text
        .split('\n')
        .flatMap((line, index) =>
          /^\s*(?:\/[/*]|\*)/.test(line) && line.length > lineWidthMax
            ? [`${file}:${index + 1} has ${line.length} characters, expected at most ${lineWidthMax}`]
            : [],
        );
      t.strictSame(long, [], file);
    }
  const found = (text: string): number => unclearComments('a.ts', `\n\n${text}`).length;
  t.equal(found('/** What a day holds. */'), 1, 'a comment without a subject');
  t.equal(found('/** Days. Of several, the first. */'), 1, 'a sentence without a subject');
  t.equal(found('// Read models are built anew.'), 1, 'a word that the glossary replaces');
  t.equal(found('// One.\n// Two.\n// Three.'), 1, 'a long comment');
  t.equal(found(`/**\n${' * Line.\n'.repeat(9)} */`), 1, 'a long docstring');
  t.equal(found('/** The first of several days. */\nconst what = `Whoever // told`;'), 0);
});
