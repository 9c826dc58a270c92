import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { Command } from './command.js';
import { exportOf, inputOf, inputOfSettings } from './audit/input.js';
import { plural } from './demo/terminal.js';

export const exportLog: Command = {
  summary: 'the log as lines of canonical JSON, to be kept or verified elsewhere',
  usage: `usage: daybook export [--from <log>] > events.ndjson

Writes every event in the order of the log, one line of canonical JSON (RFC 8785) each: id, stream,
revision, type, v, at, data, metadata and hash. Both stores give the same lines. The service may run
meanwhile; the export ends with what the log had.

<log> is a data folder, its events.sqlite, or eventstoredb (EVENTSTOREDB_URL and EVENTSTOREDB_PREFIX);
the one of the settings when not given.
`,
  run: async (args, env) => {
    const { values } = parseArgs({ args: [...args], options: { from: { type: 'string' } } });
    const input = values.from === undefined ? inputOfSettings(env) : inputOf(values.from);
    let count = 0;
    for await (const line of exportOf(input, env)) {
      if (!process.stdout.write(`${line.toString()}\n`)) await once(process.stdout, 'drain');
      count += 1;
    }
    process.stderr.write(`${plural(count, 'event')}\n`);
    return 0;
  },
};
