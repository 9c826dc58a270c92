// Rebuilds series of the public benchmark from their public origin: `npm run bench:data`. Each named file is fetched at
// its commit, transformed, and written to bench/data when the result has the SHA-256 of the manifest.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { benchmarkFolder, manifestOf, parts, type ManifestEntry, type Origin } from './quality/dataFolder.js';
import { csvOf, minutesOfStamp, type Transformation } from './rebuild/rows.js';
import { transformations } from './rebuild/transformations.js';

const usage = `npm run bench:data -- [options]

  --only name,name      only these series
  --origins folder      kept files of origins, as owner/repository/commit/path (build/origins)
  --from address        where files are fetched (https://raw.githubusercontent.com)
  --offline             only kept files, nothing is fetched
  --into folder         where series are written (bench/data)
`;

/** Exit codes: a series could not be rebuilt, wrong usage. */
const failed = 1;
const wrongCall = 2;

/** Bounds of a fetched file. */
const bytesMax = 64 * 1024 * 1024;
const timeoutMs = 120_000;

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

type Origins = { readonly folder: string; readonly from: string | null };

/** Bytes of an answer, at most `bytesMax`. */
const bytesOf = async (answer: Response, address: string): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > bytesMax) throw new Error(`got over ${bytesMax} bytes from ${address}, expected less`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/**
 * A file of an origin, kept or fetched.
 * @throws Error when it cannot be had
 */
const originFile = async (
  { folder, from }: Origins,
  { repository, commit }: Origin,
  path: string,
): Promise<Buffer> => {
  const name = new URL(repository).pathname.slice(1);
  const kept = join(folder, name, commit, path);
  if (existsSync(kept)) return readFileSync(kept);
  if (from === null) throw new Error(`got no file ${kept}, expected it with --offline`);
  const address = `${from}/${`${name}/${commit}/${path}`.split('/').map(encodeURIComponent).join('/')}`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new Error(`got no answer from ${address}: ${String(cause)}`);
  });
  if (answer.status !== 200) throw new Error(`got status ${answer.status} from ${address}, expected 200`);
  const bytes = await bytesOf(answer, address);
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, bytes);
  return bytes;
};

/**
 * Rebuilds one series; writes nothing unless both parts are right.
 * @throws Error when a file cannot be had, or a part is another one
 */
const rebuild = async (
  entry: ManifestEntry,
  { files, samplesOf }: Transformation,
  origins: Origins,
  into: string,
): Promise<void> => {
  const read: Buffer[] = [];
  for (const file of files) read.push(await originFile(origins, entry.origin, file));
  const samples = samplesOf(read);
  const texts = parts.map(part => {
    const { from, to, sha256: expected } = entry[part];
    const text = csvOf(samples, minutesOfStamp(from), minutesOfStamp(to));
    const got = sha256(text);
    if (got !== expected)
      throw new Error(
        `got ${text.split('\n').length - 2} rows with SHA-256 ${got} for ${entry.name}.${part}.csv, ` +
          `expected ${entry[part].rows} rows with ${expected}; nothing was written`,
      );
    return [join(into, `${entry.name}.${part}.csv`), text] as const;
  });
  for (const [file, text] of texts) writeFileSync(file, text);
};

const run = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      origins: { type: 'string', default: resolve(benchmarkFolder, '../../build/origins') },
      from: { type: 'string', default: 'https://raw.githubusercontent.com' },
      offline: { type: 'boolean', default: false },
      into: { type: 'string', default: benchmarkFolder },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const others = (manifestOf(benchmarkFolder) ?? []).filter(({ shipped }) => !shipped);
  const wanted = values.only?.split(',');
  for (const name of wanted ?? [])
    if (!others.some(entry => entry.name === name)) {
      const names = others.map(entry => entry.name).join(', ');
      process.stderr.write(`got --only ${name}, expected some of ${names}\n\n${usage}`);
      return wrongCall;
    }
  let faults = 0;
  for (const entry of others.filter(({ name }) => wanted?.includes(name) ?? true)) {
    const transformation = transformations[entry.name];
    let outcome = 'rebuilt';
    try {
      if (!transformation) throw new Error('got no transformation, expected one in bench/rebuild');
      const origins = { folder: values.origins, from: values.offline ? null : values.from };
      await rebuild(entry, transformation, origins, values.into);
    } catch (error) {
      faults += 1;
      outcome = `failed: ${error instanceof Error ? error.message : String(error)}`;
    }
    process.stdout.write(`${entry.name}: ${outcome}\n`);
  }
  return faults === 0 ? 0 : failed;
};

process.exitCode = await run();
