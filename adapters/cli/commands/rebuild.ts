import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lockDataDir } from '../../lock.js';
import { filesOf } from '../../stores/database.js';
import { openLog, openReadModels } from '../../open.js';
import { replay } from '../../replay.js';
import { readSettings } from '../../settings.js';
import type { Command } from '../terminal/command.js';
import { showCount } from './replay.js';

export const rebuild: Command = {
  summary: 'makes the read models anew from the log',
  usage: `usage: daybook rebuild

Replays the log into new read models and puts them in the place of the old ones when they are
complete. The service must not be running.
`,
  run: async (args, env) => {
    parseArgs({ args: [...args], options: {} });
    const settings = readSettings(env);
    if (settings.log.kind === 'memory') {
      process.stderr.write('EVENT_STORE: memory has no log on disk to rebuild from\n');
      return 2;
    }
    const unlock = lockDataDir(settings.dataDir);
    const file = join(settings.dataDir, 'read-models.sqlite');
    const making = join(settings.dataDir, 'read-models.new.sqlite');
    for (const old of filesOf(making)) rmSync(old, { force: true });
    const store = await openLog(settings.log);
    const { models, close } = openReadModels(making);
    const { count } = await replay(models, store.all(0n), { tree: true, taken: showCount }).finally(
      async () => {
        close();
        await store.close();
      },
    );
    for (const old of filesOf(file)) rmSync(old, { force: true });
    renameSync(making, file);
    unlock();
    if (process.stderr.isTTY) process.stderr.write('\r');
    process.stdout.write(`read models made anew from ${count} events\n`);
    return 0;
  },
};
