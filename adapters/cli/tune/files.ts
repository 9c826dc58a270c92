import { basename } from 'node:path';
import Type from '../../http/typebox.js';
import {
  finestCount,
  type Aggregation,
  type Day,
  type InterpolationMethod,
  type SliceCount,
} from '../../../domain/day.js';
import { dayNumber, year } from '../../../domain/dates.js';
import type { CovariateSeries } from '../../../domain/source/covariates.js';
import { readCsvDays } from '../../csv/csvBody.js';
import {
  InvalidInput,
  TooLarge,
  Unparseable,
  type InputFault,
} from '../../../application/requests/imports/faults.js';
import type { DayRule, ImportedDays } from '../../../application/requests/imports/assembleDays.js';
import { defaultForm, type CsvForm } from '../../csv/csvForm.js';
import type { CsvRule, StampClock } from '../../csv/readings.js';
import { bodyChecker } from '../../http/schemaChecker.js';
import { sourceIdSchema, withStreamedDays } from '../../http/schemas/common.js';
import { requireCalendar, requireTimeZone } from '../../http/schemas/knownChoices.js';
import { sourceCreationSchema } from '../../http/schemas/source.js';
import { collectJsonDays } from '../../json/jsonDays.js';
import { openContent, readableSize, sourceNameOf, Unreadable, withOptions } from '../terminal/inputFiles.js';
import { plain } from '../terminal/text.js';
import { missingNote, seriesOf, type CovariateFile } from './covariates.js';

/** Options for reading the files, as for a new source; null where the file or the default decides. */
export type Reading = {
  readonly activitySize: SliceCount | null;
  readonly interpolation: InterpolationMethod | null;
  readonly aggregation: Aggregation | null;
  /** IANA time zone of the days, and the clock of stamps without an offset; absent for the defaults. */
  readonly timeZone?: string;
  readonly stamps?: StampClock;
  /** Differences from the default format. */
  readonly form?: Partial<CsvForm>;
};

/** The days of the files. */
export type FileDays = {
  /** From the JSON body, else from the file name. */
  readonly name: string;
  /** From the JSON body, else the year of the first day. */
  readonly referenceYear: number;
  /** Calendar code of the JSON body; null without one. */
  readonly calendar: string | null;
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  readonly covariates: readonly CovariateSeries[];
  readonly notes: readonly string[];
};

/** An import would refuse this file. */
export class FaultyFile extends Error {
  readonly name = 'FaultyFile';
  readonly faults: readonly InputFault[];
  readonly file: string;
  /** The CSV that was read before, whose form this file has to have; null for none. */
  readonly like: string | null;

  constructor(file: string, message: string, faults: readonly InputFault[], like: string | null) {
    super(message);
    this.file = file;
    this.faults = faults;
    this.like = like;
  }
}

const checkCreation = bodyChecker(withStreamedDays(sourceCreationSchema));
const checkRecent = bodyChecker(withStreamedDays(Type.Object({ sourceId: Type.Optional(sourceIdSchema) })));
/** The fields of a creation that a comparison uses. */
type Creation = {
  readonly name: string;
  readonly referenceYear: number;
  readonly days: unknown;
  readonly activitySize?: number;
  readonly interpolationMethod?: InterpolationMethod;
  readonly aggregation?: Aggregation;
  readonly timeZone?: string;
  readonly calendar?: string;
};

/** The slice count that a source stores: 1440 minutes become 144 slices. */
export const keptSize = (size: number | null | undefined): SliceCount | undefined =>
  size === null || size === undefined ? undefined : size > finestCount ? finestCount : (size as SliceCount);

const isJson = (path: string): boolean => /\.json(\.gz)?$/i.test(path);

/**
 * Reads one file. Faults become a FaultyFile with its name.
 * @param earlier files that were read before with the same options
 * @throws FaultyFile, Unreadable
 */
const readFrom = async <Result>(
  path: string,
  earlier: readonly string[],
  read: (body: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> => {
  await readableSize(path);
  try {
    return await read(openContent(path).content);
  } catch (error) {
    const file = plain(basename(path));
    const csv = earlier.find(other => !isJson(other));
    const like = csv === undefined ? null : plain(basename(csv));
    if (error instanceof InvalidInput || error instanceof Unparseable)
      throw new FaultyFile(file, error.message, error.faults, like);
    if (error instanceof TooLarge) throw new FaultyFile(file, error.message, [], like);
    if (error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw new Unreadable(`${plain(path)} cannot be read: it is not in gzip format (${error.message})`);
    throw error;
  }
};

/**
 * Reads reference and recent days as an import would; the reference decides how recent days are read.
 * Files of covariates are read with the same form and clock; their own sampling decides their slices.
 * @throws FaultyFile with the faults that an import would list, Unreadable, SettingsError
 */
export const readFiles = async (
  reference: string,
  recent: string | null,
  asked: Reading,
  explainedBy: readonly CovariateFile[] = [],
): Promise<FileDays> => {
  const first = await readFrom(reference, [], body => readReference(body, isJson(reference), asked));
  const rule: CsvRule = { ...first.rule, kind: 'recent', activitySize: first.imported.activitySize };
  const second =
    recent === null
      ? undefined
      : await readFrom(recent, [reference], body =>
          isJson(recent) ? readRecentJson(body, rule) : readCsvDays(body, rule),
        );
  const days = { reference: first.imported.days, recent: second?.days ?? [] };
  const covariateRule: CsvRule = { ...rule, activitySize: undefined, aggregation: 'mean' };
  const covariates: CovariateSeries[] = [];
  for (const [index, file] of explainedBy.entries()) {
    const imported = await readFrom(file.path, [reference, ...(recent === null ? [] : [recent])], body =>
      readCsvDays(body, covariateRule),
    );
    covariates.push(seriesOf(file, index + 1, imported.days, days.reference));
  }
  return {
    name: first.name ?? sourceNameOf(reference, 'source'),
    referenceYear: first.referenceYear ?? year(dayNumber(first.imported.days[0]?.date ?? '1970-01-01')),
    calendar: first.calendar ?? null,
    ...days,
    covariates,
    notes: [
      ...(first.unused ?? []).map(field => `${plain(basename(reference))}: ${plain(field)} is not used here`),
      ...notesOf(reference, first.imported),
      ...(recent && second ? notesOf(recent, second) : []),
      ...covariates.flatMap(series => missingNote(series, days.recent)),
    ],
  };
};

/** Warnings and notes of an import, with the file name. */
const notesOf = (path: string, { summary }: ImportedDays): string[] =>
  [...summary.warnings.map(({ detail }) => detail), ...(summary.notes ?? [])].map(
    text => `${plain(basename(path))}: ${plain(text)}`,
  );

/** Reads a reference; a JSON body may decide name, year and rule. */
const readReference = async (
  body: AsyncIterable<Buffer>,
  json: boolean,
  asked: Reading,
): Promise<{
  readonly name?: string;
  readonly referenceYear?: number;
  readonly calendar?: string | null;
  /** Fields of a JSON body that change nothing here. */
  readonly unused?: readonly string[];
  readonly rule: CsvRule;
  readonly imported: ImportedDays;
}> => {
  const ruleOf = (own: Partial<Creation>): CsvRule => ({
    kind: 'reference',
    activitySize: keptSize(asked.activitySize ?? own.activitySize),
    aggregation: asked.aggregation ?? own.aggregation ?? 'mean',
    interpolationMethod: asked.interpolation ?? own.interpolationMethod ?? 'zero',
    clock: requireTimeZone(asked.timeZone ?? own.timeZone ?? 'UTC', 'bodyInvalid', '/timeZone'),
    stamps: asked.stamps ?? 'utc',
    form: { ...defaultForm, ...asked.form },
  });
  if (!json) {
    const rule = ruleOf({});
    return { rule, imported: await readCsvDays(body, rule) };
  }
  const collected = await collectJsonDays(body);
  const envelope = checkCreation(collected.envelope) as Creation;
  const rule = ruleOf(envelope);
  const { name, referenceYear, days, activitySize, interpolationMethod, aggregation, timeZone, ...others } =
    envelope;
  const { calendar = null, ...unused } = others;
  requireCalendar(calendar, 'bodyInvalid', '/calendar');
  const imported = await collected.finish({ ...rule, referenceYear });
  return { name, referenceYear, calendar, unused: Object.keys(unused), rule, imported };
};

const readRecentJson = async (body: AsyncIterable<Buffer>, rule: DayRule): Promise<ImportedDays> => {
  const collected = await collectJsonDays(body);
  checkRecent(collected.envelope);
  return collected.finish(rule);
};

/** A detail with its advice on the form. The options hold for all files, so a further file has to follow the first. */
const adviceOf = (detail: string, like: string | null): string =>
  like === null ? withOptions(detail) : detail.replace(/Send it with.*$/s, `Write it in the form of ${like}`);

/** The faults of a file, one a line: place, code and detail. */
export const faultLines = ({ file, message, faults, like }: FaultyFile): string[] =>
  faults.length === 0
    ? [`${file}: ${plain(message)}`]
    : [
        `${file}: ${plain(message)}`,
        ...faults.map(({ line, column, pointer, code, detail }) => {
          const place = [
            file,
            ...(line === undefined ? [] : [line]),
            ...(column === undefined ? [] : [column]),
            ...(pointer === undefined ? [] : [plain(pointer)]),
          ].join(':');
          return `${place}: ${code}: ${adviceOf(plain(detail), like)}`;
        }),
      ];
