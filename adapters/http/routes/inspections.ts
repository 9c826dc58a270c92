import Type from 'typebox';
import { InvalidInput } from '../../../application/imports/faults.js';
import { samplingNote } from '../../../application/imports/importNotes.js';
import { countFilledBy, sliceCounts } from '../../../domain/day.js';
import { decimals, separatorNames, type SeparatorName } from '../../csv/csvForm.js';
import { choicesQuery, formChoices, inspectCsv, spelledForm, type Inspection } from '../../csv/inspectCsv.js';
import { problemsOf } from '../../csv/inspectionProblems.js';
import { dateFormats } from '../../csv/stampFormats.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

/** Bytes of a body that are looked at. */
const inspectedBytesMax = 1_000_000;

const inspection = Type.Object(
  {
    separator: Type.Enum([...(Object.keys(separatorNames) as SeparatorName[])]),
    decimal: schemas.nullable(Type.Enum([...decimals])),
    dateFormat: schemas.nullable(Type.Enum([...dateFormats])),
    header: schemas.nullable(Type.Array(Type.String())),
    columns: Type.Array(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1 }),
          name: schemas.nullable(Type.String()),
          kind: Type.Enum(['date', 'value', 'other']),
          example: Type.String(),
        },
        schemas.strict,
      ),
    ),
    rows: Type.Integer({ minimum: 0, description: 'rows of data that were looked at' }),
    isWhole: Type.Boolean({ description: 'whether that is the whole body; else its first million bytes' }),
    sampling: schemas.nullable(
      Type.Object(
        {
          seconds: Type.Number({ description: 'median of the seconds between two rows' }),
          activitySize: Type.Enum([...sliceCounts], { description: 'that a new source gets' }),
          note: Type.String(),
        },
        schemas.strict,
      ),
    ),
    days: Type.Array(
      Type.Object({ date: schemas.date, rows: Type.Integer({ minimum: 1 }) }, schemas.strict),
      { description: 'the first dates, as the file writes them' },
    ),
    range: schemas.nullable(Type.Object({ min: Type.Number(), max: Type.Number() }, schemas.strict)),
    parameters: Type.Object(schemas.csvForm, {
      ...schemas.strict,
      description: 'that an import of this file must give; none for the given format',
    }),
    query: Type.String({ description: 'the same as a part of an address' }),
    problems: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }, schemas.strict)),
  },
  schemas.strict,
);

/** The first bytes of a body, and whether they are all of it. The rest is not read. */
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

/** An inspection as the answer says it. */
const shownInspection = (seen: Inspection, isWhole: boolean) => {
  const { stepSeconds, thousands: _, isUtf8: __, ...shown } = seen;
  const choices = formChoices(seen);
  const size = countFilledBy(stepSeconds ?? 1);
  return {
    ...shown,
    ...spelledForm({ separator: seen.separator }),
    isWhole,
    sampling:
      stepSeconds === null
        ? null
        : { seconds: stepSeconds, activitySize: size, note: samplingNote(stepSeconds, size, 'zero') },
    parameters: spelledForm(choices),
    query: choicesQuery(choices),
    problems: problemsOf(seen),
  };
};

export const inspectionRoutes = (): readonly Route[] => [
  route({
    method: 'post',
    path: '/v1/import-csv/inspect',
    operationId: 'inspectCsv',
    summary: 'Says how a CSV is written and how to import it; nothing is stored',
    scope: 'import',
    params: schemas.noFields,
    query: schemas.noFields,
    body: { kind: 'csv' },
    answers: { 200: { description: 'What the first million bytes of the body are', schema: inspection } },
    run: async ({ stream }) => {
      const { head, isWhole } = await beginningOf(stream);
      if (head.length === 0)
        throw new InvalidInput('csvEmpty', 'got no row of data, expected at least one, date;value', []);
      return { status: 200, body: shownInspection(inspectCsv(head, isWhole), isWhole) };
    },
  }),
];
