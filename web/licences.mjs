// Writes the licences of all packages whose code or files are in the built service, screens, reports, pictures and
// documents.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** List of the bundled packages that a build of Vite writes (`build.license`). */
export const licencesFile = 'licences.json';

const isNotice = name => /^(licen[cs]e|notice|copying)/i.test(name) || /bundle\.js\.LICENSE\.txt$/.test(name);

/** Licence and notices of an installed package whose files are copied. */
const copied = (root, name) => {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter(isNotice)
    .sort()
    .map(file => readFileSync(join(folder, file), 'utf8').trim());
  return { name, version, identifier: license, text: texts.join('\n\n') };
};

/** A package and all that it depends on, as far as they are installed: its own build may contain them. */
const withDependencies = (root, name, seen = new Set()) => {
  const file = join(root, 'node_modules', name, 'package.json');
  if (seen.has(name) || !existsSync(file)) return seen;
  seen.add(name);
  const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8'));
  for (const dependency of Object.keys(dependencies)) withDependencies(root, dependency, seen);
  return seen;
};

/**
 * Writes one file with the name, version, licence and its text of each package, by name.
 * @param builds          folders of builds of Vite; their lists are removed
 * @param copiedPackages  names of packages whose files are copied
 * @param bundledPackages names of packages that contain their dependencies
 * @throws Error for a package without the text of its licence
 */
export const writeLicences = (root, builds, { copiedPackages, bundledPackages }, out) => {
  const bundled = builds.flatMap(folder => {
    const file = join(folder, licencesFile);
    if (!existsSync(file)) throw new Error(`${file}: not found, expected build.license in its configuration`);
    const list = JSON.parse(readFileSync(file, 'utf8'));
    rmSync(file);
    return list;
  });
  const names = [...copiedPackages, ...bundledPackages.flatMap(name => [...withDependencies(root, name)])];
  const packages = new Map(
    [...bundled, ...names.map(name => copied(root, name))].map(one => [`${one.name} ${one.version}`, one]),
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
