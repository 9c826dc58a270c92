import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Build of the screens into `build/web`, and a development server that forwards the API to a running service. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../build/web',
    emptyOutDir: true,
    target: 'es2023',
    // An inlined font or picture would need data: in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // web/licences.mjs reads it.
    license: { fileName: 'licences.json' },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/health', '/openapi.json', '/config.json'].map(path => [path, 'http://127.0.0.1:8080']),
    ),
  },
});
