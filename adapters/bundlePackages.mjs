// Replaces compiled modules that only export from a package by ones with all of its code: a start would load hundreds
// of small files otherwise.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

const modules = [
  'adapters/http/typebox.js',
  'adapters/monitoring/promClient.js',
  'adapters/network/jose.js',
  'analysis/learning/clustering/kmeans.js',
];

for (const module of modules) {
  const entry = join(root, 'build', module);
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      lib: { entry, formats: ['es'] },
      outDir: dirname(entry),
      emptyOutDir: false,
      target: 'es2022',
      rolldownOptions: {
        treeshake: { moduleSideEffects: false },
        // Without comments that name the folder of the packages: each folder builds the same bytes.
        experimental: { attachDebugInfo: 'none' },
      },
    },
  });
  rmSync(`${entry}.map`, { force: true });
}
