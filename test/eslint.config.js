import { join } from 'node:path';
import tseslint from 'typescript-eslint';

// Two rules only: a lost await before an append is lost data, and tsc cannot see it. Built files are left out.
// Two programs serve all folders; the project service makes a third one for client.
export default tseslint.config(
  { ignores: ['**/dist/**'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: {
        project: ['tsconfig.json', 'web/tsconfig.json'],
        tsconfigRootDir: join(import.meta.dirname, '..'),
      },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
    },
  },
);
