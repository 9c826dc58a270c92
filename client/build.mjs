// Compiles the client into dist/ as ES modules and into dist/commonjs/ for programs that call require().
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

/** Runs the compiler with options beside those of tsconfig.json; a failure ends the build. */
const compile = (...options) => {
  const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.json', ...options], {
    cwd: here,
    stdio: 'inherit',
  });
  if (run.status !== 0) process.exit(run.status ?? 1);
};

rmSync(`${here}dist`, { recursive: true, force: true });
compile();
const asCommonJs = [
  '--module',
  'commonjs',
  '--moduleResolution',
  'bundler',
  '--verbatimModuleSyntax',
  'false',
];
compile(...asCommonJs, '--outDir', 'dist/commonjs');
writeFileSync(`${here}dist/commonjs/package.json`, '{ "type": "commonjs" }\n');
