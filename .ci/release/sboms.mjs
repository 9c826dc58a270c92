// Software bills of materials in CycloneDX: of the package with what its built files contain, of the client, and of the
// container. npm reads the locks; what no lock says is added here.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonOf } from './sources.mjs';

/**
 * Bill of a manifest and a lock without packages for development: with them npm leaves out packages that both need.
 * @param scratch folder that gets both
 */
const billOf = (manifest, lock, scratch) => {
  mkdirSync(scratch, { recursive: true });
  writeFileSync(join(scratch, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(scratch, 'package-lock.json'), JSON.stringify(lock));
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const text = execFileSync('npm', args, { cwd: scratch, maxBuffer: 1e8, encoding: 'utf8' });
  const { serialNumber: _, metadata, ...bill } = JSON.parse(text);
  const { timestamp: __, component, ...others } = metadata;
  // npm takes the name of the folder, which differs from build to build.
  const named = { ...component, name: manifest.name, type: 'application' };
  return { ...bill, metadata: { ...others, component: named } };
};

/** Packages that a file of licences names, as components of a bill. */
export const bundledComponents = licences =>
  [...licences.matchAll(/^(\S+) (\S+)\nLicence: (.+)$/gm)].map(([, whole, version, licence]) => {
    const [group, name] = whole.startsWith('@') ? whole.split('/') : [undefined, whole];
    const isOne = /^[\w.+-]+$/.test(licence);
    return {
      type: 'library',
      name,
      ...(group && { group }),
      version,
      'bom-ref': `bundled|${whole}@${version}`,
      licenses: isOne ? [{ license: { id: licence } }] : [{ expression: licence }],
      purl: `pkg:npm/${group ? `${encodeURIComponent(group)}/` : ''}${name}@${version}`,
      properties: [{ name: 'daybook:bundled', value: 'true' }],
    };
  });

const byRef = (one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1);

/** A bill with further components that its product contains. */
export const withComponents = (bill, added) => ({
  ...bill,
  components: [...bill.components, ...added].sort(byRef),
});

/** Entries of a lock that some packages need, and the packages of a lock of their own. */
export const lockOf = (manifest, lock) => {
  const packages = { '': manifest };
  const queue = Object.keys(manifest.dependencies ?? {});
  for (const name of queue) {
    const path = `node_modules/${name}`;
    const entry = lock.packages[path];
    if (!entry) throw new Error(`got no ${path} in package-lock.json, expected it for ${manifest.name}`);
    const { dev: _, ...kept } = entry;
    if (packages[path]) continue;
    packages[path] = kept;
    queue.push(...Object.keys(entry.dependencies ?? {}));
  }
  return { name: manifest.name, version: manifest.version, lockfileVersion: 3, requires: true, packages };
};

/** Bill of the package: production packages of the lock, and those that the built files contain. */
export const packageBill = (folder, scratch) => {
  const licences = readFileSync(join(folder, 'build/THIRD-PARTY-LICENSES.txt'), 'utf8');
  const { devDependencies: _, ...manifest } = jsonOf(join(folder, 'package.json'));
  const { packages, ...lock } = jsonOf(join(folder, 'package-lock.json'));
  const kept = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  const productive = { ...lock, packages: { '': manifest, ...Object.fromEntries(kept) } };
  return withComponents(billOf(manifest, productive, scratch), bundledComponents(licences));
};

/** Bill of the client, which has no lock of its own: the versions of the product's lock. */
export const clientBill = (folder, scratch) => {
  const manifest = jsonOf(join(folder, 'client/package.json'));
  return billOf(manifest, lockOf(manifest, jsonOf(join(folder, 'package-lock.json'))), scratch);
};

/** Bill of the container: that of the package, and the base image, whose publisher has a bill of its own. */
export const containerBill = (bill, image) => {
  const [name, tag] = image.split(':');
  const base = {
    type: 'container',
    name,
    version: tag,
    'bom-ref': `image|${image}`,
    purl: `pkg:docker/${name}@${tag}`,
  };
  const { component, ...metadata } = bill.metadata;
  return withComponents(
    { ...bill, metadata: { ...metadata, component: { ...component, type: 'container' } } },
    [base],
  );
};

/** Licences that a product may contain: permissive ones, and the terms of fonts and holiday data. */
const allowed = new Set(
  'MIT MIT-0 ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0 Unlicense CC0-1.0 PSF-2.0 OFL-1.1 CC-BY-3.0'.split(
    ' ',
  ),
);

/** Whether an SPDX expression allows use under the accepted licences. */
const isAllowed = expression => {
  const plain = expression.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some(choice => choice.split(' AND ').every(id => allowed.has(id.trim())));
};

/** Components without a licence, or with one that needs a decision. */
export const licenceFaults = bill =>
  bill.components.flatMap(({ type, name, version, licenses = [] }) => {
    if (type === 'container') return [];
    const given = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name ?? '');
    const refused = given.filter(text => !isAllowed(text));
    if (given.length === 0) return [`${name} ${version}: got no licence, expected one`];
    return refused.map(
      text => `${name} ${version}: got the licence ${text}, expected one of ${[...allowed].join(', ')}`,
    );
  });
