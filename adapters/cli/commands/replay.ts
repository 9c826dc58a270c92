import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Recorded } from '../../../domain/events.js';
import { holdsReadModels, readModels } from '../../../projections/readModels.js';
import { momentOf, wasThere, type Moment } from '../../audit/moment.js';
import { digestOfAll, tableDigests, tablesThatDiffer } from '../../audit/tableDigests.js';
import { openLog, openReadModels } from '../../open.js';
import { replay as replayInto } from '../../replay.js';
import { readSettings, SettingsError } from '../../settings.js';
import { guarded } from '../../stores/database.js';
import { openReadOnly } from '../../stores/readOnly.js';
import type { Command } from '../terminal/command.js';
import { plain, plural } from '../terminal/text.js';

/** Shows how many events there are, where somebody looks on. */
export const showCount = (count: number): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r${count} events\r`);
};

/** The live read models as they are now: where they are in the log, and what they hold. */
type Live =
  { readonly position: bigint; readonly digests: ReadonlyMap<string, string> } | { readonly why: string };

/** Looks at the live read models, all at one moment, also while the service works on them. */
const liveOf = (file: string): Live => {
  if (!existsSync(file)) return { why: 'there are none: the service makes them when it starts' };
  return guarded(() => {
    const db = openReadOnly(file);
    try {
      return db.transaction((): Live => {
        if (!holdsReadModels(db)) return { why: 'they are of another version of Daybook' };
        return { position: readModels(db).checkpoint('readModels').position, digests: tableDigests(db) };
      })();
    } finally {
      db.close();
    }
  });
};

const untilOf = (text: string | undefined): Moment | undefined => {
  if (text === undefined) return undefined;
  const moment = momentOf(text);
  if (!moment)
    throw new SettingsError(`--until: got ${plain(text)}, expected a position or an instant of RFC 3339`);
  if ('instant' in moment && moment.instant > new Date().toISOString())
    throw new SettingsError(`--until: got ${plain(text)}, expected an instant up to the present`);
  return moment;
};

/** What the live read models are to those that were replayed as far as they, or as far as was asked for. */
const comparison = (
  live: Live,
  reached: bigint,
  isEarlier: boolean,
  digests: () => ReadonlyMap<string, string>,
): { readonly code: 0 | 1 | 3; readonly text: string } => {
  if ('why' in live) return { code: 3, text: `not compared with live read models: ${live.why}` };
  const where = `at position ${live.position}`;
  if (isEarlier) return { code: 0, text: `not compared: the live read models are ${where}` };
  if (reached !== live.position)
    return { code: 1, text: `the live read models are ${where}, the log ends at ${reached}` };
  const replayed = digests();
  const differ = tablesThatDiffer(replayed, live.digests);
  return differ.length === 0
    ? { code: 0, text: `the live read models are the same ${where}: digest ${digestOfAll(replayed)}` }
    : { code: 1, text: `the live read models are not the same ${where}: ${differ.join(', ')}` };
};

export const replay: Command = {
  summary: 'the read models as of a moment, made in a folder of their own and compared with the live ones',
  usage: `usage: daybook replay [--until <position or instant>] --into <folder>

Replays the log of the settings into new read models: <folder>/read-models.sqlite, which must not be there
yet. --until ends with the event of a position, or before the first event that was decided later than an
instant (RFC 3339); without it all of the log is taken.

On the way, where they are as far in the log as the live read models, both are compared, by a digest of
each table. When --until is before that, nothing is compared. The service may run meanwhile.

Exit codes: 0 done, and the same where they were compared; 1 they differ; 2 wrong usage; 3 nothing to
compare with.
`,
  run: async (args, env) => {
    const { values } = parseArgs({
      args: [...args],
      options: { until: { type: 'string' }, into: { type: 'string' } },
    });
    if (values.into === undefined) throw new SettingsError('--into: expected the folder to make');
    const until = untilOf(values.until);
    const settings = readSettings(env);
    if (settings.log.kind === 'memory')
      throw new SettingsError('EVENT_STORE: memory has no log on disk to replay');
    const file = join(resolve(values.into), 'read-models.sqlite');
    const liveFile = join(resolve(settings.dataDir), 'read-models.sqlite');
    if (file === liveFile || existsSync(file))
      throw new SettingsError(`--into: got ${plain(values.into)}, expected a folder without read models`);

    const live = liveOf(liveFile);
    const store = await openLog(settings.log);
    mkdirSync(resolve(values.into), { recursive: true });
    const { db, models, close } = openReadModels(file);
    try {
      const isDue = (event: Pick<Recorded, 'position' | 'at'>): boolean => !until || wasThere(event, until);
      const compareAt = 'position' in live ? live.position : 0n;
      const first = await replayInto(models, store.all(0n), {
        tree: true,
        isTaken: event => isDue(event) && event.position <= compareAt,
        taken: showCount,
      });
      const reached = models.checkpoint('readModels').position;
      const said = comparison(live, reached, first.left !== undefined && !isDue(first.left), () =>
        tableDigests(db),
      );
      const rest = await replayInto(models, store.all(reached), {
        tree: true,
        isTaken: isDue,
        taken: showCount,
      });
      const end = models.checkpoint('readModels').position;
      if (until && 'position' in until && until.position > end && rest.left === undefined)
        throw new SettingsError(`--until: got ${until.position}, the log ends at position ${end}`);
      const many = plural(first.count + rest.count, 'event');
      process.stdout.write(`read models of ${many} up to position ${end} in ${plain(file)}\n${said.text}\n`);
      return said.code;
    } finally {
      close();
      await store.close();
    }
  },
};
