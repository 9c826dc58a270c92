import { readLine } from '../../../auditing/exportLine.js';
import type { Recorded } from '../../../domain/events.js';
import { replay } from '../../../application/projecting/replay.js';
import { allDates, groupsOf, type DataTable, type Value } from '../../../application/tables/table.js';
import { openTemporaryReadModels } from '../../composition/openLog.js';
import { SettingsError } from '../../settings/settingsError.js';
import { exportOf, type LogInput } from '../audit/logInput.js';

/** The rows that are asked for. */
export type TableRequest = {
  readonly table: DataTable;
  /** undefined for all sources of the log. */
  readonly sourceId: number | undefined;
};

/**
 * Rows of a table at the end of a log in groups, by source. The log is replayed into temporary read models.
 * @throws SettingsError for a log that is not whole, or without the source
 */
export async function* tableRows(
  input: LogInput,
  env: NodeJS.ProcessEnv,
  { table, sourceId }: TableRequest,
): AsyncGenerator<readonly (readonly Value[])[]> {
  const sourceIds: number[] = [];
  const { models, close } = openTemporaryReadModels();
  try {
    await replay(models, eventsOf(input, env, sourceIds), { tree: false });
    if (sourceId !== undefined && !sourceIds.includes(sourceId))
      throw new SettingsError(`--source: got ${sourceId}, but the log has no such source`);
    for (const id of sourceId === undefined ? sourceIds.sort((a, b) => a - b) : [sourceId]) {
      const source = models.sources.setup(id);
      if (source) yield* groupsOf(table.rows(models, source, allDates), () => undefined);
    }
  } finally {
    close();
  }
}

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
    if (typeof event === 'string')
      throw new SettingsError(`--from: line ${position} ${event}; expected a whole log`);
    if (event.type === 'SourceCreated') sourceIds.push(Number(event.stream.split('-')[1]));
    yield { ...event, position };
  }
}
