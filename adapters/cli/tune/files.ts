import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import Type from 'typebox';
import {
  finestCount,
  type Aggregation,
  type Day,
  type InterpolationMethod,
  type SliceCount,
} from '../../../domain/day.js';
import { dayNumber, year } from '../../../domain/dates.js';
import { readCsvDays } from '../../csv/csvDays.js';
import { InvalidInput, TooLarge, Unparseable, type InputFault } from '../../faults.js';
import type { DayRule, ImportedDays } from '../../importedDays.js';
import { valueChecker } from '../../http/body.js';
import * as schemas from '../../http/schemas.js';
import { collectJsonDays } from '../../json/jsonDays.js';
import { Unreadable } from '../terminal/inputFile.js';
import { plain } from '../terminal/text.js';

/** How the files are read, as at the creation of a source; null where the file or the default decides. */
export type Reading = {
  readonly activitySize: SliceCount | null;
  readonly interpolation: InterpolationMethod | null;
  readonly aggregation: Aggregation | null;
};

/** What files gave. `name` is that of the source: a JSON body says it, else the file's name. */
export type FileDays = {
  readonly name: string;
  /** The year of the reference: a JSON body says it, else it is that of the first day. */
  readonly referenceYear: number;
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  readonly notes: readonly string[];
};

/** A file that an import would refuse, with its faults. */
export class FaultyFile extends Error {
  readonly name = 'FaultyFile';
  readonly faults: readonly InputFault[];
  readonly file: string;

  constructor(file: string, message: string, faults: readonly InputFault[]) {
    super(message);
    this.file = file;
    this.faults = faults;
  }
}

const choices = {
  activitySize: Type.Optional(schemas.activitySize),
  interpolationMethod: Type.Optional(schemas.interpolationMethod),
  aggregation: Type.Optional(schemas.aggregation),
};
const checkCreation = valueChecker(
  Type.Object(
    { name: schemas.sourceName, referenceYear: schemas.year, days: Type.Array(Type.Unknown()), ...choices },
    schemas.strict,
  ),
);
const checkRecent = valueChecker(
  Type.Object(
    { sourceId: Type.Optional(schemas.sourceId), days: Type.Array(Type.Unknown()) },
    schemas.strict,
  ),
);
type Creation = {
  readonly name: string;
  readonly referenceYear: number;
  readonly activitySize?: number;
  readonly interpolationMethod?: InterpolationMethod;
  readonly aggregation?: Aggregation;
};

/** A count of slices as a source keeps it: minutes become tens of minutes. */
export const keptSize = (size: number | null | undefined): SliceCount | undefined =>
  size === null || size === undefined ? undefined : size > finestCount ? finestCount : (size as SliceCount);

/** The name of a file without its folder and its endings. */
export const stemOf = (path: string): string =>
  plain(basename(path))
    .replace(/(\.reference)?(\.(csv|json))?(\.gz)?$/i, '')
    .slice(0, 100) || 'source';

const isJson = (path: string): boolean => /\.json(\.gz)?$/i.test(path);

/** @throws Unreadable */
const open = async (path: string): Promise<AsyncIterable<Buffer>> => {
  try {
    await access(path, constants.R_OK);
    if ((await stat(path)).isDirectory()) throw new Error('it is a folder');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Unreadable(`${plain(path)} cannot be read: ${code === 'ENOENT' ? 'no such file' : message}`);
  }
  const file = createReadStream(path);
  // An error of either ends the last stream with it, which its reader sees.
  return /\.gz$/i.test(path) ? pipeline(file, createGunzip(), () => {}) : file;
};

/** Reads one file, and says of its faults which file has them. */
const reading = async <Result>(
  path: string,
  read: (body: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> => {
  const body = await open(path);
  try {
    return await read(body);
  } catch (error) {
    const file = plain(basename(path));
    if (error instanceof InvalidInput) throw new FaultyFile(file, error.message, error.faults);
    if (error instanceof Unparseable) throw new FaultyFile(file, error.message, error.faults);
    if (error instanceof TooLarge) throw new FaultyFile(file, error.message, []);
    if (error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw new Unreadable(`${plain(path)} cannot be read: it is not packed by gzip (${error.message})`);
    throw error;
  }
};

/**
 * Reads a reference and recent days as an import would, the recent days by what the reference decided.
 * @throws FaultyFile with all that an import would list, Unreadable
 */
export const readFiles = async (
  reference: string,
  recent: string | null,
  asked: Reading,
): Promise<FileDays> => {
  const first = await reading(reference, body => readReference(body, isJson(reference), asked));
  const rule: DayRule = { ...first.rule, kind: 'recent', activitySize: first.imported.activitySize };
  const then =
    recent === null
      ? undefined
      : await reading(recent, body =>
          isJson(recent) ? readRecentJson(body, rule) : readCsvDays(body, rule),
        );
  return {
    name: first.name ?? stemOf(reference),
    referenceYear: first.referenceYear ?? year(dayNumber(first.imported.days[0]?.date ?? '1970-01-01')),
    reference: first.imported.days,
    recent: then?.days ?? [],
    notes: [...notesOf(reference, first.imported), ...(recent && then ? notesOf(recent, then) : [])],
  };
};

const notesOf = (path: string, { summary }: ImportedDays): string[] =>
  summary.warnings.map(({ detail }) => `${plain(basename(path))}: ${plain(detail)}`);

const readReference = async (
  body: AsyncIterable<Buffer>,
  json: boolean,
  asked: Reading,
): Promise<{
  readonly name?: string;
  readonly referenceYear?: number;
  readonly rule: DayRule;
  readonly imported: ImportedDays;
}> => {
  const ruleOf = (own: Partial<Creation>): DayRule => ({
    kind: 'reference',
    activitySize: keptSize(asked.activitySize ?? own.activitySize),
    aggregation: asked.aggregation ?? own.aggregation ?? 'mean',
    interpolationMethod: asked.interpolation ?? own.interpolationMethod ?? 'zero',
  });
  if (!json) {
    const rule = ruleOf({});
    return { rule, imported: await readCsvDays(body, rule) };
  }
  const collected = await collectJsonDays(body);
  const envelope = checkCreation(collected.envelope) as Creation;
  const rule = ruleOf(envelope);
  const { name, referenceYear } = envelope;
  return { name, referenceYear, rule, imported: await collected.finish({ ...rule, referenceYear }) };
};

const readRecentJson = async (body: AsyncIterable<Buffer>, rule: DayRule): Promise<ImportedDays> => {
  const collected = await collectJsonDays(body);
  checkRecent(collected.envelope);
  return collected.finish(rule);
};

/** The faults of a file, a line each: where, code, and what was got and expected. */
export const faultLines = ({ file, message, faults }: FaultyFile): string[] =>
  faults.length === 0
    ? [`${file}: ${plain(message)}`]
    : [
        `${file}: ${plain(message)}`,
        ...faults.map(({ line, column, pointer, code, detail }) => {
          const where = [
            file,
            ...(line === undefined ? [] : [line]),
            ...(column === undefined ? [] : [column]),
            ...(pointer === undefined ? [] : [plain(pointer)]),
          ].join(':');
          return `${where}: ${code}: ${plain(detail)}`;
        }),
      ];
