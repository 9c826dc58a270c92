// Replaces the compiled module of typebox by one with all of its code.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'build', 'adapters', 'http');
const name = 'typebox.js';

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  ssr: { noExternal: true },
  build: {
    ssr: true,
    lib: { entry: join(folder, name), formats: ['es'], fileName: () => name },
    outDir: folder,
    emptyOutDir: false,
    target: 'es2022',
    // Without comments that name the folder of the packages: each folder builds the same bytes.
    rolldownOptions: { experimental: { attachDebugInfo: 'none' } },
  },
});
rmSync(join(folder, `${name}.map`), { force: true });
