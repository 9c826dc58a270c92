import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stillDamaged } from '../../../application/reading/parking.js';
import { replay } from '../../../application/reading/replay.js';
import { plural } from '../../../domain/text.js';
import { parkedIn, type Parked } from '../../../projections/parked.js';
import { openLog, openReadModels } from '../../composition/openLog.js';
import { readSettings } from '../../settings/settings.js';
import { SettingsError } from '../../settings/values.js';
import { lockDataDir } from '../../sqlite/dataDir.js';
import { filesOf } from '../../sqlite/database.js';
import { openReadOnly } from '../../sqlite/readOnly.js';
import { requireLog } from '../audit/logInput.js';
import { dataDirOption, envWith, parsedArguments, type Command } from '../terminal/arguments.js';
import { eventCounter, parkedText } from '../terminal/text.js';

/** The subjects that the present read models have parked; none where they cannot be read. */
const parkedBefore = (file: string): readonly Parked[] => {
  try {
    const db = openReadOnly(file);
    const parked = parkedIn(db);
    db.close();
    return parked;
  } catch {
    return [];
  }
};

export const rebuild: Command = {
  usage: `usage: daybook rebuild [--data-dir <folder>]

Replays the log into new read models, which replace the old ones when they are complete. The service must
not be running. --data-dir is in place of the setting DATA_DIR. The next start takes no time without the
service as a silence of its sources.

Exit codes: 0 done; 1 done, and a source, or a stream of no source, is parked: it has an event that this
build cannot apply, or that is damaged; 2 wrong usage or settings; 3 the log or the folder cannot be used.
`,
  run: async (args, env) => {
    const { values } = parsedArguments({ args: [...args], options: dataDirOption });
    const ofFolder = envWith(env, values);
    requireLog(ofFolder);
    const settings = readSettings(ofFolder);
    if (settings.log.kind === 'memory')
      throw new SettingsError('EVENT_STORE: memory has no log on disk to rebuild from');
    const unlock = lockDataDir(settings.dataDir);
    const file = join(settings.dataDir, 'read-models.sqlite');
    const newFile = join(settings.dataDir, 'read-models.new.sqlite');
    for (const old of filesOf(newFile)) rmSync(old, { force: true });
    const store = await openLog(settings.log);
    const { models, close } = openReadModels(newFile);
    const { show, clear } = eventCounter(process.stderr, 'replaying');
    const rebuilt = async () => {
      // A replay does not see damage that the hash of an event shows.
      models.clear(await stillDamaged(parkedBefore(file), store));
      const { count } = await replay(models, store.all(0n), { tree: true, progress: show });
      return { count, parked: models.parked.all() };
    };
    const { count, parked } = await rebuilt().finally(async () => {
      close();
      await store.close();
    });
    for (const old of filesOf(file)) rmSync(old, { force: true });
    renameSync(newFile, file);
    // As at a start without read models: the log may be a backup, whose last data are old.
    rmSync(join(settings.dataDir, 'uptime.json'), { force: true });
    unlock();
    clear();
    process.stdout.write(`read models rebuilt from ${plural(count, 'event')}\n`);
    if (parked.length === 0) return 0;
    process.stderr.write(`${parkedText(parked)}\n`);
    return 1;
  },
};
