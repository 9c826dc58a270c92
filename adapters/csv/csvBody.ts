import { faultsMax } from '../../domain/rejection.js';
import { finishDays, type ImportedDays } from '../../application/requests/imports/assembleDays.js';
import { foldDays } from '../../application/requests/imports/dayFolder.js';
import {
  faultsByCause,
  faultsText,
  InvalidInput,
  type InputFault,
  type SampledDay,
} from '../../application/requests/imports/faults.js';
import {
  missingDatesWarning,
  warningList,
  samplingNote,
} from '../../application/requests/imports/importWarnings.js';
import { foldRegister } from '../../application/requests/imports/registerFolder.js';
import { pointCollector, pointsMax, type PointList } from '../../application/requests/points/pointList.js';
import { year } from '../../domain/dates.js';
import { defaultForm, type CsvForm } from './csvForm.js';
import { withAdvice } from './inspection/csvAdvice.js';
import { inspectCsv } from './inspection/inspectCsv.js';
import { sampleCsv } from './inspection/inspection.js';
import { checkReadings, type CsvRule } from './readings.js';
import { localStampsWarning } from './rowReader.js';
import { csvLimits, readRows, type CsvLimits } from './rows.js';

/** First bytes of a body that are kept to explain its faults and its sampling. */
const headBytesMax = 16_384;

/** Keeps the first bytes of a body that comes in chunks. */
const headKeeper = () => {
  let head: Buffer = Buffer.alloc(0);
  return {
    onChunk: (chunk: Buffer): void => {
      if (head.length < headBytesMax)
        head = Buffer.concat([head, chunk.subarray(0, headBytesMax - head.length)]);
    },
    head: (): Buffer => head,
  };
};

/** Fewest faults that are listed as one. */
const sharedFaultsMin = 3;

/** The error for the faults of a body: each cause that half of the rows share is listed once. */
const csvInvalid = (
  faults: readonly InputFault[],
  rows: number,
  head: Buffer,
  rule: CsvRule,
): InvalidInput => {
  const listed = faultsByCause(faults, Math.max(sharedFaultsMin, rows / 2));
  return new InvalidInput(
    'csvInvalid',
    `the file has ${faultsText(faults.length, listed.length)}`,
    withAdvice(listed, head, rule),
  );
};

/** The fault of seconds since 1970 that were read as milliseconds: as such they are all in January 1970. */
const unitFault = (head: Buffer, form: CsvForm): readonly InputFault[] =>
  form.dateFormat === 'epochMilliseconds' && inspectCsv(head, false).dateFormat === 'epochSeconds'
    ? [{ code: 'timestampFormat', detail: 'got seconds since 1970, expected milliseconds' }]
    : [];

/** The refusal of readings without two in a day: one at midnight alone, or intervals of a day and more. */
const noInterval = (
  rows: number,
  { interpolationMethod }: Pick<CsvRule, 'interpolationMethod'>,
): InvalidInput =>
  new InvalidInput(
    'csvEmpty',
    'got no reading within a day, expected at least two: the amounts of a counter are the rises between its readings' +
      (rows > 1 && interpolationMethod === 'zero'
        ? '; a source that is created with interpolationMethod=linear spreads rises over longer intervals'
        : ''),
    [],
  );

/** The warning for values that were read with a decimal comma and look like thousands. */
const thousandsWarning = (example: string, sampled: readonly SampledDay[]) => {
  let min = Infinity;
  let max = -Infinity;
  for (const { values } of sampled)
    for (const value of values)
      if (!Number.isNaN(value)) [min, max] = [Math.min(min, value), Math.max(max, value)];
  return {
    code: 'thousands',
    detail: `values such as ${example} were read with a decimal comma, the slices lie from ${min} to ${max}`,
  };
};

/**
 * Reads a CSV body as whole days in one pass. Any fault refuses the whole body. Memory grows with the days only.
 * @returns the days, and the local year of the first row
 * @throws InvalidInput `csvInvalid` with the first faults in line order; `csvEmpty`; `referenceTooShort`;
 *             `notCumulative`
 * @throws TooLarge; Error of the stream
 */
export const readCsvDays = async (
  body: AsyncIterable<Buffer>,
  rule: CsvRule,
  limits: CsvLimits = csvLimits,
): Promise<ImportedDays & { readonly referenceYear: number }> => {
  const { form = defaultForm } = rule;
  const faults: InputFault[] = [];
  const warnings = warningList();
  const folder = rule.aggregation === 'counter' ? foldRegister(rule) : foldDays(rule);
  const readings = checkReadings(rule, faults, warnings, folder.add);
  const { onChunk, head } = headKeeper();
  const broken = await readRows(body, limits, { ...readings, onChunk });
  if (broken && faults.length < faultsMax) faults.push(broken);
  const { rows, duplicates, firstDay, localStamps } = readings.state();
  if (faults.length === 0) faults.push(...unitFault(head(), form));
  if (faults.length > 0) throw csvInvalid(faults, rows, head(), rule);
  if (firstDay === undefined)
    throw new InvalidInput('csvEmpty', 'got no row of data, expected at least one, date;value', []);
  const folded = folder.finish();
  const { activitySize, sampled } = folded;
  if (sampled.length === 0) throw noInterval(rows, rule);
  const { stepSeconds, thousands } = sampleCsv(head(), form);
  if (rule.kind === 'recent') missingDatesWarning(sampled).forEach(warnings.add);
  if (localStamps) warnings.add(localStampsWarning(localStamps, rule.clock?.timeZone ?? 'UTC'));
  if (thousands !== null) warnings.add(thousandsWarning(thousands, sampled));
  const found = 'warnings' in folded ? folded : { warnings: [], notes: [] };
  const sampling =
    stepSeconds === null ? [] : [samplingNote(stepSeconds, activitySize, rule.interpolationMethod)];
  const counted = {
    lines: rows,
    duplicates,
    warnings: [...found.warnings, ...warnings.all()],
    ...(localStamps ? { localStamps } : {}),
    notes: [...sampling, ...found.notes],
  };
  return { ...(await finishDays(sampled, activitySize, rule, counted)), referenceYear: year(firstDay) };
};

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
  if (faults.length === 0) faults.push(...unitFault(head(), rule.form ?? defaultForm));
  if (faults.length > 0) throw csvInvalid(faults, rows, head(), rule);
  if (collected.count() === 0)
    throw new InvalidInput('csvEmpty', 'got no row with a value, expected at least one, date;value', []);
  if (localStamps) warnings.add(localStampsWarning(localStamps, rule.clock?.timeZone ?? 'UTC'));
  const list = await collected.finish();
  return { ...list, invalid: 'csvInvalid', lines: rows, warnings: warnings.all(), notes: [] };
};
