import { readFileSync, readdirSync } from 'node:fs';
import { join, dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A fault: a part of a compiled file and the text that replaces it. */
export type Mutant = {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
};

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

/** All possible mutants of a compiled file, in the order of its syntax tree. */
export const mutantsOf = (file: string): readonly Mutant[] => {
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

/** Lines of a mutant, without and with its fault, and the number of the first. */
export const linesOf = (
  { start, end, text }: Omit<Mutant, 'file'>,
  original: string,
): { readonly line: number; readonly before: string; readonly after: string } => {
  const from = original.lastIndexOf('\n', start - 1) + 1;
  const next = original.indexOf('\n', end);
  const to = next === -1 ? original.length : next;
  return {
    line: original.slice(0, from).split('\n').length,
    before: original.slice(from, to).trim(),
    after: (original.slice(from, start) + text + original.slice(end, to)).trim(),
  };
};

/** Functions of a file as V8 counts them: each has its own range first, then blocks with counts of their own. */
type Functions = readonly {
  readonly ranges: readonly {
    readonly startOffset: number;
    readonly endOffset: number;
    readonly count: number;
  }[];
}[];

/** The part of a file that runs when a mutant can be noticed. */
const placeOf = ({ start, end, text }: Mutant): readonly [from: number, to: number] =>
  // V8 counts && and ||, which always replace each other or ??, with their right sides.
  text === '&&' || text === '||' ? [start - 1, start] : [start, end];

/** Whether the place of a mutant ran: the smallest function or block around it did. */
const isExecuted = (functions: Functions, [from, to]: readonly [from: number, to: number]): boolean =>
  functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= from && to <= endOffset)
    .reduce<{ readonly size: number; readonly count: number }>(
      (least, { startOffset, endOffset, count }) =>
        endOffset - startOffset < least.size ? { size: endOffset - startOffset, count } : least,
      { size: Infinity, count: 0 },
    ).count > 0;

/** Mutants whose parts ran, by the files of NODE_V8_COVERAGE: one for each process and worker that has ended. */
export const executedIn = (folder: string, mutants: readonly Mutant[]): ReadonlySet<Mutant> => {
  const executed = new Set<Mutant>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      readonly result: readonly { readonly url: string; readonly functions: Functions }[];
    };
    const files = result.filter(({ url }) => url.startsWith('file:'));
    const functionsOf = new Map(files.map(({ url, functions }) => [fileURLToPath(url), functions]));
    for (const mutant of mutants)
      if (isExecuted(functionsOf.get(mutant.file) ?? [], placeOf(mutant))) executed.add(mutant);
  }
  return executed;
};

/** Compiled files of a folder and the folders in it. */
export const compiledFiles = (build: string, folder: string): readonly string[] =>
  readdirSync(join(build, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js'))
    .map(name => join(build, folder, name))
    .sort();

/** Files that a file imports, or starts as a worker or a program. */
const importsOf = (file: string): readonly string[] =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /(?:\bfrom |\bimport\(|\bimport |new URL\()['"`](\.[^'"`$]+\.js)['"`]/g,
    ),
  ].map(([, path = '']) => resolve(dirname(file), path));

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

/** Words of the names of folders and file, in small letters, without a plural s. */
const wordsOf = (path: string): ReadonlySet<string> =>
  new Set(
    (path.match(/[A-Za-z][a-z]+/g) ?? [])
      .map(word => word.toLowerCase().replace(/s$/, ''))
      .filter(word => !['test', 'j', 'domain', 'application', 'projection'].includes(word)),
  );

const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter(word => other.has(word)).length;

/** Tests that are not of the core: the house, screens, processes that are killed, and those of other programs. */
const foreign = /\/(?:web|process|load|client|bench)\/|lint|readme|packages|release|tidy|docs\.test|\.slow\./;

/** Tests that start the service or simulate it: they take long and reach nearly everything. */
const isWhole = (name: string, reach: ReadonlyMap<string, number>, build: string): boolean =>
  /^test\/(?:http\/|simulation|adapters\/cli\/)/.test(name) || reach.has(join(build, 'adapters/main.js'));

/** Tests that check most in a short time, with the distance at which they count: before the others of their kind. */
const broad: Readonly<Record<string, number>> = {
  'test/analysis/sameResults.test.js': 1.5,
  'test/recordedLog.test.js': 999.5,
  'test/http/story.test.js': 999.5,
};

/**
 * For a compiled file all tests of the quick loop that reach it by imports, nearest first: tests without a service by
 * steps of imports and then by what they import, then broad ones, then by the words that names share with the file.
 */
export const nearestTests = (build: string): ((file: string) => readonly string[]) => {
  const folders = ['domain', 'analysis', 'application', 'projections', 'auditing', 'adapters', 'test'];
  const files = folders.flatMap(folder => compiledFiles(build, folder));
  const imports = new Map(files.map(file => [file, importsOf(file)]));
  const tests = files
    .filter(file => file.endsWith('.test.js') && !foreign.test(relative(build, file)))
    .map(file => {
      const name = relative(build, file);
      const reach = reachOf(file, imports);
      return { file, name, reach, words: wordsOf(name), whole: isWhole(name, reach, build) };
    });
  return file => {
    const words = wordsOf(relative(build, file));
    const far = ({ name, reach, whole, words: own }: (typeof tests)[number]): number =>
      broad[name] ?? (whole ? 1000 - shared(own, words) : (reach.get(file) ?? 0));
    return tests
      .filter(({ reach }) => reach.has(file))
      .sort((a, b) => far(a) - far(b) || a.reach.size - b.reach.size)
      .map(test => test.file);
  };
};
