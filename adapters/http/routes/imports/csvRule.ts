import Type, { type Static } from '../../typebox.js';
import { InvalidInput } from '../../../../application/imports/faults.js';
import { isOneColumn, separatorNames } from '../../../csv/csvForm.js';
import type { CsvRule } from '../../../csv/readings.js';
import { csvChoices } from '../../schemas/source.js';

const choicesSchema = Type.Object(csvChoices);

/**
 * Form and clock of a CSV body, from the choices of its request: `defaultForm` and UTC by default.
 * @throws InvalidInput when dates and values would be one column
 */
export const csvRuleOf = ({
  separator = 'semicolon',
  decimal = ',',
  dateFormat = 'ISO',
  dateColumn,
  valueColumn,
  clock: stamps = 'utc',
}: Static<typeof choicesSchema>): Required<Pick<CsvRule, 'form' | 'stamps'>> => {
  const form = {
    separator: separatorNames[separator],
    decimal,
    dateFormat,
    ...(dateColumn === undefined ? {} : { dateColumn }),
    ...(valueColumn === undefined ? {} : { valueColumn }),
  };
  if (!isOneColumn(form)) return { form, stamps };
  throw new InvalidInput('parametersInvalid', 'dates and values cannot be one column', [
    {
      code: 'oneColumn',
      pointer: valueColumn === undefined ? '/query/dateColumn' : '/query/valueColumn',
      detail: 'got one column for dates and values, expected two different ones',
    },
  ]);
};
