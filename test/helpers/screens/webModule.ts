import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { repositoryRoot } from '../repository.js';

/** A module of the screens that imports nothing but types: it needs no browser. `path` is that below `web`. */
export const webModule = async <Module>(path: string): Promise<Module> => {
  const source = readFileSync(join(repositoryRoot(), 'web', path), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`) as Promise<Module>;
};
