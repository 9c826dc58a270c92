// The files of a revision, and archives of them that have the same bytes each time.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const bytesMax = 512 * 1024 * 1024;

export const sha256 = bytes => createHash('sha256').update(bytes).digest('hex');

const git = (root, ...args) => execFileSync('git', args, { cwd: root, maxBuffer: bytesMax });

/** The commit of a revision, and whether the work tree has changes that are in none. */
export const revisionOf = (root, name = 'HEAD') => ({
  commit: git(root, 'rev-parse', `${name}^{commit}`).toString().trim(),
  isChanged: git(root, 'status', '--porcelain').toString().trim() !== '',
});

/** Files that a builder reads although the context leaves them out. */
const builderFiles = new Set(['Dockerfile', '.dockerignore']);

/**
 * Patterns of a `.dockerignore` as pathspecs that leave the same files out.
 * @throws Error for a pattern that takes files back
 */
export const excludedPaths = text =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#') && !builderFiles.has(line))
    .flatMap(line => {
      if (line.startsWith('!')) throw new Error(`.dockerignore: got ${line}, expected no pattern with !`);
      return [`:(exclude,glob)${line}`, `:(exclude,glob)${line}/**`];
    });

/** Writes the files of a commit into a new folder. */
export const unpackCommit = (root, commit, folder) => {
  mkdirSync(folder, { recursive: true });
  const tar = git(root, 'archive', '--format=tar', commit);
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: tar });
};

/** What `docker build` gets of a commit, as a compressed archive. */
export const containerContext = (root, commit) => {
  const ignored = git(root, 'show', `${commit}:.dockerignore`).toString();
  const tar = git(root, 'archive', '--format=tar', commit, '--', '.', ...excludedPaths(ignored));
  return gzipSync(tar, { level: 9 });
};

/** The folder of the Python package of a commit, as a compressed archive that pip installs. */
export const pythonPackage = (root, commit, version) => {
  const place = join(root, 'client/python');
  return gzipSync(
    git(place, 'archive', '--format=tar', `--prefix=daybook-client-python-${version}/`, commit),
    {
      level: 9,
    },
  );
};

/** Base images that a Dockerfile names, in order; the last one is that of the image. */
export const baseImages = text => {
  const stages = new Set();
  const images = [];
  for (const [, image, stage] of text.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)) {
    if (!stages.has(image)) images.push(image);
    if (stage) stages.add(stage);
  }
  return images;
};

export const jsonOf = file => JSON.parse(readFileSync(file, 'utf8'));
