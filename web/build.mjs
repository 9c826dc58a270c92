// Builds the screens and the documentation into build/web (bundle, compressed copies), the charts of reports into
// build/report, those of mails into build/picture, and the licences of all bundled packages into
// build/THIRD-PARTY-LICENSES.txt. Does nothing when no source changed. example.mjs adds the example data.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compress } from './compress.mjs';
import { writeDocs } from './docs/pages.mjs';

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

/** List of the bundled packages that a build of Vite writes (`build.license`). */
const licencesFile = 'licences.json';

const isNotice = name => /^(licen[cs]e|notice|copying)/i.test(name) || /bundle\.js\.LICENSE\.txt$/.test(name);

/** Licence and notices of an installed package whose files are copied. */
const copied = name => {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter(isNotice)
    .sort()
    .map(file => readFileSync(join(folder, file), 'utf8').trim());
  return { name, version, identifier: license, text: texts.join('\n\n') };
};

/** A package and all that it depends on, as far as they are installed: its own build may contain them. */
const withDependencies = (name, seen = new Set()) => {
  const file = join(root, 'node_modules', name, 'package.json');
  if (seen.has(name) || !existsSync(file)) return seen;
  seen.add(name);
  const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8'));
  for (const dependency of Object.keys(dependencies)) withDependencies(dependency, seen);
  return seen;
};

/**
 * Writes one file with the name, version, licence and its text of each package, by name.
 * @param builds          folders of builds of Vite; their lists are removed
 * @param copiedPackages  names of packages whose files are copied
 * @param bundledPackages names of packages that contain their dependencies
 * @throws Error for a package without the text of its licence
 */
const writeLicences = (builds, { copiedPackages, bundledPackages }, out) => {
  const bundled = builds.flatMap(folder => {
    const file = join(folder, licencesFile);
    if (!existsSync(file)) throw new Error(`${file}: not found, expected build.license in its configuration`);
    const list = JSON.parse(readFileSync(file, 'utf8'));
    rmSync(file);
    return list;
  });
  const names = [...copiedPackages, ...bundledPackages.flatMap(name => [...withDependencies(name)])];
  const packages = new Map(
    [...bundled, ...names.map(name => copied(name))].map(one => [`${one.name} ${one.version}`, one]),
  );
  for (const [name, { identifier, text }] of packages)
    if (!identifier || !text) throw new Error(`${name}: got no licence or no text of it`);
  const sections = [...packages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { identifier, text }]) => `${name}\nLicence: ${identifier}\n\n${text}\n`);
  const head =
    'The built service, screens, reports, pictures and documents of Daybook contain these packages, ' +
    'each under its own licence.\n';
  writeFileSync(out, [head, ...sections].join(`\n${'-'.repeat(80)}\n\n`));
};

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
