import { faultsMax, InvalidInput, type InputFault } from '../../application/requests/imports/faults.js';
import { warningList } from '../../application/requests/imports/importWarnings.js';
import { pointCollector, pointsMax, type PointList } from '../../application/requests/points/pointList.js';
import { csvInvalid, headKeeper } from './csvDays.js';
import { checkReadings, type CsvRule } from './readings.js';
import { localStampsWarning } from './rowReader.js';
import { csvLimits, readRows } from './rows.js';

/**
 * Reads a CSV body as points in any order, in one pass. Any fault refuses the whole body.
 * @throws InvalidInput `csvInvalid` with the first faults in line order; `csvEmpty`; TooLarge; Error of the stream
 */
export const readCsvPoints = async (body: AsyncIterable<Buffer>, rule: CsvRule): Promise<PointList> => {
  const faults: InputFault[] = [];
  const warnings = warningList();
  const collected = pointCollector();
  const take = (times: Float64Array, values: Float64Array): void => {
    for (let index = 0; index < times.length; index += 1) {
      const value = values[index]!;
      // An empty field is no point.
      if (!Number.isNaN(value)) collected.add(times[index]!, value);
    }
    if (collected.count() <= pointsMax) return;
    const detail = `got more than ${pointsMax} points, expected at most as many in a body`;
    throw new InvalidInput('csvInvalid', detail, [{ code: 'tooManyPoints', detail }]);
  };
  const readings = checkReadings({ ...rule, anyOrder: true }, faults, warnings, take);
  const { onChunk, head } = headKeeper();
  const broken = await readRows(body, csvLimits, { ...readings, onChunk });
  if (broken && faults.length < faultsMax) faults.push(broken);
  const { rows, localStamps } = readings.state();
  if (faults.length > 0) throw csvInvalid(faults, rows, head(), rule);
  if (collected.count() === 0)
    throw new InvalidInput('csvEmpty', 'got no row with a value, expected at least one, date;value', []);
  if (localStamps) warnings.add(localStampsWarning(localStamps, rule.clock?.timeZone ?? 'UTC'));
  return { ...(await collected.finish()), lines: rows, warnings: warnings.all(), notes: [] };
};
