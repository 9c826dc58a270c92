import { readFileSync } from 'node:fs';
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
