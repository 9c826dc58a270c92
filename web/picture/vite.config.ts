import { defineConfig } from 'vite';

/** Build of the chart of an alert for mails into `build/picture`: one module that the service loads. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    lib: { entry: 'main.ts', formats: ['es'], fileName: () => 'picture.js' },
    outDir: '../../build/picture',
    emptyOutDir: true,
    target: 'es2023',
    reportCompressedSize: false,
    // Without comments that name the folder of the packages: each folder builds the same bytes.
    rolldownOptions: { experimental: { attachDebugInfo: 'none' } },
    // web/build.mjs reads it.
    license: { fileName: 'licences.json' },
  },
});
