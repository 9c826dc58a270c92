import { once } from 'node:events';
import { partLine, readLine } from '../../../auditing/eventBytes.js';
import { momentOf } from '../../../application/requests/history/asOf.js';
import { eventVersions, type Recorded } from '../../../domain/events.js';
import { parseDate } from '../../../domain/dates.js';
import {
  matchesFilter,
  sourceIdOf,
  type AuditTrailFilter,
} from '../../../application/requests/history/auditTrail.js';
import { expectedNames, plural } from '../../../domain/text.js';
import { SettingsError } from '../../settings/values.js';
import { UnusableLog } from '../../sqlite/logSchema.js';
import {
  dataTables,
  tableNames,
  allDates,
  groupsOf,
  type DataTable,
  type Value,
} from '../../../application/requests/dataTables.js';
import { tableFormats, tableBytes } from '../../tables.js';
import {
  parsedArguments,
  choiceOption,
  integerOption,
  wrongOption,
  type Command,
} from '../terminal/arguments.js';
import { exportOf, inputOf, type LogInput } from '../audit/logInput.js';
import { parkedText, plain } from '../terminal/text.js';
import { replay } from '../../../application/reading/replay.js';
import type { Parked } from '../../../projections/parked.js';
import { openTemporaryReadModels } from '../../composition/openLog.js';

/** The rows that are asked for. */
type TableRequest = {
  readonly table: DataTable;
  readonly name: keyof typeof dataTables;
  /** undefined for all sources of the log. */
  readonly sourceId: number | undefined;
};

/**
 * Rows of a table at the end of a log in groups, by source. The log is replayed into temporary read models.
 * @throws SettingsError for a log that is not whole, or without the source; UnusableLog when rows would be missing
 */
async function* tableRows(
  input: LogInput,
  env: NodeJS.ProcessEnv,
  { table, name, sourceId }: TableRequest,
): AsyncGenerator<readonly (readonly Value[])[]> {
  const sourceIds: number[] = [];
  const { models, close } = openTemporaryReadModels();
  try {
    await replay(models, eventsOf(input, env, sourceIds), { tree: false });
    if (sourceId !== undefined && !sourceIds.includes(sourceId))
      throw new SettingsError(`--source: got ${sourceId}, but the log has no such source`);
    const parked = models.parked.all().filter(one => concerns(one, name, sourceId));
    if (parked.length > 0) throw new UnusableLog(parkedText(parked));
    for (const id of sourceId === undefined ? sourceIds.sort((a, b) => a - b) : [sourceId]) {
      const source = models.sources.setup(id);
      if (source) yield* groupsOf(table.rows(models, source, allDates), () => undefined);
    }
  } finally {
    close();
  }
}

/** Whether rows are missing because a subject is parked: those of a source, or of all sources when it is undefined. */
const concerns = (parked: Parked, table: string, sourceId: number | undefined): boolean =>
  parked.sourceId === null
    ? table === 'alerts' && parked.subject.startsWith('incidents-')
    : sourceId === undefined || parked.sourceId === sourceId;

/** The events of a log with their numbers as positions; adds the ids of created sources to `sourceIds`. */
async function* eventsOf(
  input: LogInput,
  env: NodeJS.ProcessEnv,
  sourceIds: number[],
): AsyncGenerator<Recorded> {
  let position = 0n;
  for await (const line of exportOf(input, env)) {
    position += 1n;
    const event = readLine(line.toString());
    if (typeof event === 'string') {
      // A file of another kind is wrong usage; an event of a log is damaged.
      const Fault = input.kind === 'export' ? SettingsError : UnusableLog;
      throw new Fault(`--log: line ${position} ${event}; expected a whole log`);
    }
    if (event.type === 'SourceCreated') sourceIds.push(Number(event.stream.split('-')[1]));
    yield { ...event, position };
  }
}

/** The instant of `--since` or `--until`; that of a date is its last one. @throws SettingsError */
const instantOf = (option: string, text: string): string => {
  const moment = momentOf(text);
  if (!moment || 'position' in moment)
    throw wrongOption(option, text, 'a date (UTC) or an instant of RFC 3339');
  return moment.instant;
};

/** The instant after one, as an exclusive end. */
const instantAfter = (instant: string): string => new Date(Date.parse(instant) + 1).toISOString();

/** Filter of the options, undefined without any. */
const filterOf = ({ source, stream, type, since, until }: Readonly<Record<string, string | undefined>>) => {
  if (source !== undefined && !/^[1-9]\d{0,14}$/.test(source))
    throw new SettingsError(`--source: got "${plain(source)}", expected the id of a source`);
  const last = until === undefined ? undefined : instantOf('--until', until);
  const first = since === undefined ? undefined : instantOf('--since', since);
  const from = since !== undefined && parseDate(since) !== undefined ? since : first;
  if (from !== undefined && last !== undefined && from > last)
    throw wrongOption('--until', until ?? '', 'a time that is not before --since');
  const filter: AuditTrailFilter = {
    ...(source !== undefined && { sourceId: Number(source) }),
    ...(stream !== undefined && { stream }),
    ...(type !== undefined && { type }),
    ...(from !== undefined && { from }),
    ...(last !== undefined && { to: instantAfter(last) }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
};

/** Names of types, streams and sources in a log. */
type NamesSeen = {
  readonly type: Set<string>;
  readonly stream: Set<string>;
  readonly source: Set<string>;
};

/** Refuses a filter name that the log does not have: an empty export would look like proof. @throws SettingsError */
const requireSeen = ({ type, stream, sourceId }: AuditTrailFilter, seen: NamesSeen): void => {
  const require = (option: keyof NamesSeen, name: string | undefined, noun: string): void => {
    if (name === undefined || seen[option].has(name)) return;
    const expected = expectedNames(option === 'source' ? '' : name, [...seen[option]], noun);
    throw new SettingsError(`--${option}: got "${plain(name)}", ${plain(expected)}`);
  };
  for (const known of Object.keys(eventVersions)) seen.type.add(known);
  require('type', type, 'a type of event');
  require('stream', stream, 'a stream of the log');
  require('source', sourceId === undefined ? undefined : String(sourceId), 'the id of a source of the log');
};

/**
 * The lines of matching events, after a line with the filter.
 * @throws SettingsError before the first line when a name in the filter is unknown
 */
async function* partOf(
  lines: AsyncIterable<Buffer | string>,
  filter: AuditTrailFilter,
): AsyncGenerator<Buffer | string> {
  const seen: NamesSeen = { type: new Set(), stream: new Set(), source: new Set() };
  let isBegun = false;
  for await (const line of lines) {
    const event = readLine(line.toString());
    // A damaged event may be one of the filter: without its line the part would look like proof that it is not.
    if (typeof event !== 'string') {
      seen.type.add(event.type);
      seen.stream.add(event.stream);
      const sourceId = sourceIdOf(event);
      if (sourceId !== undefined) seen.source.add(String(sourceId));
      if (!matchesFilter(filter, event)) continue;
    }
    if (!isBegun) yield partLine(filter);
    isBegun = true;
    yield line;
  }
  if (isBegun) return;
  requireSeen(filter, seen);
  yield partLine(filter);
}

/** Prints a table; returns the exit code. */
const printTable = async (
  { as, format, log, source, ...others }: Readonly<Record<string, string | undefined>>,
  env: NodeJS.ProcessEnv,
): Promise<number> => {
  const [other] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (other !== undefined)
    throw new SettingsError(`--${other}: got it with --as, which takes --source alone`);
  const name = choiceOption('--as', as, tableNames) ?? 'days';
  const table = dataTables[name];
  const chosen = choiceOption('--format', format, tableFormats) ?? 'csv';
  if (chosen === 'arrow' && process.stdout.isTTY)
    throw new SettingsError('--format: got arrow, which is binary, on a terminal; expected > table.arrow');
  const sourceId =
    source === undefined ? undefined : integerOption('--source', source, 1, Number.MAX_SAFE_INTEGER);
  const input = inputOf(log, env);
  for await (const bytes of tableBytes(table, chosen, tableRows(input, env, { table, name, sourceId })))
    if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
  return 0;
};

export const exportLog: Command = {
  usage: `usage: daybook export [--log <log>] [--source <id>] [--stream <name>] [--type <type>] [--since <time>]
                      [--until <time>] > events.ndjson
       daybook export --as days|checks|alerts|models|residuals [--format csv|ndjson|arrow] [--log <log>]
                      [--source <id>]

Prints every event in the order of the log, one line of canonical JSON (RFC 8785) each: id, stream,
revision, type, v, at, data, metadata and hash. All stores give the same lines. The service may be
running; the export ends with the present end of the log.

<log> is a data folder, its events.sqlite, or eventstoredb (EVENTSTOREDB_URL and EVENTSTOREDB_PREFIX);
default: the log of the settings.

--source, --stream, --type, --since and --until select the events that match all of them. --since and --until
take a date (UTC) or an instant (RFC 3339); the date or instant itself is included. Such a part of a log begins with the line {"partOfLog":…}. "daybook verify" accepts whole exports
only, because it cannot tell omitted events from removed ones. A type, stream or source that the log does
not have is refused (exit code 2): an empty part would look like proof that nothing happened.

--as prints a table of the facts at the end of the log, for analyses: the values of days, the last check of
each recent day, alerts, the present models, or the residuals of days against their planned models. --format is
csv (default), ndjson or arrow (Arrow IPC stream); --source selects one source. Comments of people are left
out.

Exit codes: 0 printed; 2 wrong usage; 3 the log cannot be read, or a source of the table is parked: it has an
event that this build cannot apply.
`,
  run: async (args, env) => {
    const text = { type: 'string' } as const;
    const { values } = parsedArguments({
      args: [...args],
      options: {
        ...{ log: text, source: text, stream: text, type: text, since: text, until: text },
        ...{ as: text, format: text },
      },
    });
    if (values.as !== undefined) return printTable(values, env);
    if (values.format !== undefined) throw new SettingsError('--format: got it without --as');
    const filter = filterOf(values);
    const input = inputOf(values.log, env);
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
