import { InvalidInput } from '../../../../application/imports/faults.js';
import { samplingNote } from '../../../../application/imports/importNotes.js';
import type { Service } from '../../../../application/service.js';
import { countFilledBy } from '../../../../domain/day.js';
import { latestTomorrow } from '../../../../domain/futureDays.js';
import { choicesQuery, formChoices, spelledForm } from '../../../csv/inspection/formChoices.js';
import { inspectCsv } from '../../../csv/inspection/inspectCsv.js';
import type { Inspection } from '../../../csv/inspection/inspection.js';
import { futureProblems, problemsOf } from '../../../csv/inspection/inspectionProblems.js';
import { route, type Route } from '../../route.js';
import { noFields } from '../../schemas/common.js';
import { inspectionSchema } from '../../schemas/imports/inspection.js';

/** Bytes of a body that are inspected. */
const inspectedBytesMax = 1_000_000;

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
const shownInspection = (seen: Inspection, isWhole: boolean, now: string) => {
  const { stepSeconds, lastDate, thousands, isUtf8, notText, unread, ...shown } = seen;
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
    problems: [...problemsOf(seen), ...futureProblems(seen, latestTomorrow(now))],
  };
};

export const inspectionRoutes = ({ now }: Pick<Service, 'now'>): readonly Route[] => [
  route({
    method: 'post',
    path: '/v1/import-csv/inspect',
    operationId: 'inspectCsv',
    summary: 'Inspect the form of a CSV and get the parameters of its import; nothing is stored',
    scope: 'import',
    params: noFields,
    query: noFields,
    body: { kind: 'csv' },
    answers: {
      200: { description: 'The form of the first million bytes of the body', schema: inspectionSchema },
    },
    run: async ({ stream }) => {
      const { head, isWhole } = await beginningOf(stream);
      if (head.length === 0)
        throw new InvalidInput('csvEmpty', 'got no row of data, expected at least one, date;value', []);
      return { status: 200, body: shownInspection(inspectCsv(head, isWhole), isWhole, now()) };
    },
  }),
];
