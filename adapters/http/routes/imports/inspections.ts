import { InvalidInput, shown } from '../../../../application/requests/imports/faults.js';
import { utcClock } from '../../../../application/ports/localClock.js';
import {
  withCures,
  misreadWarnings,
  samplingNote,
} from '../../../../application/requests/imports/importWarnings.js';
import type { Service } from '../../../../application/requests/service.js';
import { runSteps } from '../../../../application/ports/sharing/turns.js';
import { countFilledBy, sliceCounts } from '../../../../domain/day.js';
import { latestTomorrow } from '../../../../domain/futureDays.js';
import {
  choicesQuery,
  formChoices,
  spelledForm,
  type Inspection,
} from '../../../csv/inspection/inspection.js';
import { inspectionSteps } from '../../../csv/inspection/inspectCsv.js';
import { futureProblems, problemsOf } from '../../../csv/inspection/csvAdvice.js';
import type { BodyMemory, ReadBody } from '../../body.js';
import { ok, route, type Route } from '../../route.js';
import {
  dateSchema,
  nullable,
  strict,
  named,
  number,
  integer,
  flag,
  object,
  text,
} from '../../schemas/common.js';
import Type from '../../typebox.js';
import { decimals, separatorNames, type SeparatorName, dateFormats } from '../../../csv/csvForm.js';
import { warningSchema } from '../../schemas/import.js';
import { csvForm } from '../../schemas/source.js';

const columnSchema = named('CsvColumn', {
  number: Type.Integer({ minimum: 1, examples: [1] }),
  name: nullable(Type.String({ examples: ['date'] })),
  kind: Type.Enum(['date', 'value', 'other']),
  example: Type.String({ examples: ['2026-03-02T00:00:00'] }),
});

const samplingSchema = named('CsvSampling', {
  seconds: number('Median of the seconds between two rows.', 3600),
  activitySize: Type.Enum([...sliceCounts], {
    description: 'Slices a day of a new source.',
    examples: [24],
  }),
  note: Type.String({ examples: ['hourly data, kept as 24 hours: 1 value a slice'] }),
});

const problemSchema = named('CsvProblem', {
  code: Type.String({ examples: ['noDates'] }),
  detail: Type.String(),
});

const inspectionSchema = named('CsvInspection', {
  separator: Type.Enum([...(Object.keys(separatorNames) as SeparatorName[])], { examples: ['semicolon'] }),
  decimal: nullable(Type.Enum([...decimals], { examples: [','] })),
  dateFormat: nullable(Type.Enum([...dateFormats])),
  header: nullable(Type.Array(Type.String(), { examples: [['date', 'value']] })),
  columns: Type.Array(columnSchema),
  rows: integer('Number of inspected rows of data.', 8760, { minimum: 0 }),
  isWhole: flag('Whether the whole body was inspected, or its first million bytes.', true),
  sampling: nullable(samplingSchema),
  days: Type.Array(object({ date: dateSchema, rows: Type.Integer({ minimum: 1, examples: [24] }) }), {
    description: 'The first dates, as in the file.',
  }),
  range: nullable(object({ min: Type.Number({ examples: [0] }), max: Type.Number({ examples: [131.5] }) }), {
    description: 'Smallest and largest value.',
  }),
  parameters: Type.Object(csvForm, {
    ...strict,
    description: 'Parameters that an import of this file needs; none for the default format.',
    examples: [{}],
  }),
  query: text('These parameters as the query of a URL.', ''),
  problems: Type.Array(problemSchema, { description: 'Reasons why an import would fail.', examples: [[]] }),
  warnings: Type.Array(warningSchema, {
    description: 'Signs that the rows mean something else than an import would read.',
    examples: [[]],
  }),
});

/** Bytes of a body that are inspected. */
const inspectedBytesMax = 1_000_000;
/** Memory of an inspection: fields of some characters take most of it. */
const memory: BodyMemory = { ofByte: 30, most: 30_000_000 };

/** The first bytes of a body, and whether they are the whole body. The rest is not read. */
const beginningOf = async (
  body: AsyncIterable<Buffer>,
): Promise<{ readonly head: Buffer; readonly isWhole: boolean }> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > inspectedBytesMax)
      return { head: Buffer.concat(chunks).subarray(0, inspectedBytesMax), isWhole: false };
  }
  return { head: Buffer.concat(chunks), isWhole: true };
};

/** An inspection as clients see it. */
const shownInspection = async (seen: Inspection, isWhole: boolean, now: string) => {
  const { stepSeconds, lastDate, thousands, isUtf8, notText, unread, readDays, columns, ...facts } = seen;
  const choices = formChoices(seen);
  const size = countFilledBy(stepSeconds ?? 1);
  return {
    ...facts,
    columns: columns.map(column => ({ ...column, name: column.name && shown(column.name) })),
    ...spelledForm({ separator: seen.separator }),
    isWhole,
    sampling:
      stepSeconds === null
        ? null
        : { seconds: stepSeconds, activitySize: size, note: samplingNote(stepSeconds, size, 'zero') },
    parameters: spelledForm(choices),
    query: choicesQuery(choices),
    problems: [...problemsOf(seen), ...futureProblems(seen, latestTomorrow(now))],
    warnings: withCures(await misreadWarnings(readDays, [], utcClock)),
  };
};

/** The route that reads a file and stores nothing. */
export const inspectionRoutes = (
  { now, turns }: Pick<Service, 'now' | 'turns'>,
  read: ReadBody,
): readonly Route[] => [
  route({
    at: 'POST /v1/import-csv/inspect',
    operationId: 'inspectCsv',
    summary: 'Inspect the form of a CSV and get the parameters of its import; nothing is stored',
    scope: 'import',
    body: { kind: 'csv' },
    answers: ok('The form of the first million bytes of the body', inspectionSchema),
    result: call => {
      const yieldToEventLoop = turns.yielderFor(call.actor.tenant, call.signal);
      const inspected = async (bytes: AsyncIterable<Buffer>) => {
        const { head, isWhole } = await beginningOf(bytes);
        if (head.length === 0)
          throw new InvalidInput('csvEmpty', 'got no row of data, expected at least one, date;value', []);
        const seen = await runSteps(inspectionSteps(head, isWhole), yieldToEventLoop);
        return shownInspection(seen, isWhole, now());
      };
      return read(call, inspected, async shown => shown, memory);
    },
  }),
];
