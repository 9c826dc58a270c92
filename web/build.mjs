// Builds the screens and the documentation into build/web (bundle, compressed copies), the charts of reports into
// build/report, those of mails into build/picture, and the licences of all bundled packages into
// build/THIRD-PARTY-LICENSES.txt. Does nothing when no source changed. example.mjs adds the example data.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compress } from './compress.mjs';
import { writeDocs } from './docs/pages.mjs';
import { writeLicences } from './licences.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const root = dirname(folder);
const out = join(root, 'build', 'web');
const reportOut = join(root, 'build', 'report');
const pictureOut = join(root, 'build', 'picture');
const fontFile = join(root, 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');
/** Packages whose code is in the modules that adapters/bundlePackages.mjs writes. */
const packagesOfModules = [
  ...[
    'typebox',
    '@opentelemetry/api',
    'bintrees',
    'jose',
    'prom-client',
    'tdigest',
    'is-any-array',
    'ml-distance-euclidean',
    'ml-kmeans',
    'ml-matrix',
    'ml-nearest-vector',
  ],
  ...['ml-random', 'ml-spectra-processing', 'ml-xsadd'],
];
const licencesOut = join(root, 'build', 'THIRD-PARTY-LICENSES.txt');
const stampFile = join(root, 'build', 'web.stamp');

const inputs = [folder, join(root, 'client'), join(root, 'docs')]
  .flatMap(of => readdirSync(of, { recursive: true, withFileTypes: true }))
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name))
  .sort();
const hash = createHash('sha256');
for (const file of [...inputs, join(root, 'package-lock.json')])
  hash.update(`\0${file.slice(root.length)}\0`).update(readFileSync(file));
const stamp = hash.digest('hex');

const isCurrent =
  existsSync(join(out, 'index.html')) &&
  existsSync(join(reportOut, 'report.js')) &&
  existsSync(join(pictureOut, 'inter.woff2')) &&
  existsSync(licencesOut) &&
  existsSync(stampFile) &&
  readFileSync(stampFile, 'utf8') === stamp;
if (!isCurrent) {
  const { build } = await import('vite');
  await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' });
  await build({ configFile: join(folder, 'report', 'vite.config.ts'), logLevel: 'warn' });
  await build({ configFile: join(folder, 'picture', 'vite.config.ts'), logLevel: 'warn' });
  copyFileSync(fontFile, join(pictureOut, 'inter.woff2'));
  addNotice(
    join(pictureOut, 'picture.js'),
    'Contains parts of Observable Plot and d3 (ISC licence), of linkedom (ISC) and of its packages: css-select, ' +
      'css-what, domhandler, domutils, entities (BSD-2-Clause), dom-serializer, htmlparser2, html-escaper (MIT).',
  );
  writeLicences(
    root,
    [out, reportOut, pictureOut],
    {
      copiedPackages: ['@fontsource-variable/inter', 'swagger-ui-dist', ...packagesOfModules],
      bundledPackages: ['linkedom'],
    },
    licencesOut,
  );
  prepareInline(join(reportOut, 'report.js'));
  writeDocs(root, out);
  compress(out);
  writeFileSync(stampFile, stamp);
}

/**
 * Prepares the script that reports contain: adds a note about its packages and their licences.
 * @throws Error when the script cannot be the text of a script element
 */
function prepareInline(file) {
  if (/<\/script|<!--/i.test(readFileSync(file, 'utf8')))
    throw new Error(`${file}: got the end of a script element or a comment, expected none`);
  addNotice(
    file,
    'Contains parts of Observable Plot and d3, copyright Observable, Inc. and Mike Bostock, ISC licence.',
  );
}

function addNotice(file, notice) {
  writeFileSync(file, `/* ${notice} */\n${readFileSync(file, 'utf8')}`);
}
