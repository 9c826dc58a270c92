// Small faults in the compiled core, and whether the nearest tests find them: `npm run bench:mutants -- --count 200`.
// It changes files of build/ while it runs, and restores them: run it in a checkout of its own.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { seededRandom } from '../analysis/math/seededRandom.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    folders: { type: 'string', default: 'domain,analysis,application,projections' },
    tests: { type: 'string', default: '6' },
    only: { type: 'string' },
  },
});

/** A fault: a part of a file and the text that replaces it. */
type Mutant = {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
};

const build = fileURLToPath(new URL('..', import.meta.url));

/** Time after which a test of a mutant counts as failed, since mutants may loop. */
const testMaxMs = 180_000;

/** Milliseconds that each test took when it last passed. */
const durations = new Map<string, number>();

const operators: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  ...{ '&&': '||', '||': '&&', '??': '&&', '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' },
};

/** Replacements of a node of the syntax tree; most nodes have none. */
const replacement = (node: ts.Node, source: ts.SourceFile): Omit<Mutant, 'file'> | undefined => {
  const at = (part: ts.Node, text: string) => ({ start: part.getStart(source), end: part.end, text });
  if (ts.isBinaryExpression(node)) {
    const text = operators[node.operatorToken.getText(source)];
    const isText = [node.left, node.right].some(
      side => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
    );
    // A part of a chain of ?? with another operator is a syntax error, which every test finds.
    const isNullish = (part: ts.Node): boolean =>
      ts.isBinaryExpression(part) && part.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken;
    const isChain = isNullish(node) && (isNullish(node.left) || isNullish(node.parent));
    return text === undefined || isText || isChain ? undefined : at(node.operatorToken, text);
  }
  if (ts.isNumericLiteral(node)) return at(node, String(Number(node.text) + 1));
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return at(node, node.operand.getText(source));
  if (ts.isIfStatement(node)) return at(node.expression, `!(${node.expression.getText(source)})`);
  if (ts.isConditionalExpression(node)) return at(node.condition, `!(${node.condition.getText(source)})`);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return at(node, 'false');
  if (node.kind === ts.SyntaxKind.FalseKeyword) return at(node, 'true');
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) return at(node, ';');
  return undefined;
};

/** All possible mutants of a compiled file. */
const mutantsOf = (file: string): readonly Mutant[] => {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  const found: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    const mutant = replacement(node, source);
    if (mutant) found.push({ file, ...mutant });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const compiledFiles = (folder: string): readonly string[] =>
  readdirSync(join(build, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js'))
    .map(name => join(build, folder, name))
    .sort();

/** Files that a file imports. */
const importsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path = '']) =>
    resolve(dirname(file), path),
  );

/** Steps of imports from each test to each file that it reaches. */
const reachOf = (
  test: string,
  imports: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> => {
  const steps = new Map([[test, 0]]);
  for (const [file, step] of steps)
    for (const next of imports.get(file) ?? []) if (!steps.has(next)) steps.set(next, step + 1);
  return steps;
};

/** For a file the nearest tests: those with the fewest steps, then those that import the least. */
const nearestTests = (): ((file: string) => readonly string[]) => {
  const files = ['domain', 'analysis', 'application', 'projections', 'auditing', 'adapters', 'test'].flatMap(
    compiledFiles,
  );
  const imports = new Map(files.map(file => [file, importsOf(file)]));
  const tests = files
    .filter(
      file =>
        file.endsWith('.test.js') && !/\/(?:web|process|load)\/|lint|readme|packages|build\.test/.test(file),
    )
    .map(file => ({ file, reach: reachOf(file, imports) }));
  return file =>
    tests
      .filter(({ reach }) => reach.has(file))
      .sort((a, b) => (a.reach.get(file) ?? 0) - (b.reach.get(file) ?? 0) || a.reach.size - b.reach.size)
      .slice(0, Number(values.tests))
      .map(test => test.file);
};

/** Environment of the tests: this program limits their time, not tap, whose limit is for idle machines. */
const env = { ...process.env, TAP_TIMEOUT: '0' };

/** Whether a test passes. Later runs may take five times as long as the last that passed, and thirty seconds. */
const passes = (test: string): boolean => {
  const begun = performance.now();
  const timeout = Math.min(testMaxMs, 5 * Math.ceil(durations.get(test) ?? testMaxMs) + 30_000);
  // SIGKILL also ends a process whose main thread loops.
  const run = spawnSync(process.execPath, [test], { env, stdio: 'ignore', timeout, killSignal: 'SIGKILL' });
  if (run.status === 0) durations.set(test, performance.now() - begun);
  return run.status === 0;
};

/** The first of the tests that fails, those known to be short first; undefined when all pass. */
const failing = (tests: readonly string[]): string | undefined =>
  tests.toSorted((a, b) => (durations.get(a) ?? 0) - (durations.get(b) ?? 0)).find(test => !passes(test));

/** The test that finds a mutant: its file is changed, then restored. */
const finderOf = ({ file, start, end, text }: Mutant, tests: readonly string[]): string | undefined => {
  const original = readFileSync(file, 'utf8');
  try {
    writeFileSync(file, original.slice(0, start) + text + original.slice(end));
    return failing(tests);
  } finally {
    writeFileSync(file, original);
  }
};

/** Line and surroundings of a mutant, for people. */
const shownMutant = ({ file, start, end, text }: Mutant): string => {
  const original = readFileSync(file, 'utf8');
  const line = original.slice(0, start).split('\n').length;
  const around = original.slice(original.lastIndexOf('\n', start) + 1, original.indexOf('\n', end)).trim();
  return `${file.slice(build.length)}:${line}  ${original.slice(start, end)} → ${text}  in  ${around}`;
};

const all = values.folders.split(',').flatMap(compiledFiles).flatMap(mutantsOf);
const random = seededRandom(Number(values.seed));
const chosen = Array.from({ length: Number(values.count) }, () => all[Math.floor(random() * all.length)]);
/** Numbers of the mutants that are tried; all without `--only 3,14`. */
const only = values.only?.split(',').map(Number);
const testsOf = nearestTests();
/** Tests that fail without a mutant: they find nothing. */
const broken = new Set<string>();

/** The test that finds a mutant; it has passed without the mutant. */
const sureFinderOf = (mutant: Mutant): string | undefined => {
  const test = finderOf(
    mutant,
    testsOf(mutant.file).filter(file => !broken.has(file)),
  );
  if (test === undefined || durations.has(test) || passes(test)) return test;
  console.log(`${test.slice(build.length)} fails without mutants; it is left out`);
  broken.add(test);
  return sureFinderOf(mutant);
};

let tried = 0;
let survived = 0;
for (const [index, mutant] of chosen.entries()) {
  if (!mutant || only?.includes(index + 1) === false) continue;
  tried += 1;
  const by = sureFinderOf(mutant);
  if (by === undefined) survived += 1;
  const verdict = by === undefined ? 'SURVIVED' : `found by ${by.slice(build.length)}`;
  console.log(`${index + 1}  ${verdict}  ${shownMutant(mutant)}`);
}
console.log(`${tried} mutants of ${all.length}, ${survived} survived`);
