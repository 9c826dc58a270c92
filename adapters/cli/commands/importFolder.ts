import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsError } from '../../settings/values.js';
import {
  folderOptions,
  creationOf,
  FileRefused,
  lookFor,
  sendCreation,
  TokenRefused,
  Unreachable,
  type CreatedSource,
} from '../sendFolder.js';
import { type Command } from '../terminal/arguments.js';
import { Unreadable } from '../terminal/inputFiles.js';
import { progressLine, duration, plain } from '../terminal/text.js';
import { counted, plural } from '../../../domain/text.js';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** A created source: the digest of the file and its parameters, and where the source is. */
type Created = CreatedSource & { readonly digest: string; readonly address: string };

/** The created sources, in a file with one line of JSON for each created source. */
type DoneFile = {
  readonly find: (digest: string, address: string) => Created | undefined;
  readonly add: (created: Created) => void;
};

const keyOf = ({ digest, address }: Pick<Created, 'digest' | 'address'>): string => `${digest} ${address}`;

/** Opens the file. Lines that a crash cut short are ignored: their requests repeat with the same Idempotency-Key. */
const doneFile = (path: string): DoneFile => {
  const known = new Map<string, Created>();
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  for (const line of text.split('\n')) {
    try {
      const created = JSON.parse(line) as Created;
      known.set(keyOf(created), created);
    } catch {
      // The end of the file, or a line that was not written whole.
    }
  }
  let needsNewline = text !== '' && !text.endsWith('\n');
  return {
    find: (digest, address) => known.get(keyOf({ digest, address })),
    add: created => {
      known.set(keyOf(created), created);
      appendFileSync(path, `${needsNewline ? '\n' : ''}${JSON.stringify(created)}\n`);
      needsNewline = false;
    },
  };
};

const usage = `usage: daybook import-folder <folder> [options]

Creates a source from each file of a folder: *.csv, *.csv.gz and *.json, each with a reference year. The name of the
source is that of the file without its extension; a JSON file may have a name of its own. Files that the service
refuses are reported and do not stop the others. Run it again to continue: sources that exist already are not created
twice.

  --url <address>            the service; default: DAYBOOK_URL, else http://127.0.0.1:8080
  --token <token>            a token with the scope import, and read for a look whether the noted sources are still
                             there; default: DAYBOOK_TOKEN
  --at-once <n>              files that are sent at the same time, 1 to 16 (default: 4)
  --state <file>             where the created sources are noted (default: .daybook-import.ndjson in the folder)
  --allow-duplicate          accept names that other sources have
  --label <key:value>        a label of all sources; may be repeated
  --time-zone, --calendar, --activity-size, --aggregation, --interpolation, --coverage, --expected-interval
                             settings of the new sources, as in the API; a JSON file may have its own
  --separator, --decimal, --date-format, --date-column, --value-column, --clock
                             how the CSV files are written, as in the API

Exit codes: 0 every file has its source, 1 files were refused, or the service has none of the noted sources, 2 wrong usage or token, 3 the service is unavailable.
`;

/** Faults of one file that are printed. */
const faultsMax = 5;

/** Files of a folder that sources are created from, by name. @throws SettingsError */
const filesOf = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
    throw new SettingsError(`${plain(folder)} cannot be read: ${error.message}`);
  });
  const names = entries
    .filter(entry => !entry.isDirectory() && /^[^.].*\.(csv|csv\.gz|json)$/i.test(entry.name))
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) throw new SettingsError(`${plain(folder)} has no file *.csv, *.csv.gz or *.json`);
  return names;
};

/** Runs `work` for each item, at most `atOnce` at a time. After an error no further item begins. */
const eachOf = async <Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const queue = items.values();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

const unreadableText = (before: number): string =>
  `Whether the service still has the ${plural(before, 'source')} that ${before === 1 ? 'was' : 'were'} created before ` +
  'is not known: the token has no scope read.\n';

/** Another service may have the address of an earlier one. */
const otherServiceText = (stateFile: string, { address }: { readonly address: string }): string =>
  `The service at ${address} has none of the sources that ${plain(stateFile)} notes. ` +
  'If it is another service, remove the file, or name another one with --state.\n';

const refusalText = (name: string, error: FileRefused | Unreadable): string => {
  const faults = error instanceof FileRefused ? error.faults : [];
  const more = faults.length - faultsMax;
  const lines = [...faults.slice(0, faultsMax), ...(more > 0 ? [`${plural(more, 'more fault')}`] : [])];
  return [`${plain(name)}: ${plain(error.message)}`, ...lines.map(line => `  ${plain(line)}`)].join('\n');
};

export const importFolder: Command = {
  usage,
  run: async (args, env) => {
    const options = folderOptions(args, env);
    const names = await filesOf(options.folder);
    const stateFile = options.stateFile ?? join(options.folder, '.daybook-import.ndjson');
    const done = doneFile(stateFile);
    /** The answers about noted sources, up to the first that is there. Archived ones are missing. */
    const answers = new Set<Awaited<ReturnType<typeof lookFor>>>();
    const line = progressLine(process.stdout);
    const since = performance.now();
    const counts = { created: 0, before: 0, refused: 0 };
    const show = (): void => {
      const { created, before, refused } = counts;
      const count = created + before + refused;
      const faults = refused === 0 ? '' : `, ${counted(refused)} refused`;
      const text = `${counted(count)} of ${plural(names.length, 'file')}${faults}`;
      line.show({ label: 'sources', done: count, total: names.length, text });
    };
    const importFile = async (name: string): Promise<void> => {
      try {
        const creation = await creationOf(join(options.folder, name), options);
        const noted = done.find(creation.digest, options.address);
        if (noted) {
          if (!answers.has('there') && !answers.has('unreadable')) answers.add(await lookFor(options, noted));
          counts.before += 1;
        } else {
          const created = await sendCreation(options, creation);
          done.add({ digest: creation.digest, address: options.address, ...created });
          counts.created += 1;
        }
      } catch (error) {
        if (!(error instanceof FileRefused || error instanceof Unreadable)) throw error;
        counts.refused += 1;
        line.keep(refusalText(name, error));
      }
      show();
    };
    const summary = (): string =>
      `${plural(counts.created, 'source')} created, ${counted(counts.before)} created before, ` +
      `${counted(counts.refused)} refused, in ${duration(performance.now() - since)}`;
    try {
      await eachOf(names, options.atOnce, importFile);
    } catch (error) {
      if (!(error instanceof TokenRefused || error instanceof Unreachable)) throw error;
      line.keep(summary());
      process.stderr.write(`${plain(error.message)}\nRun the command again to continue.\n`);
      return error instanceof TokenRefused ? 2 : 3;
    }
    line.keep(summary());
    const isOther = answers.size === 1 && answers.has('missing');
    if (isOther) process.stderr.write(otherServiceText(stateFile, options));
    if (answers.has('unreadable')) process.stderr.write(unreadableText(counts.before));
    return counts.refused > 0 || isOther ? 1 : 0;
  },
};
