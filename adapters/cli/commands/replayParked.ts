import { StoreUnavailable } from '../../../application/ports/eventStore.js';
import { connect, failureOf } from '../../eventstoredb/connection.js';
import { replayParked as replay } from '../../eventstoredb/group.js';
import { SettingsError } from '../../settings/values.js';
import { eventStoreDbAddress } from '../../settings/logAddress.js';
import { expectNoArguments, type Command } from '../terminal/arguments.js';
import { plural } from '../../../domain/text.js';

export const replayParked: Command = {
  usage: `usage: daybook replay-parked

EventStoreDB parks events that the service failed to handle several times. This command makes the running
instances handle them again, and prints how many there are. It needs EVENTSTOREDB_URL and
EVENTSTOREDB_PREFIX only, no data folder.

Exit codes: 0 done; 2 wrong usage or settings; 3 EventStoreDB cannot be reached, or no service has used this log.
`,
  run: async (args, env) => {
    expectNoArguments(args);
    const kind = env['EVENT_STORE'] ?? 'eventstoredb';
    if (kind !== 'eventstoredb')
      throw new SettingsError(
        `EVENT_STORE: got "${kind}", expected eventstoredb: no other store parks events`,
      );
    const connection = connect(eventStoreDbAddress(env));
    try {
      const count = await replay(connection);
      process.stdout.write(`retrying ${plural(count, 'parked event')}\n`);
      return 0;
    } catch (error) {
      if (error instanceof StoreUnavailable && failureOf(error.cause).kind === 'groupNotFound')
        throw new StoreUnavailable('no service has used this log of EventStoreDB yet', { cause: error });
      throw error;
    } finally {
      await connection.close();
    }
  },
};
