import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { partLine, readLine } from '../../../auditing/exportLine.js';
import { matchesFilter, type AuditTrailFilter } from '../../../application/history/auditTrail.js';
import { SettingsError } from '../../settings.js';
import type { Command } from '../terminal/command.js';
import { exportOf, inputOf, inputOfSettings } from '../audit/logInput.js';
import { plain, plural } from '../terminal/text.js';

const timePattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z?)?$/;

/** Filter of the options, undefined without any. */
const filterOf = ({ source, stream, type, since, until }: Readonly<Record<string, string | undefined>>) => {
  if (source !== undefined && !/^[1-9]\d{0,14}$/.test(source))
    throw new SettingsError(`--source: got "${plain(source)}", expected the id of a source`);
  for (const [name, time] of Object.entries({ since, until }))
    if (time !== undefined && !timePattern.test(time))
      throw new SettingsError(`--${name}: got "${plain(time)}", expected a date or an instant in UTC`);
  const filter: AuditTrailFilter = {
    ...(source !== undefined && { sourceId: Number(source) }),
    ...(stream !== undefined && { stream }),
    ...(type !== undefined && { type }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
};

/** The lines of matching events, after a line with the filter. */
async function* partOf(
  lines: AsyncIterable<Buffer | string>,
  filter: AuditTrailFilter,
): AsyncGenerator<Buffer | string> {
  yield partLine(filter);
  for await (const line of lines) {
    const event = readLine(line.toString());
    if (typeof event !== 'string' && matchesFilter(filter, event)) yield line;
  }
}

export const exportLog: Command = {
  summary: 'prints the log as lines of canonical JSON, to be stored or verified elsewhere',
  usage: `usage: daybook export [--from <log>] [--source <id>] [--stream <name>] [--type <type>] [--since <time>]
                      [--until <time>] > events.ndjson

Prints every event in the order of the log, one line of canonical JSON (RFC 8785) each: id, stream,
revision, type, v, at, data, metadata and hash. All stores give the same lines. The service may be
running; the export ends with the present end of the log.

<log> is a data folder, its events.sqlite, or eventstoredb (EVENTSTOREDB_URL and EVENTSTOREDB_PREFIX);
default: the log of the settings.

--source, --stream, --type, --since (inclusive) and --until (exclusive) select the events that match all of
them. Such a part of a log begins with the line {"partOfLog":…}. "daybook verify" accepts whole exports
only, because it cannot tell omitted events from removed ones.
`,
  run: async (args, env) => {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      args: [...args],
      options: { from: text, source: text, stream: text, type: text, since: text, until: text },
    });
    const filter = filterOf(values);
    const input = values.from === undefined ? inputOfSettings(env) : inputOf(values.from);
    const lines = exportOf(input, env);
    let count = filter ? -1 : 0;
    for await (const line of filter ? partOf(lines, filter) : lines) {
      if (!process.stdout.write(`${line.toString()}\n`)) await once(process.stdout, 'drain');
      count += 1;
    }
    process.stderr.write(`${plural(count, 'event')}\n`);
    return 0;
  },
};
