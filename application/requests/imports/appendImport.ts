import { days, daysPerPart, type DayKind } from '../../../domain/days.js';
import { streams } from '../../../domain/streams.js';
import type { Environment } from '../../ports/environment.js';
import { eventId, type CommandHandler, type CommandMetadata } from '../../commands/commandHandler.js';
import type { ImportedDays } from './assembleDays.js';

/** Days to import into a source. */
export type DayImport = {
  readonly sourceId: number;
  readonly kind: DayKind;
  readonly imported: Pick<ImportedDays, 'days' | 'summary'>;
};

/**
 * Appends a valid import in parts. It takes effect with its last part; after a crash the same import continues
 * where it stopped.
 * @returns the id of the event of the last part, which causes the check
 */
export const appendImport = async (
  {
    handle,
    environment,
  }: { readonly handle: CommandHandler; readonly environment: Pick<Environment, 'nextTurn'> },
  { sourceId, kind, imported }: DayImport,
  importId: string,
  metadata: CommandMetadata,
): Promise<string> => {
  const parts = Math.ceil(imported.days.length / daysPerPart);
  for (let part = 1; part <= parts; part += 1) {
    const command = {
      type: 'ImportDays',
      sourceId,
      importId,
      kind,
      part,
      parts,
      days: imported.days.slice((part - 1) * daysPerPart, part * daysPerPart),
      ...(part === parts ? { summary: imported.summary } : {}),
    } as const;
    await handle(days, streams.days(sourceId), command, {
      ...metadata,
      // The state has the parts that are stored.
      isRetry: false,
      id: partId(importId, part),
    });
    if (part < parts) await environment.nextTurn();
  }
  return eventId(streams.days(sourceId), partId(importId, parts), 0);
};

const partId = (importId: string, part: number): string => `${importId}/${part}`;
