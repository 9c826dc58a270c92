import { defineConfig } from 'vite';

/** Build of the charts of reports into `build/report`: one script and one style sheet, which a report contains. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    lib: {
      entry: 'main.ts',
      formats: ['iife'],
      name: 'report',
      fileName: () => 'report.js',
      cssFileName: 'report',
    },
    outDir: '../../build/report',
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: 'es2023',
    reportCompressedSize: false,
    // web/build.mjs reads it.
    license: { fileName: 'licences.json' },
  },
});
