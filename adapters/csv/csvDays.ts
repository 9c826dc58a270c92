import { year } from '../../domain/dates.js';
import { faultsMax, InvalidInput, type InputFault } from '../../application/imports/faults.js';
import {
  finishDays,
  missingDates,
  warningList,
  type ImportedDays,
} from '../../application/imports/assembleDays.js';
import { foldDays } from '../../application/imports/dayFolder.js';
import { localStampsWarning } from './localStamps.js';
import { checkReadings, type CsvRule } from './readings.js';
import { csvLimits, readRows, type CsvLimits } from './rows.js';

/**
 * Reads a CSV body as whole days in one pass. Any fault refuses the whole body. Memory grows with the days only.
 * @returns the days, and the year of the first row
 * @throws InvalidInput `csvInvalid` with the first faults in line order; `csvEmpty`; `referenceTooShort`
 * @throws TooLarge; Error of the stream
 */
export const readCsvDays = async (
  body: AsyncIterable<Buffer>,
  rule: CsvRule,
  limits: CsvLimits = csvLimits,
): Promise<ImportedDays & { readonly referenceYear: number }> => {
  const faults: InputFault[] = [];
  const warnings = warningList();
  const folder = foldDays(rule);
  const readings = checkReadings(rule, faults, warnings, folder.add);
  const broken = await readRows(body, limits, readings);
  if (broken && faults.length < faultsMax) faults.push(broken);
  if (faults.length > 0)
    throw new InvalidInput(
      'csvInvalid',
      faults.length < faultsMax
        ? `the file has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}: nothing was stored`
        : `the file has ${faultsMax} faults or more, reading stopped there: nothing was stored`,
      faults,
    );
  const { rows, duplicates, firstDay, localStamps } = readings.state();
  if (firstDay === undefined)
    throw new InvalidInput('csvEmpty', 'got no row of data, expected at least one, date;value', []);
  const { activitySize, sampled } = folder.finish();
  if (rule.kind === 'recent') missingDates(sampled).forEach(warnings.add);
  if (localStamps) warnings.add(localStampsWarning(localStamps, rule.clock?.timeZone ?? 'UTC'));
  const counted = {
    lines: rows,
    duplicates,
    warnings: warnings.all(),
    ...(localStamps ? { localStamps } : {}),
  };
  return { ...(await finishDays(sampled, activitySize, rule, counted)), referenceYear: year(firstDay) };
};
