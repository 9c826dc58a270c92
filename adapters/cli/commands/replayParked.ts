import { parseArgs } from 'node:util';
import { StoreUnavailable } from '../../eventStore.js';
import { connect, failureOf } from '../../eventstoredb/connection.js';
import { replayParked as replay } from '../../eventstoredb/group.js';
import { SettingsError, eventStoreDbAddress } from '../../settings.js';
import type { Command } from '../terminal/command.js';
import { plural } from '../terminal/text.js';

export const replayParked: Command = {
  summary: 'lets events be tried again that failed again and again (EventStoreDB)',
  usage: `usage: daybook replay-parked

Events that the service could not react to in several tries are parked by EventStoreDB. This lets the
running instances try them again, and prints how many that are. It needs EVENTSTOREDB_URL and
EVENTSTOREDB_PREFIX alone, no data folder.
`,
  run: async (args, env) => {
    parseArgs({ args: [...args], options: {} });
    const kind = env['EVENT_STORE'] ?? 'eventstoredb';
    if (kind !== 'eventstoredb')
      throw new SettingsError(
        `EVENT_STORE: got "${kind}", expected eventstoredb: no other store parks events`,
      );
    const connection = connect(eventStoreDbAddress(env));
    try {
      const count = await replay(connection);
      process.stdout.write(`${plural(count, 'parked event')} to be tried again\n`);
      return 0;
    } catch (error) {
      if (error instanceof StoreUnavailable && failureOf(error.cause).kind === 'groupNotFound')
        throw new StoreUnavailable('no service has worked on this log of EventStoreDB yet', { cause: error });
      throw error;
    } finally {
      await connection.close();
    }
  },
};
