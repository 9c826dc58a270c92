import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';

/** The program of the screens, which web/main.ts loads. */
const program = /\/web\/start\.tsx$/;

type Graph = { readonly getModuleInfo: (id: string) => { readonly importers: readonly string[] } | null };

/** Whether the program cannot start without a module: it is imported by no import() alone. */
const isOfProgram = (id: string, graph: Graph, seen = new Set<string>()): boolean => {
  if (program.test(id)) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return graph.getModuleInfo(id)?.importers.some(importer => isOfProgram(importer, graph, seen)) ?? false;
};

/** Adds links to the page, so that the program is asked for with web/main.ts, not after it. */
const preloadProgram = (): Plugin => ({
  name: 'preload-program',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (page, { bundle = {} }) => {
      const chunks = Object.values(bundle).filter(file => file.type === 'chunk');
      const started = chunks.filter(({ facadeModuleId, moduleIds }) =>
        [facadeModuleId, ...moduleIds].some(id => program.test(id ?? '')),
      );
      if (started.length === 0)
        throw new Error('got no chunk of web/start.tsx, expected one that the page can ask for');
      const files = new Set(started.flatMap(({ fileName, imports }) => [fileName, ...imports]));
      for (const chunk of chunks)
        if (files.has(chunk.fileName)) chunk.imports.forEach(file => files.add(file));
      return [...files]
        .filter(file => !page.includes(file))
        .map((file): HtmlTagDescriptor => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
          injectTo: 'head',
        }));
    },
  },
});

/** Build of the screens into `build/web`, and a development server that forwards the API to a running service. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadProgram()],
  build: {
    outDir: '../build/web',
    emptyOutDir: true,
    target: 'es2023',
    // An inlined font or picture would need data: in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // web/build.mjs reads it.
    license: { fileName: 'licences.json' },
    rolldownOptions: {
      output: {
        // One file each: on a slow connection twenty small ones wait for one another.
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: (id, graph) => (isOfProgram(id, graph) ? 'program' : null), debugName: 'program' },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/health', '/openapi.json', '/config.json'].map(path => [path, 'http://127.0.0.1:8080']),
    ),
  },
});
