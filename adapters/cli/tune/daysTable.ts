import { settingName } from '../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import { explainedParts } from '../../../domain/alerts/details/alertSentence.js';
import type { ExplainedFacts } from '../../../domain/source/covariates.js';
import { groupsOf, type DataTable, type Value } from '../../../application/tables/table.js';
import type { TableFormat } from '../../tables/formats.js';
import { tableBytes } from '../../tables/tableBytes.js';

const columns: DataTable['columns'] = {
  ...{ setting: 'text', date: 'date', kind: 'text', assignedModelId: 'integer', plannedModelId: 'integer' },
  ...{ plannedModel: 'text', reason: 'text', ordinary: 'boolean', outcome: 'text', alertKind: 'text' },
  ...{ direction: 'text', criticity: 'number', expectedFactor: 'number', explained: 'text' },
};

/** Rows of a setting: its reference days with their models, and its recent days with the results of their checks. */
function* rowsOf({ asked, models, assignments, days }: TriedSetting): Generator<readonly Value[]> {
  const setting = settingName(asked);
  const nameOf = (id: number | null): string | null => models.find(model => model.id === id)?.name ?? null;
  for (const { date, modelId, plannedId } of assignments)
    yield [
      ...[setting, date, 'reference', modelId, plannedId, nameOf(plannedId)],
      ...[null, null, null, null, null, null, null, null],
    ];
  for (const { date, plannedModelId, reason, ordinary, outcome, finding, explainedBy } of days)
    yield [
      ...[setting, date, 'recent', null, plannedModelId, nameOf(plannedModelId), reason, ordinary, outcome],
      ...[finding?.kind ?? null, finding?.direction ?? null, finding?.criticity ?? null],
      ...(explainedBy ? [factorOf(explainedBy), explainedParts(explainedBy).join(', ')] : [null, null]),
    ];
}

/** Mean that covariates make expected of a day, as a multiple of the mean of its model; null for a mean of 0. */
const factorOf = ({ planned, expected }: ExplainedFacts): number | null =>
  planned === 0 ? null : expected / planned;

/** Each day under each setting, as the bytes of a file. */
export const daysFile = async (tried: readonly TriedSetting[], format: TableFormat): Promise<Buffer> => {
  function* rows(): Generator<readonly Value[]> {
    for (const setting of tried) yield* rowsOf(setting);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of tableBytes(
    { columns },
    format,
    groupsOf(rows(), () => undefined),
  ))
    chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};
