import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDir } from '../../sqlite/lock.js';
import { openLog, openReadModels } from '../../composition/openLog.js';
import { replay } from '../../../application/projecting/replay.js';
import { readSettings } from '../../settings/settings.js';
import { SettingsError } from '../../settings/settingsError.js';
import { filesOf } from '../../sqlite/database.js';
import { requireLog } from '../audit/logInput.js';
import { expectNoArguments } from '../terminal/arguments.js';
import type { Command } from '../terminal/command.js';
import { eventCounter } from '../terminal/progress.js';
import { plural } from '../../../application/texts/counted.js';

export const rebuild: Command = {
  usage: `usage: daybook rebuild

Replays the log into new read models, which replace the old ones when they are complete. The service must
not be running.
`,
  run: async (args, env) => {
    expectNoArguments(args);
    requireLog(env);
    const settings = readSettings(env);
    if (settings.log.kind === 'memory')
      throw new SettingsError('EVENT_STORE: memory has no log on disk to rebuild from');
    const unlock = lockDataDir(settings.dataDir);
    const file = join(settings.dataDir, 'read-models.sqlite');
    const newFile = join(settings.dataDir, 'read-models.new.sqlite');
    for (const old of filesOf(newFile)) rmSync(old, { force: true });
    const store = await openLog(settings.log);
    const { models, close } = openReadModels(newFile);
    const { show, clear } = eventCounter(process.stderr, 'replaying');
    const { count } = await replay(models, store.all(0n), { tree: true, progress: show }).finally(
      async () => {
        close();
        await store.close();
      },
    );
    for (const old of filesOf(file)) rmSync(old, { force: true });
    renameSync(newFile, file);
    unlock();
    clear();
    process.stdout.write(`read models rebuilt from ${plural(count, 'event')}\n`);
    return 0;
  },
};
